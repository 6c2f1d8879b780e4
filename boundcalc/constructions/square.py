"""Square of a number.

map: x ↦ x²
routes: recipe
gates: silu, ffn
source: sawtooth square (Yarotsky 2017), recipe after arXiv 2604.24878; one gate a tooth and its residual: proved here
standing: recipe a reconstruction, bounds derived

recipe.  On [a, b], w = b − a and t = (x − a)/w: x² = (a + b)x − ab − w²(t − t²), and t² ≈ f_m(t) = t − Σ_s g_s/4^s with the
teeth g_s = 2g_(s−1) − 4ρ(g_(s−1) − ½), g_0 = t, carried as z = g − ½. m layers, one head each, two tokens.
Guarantee: exact ρ errs in [0, w²·4^(−m−1)], attained; silu gates add only [−(4/3)(1 − 4^(−m))·C·w²/β², 0] (lemma Q2).
"""

from __future__ import annotations

import sympy as sp

from ..construction import Construction, Route, Setting, copies
from ..interval import Interval, largest
from ..linear import Block, affine, identity, var
from ..network import Affine, Approx, Ideal, Layer, Repeat, Seq, Term, Unit
from ..sawtooth import CHORD, LEVEL_RESIDUAL, RESIDUAL, chord_lemma, levels, residual_lemma

HALF = sp.Rational(1, 2)


def recipe(s: Setting) -> Term:
    a, b, w = s.domain.lo, s.domain.hi, 2 * s.half
    x, z, acc, r = var("x"), var("z"), var("acc"), var("r")

    start = Affine("scaling", affine((Block("x"),), {"z": (x - a) / w - HALF, "acc": (sp.expand(a + b) * x - a * b) / w ** 2}))
    level = levels()
    state = start.map.outputs
    g = 2 * z + 1 - 4 * r
    tooth = Layer("tooth", identity(state), (Unit("r", "z"),), affine((*state, Block("r")), {
        "z": g - HALF, "acc": acc - g / 4 ** level.symbol}))
    body = Seq((start, Repeat(tooth, level), Affine("read-out", affine(state, {"x²": w ** 2 * acc}))))

    chord = Interval.of(0, w ** 2 * CHORD)
    gates = Interval.of(-w ** 2 * RESIDUAL * LEVEL_RESIDUAL, 0)
    squares = [s.lo ** 2, s.hi ** 2]
    ideal = Ideal("x²", Interval.of(0, largest(squares)), 2 * s.largest + s.delta)
    return copies(s, Approx(body, ideal, chord_lemma(chord), (("silu", residual_lemma(chord, gates)),)))


CONSTRUCTION = Construction("square", ("x",), "x²", lambda v: v[0] * v[0],
                            {"recipe": Route(recipe, gated=True, integers=("m",))})
