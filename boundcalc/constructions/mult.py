"""Product of two numbers.

map: $(x, y) ↦ x·y$
routes: recipe, direct
gates: silu, anchor, anchors, ffn
source: sawtooth square (Yarotsky 2017), recipe after arXiv 2604.24878; direct: proved here
standing: recipe a reconstruction, bounds derived
synonyms: times, multiply, product

recipe.  With centre c and half-width h of the domain and u± = ((x − c) ± (y − c))/2h,
(x − c)(y − c) = h²(u₊² − u₋²). One layer makes |u±| = 2ρ(u±) − u±, then m teeth g ↦ 2g − 4ρ(g − ½) run on both,
carried as z = g − ½, while acc collects f_m(|u₊|) − f_m(|u₋|), f_m(t) = t − Σ_s g_s/4^s. The affine rest
c(x + y) − c² of the product rides on acc from the start. m + 1 layers, two heads each, two tokens.
Guarantee: exact ρ gives ±h²·4^(−m−1), attained. silu gates add no first-order error (lemmas Q2, Q3).

direct.  One head over two tokens with scores ±x and values ±y returns y·tanh(βx); divide by β (lemma S7).
Guarantee: upper, sharp as β → 0; needs a *small* β.
"""

from __future__ import annotations

import sympy as sp

from ..declarations.record import Case, Construction, Frame, Input, Output, Route, copies
from ..formulas.interval import Interval
from ..formulas.parameter import Kind, Levels, Parameter
from ..formulas.symbols import symbol
from ..lemmas.sawtooth import (
    CHORD,
    LEVEL_RESIDUAL,
    PRODUCT_EXCESS,
    PRODUCT_RESIDUALS,
    RESIDUAL,
    chord_lemma,
    joint_residual_lemma,
    levels,
    residual_lemma,
)
from ..lemmas.softmax import tilt
from ..terms.linear import AffineMap, Block, Form, Rows, affine, identity, var
from ..terms.term import Affine, Approx, Attention, HeadFamily, Ramps, Repeat, Seq, Term, Unit

HALF = sp.Rational(1, 2)
INPUTS = (Block("x"), Block("y"))
USE = ("; a product is $xy = ϱ²(p² − q²)$ with $p = |x + y|/(2ϱ)$ and $q = |x − y|/(2ϱ)$, $ϱ$ half the width of a domain "
       "around 0 (other domains are shifted), and the absolute values, by gates, add residuals of their own in "
       "$[−C/β², 0]$")
JOINT_USE = ("; a product is $xy = ϱ²(p² − q²)$ with $p = |x + y|/(2ϱ)$ and $q = |x − y|/(2ϱ)$, $ϱ$ half the width of a "
             "domain around 0 (other domains are shifted); its absolute values, by gates, are one more level")
beta = symbol("beta")


def recipe(frame: Frame) -> Term:
    x, y, bx, by = var("x"), var("y"), frame.boxes["x"], frame.boxes["y"]
    zp, zm, acc, rp, rm = var("z₊"), var("z₋"), var("acc"), var("r₊"), var("r₋")
    units = (Unit("r₊", "z₊"), Unit("r₋", "z₋"))

    u, v = (x - bx.centre) / (2 * bx.half), (y - by.centre) / (2 * by.half)
    shift_x, shift_y, scale = bx.centre / bx.half, by.centre / by.half, bx.half * by.half
    start = affine(INPUTS, {"z₊": u + v, "z₋": u - v})
    sizes = {b: 2 * r - z for b, r, z in (("+", rp, zp), ("-", rm, zm))}
    magnitude = Ramps("absolute values", start, units, affine((*start.outputs, Block("r₊"), Block("r₋")), {
        "z₊": sizes["+"] - HALF, "z₋": sizes["-"] - HALF,
        "acc": sizes["+"] - sizes["-"] + (shift_x + shift_y) * zp + (shift_y - shift_x) * zm + shift_x * shift_y}))

    level = levels()
    state = magnitude.post.outputs
    gp, gm = 2 * zp + 1 - 4 * rp, 2 * zm + 1 - 4 * rm
    tooth = Ramps("tooth", identity(state), units, affine((*state, Block("r₊"), Block("r₋")), {
        "z₊": gp - HALF, "z₋": gm - HALF, "acc": acc - (gp - gm) / 4 ** level.symbol}))

    body = Seq((magnitude, Repeat(tooth, level), Affine("read-out", affine(state, {"x·y": scale * acc}))))
    chord = Interval.symmetric(scale * CHORD)
    # the absolute value is one more level
    gates = Interval.symmetric(scale * sp.expand(1 + RESIDUAL) * LEVEL_RESIDUAL)
    jointly = Interval.symmetric(scale * LEVEL_RESIDUAL * PRODUCT_RESIDUALS)
    return copies(frame, Approx(body, chord_lemma(chord), (
        ("silu", residual_lemma(chord, gates, USE)),
        ("silu", joint_residual_lemma(chord, jointly, PRODUCT_EXCESS, JOINT_USE)))))


