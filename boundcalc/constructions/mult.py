"""Product of two numbers.

map: $(x, y) ↦ x·y$
routes: recipe, direct
gates: silu, anchor, anchors, ffn
source: sawtooth square (Yarotsky 2017), recipe after arXiv 2604.24878; direct: proved here
standing: recipe a reconstruction, bounds derived

recipe.  With centre c and half-width h of the domain and u± = ((x − c) ± (y − c))/2h,
(x − c)(y − c) = h²(u₊² − u₋²). One layer makes |u±| = 2ρ(u±) − u±, then m teeth g ↦ 2g − 4ρ(g − ½) run on both,
carried as z = g − ½, while acc collects f_m(|u₊|) − f_m(|u₋|), f_m(t) = t − Σ_s g_s/4^s. The affine rest
c(x + y) − c² of the product rides on acc from the start. m + 1 layers, two heads each, two tokens.
Guarantee: exact ρ gives ±h²·4^(−m−1), attained. silu gates add no first-order error (lemma Q2).

direct.  One head over two tokens with scores ±x and values ±y returns y·tanh(βx); divide by β (lemma S7).
Guarantee: upper, sharp as β → 0; needs a *small* β.
"""

from __future__ import annotations

import sympy as sp

from ..declarations.record import Construction, Route, Setting, copies
from ..formulas.interval import Interval
from ..formulas.symbols import symbol
from ..lemmas.sawtooth import CHORD, LEVEL_RESIDUAL, RESIDUAL, chord_lemma, levels, residual_lemma
from ..lemmas.softmax import tilt
from ..terms.linear import AffineMap, Block, Form, Rows, affine, identity, var
from ..terms.term import Affine, Approx, Attention, HeadFamily, Ramps, Repeat, Seq, Term, Unit

HALF = sp.Rational(1, 2)
INPUTS = (Block("x"), Block("y"))
USE = ("; a product is $xy = ϱ²(p² − q²)$ with $p = |x + y|/(2ϱ)$ and $q = |x − y|/(2ϱ)$, $ϱ$ half the width of a domain "
       "around 0 (other domains are shifted), and the absolute values, by gates, add residuals of their own in "
       "$[−C/β², 0]$")
beta = symbol("beta")


def recipe(s: Setting) -> Term:
    x, y, c, h = var("x"), var("y"), s.centre, s.half
    zp, zm, acc, rp, rm = var("z₊"), var("z₋"), var("acc"), var("r₊"), var("r₋")
    units = (Unit("r₊", "z₊"), Unit("r₋", "z₋"))

    start = affine(INPUTS, {"z₊": (x + y - 2 * c) / (2 * h), "z₋": (x - y) / (2 * h)})
    sizes = {b: 2 * r - z for b, r, z in (("+", rp, zp), ("-", rm, zm))}
    magnitude = Ramps("absolute values", start, units, affine((*start.outputs, Block("r₊"), Block("r₋")), {
        "z₊": sizes["+"] - HALF, "z₋": sizes["-"] - HALF,
        "acc": sizes["+"] - sizes["-"] + 2 * c / h * zp + (c / h) ** 2}))

    level = levels()
    state = magnitude.post.outputs
    gp, gm = 2 * zp + 1 - 4 * rp, 2 * zm + 1 - 4 * rm
    tooth = Ramps("tooth", identity(state), units, affine((*state, Block("r₊"), Block("r₋")), {
        "z₊": gp - HALF, "z₋": gm - HALF, "acc": acc - (gp - gm) / 4 ** level.symbol}))

    body = Seq((magnitude, Repeat(tooth, level), Affine("read-out", affine(state, {"x·y": h ** 2 * acc}))))
    chord = Interval.symmetric(h ** 2 * CHORD)
    # the absolute value is one more level
    gates = Interval.symmetric(h ** 2 * sp.expand(1 + RESIDUAL) * LEVEL_RESIDUAL)
    return copies(s, Approx(body, chord_lemma(chord), (("silu", residual_lemma(chord, gates, USE)),)))


def direct(s: Setting) -> Term:
    """Tokens (x − c, y − c, 1) and (0, −(y − c), −1): scores ±(x − c), values ±(y − c); the skip adds c(x + y) − c²."""
    x, y, c, h = var("x"), var("y"), s.centre, s.half
    two, t0, t1 = sp.Integer(2), (sp.Integer(0),), (sp.Integer(1),)
    coords = (Block("x"), Block("y"), Block("1"))
    on_tokens = tuple(Block(b.name, (two,)) for b in coords)
    one = sp.Integer(1)
    embed = AffineMap(INPUTS, on_tokens, (
        Rows("x", (x - c).written(), t0), Rows("y", (y - c).written(), t0), Rows("y", (c - y).written(), t1),
        Rows("1", Form((), one), t0), Rows("1", Form((), -one), t1)))
    score, out = (Block("score"),), (Block("x·y"),)
    head = HeadFamily(AffineMap(coords, score, (Rows("score", var("x")),)),
                      AffineMap(coords, score, (Rows("score", var("1")),)),
                      AffineMap(coords, out, (Rows("x·y", var("y") / beta),)), beta)
    rest = (c * (var("x", 0) + var("y", 0)) + c ** 2 * var("1", 0)).written()      # c(x + y) − c², in centred inputs
    skip = AffineMap(on_tokens, out, (Rows("x·y", rest),)) if rest.terms else None
    layer = Attention("tilted head", two, coords, ("1",), embed, (head,), skip, out)
    return copies(s, Approx(layer, tilt(h, h)))


CONSTRUCTION = Construction(
    "mult", ("x", "y"), "{x}*{y}", "x*y",
    {"recipe": Route(recipe, gated=True, integers=("m",)), "direct": Route(direct, gated=False)})
