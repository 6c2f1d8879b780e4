"""Piecewise linear function through given points.

map: $x ↦$ linear between the knots, constant outside
routes: recipe
gates: silu, anchor, anchors, ffn
source: one rectifier for every knot, recipe after arXiv 2604.24878
standing: recipe a reconstruction, bound derived
synonyms: piecewise, interpolation, spline1, polyline

`--knots x0:y0,x1:y1,…` are the points, from left to right, or the name of a file that ends with .csv and has one x,y on each
line. The domain is from the first to the last knot where nothing is said.

recipe.  One layer, y₀ + Σ c_i·ρ(x − x_i), c_i the change of slope at the i-th knot.
Guarantee: exact ρ is exact. silu errs by Σ_(c_i>0) c_i·W(1/e)/β downwards and by Σ_(c_i<0) |c_i|·W(1/e)/β upwards.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import sympy as sp
from flint import fmpq

from ..errors import InvalidInput, echo
from ..formulas.piecewise import Piecewise
from ..formulas.tables import Column, column
from ..numbers.exact import exact_text, rational
from . import (
    Block,
    Case,
    Construction,
    Family,
    Frame,
    Input,
    InputDomain,
    Kind,
    Output,
    Parameter,
    Ramps,
    Route,
    Term,
    Unit,
    affine,
    copies,
    identity,
    index,
    total,
    upto,
    var,
)

Points = list[tuple[Fraction, Fraction]]
MOST = 10 ** 6
LONGEST = 10 ** 8           # bytes of a file
FEW = 6                     # knots that a title shows


def cpwl(knots: str) -> Construction:
    points = read(knots)
    places, changes = [x for x, _ in points], bends(points)
    knot, bend, count = table(places, rise=1), table(changes), sp.Integer(len(points))

    def recipe(frame: Frame) -> Term:
        i, x = upto(index("i"), count), (Block("x"),)
        start = sp.Rational(points[0][1].numerator, points[0][1].denominator)
        post = affine((*x, Block("r", (count,))), {"f(x)": start + total(bend(i.symbol, count) * var("r", i.symbol), i)})
        return copies(frame, Ramps("knots", identity(x), (Unit("r", "x", knot(i.symbol, count), over=(i,)),), post))

    shown = [f"({exact_text(x)}, {exact_text(y)})" for x, y in points]
    middle = shown if len(shown) <= FEW else [*shown[:FEW - 2], "…", shown[-1]]
    return Construction(
        map=f"x ↦ linear through {', '.join(middle)}, constant outside",
        inputs=(Input("x", InputDomain(default=(exact_text(places[0]), exact_text(places[-1])))),),
        outputs=(Output("f(x)", target(points[0][1], places, changes), "cpwl(x)", Piecewise.of(
            exactly(points[0][1]), fmpq(0), dict(zip(map(exactly, places), map(exactly, changes), strict=True)))),),
        routes=(Route("recipe", recipe, words="one rectifier a knot"),),
        cases=(Case({"knots": "0:0,1/3:1,1:0", "eps": "1/20"}),
               Case({"knots": "0:0,1/3:1,1:0", "eps": "1/10", "range": "-1,2", "delta": "1/1000"}),
               Case({"knots": "100:5,101:-3,104:-2,110:7", "eps": "1/5", "d": 2}),
               Case({"knots": "-1:1,0:0,2:2", "eps": "1e-9"}, gates=("silu", "ffn"))))


def bends(points: Points) -> list[Fraction]:
    """The change of slope at every knot; outside the function is constant."""
    slopes = [Fraction(0), *((w - v) / (t - s) for (s, v), (t, w) in pairwise(points)), Fraction(0)]
    return [after - before for before, after in pairwise(slopes)]


def table(numbers: Sequence[Fraction], rise: int = 0):      # type: ignore[no-untyped-def]
    def whole(sign: int) -> sp.Rational:
        found = sum((sign * x for x in numbers if sign * x > 0), Fraction(0))
        return sp.Rational(found.numerator, found.denominator)
    return column(Column(lambda count: numbers, whole(1), whole(-1), sp.S.Zero, direction=rise))


def exactly(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def target(start: Fraction, places: Sequence[Fraction], changes: Sequence[Fraction]) -> str:
    """As it is shown, where it is short."""
    if len(places) > FEW:
        return "f"
    return " + ".join([f"({start})", *(f"({c})*relu(x - ({t}))" for t, c in zip(places, changes, strict=True) if c)])


def read(text: str) -> Points:
    """The points, which must go from left to right."""
    if text.endswith(".csv"):
        lines = of_file(text)
        pairs = [(line.split(","), f"line {k} of {echo(text)}") for k, line in enumerate(lines, 1) if line.strip()]
    else:
        pairs = [(part.split(":"), f"--knots '{echo(part)}'") for part in text.split(",")]
    if len(pairs) > MOST:
        raise InvalidInput(f"{len(pairs)} knots are too many.", f"Give at most {MOST}.")
    points = [point(pair, where) for pair, where in pairs]
    if len(points) < 2:
        raise InvalidInput("One knot makes no line.", "Give at least two, for example --knots 0:0,1/3:1,1:0.")
    for (s, _), (t, _) in pairwise(points):
        if s >= t:
            what = f"The knot {exact_text(s)} stands twice." if s == t else (
                f"The knot {echo(exact_text(t))} stands behind {echo(exact_text(s))}.")
            raise InvalidInput(what, "Give every knot once, from left to right.")
    return points


def of_file(name: str) -> list[str]:
    try:
        if Path(name).stat().st_size > LONGEST:
            raise InvalidInput(f"{echo(name)} is too long.", f"Give at most {MOST} knots.")
        return Path(name).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(f"Cannot read {echo(name)}.", "Give the name of a file with one x,y on each line.") from None


def point(pair: Sequence[str], where: str) -> tuple[Fraction, Fraction]:
    try:
        x, y = (rational(number) for number in pair)
    except (InvalidInput, ValueError):
        raise InvalidInput(f"{where} is no point.", "Write x:y, for example 1/3:1 (x,y in a file), exactly.") from None
    return x, y


CONSTRUCTION = Family(cpwl, (Parameter("knots", Kind.TEXT, "points x:y, or a .csv file with them",
                                       example="0:0,1/3:1,1:0"),))
