"""Ranges contain every value, and equal normal forms have equal values, as mpmath and fractions see them."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations

import pytest
from flint import fmpq

from boundcalc.checker.domains import ALL, Domain, Extent, Undefined, empty, rng
from boundcalc.checker.forms import Interned, same
from boundcalc.checker.terms import Reject, Work, read_term
from tests.claims import pointwise
from tests.claims.pointwise import real, term
from tests.selection import whole

ENDS = ["-3", "-2", "-1", "-1/2", "0", "1/3", "1/2", "1", "2", "7/2", "10", "1000000", "-1000000"]
WHOLE = {"n"}
Ends = dict[str, tuple[Fraction | None, Fraction | None, bool, bool]]


def random_text(dice: random.Random, depth: int) -> str:
    if depth == 0:
        return dice.choice(["x", "x", "y", "n", "0", "1", "2", "1/2", "-1", "3", "pi", "e"])
    a, b = random_text(dice, depth - 1), random_text(dice, dice.randint(0, depth - 1))
    return dice.choice([
        f"({a} + {b})", f"({a} - {b})", f"({a})*({b})", f"({a})/({b})", f"({a})**2", f"({a})**3", f"({a})**(1/2)",
        f"({a})**(-1)", f"({a})**(2/3)", f"({a})**({b})", f"({a})**n", f"abs({a})", f"max({a}, {b})", f"min({a}, {b})",
        f"floor({a})", f"ceil({a})", f"exp({a})", f"log({a})", f"erf({a})", f"sin({a})", f"cos({a})", f"W({a})",
        f"tanh({a})", f"sigma({a})", f"relu({a})", f"sum({a}*k, k, 1, n)", f"sum({a} + k, k, n, 5)", f"(-1)**n*({a})"])


def rational(x: Fraction | None) -> fmpq | None:
    return None if x is None else fmpq(x.numerator, x.denominator)


def random_domain(dice: random.Random) -> tuple[Domain, Ends]:
    box, ends = {}, {}
    for name in ("x", "y", "n"):
        low, high = sorted(Fraction(e) for e in dice.choices(ENDS, k=2))
        lo = None if dice.random() < 0.15 else low
        hi = None if dice.random() < 0.15 else high
        opens = dice.random() < 0.4, dice.random() < 0.4
        if name in WHOLE:
            lo, hi, opens = Fraction(dice.randint(-3, 3)), Fraction(dice.randint(3, 6)), (False, False)
        r = Extent(rational(lo), rational(hi), opens[0] and lo is not None, opens[1] and hi is not None)
        box[name] = ALL if empty(r) else r
        ends[name] = (None, None, False, False) if empty(r) else (lo, hi, r.lo_open, r.hi_open)
    return Domain(box, WHOLE), ends


def random_point(ends: Ends, dice: random.Random) -> dict[str, Fraction]:
    point = {}
    for name, (lo, hi, lo_open, hi_open) in ends.items():
        low = lo if lo is not None else (hi if hi is not None else Fraction(0)) - 50
        high = hi if hi is not None else low + 100
        value = low + (high - low) * Fraction(dice.randint(1, 999), 1000)      # ends, which may be open, below
        if dice.random() < 0.3:
            value = low if not lo_open else low + (high - low) / 10 ** 12
        elif dice.random() < 0.3:
            value = high if not hi_open else high - (high - low) / 10 ** 12
        point[name] = Fraction(round(value)) if name in WHOLE else value
    return point


def outside(value: pointwise.Number, r: Extent) -> bool:
    """Whether a value lies outside a range by more than its digits can be wrong."""
    exact = isinstance(value, Fraction)
    v = real(value)
    slack = 0 if exact else abs(v) * pointwise.mpmath.mpf(10) ** -40 + pointwise.mpmath.mpf(10) ** -1100
    for end, is_open, below in ((r.lo, r.lo_open, True), (r.hi, r.hi_open, False)):
        if end is None:
            continue
        e = Fraction(int(end.p), int(end.q))
        if exact:
            if (value < e if below else value > e) or (is_open and value == e):
                return True
        elif (v < real(e) - slack if below else v > real(e) + slack):
            return True
    return False


@pytest.mark.parametrize("part", range(4) if whole() else [0])
def test_every_value_lies_in_the_range(part: int, request: pytest.FixtureRequest) -> None:
    dice = random.Random(f"ranges {part}")
    compared = 0
    for _ in range(20000 if request.config.getoption("--whole") else 1200):
        text = random_text(dice, dice.choice([1, 1, 2, 2, 3]))
        g, ends = random_domain(dice)
        Work.begin()
        Interned.begin()
        try:
            r = rng(read_term(text), g)
        except (Undefined, Reject):
            continue
        assert isinstance(r, Extent)
        for _ in range(6):
            point = random_point(ends, dice)
            with pointwise.mp.workdps(60):
                try:
                    value = term(text).at(point)
                except pointwise.Unsure:
                    continue
                except pointwise.Undefined as problem:
                    pytest.fail(f"{text} has a range on {ends}, but {problem} at {point}")
                assert not outside(value, r), (text, ends, point, value, r)
            compared += 1
    assert compared > 500


# texts of which many have equal values somewhere, everywhere, or only where both are defined
TEXTS = [
    "x", "-x", "abs(x)", "sqrt(x**2)", "(x**2)**(1/2)", "sqrt(x)**2", "sqrt(x)*sqrt(x)", "x**2/x", "(x**3)**(1/3)",
    "x**(1/2)*x**(1/2)", "exp(log(x))", "log(exp(x))", "x**1", "max(x, -x)", "max(x, x)", "max(x, 0) - max(-x, 0)",
    "x*y/y", "x + y - y", "x**2", "abs(x)**2", "x*abs(x)", "(x*y)**2/y**2", "sqrt(x*y)", "sqrt(x)*sqrt(y)", "log(x*y)",
    "log(x) + log(y)", "log(x**2)", "2*log(x)", "2*log(abs(x))", "log(1/x)", "-log(x)", "x**y", "exp(y*log(x))",
    "x**(y + 1)/x", "x**(y - 1)*x", "x**n", "x**(n + 1)/x", "x**(n - 1)*x", "(x*y)**n", "x**n*y**n", "(x**n)**(1/2)",
    "x**(n/2)", "sqrt(x)**n", "(-x)**n", "(-1)**n*x**n", "0**n", "0", "1", "x**0", "x/x", "0*log(x)", "0/x", "1**n",
    "(-1)**(2*n)", "(-1)**n", "cos(pi*n)", "sin(pi*n)", "sin(x)**2 + cos(x)**2", "1 - sin(x)**2", "cos(x)**2", "sin(-x)",
    "-sin(x)", "tanh(x)", "(exp(x) - exp(-x))/(exp(x) + exp(-x))", "1 - 2*sigma(-2*x)", "2*sigma(2*x) - 1", "sigma(x)",
    "1 - sigma(-x)", "1/(1 + exp(-x))", "exp(x)/(1 + exp(x))", "exp(x + y)", "exp(x)*exp(y)", "exp(x*y)", "exp(x)**y",
    "(exp(x))**n", "exp(n*x)", "2**n", "4**(n/2)", "2**(n + 1)/2", "sqrt(4**n)", "8**(n/3)", "sqrt(2)**(2*n)",
    "log(8)/log(2)", "3", "log(4)/log(2)", "2", "floor(x)", "-ceil(-x)", "floor(x + 1) - 1", "floor(n)", "n", "ceil(n)",
    "floor(n/2)", "n/2", "floor(2*n)/2", "sum(1, k, 1, n)", "sum(1, k, 1, n + 1) - 1", "sum(k, k, 1, n)", "n*(n + 1)/2",
    "sum(k, k, 1, n - 1) + n", "sum(k, k, 0, n)", "sum(x, k, 1, n)", "n*x", "sum(x*k, k, 1, n)", "x*sum(k, k, 1, n)",
    "sum(2**k, k, 0, n)", "2**(n + 1) - 1", "sum(k, k, 1, 3)", "6", "W(x)*exp(W(x))", "W(x*exp(x))", "exp(W(x))",
    "x/W(x)", "erf(-x)", "-erf(x)", "max(x, y)", "max(y, x)", "(x + y + abs(x - y))/2", "max(x, y, x)",
    "max(max(x, y), x)", "x + max(0, y - x)", "min(x, y)", "x + y - max(x, y)", "-max(-x, -y)", "1/(1/x)", "x**(-1)",
    "1/x", "x**(-2)*x", "(x**2 - 1)/(x - 1)", "x + 1", "(x - 1)*(x + 1)/(x - 1)", "((x + 1)**2)**(1/2)", "abs(x + 1)",
    "(x**4)**(1/2)", "(x**4)**(1/4)", "(x**6)**(1/2)", "x**3", "abs(x)**3", "x**(3/2)*x**(1/2)", "x**(2/3)*x**(1/3)",
    "(x**(1/3))**3", "(x**2)**(1/4)", "sqrt(sqrt(x**2))", "sqrt(abs(x))", "sqrt(x)", "log(x**n)", "n*log(x)",
    "log(exp(x)*y)", "x + log(y)", "log(x + y)", "log(1/x + 1)", "log(x + 1) - log(x)"]
BOXES = [{"x": ("-3", "3"), "y": ("-2", "2"), "n": ("-3", "6")}, {"x": ("0", "3"), "y": ("0", "2"), "n": ("0", "6")},
         {"x": ("1/2", "3"), "y": ("1/3", "2"), "n": ("1", "6")}, {"x": ("-3", "-1/2"), "y": ("1", "2"), "n": ("2", "7")},
         {"x": ("2", "2"), "y": ("-2", "2"), "n": ("-2", "2")}]


@pytest.mark.dear
@pytest.mark.parametrize("which", range(len(BOXES)) if whole() else [0, 3])
def test_equal_forms_have_equal_values(which: int) -> None:
    box = {x: Extent(rational(Fraction(a)), rational(Fraction(b))) for x, (a, b) in BOXES[which].items()}
    ends = {x: (Fraction(a), Fraction(b), False, False) for x, (a, b) in BOXES[which].items()}
    Interned.begin()
    Work.begin(10 ** 9)
    g = Domain(box, WHOLE)
    dice = random.Random(f"forms {which}")
    spots = [random_point(ends, dice) for _ in range(25)]
    spots += [{**spots[0], "x": Fraction(v)} for v in (0, 1, -1) if ends["x"][0] <= v <= ends["x"][1]]
    values = {text: [_value_at(text, p) for p in spots] for text in TEXTS}
    found = 0
    for a, b in combinations(TEXTS, 2):
        try:
            if not same(read_term(a), read_term(b), g):
                continue
        except (Undefined, Reject):
            continue
        found += 1
        for p, v, w in zip(spots, values[a], values[b], strict=True):
            if v is not None and w is not None:
                with pointwise.mp.workdps(60):
                    assert abs(real(v) - real(w)) <= (1 + abs(real(v))) * pointwise.mpmath.mpf(10) ** -40, (a, b, p, v, w)
    assert found >= 40


def _value_at(text: str, point: dict[str, Fraction]) -> pointwise.Number | None:
    with pointwise.mp.workdps(60):
        try:
            return term(text).at(point)
        except (pointwise.Unsure, pointwise.Undefined):
            return None
