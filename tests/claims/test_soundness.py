"""The prover must not prove what is false: traps that once caught it, and random goals checked at random points."""

from __future__ import annotations

import random
from fractions import Fraction
from math import floor

import pytest
import sympy as sp

from boundcalc.claims.asymptotics import NoLimit, leading
from boundcalc.claims.boxes import Work
from boundcalc.claims.check import check
from boundcalc.claims.dominance import prover
from boundcalc.claims.found import Digits
from boundcalc.claims.goals import Goal
from boundcalc.claims.load import one_line
from boundcalc.claims.model import Claim, Variable
from boundcalc.claims.second_opinion import value
from boundcalc.errors import BoundcalcError
from boundcalc.export import verdicts as say
from boundcalc.formulas.parser import parse
from boundcalc.formulas.symbols import symbol

X, Y, N = symbol("x"), symbol("y"), symbol("n")


def verdict(claim: str, domain: str = "") -> str:
    return check(Claim(claim, "c", domain)).verdict


@pytest.mark.parametrize(("claim", "domain"), [
    ("sin(5*n) >= 0", "2 <= n <= 3"),                  # its derivative is positive at both integers, but not between them
    ("1/(x - 1) >= 0", "x in [0, 2]"),                 # decreasing on both sides of a pole
    ("1/(x - 1)**2 >= 1/(x - 2)", "x in [0, 3]"),
    ("tan2*0 + x/(x**2 - 1) <= 1", "x in [-2, 2], tan2 in [0, 1]"),
    ("floor(x) >= x - 1/2", "x in [0, 4]"),
    ("ceil(log(n)/log(2)) <= log(n)/log(2) + 9/10", "n >= 2"),
    ("max(x, y) <= (x + y)/2", "x in [0, 1], y in [0, 1]"),
    ("abs(x) <= x", "x in [-1, 1]"),
    ("x**2 > 0", "x in [-1, 1]"),
    ("x <= x**2", "x in [0, 2]"),
    ("sqrt(x) <= x", "x in [0, 2]"),
    ("exp(-1/x) >= x/4", "0 < x <= 1"),
    ("log(x) <= 0", "0 < x < 2"),
    ("x*sin(x) >= -1", "x >= 0"),
])
def test_traps(claim: str, domain: str) -> None:
    assert verdict(claim, domain) in ("refuted", "conditional", "undecided")


@pytest.mark.parametrize(("claim", "domain"), [
    ("max.heads >= 1", "n >= 2, eps > 0"),                             # no head is needed for a coarse accuracy
    ("max.tokens >= 2", "n >= 2, 0 < eps <= 1"),
    ("independent(max.heads, n)", "eps > 0"),
    ("clip[gate=anchor, temperature=hard].error <= (b - a)/(2*(p - 1))", "a < b, kappa > 0"),      # proved for κ ≥ 1 only
    ("clip[gate=anchors].error <= (b - a)/(16*(n - 1)*H)", "a < b, n >= 2"),       # false for n = 2
    ("mult[route=recipe, gate=silu].error <= 4**(-m - 1)", "beta >= 1000"),
    ("mult[route=recipe, gate=silu].error >= 4**(-m - 1)/2", "m >= 1, beta >= 10"),
])
def test_what_is_not_known_is_not_proved(claim: str, domain: str) -> None:
    assert verdict(claim, domain) in ("undecided", "refuted", "supported")


@pytest.mark.parametrize(("claim", "domain"), [
    ("max.heads >= 1", "n >= 2, 0 < eps < 1/2"), ("max.tokens >= 2", "n >= 2, 0 < eps <= 1/10"),
    ("mult.layers >= 1", "0 < eps <= 1/2"), ("square.heads >= 1", "0 < eps <= 1/4"),
])
def test_the_lower_bound_of_what_is_needed(claim: str, domain: str) -> None:
    assert verdict(claim, domain) == "proved"


@pytest.mark.parametrize("claim", ["max.heads <= 0", "max.layers < 1", "max.tokens <= 1"])
def test_needed_quantities_are_refuted_by_the_lower_bound(claim: str) -> None:
    assert verdict(claim, "n >= 2, 0 < eps <= 1/10") == "refuted"


@pytest.mark.parametrize(("claim", "domain"), [
    ("log(x) <= x", "x in [-1, 1]"), ("1/x >= 1", "x in [0, 1]"), ("sqrt(x) >= 0", "x in [-1, 1]"),
    ("W(x) <= 1", "x in [-1, 1]")])
def test_claims_that_are_undefined_somewhere_are_not_decided(claim: str, domain: str) -> None:
    finding = check(Claim(claim, "c", domain))
    assert finding.verdict == "undecided"
    assert "undefined at x = " in say.reason(finding)


def test_a_parameter_that_the_claim_writes_is_free() -> None:
    finding = check(Claim("mult[route=direct].error <= beta**2*M**3/3", "c", "0 < beta <= 1/10"))
    assert finding.verdict == "conditional"
    assert finding.condition is not None
    assert say.condition(finding.condition) == "at the defaults M = 1"
    assert finding.witness is not None
    assert finding.witness.parameters["M"] > 1


