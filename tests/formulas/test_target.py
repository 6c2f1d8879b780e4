"""Targets: one text, and every walk of it against values that share nothing with the package."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import sympy as sp
from flint import arb, fmpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext

from boundcalc.declarations.registry import construction
from boundcalc.errors import InvalidInput, NotDerivable
from boundcalc.formulas import jets, slopes, target
from boundcalc.formulas.closed_slopes import SymbolicBox, closed_slopes, radius
from boundcalc.formulas.enclosure import Undecided
from boundcalc.formulas.interval import Interval
from boundcalc.formulas.parser import parse
from boundcalc.formulas.piecewise import Piecewise
from boundcalc.formulas.shapes import Largest, Quadratic, Reciprocal, Ridge
from boundcalc.formulas.symbols import symbol
from boundcalc.formulas.target import Ends, Target
from boundcalc.numbers.arithmetic import working_precision
from tests.selection import examples

F = Fraction
MP = MPContext()
MP.dps = 50
TINY = MP.mpf(10) ** -40
LARGE = 10**6


def one(text: str, **values: Fraction) -> Target:
    return Target.of(text, {"x": 1}, values)


def two(text: str) -> Target:
    return Target.of(text, {"x": 1, "y": 1})


def ratio(x: Fraction) -> fmpq:
    return fmpq(x.numerator, x.denominator)


def mp(x: Fraction) -> Any:
    return MP.mpf(x.numerator) / x.denominator


# --- reading ----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("text", "blocks", "values", "point", "expected"), [
    ("x*y", {"x": 1, "y": 1}, {}, (2, 3), 6),
    ("max(x)", {"x": 3}, {}, (1, 5, 2), 5),
    ("max(x)", {"x": 1}, {}, (-4,), -4),
    ("min(x)", {"x": 3}, {}, (1, 5, -2), -2),
    ("sum(x*y)", {"x": 2, "y": 2}, {}, (1, 2, 3, 4), 11),
    ("product(x)", {"x": 4}, {}, (1, 2, 3, 4), 24),
    ("product(x - y)", {"x": 2, "y": 1}, {}, (1, 2, 3), 2),
    ("max(abs(x - sum(x)/2))", {"x": 2}, {}, (1, 4), F(3, 2)),
    ("min(max(sum(w*x) + t, a), b)", {"x": 2}, {"w": (F(1), F(-2)), "t": F(1, 3), "a": F(-1), "b": F(2)}, (1, 1), F(-2, 3)),
    ("min(max(sum(w*x) + t, a), b)", {"x": 1}, {"w": (F(1),), "t": F(0), "a": F(-1), "b": F(2)}, (5,), 2),
    ("sum(x**k/k, k, 1, 3)", {"x": 1}, {}, (2,), F(2 * 6 + 2 * 6 + 16, 6)),
    ("x1 - x3", {"x": 3}, {}, (5, 0, 2), 3),
    ("x/x + 2**-1", {"x": 1}, {}, (7,), F(3, 2)),
    ("floor(x) + ceil(x)", {"x": 1}, {}, (F(1, 2),), 1),
    ("sqrt(x**2)", {"x": 1}, {}, (-3,), 3),
    ("e**0 + cos(0*x)", {"x": 1}, {}, (9,), 2),
    ("5", {"x": 1, "y": 1}, {}, (1, 2), 5),
], ids=str)
def test_a_text_is_expanded_at_concrete_sizes(text: str, blocks: dict[str, int], values: dict[str, Any],
                                             point: Sequence[Any], expected: Any) -> None:
    t = Target.of(text, blocks, values)
    assert t.inputs == sum(blocks.values()), "inputs are those declared, mentioned or not"
    assert t.exact([F(x) for x in point]) == expected
    assert t.at([ratio(F(x)) for x in point]) == ratio(F(expected))


@pytest.mark.parametrize(("text", "column", "words"), [
    ("x + z", 5, "neither an input nor a parameter"),
    ("v + 1", 1, "3 coordinates"),
    ("sum(v*u)", 1, "different numbers"),
    ("sum(x, 1)", 1, "one argument"),
    ("product()", 9, "expected"),
    ("sum(3)", 1, "names no block"),
    ("1/(x - x)", 3, "divides by zero"),
    ("x**1000", 2, "exponent"),
    ("log(0)", 1, "not defined"),
    ("__import__('os')", 1, "no meaning"),
    ("x.real", 2, ""),
    ("v4", 1, "neither"),
    ("sum(x, k, 1, x)", 1, "integers"),
    ("inf*x", 1, "neither"),
    ("1e-99999999", 1, "too large or too small"),
])
def test_what_is_no_target_is_refused_with_its_column(text: str, column: int, words: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        Target.of(text, {"x": 1, "v": 3, "u": 2})
    assert f"column {column}," in problem.value.problem
    assert words in problem.value.problem


def test_hostile_sizes_are_refused_quickly() -> None:
    with pytest.raises(InvalidInput):
        Target.of("sum(x*sum(x*sum(x)))", {"x": 2000})
    with pytest.raises(InvalidInput):
        one("sum(sum(k*j*x, j, 1, 100000), k, 1, 100000)")


def test_it_is_written_as_it_was_declared() -> None:
    t = Target.of("min(max(sum(w*x) + t, a), b)", {"x": 40}, {"w": (F(1),) * 40, "t": F(0), "a": F(0), "b": F(1)})
    assert t.text == "min(max(sum(w*x) + t, a), b)"
    assert t.unicode == "min(b, max(a, t + sum(w·x)))"
    assert t.latex.startswith(r"\min")
    assert (two("x*y").unicode, one("x**2").unicode, one("1/x").unicode) == ("x·y", "x²", "1/x")
    assert Target.of("max(x)", {"x": 3}).unicode == "max(x)", "and not x, which sympy's maximum of one argument is"


# --- what is known exactly ----------------------------------------------------------------------------------------------

@pytest.mark.parametrize("m", ["1", "7/3", "100"])
@pytest.mark.parametrize("d", ["0", "1/1000", "1/2"])
def test_gains_of_products_squares_and_reciprocals_are_exact(m: str, d: str) -> None:
    M, delta = F(m), F(d)
    inner, outer = (-M, M), (-M - delta, M + delta)
    for vector in two("x*y").slopes([inner] * 2, [outer] * 2):
        assert [max(abs(e) for e in s if e is not None) for s in vector] == [M + delta / 2] * 2
    square = one("x**2").slopes([inner], [outer])
    assert max(abs(e) for v in square for e in v[0] if e is not None) == 2 * M + delta
    a = delta + F(1, 3)
    found = one("1/x").slopes([(a, a + M)], [(a - delta, a + M + delta)])
    assert max(abs(e) for v in found for e in v[0] if e is not None) == 1 / (a * (a - delta))
    assert two("x*y").modulus([inner] * 2, delta) == (2 * M + delta) * delta
    assert one("x**2").modulus([inner], delta) == (2 * M + delta) * delta


@pytest.mark.dear
@pytest.mark.parametrize("text", ["max(x)", "min(x)"])
def test_an_extremum_costs_the_largest_error_and_not_the_sum(text: str) -> None:
    for n in (2, 5, 300):
        t = Target.of(text, {"x": n})
        assert sorted(t.slopes([(F(0), F(1))] * n, [(F(-1), F(2))] * n), key=str) == sorted(
            [tuple((F(int(i == k)),) * 2 for i in range(n)) for k in range(n)], key=str)
        assert t.modulus([(None, None)] * n, F(1, 7)) == F(1, 7)


def test_a_function_of_one_form_keeps_its_two_slopes_apart() -> None:
    line: list[Ends] = [(None, None)] * 2
    assert set(two("abs(x - y)").slopes(line, line)) == {((F(1), F(1)), (F(-1), F(-1))), ((F(-1), F(-1)), (F(1), F(1)))}
    assert two("abs(x - y)").modulus(line, F(1)) == 2
    clip = Target.of("min(max(sum(w*x), 0), 1)", {"x": 2}, {"w": (F(3), F(-1))})
    assert clip.modulus(line, F(1, 2)) == 2


def test_a_convex_function_of_several_parts_has_its_slopes_at_its_ends() -> None:
    """Slope arithmetic alone gives [0.10, 1.99] for log(1 + e^x) on [−1, 1]."""
    (((low, high),),) = one("log(1 + exp(x))").slopes([(F(-1), F(1))], [(F(-1), F(1))])
    assert low is not None
    assert high is not None
    assert mp(low) <= 1 / (1 + MP.e) <= mp(low) + TINY
    assert mp(high) - TINY <= MP.e / (1 + MP.e) <= mp(high)
    assert one("x**2 - x").slopes([(F(0), F(1))], [(F(0), F(1))]) == [((F(-1), F(1)),)]
    low, high = one("x**2 - x").image([(F(0), F(1))])
    assert low is not None
    assert -F(3, 10) < low <= -F(1, 4)
    assert high == 0


@dataclass(frozen=True)
class Symmetric:
    """The box [c − h, c + h] of every input, δ of it input error."""

    centre: sp.Expr
    half: sp.Expr
    delta: sp.Expr

    @property
    def box(self) -> SymbolicBox:
        inner = self.half - self.delta
        return SymbolicBox(Interval(self.centre - inner, self.centre + inner),
                           Interval(self.centre - self.half, self.centre + self.half))

    @property
    def largest(self) -> sp.Expr:
        """Of |x| over exact inputs."""
        return sp.Abs(self.centre) + self.half - self.delta


A, B, W, H, S = (sp.Symbol(name, positive=True) for name in "ABwhs")
SUM = sp.Symbol("S", real=True)
KNOWN: dict[str, Callable[[Symmetric], sp.Expr]] = {
    "mult": lambda s: s.largest + s.delta / 2, "square": lambda s: 2 * s.largest + s.delta}
FRAMES = {"symmetric": (sp.S.Zero, H), "between": (SUM / 2, W / 2), "up to": (B - W / 2, W / 2),
          "positive": ((A + A / S**2) / 2, (A / S**2 - A) / 2)}


@pytest.mark.parametrize("delta", [sp.S.Zero, symbol("delta")], ids=str)
@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("name", KNOWN)
def test_symbolic_gains_are_those_of_the_papers(name: str, frame: str, delta: sp.Expr) -> None:
    c, s = construction(name), Symmetric(*FRAMES[frame], delta)
    vector, = closed_slopes(c.outputs[0].target, {i.name: s.box for i in c.inputs}).vectors
    assert vector.keys() == {i.name for i in c.inputs}
    for interval in vector.values():
        gain = radius(interval)
        if (name, frame) == ("square", "up to"):      # |2B − w| for 2|B − w/2|
            gain = gain.replace(sp.Abs, lambda e: 2 * sp.Abs(e / 2))
        assert gain == KNOWN[name](s)


@pytest.mark.parametrize("delta", [sp.S.Zero, symbol("delta")], ids=str)
def test_symbolic_gains_of_reciprocal_and_extremum(delta: sp.Expr) -> None:
    box = SymbolicBox(Interval(A + delta, A / S**2 - delta), Interval(A, A / S**2), symbol("n"))
    vector, = closed_slopes(construction("recip").outputs[0].target, {"x": box}).vectors
    assert radius(vector["x"]) == 1 / (A * (A + delta))
    for name in ("max", "min"):
        found = closed_slopes(construction(name).outputs[0].target, {"x": box})
        assert found.vectors == ({"x": Interval.of(1, 1)},)
        assert found.exact == box.exact
    total = closed_slopes("sum(x)", {"x": box})
    assert total.vectors == ({"x": Interval(symbol("n"), symbol("n"))},), "a sum counts every coordinate"


def test_what_has_no_closed_slopes_says_so() -> None:
    box = {"x": SymbolicBox(Interval.of(-1, 1), Interval.of(-1, 1))}
    for text in ("1/x", "log(x)", "floor(x)", "x**x", "erf(x)"):
        with pytest.raises(NotDerivable):
            closed_slopes(text, box)
    with pytest.raises(NotDerivable):
        closed_slopes("product(x)", {"x": SymbolicBox(Interval.of(-1, 1), Interval.of(-1, 1), symbol("n"))})


# --- shapes -----------------------------------------------------------------------------------------------------------

def test_shapes_are_read_off_the_tree() -> None:
    q = fmpq
    assert one("relu(x)").shape == Ridge(Piecewise.of(q(0), q(0), {q(0): q(1)}), (q(1),), q(0))
    assert one("abs(x)").shape == Ridge(Piecewise.of(q(0), q(-1), {q(0): q(2)}), (q(1),), q(0))
    assert one("max(0, 1 - abs(x - (a + b)/2)*2/(b - a))", a=F(0), b=F(1)).shape == Ridge(
        Piecewise.of(q(0), q(0), {q(0): q(2), q(1, 2): q(-4), q(1): q(2)}), (q(1),), q(0))
    assert Target.of("min(max(sum(w*x) + t, a), b)", {"x": 2}, {"w": (F(1), F(-2)), "t": F(1, 3), "a": F(-1), "b": F(2)}
                     ).shape == Ridge(Piecewise.of(q(-1), q(0), {q(-1): q(1), q(2): q(-1)}), (q(1), q(-2)), q(1, 3))
    assert two("x*y").shape == Quadratic(((0, 1, q(1)),), q(0), ())
    assert one("(x - 1)*(x + 3)/2").shape == Quadratic(((0, 0, q(1, 2)),), q(-3, 2), ((0, q(1)),))
    assert Target.of("max(x)", {"x": 3}).shape == Largest(1)
    assert two("min(y, x)").shape == Largest(-1)
    assert one("1/x").shape == Reciprocal()
    for other in (one("exp(x)"), one("x**3"), two("max(x, 2*y)"), two("max(x, x + y)"), one("max(x, x**2)"), two("x/y")):
        assert other.shape is None
    assert one("abs(x)*exp(x) + max(x, 2 - x, x**2)").kinks == (q(0), q(1))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**9))
def test_piecewise_shapes_agree_with_the_tree(seed: int) -> None:
    rng = random.Random(seed)
    node = _random(rng, 3, ("+", "-", "scale", "abs", "max", "min", "relu"), 1)
    t = one(node.text)
    assert isinstance(t.shape, Ridge)
    for k in range(-30, 31):
        x = F(k, 7)
        value = t.shape.function(fmpq(k, 7))
        assert F(int(value.p), int(value.q)) == t.exact([x]) == node.exact([x])


# --- soundness: random expressions against mpmath -----------------------------------------------------------------------

@dataclass(frozen=True)
class Expression:
    """A text and the same function in numbers of any kind."""

    text: str
    mp: Callable[[Sequence[Any]], Any]
    exact: Callable[[Sequence[Fraction]], Fraction]


UNARY: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "abs": ("abs({})", abs), "relu": ("relu({})", lambda x: max(x, 0 * x)), "square": ("({})**2", lambda x: x * x),
    "cube": ("({})**3", lambda x: x * x * x), "fourth": ("({})**4", lambda x: x ** 4),
    "exp": ("exp(({})/4)", lambda x: MP.exp(x / 4)), "sin": ("sin({})", MP.sin), "cos": ("cos({})", MP.cos),
    "tanh": ("tanh({})", MP.tanh), "sigma": ("sigma({})", lambda x: 1 / (1 + MP.exp(-x))),
    "erf": ("erf(({})/3)", lambda x: MP.erf(x / 3)), "log": ("log(1 + abs({}))", lambda x: MP.log(1 + abs(x))),
    "sqrt": ("sqrt(1/3 + ({})**2)", lambda x: MP.sqrt(MP.mpf(1) / 3 + x * x)),
    "recip": ("1/(1 + ({})**2)", lambda x: 1 / (1 + x * x)),
    "root": ("(1 + abs({}))**(5/3)", lambda x: MP.cbrt(1 + abs(x)) ** 5),
    "inverse": ("(2 + cos({}))**(-3)", lambda x: (2 + MP.cos(x)) ** -3),
    "W": ("W(abs({}))", lambda x: MP.lambertw(abs(x)).real),
    "two": ("2**sin({})", lambda x: MP.power(2, MP.sin(x))),
}
BINARY: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "+": ("({}) + ({})", lambda a, b: a + b), "-": ("({}) - ({})", lambda a, b: a - b),
    "*": ("({})*({})", lambda a, b: a * b), "max": ("max({}, {})", max), "min": ("min({}, {})", min)}
SMOOTH = ("+", "-", "*", "square", "cube", "exp", "sin", "cos", "tanh", "sigma", "erf", "sqrt", "recip", "inverse", "two")
ALL = (*BINARY, *UNARY)


def _random(rng: random.Random, depth: int, kinds: Sequence[str], inputs: int) -> Expression:
    if depth == 0 or rng.random() < 0.1:
        k = rng.randrange(inputs + 1)
        if k < inputs:
            return Expression("xyz"[k], lambda p, k=k: p[k], lambda p, k=k: p[k])     # type: ignore[misc]
        c = F(rng.randint(-6, 6), rng.randint(1, 4))
        return Expression(f"({c})", lambda p: mp(c), lambda p: c)
    kind = rng.choice(kinds)
    a = _random(rng, depth - 1, kinds, inputs)
    if kind == "scale":
        c = F(rng.randint(-6, 6), rng.randint(1, 4))
        return Expression(f"({c})*({a.text})", lambda p: mp(c) * a.mp(p), lambda p: c * a.exact(p))
    if kind in UNARY:
        form, f = UNARY[kind]
        return Expression(form.format(a.text), lambda p: f(a.mp(p)), lambda p: f(a.exact(p)))
    b = _random(rng, depth - 1, kinds, inputs)
    form, g = BINARY[kind]
    return Expression(form.format(a.text, b.text), lambda p: g(a.mp(p), b.mp(p)), lambda p: g(a.exact(p), b.exact(p)))


@dataclass(frozen=True)
class Sample:
    expression: Expression
    target: Target
    exact: list[tuple[Fraction, Fraction]]
    perturbed: list[tuple[Fraction, Fraction]]
    rng: random.Random

    def point(self, box: Sequence[tuple[Fraction, Fraction]]) -> list[Fraction]:
        """Ends more often than not: enclosures fail there first."""
        return [self.rng.choice((a, b, a + (b - a) * F(self.rng.randrange(65), 64))) for a, b in box]

    def value(self, point: Sequence[Fraction]) -> Any:
        return self.expression.mp([mp(x) for x in point])

    def balls(self, box: Sequence[tuple[Fraction, Fraction]]) -> list[arb]:
        return [arb(fmpq(a.numerator, a.denominator)).union(arb(fmpq(b.numerator, b.denominator))) for a, b in box]


def sample(seed: int, kinds: Sequence[str] = ALL, most: int = 2) -> Sample:
    rng = random.Random(seed)
    inputs = rng.randint(1, most)
    expression = _random(rng, rng.randint(1, 3), kinds, inputs)
    exact = []
    for _ in range(inputs):
        a = F(rng.randint(-8, 8), 4)
        exact.append((a, a + F(rng.choice((0, 1, 4, 16)), rng.choice((1, 8, 64)))))
    off = F(rng.choice((0, 1, 3)), 16)
    perturbed = [(a - off, b + off) for a, b in exact]
    if any(abs(expression.mp([mp(x) for x in corner])) > LARGE for corner in product(*perturbed)):
        return sample(seed + 1, kinds, most)        # towers of exponentials are slow, and tell nothing new
    return Sample(expression, Target.of(expression.text, dict.fromkeys("xyz"[:inputs], 1)), exact, perturbed, rng)


def inside(x: Any, low: Fraction | None, high: Fraction | None) -> bool:
    slack = TINY * (1 + abs(x))
    return (low is None or mp(low) - slack <= x) and (high is None or x <= mp(high) + slack)


def ends(ball: arb) -> tuple[Fraction | None, Fraction | None]:
    if not ball.is_finite():
        return None, None
    low, high = ((F(int(m)) * F(2) ** int(e)) for m, e in (ball.lower().man_exp(), ball.upper().man_exp()))
    return low, high


def unsound(s: Sample) -> list[str]:
    """Which walks do not hold what they say, at points of the boxes."""
    t, found = s.target, []
    image = t.image(s.exact)
    vectors = t.slopes(s.exact, s.perturbed)
    with working_precision(100):
        box = s.balls(s.exact)
        over, gradient = t.over(box), t.gradient(box)
        try:
            second = t.second(box) if t.inputs == 1 else None
        except Undecided:
            second = None
    for _ in range(24):
        u, v, w = s.point(s.exact), s.point(s.exact), s.point(s.perturbed)
        fu, fv, fw = s.value(u), s.value(v), s.value(w)
        if not inside(fu, *image):
            found.append("image")
        if not inside(fu, *ends(over)):
            found.append("over")
        if not inside(fu, t.near(u, 45) - F(1, 10**45), t.near(u, 45) + F(1, 10**45)):
            found.append("near")
        if not inside(fv - fu, *_combined([[ends(g) for g in gradient]], u, v)):
            found.append("gradient")
        if not inside(fw - fu, *_combined(vectors, u, w)):
            found.append("slopes")
        if second is not None and u != v:
            x, y = mp(u[0]), mp(v[0])
            middle = (u[0] + v[0]) / 2
            bend = (fu - 2 * s.value([middle]) + fv) / ((y - x) / 2) ** 2
            if not inside(bend, *ends(second)):
                found.append("second")
    return found


def _combined(vectors: Sequence[Sequence[Ends]], u: Sequence[Fraction], v: Sequence[Fraction]) -> Ends:
    """Between which numbers s·(v − u) lies for s in the hull of the vectors."""
    lows: list[Fraction | None] = []
    highs: list[Fraction | None] = []
    for vector in vectors:
        low: Fraction | None = F(0)
        high: Fraction | None = F(0)
        for (a, b), x, y in zip(vector, u, v, strict=True):
            d = y - x
            if d == 0:
                continue
            small, large = (a, b) if d > 0 else (b, a)
            low = None if low is None or small is None else low + small * d
            high = None if high is None or large is None else high + large * d
        lows.append(low)
        highs.append(high)
    return (None if None in lows else min(x for x in lows if x is not None),
            None if None in highs else max(x for x in highs if x is not None))


relaxed = examples(150, suppress_health_check=[HealthCheck.too_slow])


@relaxed
@given(st.integers(0, 10**9))
def test_every_walk_is_sound(seed: int) -> None:
    s = sample(seed)
    assert unsound(s) == [], s.expression.text


@relaxed
@given(st.integers(0, 10**9))
def test_every_walk_is_sound_for_smooth_functions_of_one_input(seed: int) -> None:
    """Second derivatives exist here, and sharpen slopes."""
    s = sample(seed, SMOOTH, 1)
    assert unsound(s) == [], s.expression.text


@relaxed
@given(st.integers(0, 10**9))
def test_rational_functions_are_exact(seed: int) -> None:
    s = sample(seed, ("+", "-", "*", "scale", "abs", "relu", "square", "cube", "recip", "max", "min"))
    for _ in range(6):
        point = s.point(s.perturbed)
        assert s.target.exact(point) == s.expression.exact(point)


@relaxed
@given(st.integers(0, 10**9))
def test_closed_slopes_are_sound(seed: int) -> None:
    """The symbolic walk, on boxes [c − h, c + h] with c, h and δ put in as numbers at the end."""
    s = sample(seed, ("+", "-", "*", "scale", "abs", "relu", "square", "cube", "exp", "sin", "tanh", "sigma", "max", "min"))
    boxes, values = {}, {}
    for name, (a, b), (low, _) in zip("xyz", s.exact, s.perturbed, strict=False):
        c, h, d = sp.Symbol(f"c{name}", real=True), *(sp.Symbol(letter + name, nonnegative=True) for letter in "hd")
        boxes[name] = SymbolicBox(Interval(c - h, c + h), Interval(c - h - d, c + h + d))
        values |= {c: (a + b) / 2, h: (b - a) / 2, d: a - low}
    at = {k: sp.Rational(v.numerator, v.denominator) for k, v in values.items()}
    found = closed_slopes(s.expression.text, boxes)

    def number(e: sp.Expr) -> Fraction:
        return F(str(sp.N(e.xreplace(at), 45)))

    zero = Interval.of(0, 0)
    vectors = [[(number(i.lo) - F(1, 10**38), number(i.hi) + F(1, 10**38)) for i in (v.get(name, zero) for name in boxes)]
               for v in found.vectors]
    low, high = number(found.exact.lo), number(found.exact.hi)
    for _ in range(12):
        u, w = s.point(s.exact), s.point(s.perturbed)
        slack = F(1, 10**30)
        assert inside(s.value(u), low - slack, high + slack)
        assert inside(s.value(w) - s.value(u), *_combined(vectors, u, w))


# --- sabotage ---------------------------------------------------------------------------------------------------------

def caught(kinds: Sequence[str] = ALL, most: int = 2) -> set[str]:
    return {problem for seed in range(250) for problem in unsound(sample(seed, kinds, most))}


def test_a_wrong_sign_in_the_slope_of_a_product_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = slopes._sums
    monkeypatch.setattr(slopes, "_product", lambda f, g: slopes.Slopes(
        slopes.times(f.exact, g.exact), slopes.times(f.perturbed, g.perturbed),
        right([slopes._times(v, g.middle) for v in f.vectors],
              [slopes._times(v, slopes.scaled(fmpq(-1), f.middle)) for v in g.vectors])))
    assert "slopes" in caught()


@pytest.mark.dear
def test_slopes_at_the_exact_box_alone_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = slopes.slopes
    monkeypatch.setattr(slopes, "slopes", lambda tree, exact, perturbed: right(tree, exact, exact))
    monkeypatch.setattr(Target, "_divided_difference", lambda self, exact, perturbed: (None, None))
    assert "slopes" in caught()


@pytest.mark.dear
def test_a_maximum_that_follows_its_first_part_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = slopes._extremum
    monkeypatch.setattr(slopes, "_extremum", lambda sign, parts: slopes.Slopes(
        right(sign, parts).exact, right(sign, parts).perturbed, parts[0].vectors))
    assert "slopes" in caught()


@pytest.mark.dear
def test_a_concave_function_taken_for_a_convex_one_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Target, "_bend", lambda self, low, high, halvings: 1)
    assert "slopes" in caught(SMOOTH, 1)


@pytest.mark.dear
def test_a_gradient_of_one_side_of_a_kink_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = jets._extremum

    def first(tree: Any, box: Any, order: int) -> Any:
        found = right(tree, box, order)
        return jets.Jet(found.value, jets.jet(tree.parts[0], box, order).gradient, found.second)

    monkeypatch.setattr(jets, "_extremum", first)
    assert "gradient" in caught()


@pytest.mark.dear
def test_a_second_derivative_without_the_square_of_the_slope_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jets, "square", lambda x: x)
    assert "second" in caught(SMOOTH, 1)


def test_an_image_at_two_corners_alone_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slopes, "times", lambda a, b: tuple(sorted((a[0] * b[0], a[1] * b[1]))))
    monkeypatch.setattr(target, "PIECES", {})
    assert "image" in caught(("*", "+", "-"), 2)


# --- edges ------------------------------------------------------------------------------------------------------------

def test_infinite_ends() -> None:
    line = [(None, None)]
    assert one("relu(x)").image(line) == (0, None)
    assert one("exp(x)").image(line) == (0, None)
    assert one("exp(x)").image([(None, F(0))]) == (0, 1)
    assert one("tanh(x)").image(line) == (-1, 1)
    assert one("x**2").image(line) == (0, None)
    assert one("1/x").image([(F(2), None)]) == (0, F(1, 2))
    assert one("1/x").image([(None, F(-2))]) == (F(-1, 2), 0)
    assert one("x**-2").image([(None, F(-2))]) == (0, F(1, 4))
    assert one("sin(x)").image(line) == (-1, 1)
    assert one("tanh(x)").modulus(line, F(1, 3)) == F(1, 3)
    assert one("x**2").modulus(line, F(1, 3)) is None
    low, high = one("exp(x)").image([(F(-10**9), F(0))])
    assert (low, high) == (0, 1)
    assert one("sqrt(x)").image([(F(0), F(4))]) == (0, 2)
    assert one("exp(exp(x))").image([(F(0), F(10**6))])[1] is None, "too large to be written down"


@pytest.mark.parametrize(("text", "low", "high"), [("1/x", -1, 1), ("log(x)", -1, 1), ("sqrt(x)", -1, 1), ("1/x", 0, 1),
                                                   ("x**(-1/2)", -1, 1), ("W(x)", -1, 1), ("floor(x)", 0, 1)])
def test_no_slope_where_there_is_none(text: str, low: int, high: int) -> None:
    box = [(F(low), F(high))]
    try:
        found = one(text).slopes(box, box)
    except Undecided:
        return
    assert all(None in v[0] for v in found)


def test_undefined_values_are_no_values() -> None:
    for text, x in (("1/x", 0), ("log(x)", 0), ("log(x)", -1), ("sqrt(x)", -1), ("x**(-1/2)", 0), ("1/(x - 1)", 1)):
        with pytest.raises(Undecided):
            one(text).exact([F(x)])
        with pytest.raises(Undecided):
            one(text).at([fmpq(x)])
    for text in ("1/x", "log(x)", "x**(-1/2)", "1/(x - 1/2)"):
        with pytest.raises(Undecided):
            one(text).over([arb(-1).union(arb(1))])


def test_roots_at_zero_have_values_but_no_slope() -> None:
    box = [arb(0).union(arb(1))]
    assert one("sqrt(x)").over(box).contains(arb(0))
    with pytest.raises(Undecided):
        one("sqrt(x)").gradient(box)


def test_irrational_values_come_to_any_digits() -> None:
    t = one("exp(x)*pi")
    assert t.exact([F(1, 3)]) is None
    for digits in (5, 60, 400):
        context = MPContext()
        context.dps = digits + 20
        value = context.exp(context.mpf(1) / 3) * context.pi
        near = t.near([F(1, 3)], digits)
        assert abs(context.mpf(near.numerator) / near.denominator - value) <= context.mpf(10) ** -digits
    assert one("max(exp(x), 3)").exact([F(0)]) == 3, "the irrational part does not matter here"
    assert one("max(exp(x), 2)").exact([F(1)]) is None


def test_texts_of_the_claim_grammar_are_read_alike() -> None:
    """The tree and the safe parser agree where both know a value."""
    for text in ("x*y - 3/4*x + 2**-3", "max(x, y, 1)/(1 + abs(x))", "relu(x - y)**2", "min(x, 2)*ceil(y)", "x - -y"):
        expr = parse(text)
        for x, y in product((F(-3, 2), F(0), F(7, 5)), repeat=2):
            value = expr.xreplace({symbol("x"): sp.Rational(x.numerator, x.denominator),
                                   symbol("y"): sp.Rational(y.numerator, y.denominator)})
            exact = two(text).exact([x, y])
            assert exact is not None
            assert sp.Rational(exact.numerator, exact.denominator) == value
