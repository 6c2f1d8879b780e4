"""Square of a number.

map: $x ↦ x²$
routes: recipe
gates: silu, anchor, anchors, ffn
source: sawtooth square (Yarotsky 2017), recipe after arXiv 2604.24878; one gate per tooth and its residual: proved here
standing: recipe a reconstruction, bounds derived
synonyms: sqr

recipe.  With centre c and half-width h of the domain and t = (x − c + h)/2h in [0, 1],
x² = 2cx − c² + h² − 4h²(t − t²), and t² ≈ f_m(t) = t − Σ_s g_s/4^s with the teeth g ↦ 2g − 4ρ(g − ½) from g_0 = t,
carried as z = g − ½. m layers, one head each, two tokens.
Guarantee: exact ρ errs in [0, h²·4^(−m)], attained; silu gates add only [−(16/3)(1 − 4^(−m))·C·h²/β², 0] (lemma Q2; Q3).
"""

from __future__ import annotations

import sympy as sp

from ..declarations.record import Case, Construction, Frame, Input, Output, Route, copies
from ..formulas.interval import Interval
from ..formulas.parameter import Kind, Levels, Parameter
from ..lemmas.sawtooth import (
    LEVEL_RESIDUAL,
    RESIDUAL,
    SQUARE_EXCESS,
    SQUARE_RESIDUALS,
    chord_lemma,
    joint_residual_lemma,
    levels,
    m,
    residual_lemma,
)
from ..terms.linear import Block, affine, identity, var
from ..terms.term import Affine, Approx, Ramps, Repeat, Seq, Term, Unit

HALF = sp.Rational(1, 2)


def recipe(frame: Frame) -> Term:
    c, h = frame.boxes["x"].centre, frame.boxes["x"].half
    x, z, acc, r = var("x"), var("z"), var("acc"), var("r")

    start = Affine("scaling", affine((Block("x"),), {
        "z": (x - c) / (2 * h), "acc": (2 * c * x - c ** 2 + h ** 2) / (2 * h) ** 2}))
    level = levels()
    state = start.map.outputs
    g = 2 * z + 1 - 4 * r
    tooth = Ramps("tooth", identity(state), (Unit("r", "z"),), affine((*state, Block("r")), {
        "z": g - HALF, "acc": acc - g / 4 ** level.symbol}))
    body = Seq((start, Repeat(tooth, level), Affine("read-out", affine(state, {"x²": (2 * h) ** 2 * acc}))))

    # Q1 on [0, 1], scaled by (2h)²
    chord = Interval.of(0, h ** 2 * sp.Integer(4) ** -m)
    gates = Interval.of(-h ** 2 * 4 * RESIDUAL * LEVEL_RESIDUAL, 0)
    jointly = Interval.of(-h ** 2 * 4 * LEVEL_RESIDUAL * SQUARE_RESIDUALS, 0)
    return copies(frame, Approx(body, chord_lemma(chord), (
        ("silu", residual_lemma(chord, gates)), ("silu", joint_residual_lemma(chord, jointly, SQUARE_EXCESS)))))


CONSTRUCTION = Construction(
    inputs=(Input("x"),),
    outputs=(Output("x²", "x**2"),),
    parameters=(Parameter("m", Kind.INTEGER, "number of sawtooth levels", least=0, most=10_000, chosen=Levels()),),
    routes=(Route("recipe", recipe, words="a sawtooth", chooses=("m",)),),
    cases=(Case({"eps": 1}), Case({"eps": "1/20", "M": "1/3", "d": 3}), Case({"eps": "1/4", "range": "-11,-10"}),
           Case({"eps": "1/3", "delta": "1/1000", "range": "2,3"}), Case({"eps": "1/10", "m": 4}),
           Case({"eps": "1e-7", "d": 2}, gates=("silu", "ffn"))),
    far_from_affine=((("1",), 1), (("0",), -2), (("-1",), 1)))
