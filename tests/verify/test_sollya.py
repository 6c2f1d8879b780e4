"""One-dimensional suprema against Sollya's infnorm, which is interval arithmetic of its own."""

from __future__ import annotations

import random
import re
import subprocess
from dataclasses import replace
from fractions import Fraction

import pytest

from boundcalc.results.bound import bound
from boundcalc.verify.balls import exact, fraction
from boundcalc.verify.cells import prove_cells
from boundcalc.verify.program import program_of
from boundcalc.verify.smooth import ReciprocalCurve
from boundcalc.verify.soft import chain_of
from boundcalc.verify.verification import verify

from .test_cells import HIGH, LOW, Sum, random_sum

pytestmark = pytest.mark.outside
F = Fraction


def infnorm(function: str, low: str, high: str) -> tuple[Fraction, Fraction]:
    """An enclosure of sup |function| over an interval."""
    script = f"prec = 120; display = hexadecimal; infnorm({function}, [{low};{high}]);"
    result = subprocess.run(["sollya", "--warnonstderr"], input=script, capture_output=True, text=True, check=False,
                            timeout=120)
    numbers = re.search(r"\[([^;\]]+);([^\]]+)\]", result.stdout.replace("display mode is hexadecimal numbers.", ""))
    assert numbers, result.stdout + result.stderr
    return _number(numbers[1]), _number(numbers[2])


def _number(text: str) -> Fraction:
    match = re.fullmatch(r"\s*(-?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?(?:p(-?\d+))?\s*", text)
    if match is None:
        return F(text.strip())
    sign, whole, part, power = match.groups()
    value = F(int(whole + (part or ""), 16)) / 16 ** len(part or "") * F(2) ** int(power or 0)
    return -value if sign else value


def certified(name: str, **given: object) -> tuple[Fraction, Fraction]:
    v = verify(bound(name, **given), 30)  # type: ignore[arg-type]
    assert v.proved is not None
    return v.observed.error, v.proved.error


def agree(ours: tuple[Fraction, Fraction], theirs: tuple[Fraction, Fraction]) -> None:
    """The true supremum lies in both enclosures."""
    assert ours[0] <= theirs[1]
    assert theirs[0] <= ours[1]
    assert theirs[1] <= theirs[0] * F(101, 100), "Sollya's enclosure is narrow enough to say something"


def test_silu() -> None:
    agree(certified("relu", beta=1, range=("-32", "32")), infnorm("x/(1+exp(x))", "0", "32"))


def test_maximum_of_eight() -> None:
    """In the one-dimensional reduction, all gaps equal; β = 1."""
    agree(certified("max", n=8, beta=1, M=8), infnorm("7*x*exp(-x)/(1+7*exp(-x))", "0", "16"))


def test_tilted_product() -> None:
    agree(certified("mult", route="direct", beta="1/10"), infnorm("x-10*tanh(x/10)", "0", "1"))


def test_anchors() -> None:
    """Ten anchors at distance 1, all terms written out; the worst cell is the first."""
    weights = [f"exp(-(68/25)*(x-{k})^2)" for k in range(10)]
    mean = f"({'+'.join(f'{k}*{w}' for k, w in enumerate(weights))})/({'+'.join(weights)})"
    agree(certified("clip", gate="anchor", p=10, range=("0", "9")), infnorm(f"{mean}-x", "0", "1"))


def test_square_of_one_tooth() -> None:
    """t = (x + 1)/2, z = t − 1/2: x² against 2x·0 … written out for M = 1, m = 1, β = 8."""
    z = "(x/2)"
    tooth = f"(2*{z}+1-4*({z}/(1+exp(-8*{z}))))"
    agree(certified("square", m=1, beta=8), infnorm(f"4*(1/4-{tooth}/4)-x^2", "-1", "1"))


@pytest.mark.parametrize("seed", range(24))
def test_sums_of_soft_gates(seed: int) -> None:
    """Mixed signs, rates and β, kinks at and beyond the ends: the largest value that Sollya finds on the same function."""
    rng = random.Random(1000 + seed)
    made = replace_hot(random_sum(rng))
    program = program_of(made.network())
    chain = chain_of(program, program.outputs[0], 0)
    assert chain is not None
    proof = prove_cells(chain, ReciprocalCurve(), LOW, HIGH)
    gates = [f"({g.factor})*(({g.rate})*x+({g.shift}))" + (f"+({g.beside})" if g.beside else "") for g in made.gates]
    whole = "+".join([f"({made.constant})+({made.slope})*x", *(
        f"({value})/(1+exp(-({g.beta})*(({g.rate})*x+({g.shift}))))" for value, g in zip(gates, made.gates, strict=True))])
    script = f"prec = 200; display = hexadecimal; dirtyinfnorm({whole}-1/x, [{LOW};{HIGH}]);"
    result = subprocess.run(["sollya", "--warnonstderr"], input=script, capture_output=True, text=True, check=False,
                            timeout=120)
    found = _number(result.stdout.strip().splitlines()[-1])
    assert found <= fraction(proof.upper)
    assert found >= fraction(exact(proof.lower)) * (1 - F(1, 10**9))


def replace_hot(made: Sum) -> Sum:
    """Sollya's search misses peaks that are narrower than a thousandth."""
    return replace(made, gates=tuple(replace(g, beta=min(g.beta, F(40))) for g in made.gates))