def test_what_a_quantity_needs_is_said() -> None:
    finding = check(Claim("max[route=direct].heads <= 1", "c", "n >= 1"))
    assert any("n >= 2" in say.remark(note) for note in finding.notes)


@pytest.mark.parametrize("text", ["sqrt(n + 1) - sqrt(n)", "sin(n)", "n - n*tanh(n)", "exp(n + 1/n) - exp(n)", "floor(1/n)"])
def test_leading_terms_that_cancel_or_oscillate_are_not_guessed(text: str) -> None:
    box = {N: Variable(N, Fraction(2), integer=True)}
    with pytest.raises(NoLimit):
        leading(parse(text), N, sp.oo, box, Work())


@pytest.mark.parametrize(("small", "large"), [
    ("log(n)**9", "n"), ("exp(sqrt(log(n)))", "n"), ("n**9", "exp(n)"), ("log(log(n))", "log(n)"), ("exp(n)", "n**n"),
    ("n*log(n)", "n**(11/10)"), ("W(n)", "n"), ("1/n", "1/log(n)"), ("exp(-n)", "1/n**9")])
def test_scale_of_growth(small: str, large: str) -> None:
    assert verdict(f"{small} = o({large}) as n -> inf") == "proved"
    assert verdict(f"{large} = O({small}) as n -> inf") == "refuted"


# --- random goals -----------------------------------------------------------------------------------------------------

class Dice:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def number(self) -> sp.Expr:
        return sp.Rational(self.random.randint(-6, 6), self.random.choice([1, 1, 2, 3, 4]))

    def expression(self, depth: int, symbols: list[sp.Symbol]) -> sp.Expr:
        if depth == 0:
            return self.random.choice([*symbols, self.number()])
        a, b = (self.expression(depth - 1, symbols) for _ in range(2))
        match self.random.choice("+-*/pfFmr"):
            case "+":
                return a + b
            case "-":
                return a - b
            case "*":
                return a * b
            case "/":
                return a / self.random.choice([b, 1 + b ** 2])
            case "p":
                return a ** self.random.choice([2, 3, sp.S.Half, -1])
            case "f":
                return self.random.choice([sp.exp, sp.log, sp.LambertW, sp.sin, sp.cos])(a)
            case "F":
                return self.random.choice([sp.exp, sp.tanh, sp.Abs])(a)
            case "m":
                return self.random.choice([sp.Max, sp.Min])(a, b)
        return self.random.choice([sp.floor, sp.ceiling])(a)

    def variable(self, s: sp.Symbol) -> Variable:
        low = Fraction(self.random.randint(-3, 3))
        high = low + self.random.randint(1, 4)
        if s.is_integer:
            least = Fraction(self.random.randint(1, 3))
            return Variable(s, least, self.random.choice([None, least + 3]), integer=True)
        return self.random.choice([Variable(s, low, high), Variable(s, low, high, True), Variable(s, Fraction(0)),
                                   Variable(s), Variable(s, Fraction(0), Fraction(1))])

    def point(self, v: Variable) -> Fraction:
        low = v.low if v.low is not None else Fraction(-30)
        high = v.high if v.high is not None else low + 60
        x = low + (high - low) * Fraction(self.random.randint(1, 999), 1000)
        if self.random.random() < 0.3:
            x = low + (high - low) / 10 ** self.random.randint(3, 6)
        return Fraction(floor(x)) if v.integer else x


@pytest.mark.parametrize("seed", range(6))
def test_random_goals_that_are_proved_hold_at_random_points(seed: int) -> None:
    dice = Dice(seed)
    proved = 0
    for _ in range(40):
        symbols = dice.random.choice([[X], [X, Y], [X, N]])
        try:
            f = dice.expression(dice.random.randint(2, 3), symbols) + dice.random.choice([0, 1, 3])
        except (TypeError, ValueError, ZeroDivisionError):
            continue
        if f.has(sp.zoo, sp.nan, sp.oo, sp.I, sp.re, sp.im, sp.arg) or not f.free_symbols:
            continue
        box = {s: dice.variable(s) for s in symbols if s in f.free_symbols}
        if not prover(Work(3000, 100), seconds=1).attempt(Goal(f, False, box)):
            continue
        proved += 1
        for _ in range(25):
            point = {s: dice.point(v) for s, v in box.items()}
            try:
                found, context = value(f, point, 50)
            except BoundcalcError:
                continue
            assert not context.isfinite(found) or found >= -context.mpf(10) ** -25, (f, box, point)
    assert proved >= 5


def test_what_is_derived_shows_why_a_claim_is_proved() -> None:
    """Where what is needed is meant, the construction that meets the claim comes first, and the factor is its own."""
    for text, domain in (("mult.heads <= 3", "0 < eps < 1/10"), ("max.heads <= 3", "n >= 2"), ("min.layers <= 1", "n >= 2")):
        finding = check(one_line(text, domain))
        assert finding.verdict == "proved"
        assert "route=direct" in finding.derived[0].source, finding.derived
        assert finding.ratio in (Digits("1", True), Digits("3", True))