def direct(frame: Frame) -> Term:
    """With the centres c of x and e of y: tokens (x − c, y − e, 1) and (0, −(y − e), −1), hence scores ±(x − c) and values
    ±(y − e); the skip adds ex + cy − ce."""
    x, y, bx, by = var("x"), var("y"), frame.boxes["x"], frame.boxes["y"]
    c, e = bx.centre, by.centre
    two, t0, t1 = sp.Integer(2), (sp.Integer(0),), (sp.Integer(1),)
    coords = (Block("x"), Block("y"), Block("1"))
    on_tokens = tuple(Block(b.name, (two,)) for b in coords)
    one = sp.Integer(1)
    embed = AffineMap(INPUTS, on_tokens, (
        Rows("x", (x - c).written(), t0), Rows("y", (y - e).written(), t0), Rows("y", (e - y).written(), t1),
        Rows("1", Form((), one), t0), Rows("1", Form((), -one), t1)))
    score, out = (Block("score"),), (Block("x·y"),)
    head = HeadFamily(AffineMap(coords, score, (Rows("score", var("x")),)),
                      AffineMap(coords, score, (Rows("score", var("1")),)),
                      AffineMap(coords, out, (Rows("x·y", var("y") / beta),)), beta)
    rest = (e * var("x", 0) + c * var("y", 0) + c * e * var("1", 0)).written()      # ex + cy − ce, in centred inputs
    skip = AffineMap(on_tokens, out, (Rows("x·y", rest),)) if rest.terms else None
    layer = Attention("tilted head", two, coords, ("1",), embed, (head,), skip, out)
    return copies(frame, Approx(layer, tilt(bx.half, by.half)))


CONSTRUCTION = Construction(
    inputs=(Input("x", meaning="first factor"), Input("y", meaning="second factor")),
    outputs=(Output("x·y", "x*y"),),
    parameters=(Parameter("m", Kind.INTEGER, "number of sawtooth levels", least=0, most=10_000, chosen=Levels()),),
    routes=(Route("recipe", recipe, words="two sawtooth squares", chooses=("m",)),
            Route("direct", direct, words="one head, tilted by x", gated=False, cases=(
        Case({"eps": "1e-9"}), Case({"beta": "1/5", "range": {"x": ("10", "11"), "y": ("-1/3", "1/3")}, "d": 2})))),
    cases=(Case({"eps": 1}), Case({"eps": "1/20"}), Case({"eps": "1/4", "range": {"x": ("0", "2"), "y": ("-3", "1")}}),
           Case({"eps": "1/3", "range": {"x": ("9", "10"), "y": ("-1/2", "1/2")}, "d": 2}),
           Case({"eps": "1/2", "delta": "1/1000", "range": {"x": ("-1", "1"), "y": ("2", "4")}})),
    far_from_affine=((("1", "1"), 1), (("1", "-1"), -1), (("-1", "1"), -1), (("-1", "-1"), 1)))
