"""Certificates for quadratic targets: squares by one chain, products by two, each a function of one direction.

What the weights compute is matched with the identity of chain.py in rationals; if anything does not fit, there is no
certificate of this kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

from flint import arb, fmpq

from ..formulas.shapes import Quadratic
from .balls import Progress
from .chain import Chain, ChainLevel
from .curve import Bend, Curve, joined, kernel_of
from .forms import ONE, ZERO, RationalForm, Value, coefficient, combine, constant_of, factor_of, scale, subtract, terms_of
from .level import level_of
from .pairs import Direction, plane_of, prove_pair
from .program import Program
from .proof import Domain, Proof, span, where

Key = TypeVar("Key", int, tuple[int, int])


@dataclass
class Link:
    """Atoms that are functions of one form z; y = z − 2·Σ parts·atoms; the next z is shift + factor·y."""

    z: RationalForm
    atoms: list[int]
    parts: dict[int, fmpq] = field(default_factory=dict)
    shift: fmpq = ZERO
    factor: fmpq = ZERO
    following: Link | None = None
    weight: fmpq = ZERO         # of y in the output

    def y(self) -> Value:
        return combine([(ONE, self.z), *((-2 * c, RationalForm(ZERO, {k: ONE})) for k, c in self.parts.items())])


def prove_quadratic(program: Program, output: Value, target: Quadratic, domain: Domain,
                    progress: Progress | None = None) -> Proof | None:
    """None if the program is not of this kind."""
    if any(low is None or high is None for low, high in domain):
        return None
    chains = _chains(program, output)
    if chains == [] and len(domain) == 1:
        return _polynomial(output, target, domain)
    if chains is None or not 1 <= len(chains) <= 2:
        return None
    rest = _peeled(chains, output)
    if rest is None or any(not program.is_input(k) for k in terms_of(rest)):
        return None
    taus = _weights_of_squares([c[0].z for c in chains], target)
    if taus is None or any(t == 0 for t in taus):
        return None
    # τz² less its quadratic part
    affine = combine([(ONE, rest)])
    for tau, chain in zip(taus, chains, strict=True):
        z = chain[0].z
        affine = combine([(ONE, affine), (2 * tau * z.constant, RationalForm(ZERO, z.terms))], tau * z.constant**2)
    extras = _in_terms_of([c[0].z for c in chains], affine)
    if extras is None:
        return None
    directions = []
    known: dict[tuple[object, ...], Chain] = {}
    constant = constant_of(affine)
    for tau, chain, extra in zip(taus, chains, extras, strict=True):
        z = chain[0].z
        steps, own = _steps(program, chain, tau)
        constant += own - extra * z.constant
        spread = span(z, domain)
        assert spread is not None
        key = (*(s.key() for s in steps), spread, extra / tau)
        if key not in known:    # the two directions of a product are often the same function
            known[key] = Chain(steps, spread, extra / tau, progress)
        directions.append(Direction(z, tau, known[key]))
    if len(directions) == 1:
        return _single(directions[0], constant, domain)
    plane = plane_of(directions[0].z, directions[1].z, domain)
    return None if plane is None else prove_pair(directions, constant, plane, progress)


def _polynomial(output: Value, target: Quadratic, domain: Domain) -> Proof:
    """No gate at all: b·x + c − a·x² is largest at an end or at its vertex, exactly."""
    (_, _, a), = target.coefficients
    b, c = coefficient(output, 0), constant_of(output)
    low, high = domain[0]
    assert low is not None
    assert high is not None
    points = [low, high, *([b / (2 * a)] if low < b / (2 * a) < high else [])]
    error, x = max((abs(b * x + c - a * x * x), x) for x in points)
    return Proof(error, arb(error), (x,), 0, "a polynomial, exactly")


def _single(d: Direction, constant: fmpq, domain: Domain) -> Proof:
    whole = d.chain.whole
    ends = [d.tau * d.exact_end(sign) + constant for sign in (1, -1)]
    points = []
    for z in (whole.highest, whole.lowest):
        points.append((abs(d.tau * d.chain.at(z) + constant).lower(), z))
    lower, z = max(points, key=lambda p: p[0])
    return Proof(max(abs(e) for e in ends), lower, where(d.z, z, domain), d.chain.boxes,
                 "sawtooth recursion, level by level")


# --- recognition ------------------------------------------------------------------------------------------------------

def _chains(program: Program, output: Value) -> list[list[Link]] | None:
    """All atoms that the output rests on, as chains of stages from the inputs on."""
    stages: list[Link] = []
    owner: dict[int, Link] = {}
    for k in sorted(_needed(program, output)):
        found = kernel_of(program.atom(k))
        if found is None:
            return None
        stage = next((s for s in stages if factor_of(found[0], s.z)), None)
        if stage is None:
            stage = Link(found[0], [])
            stages.append(stage)
        stage.atoms.append(k)
        owner[k] = stage
    roots = []
    for stage in stages:
        inner = [k for k in stage.z.terms if not program.is_input(k)]
        if not inner:
            roots.append(stage)
        elif not _linked(owner[max(inner)], stage):
            return None
    chains = []
    for stage in roots:
        chain = [stage]
        while (following := chain[-1].following) is not None:
            chain.append(following)
        if not _last_parts(program, chain[-1], output):
            return None
        chains.append(chain)
    return chains if sum(map(len, chains)) == len(stages) else None


def _needed(program: Program, output: Value) -> set[int]:
    todo = [k for k in terms_of(output) if not program.is_input(k)]
    seen: set[int] = set()
    while todo:
        k = todo.pop()
        if k not in seen:
            seen.add(k)
            found = kernel_of(program.atom(k))
            if found is None:
                return {k}      # refused by the caller
            todo += [j for j in found[0].terms if not program.is_input(j)]
    return seen


def _linked(before: Link, after: Link) -> bool:
    """Whether z' = a + b(z − 2A), with A a combination of the atoms of the stage before."""
    if before.following is not None:
        return False
    k = next(iter(before.z.terms))
    b = coefficient(after.z, k) / before.z.terms[k]
    if b == 0:
        return False
    rest = subtract(after.z, scale(b, before.z))
    if not terms_of(rest).keys() <= set(before.atoms):
        return False
    before.parts = {k: c / (-2 * b) for k, c in terms_of(rest).items()}
    before.shift, before.factor, before.following = constant_of(rest), b, after
    return bool(before.parts)


def _last_parts(program: Program, stage: Link, output: Value) -> bool:
    """The last A is known up to a factor, from the output; it is to have slope 1 after its kink next to 0."""
    parts = {k: coefficient(output, k) for k in stage.atoms if coefficient(output, k) != 0}
    if not parts:
        return False
    hinges = _curve(program, stage, parts).ideal.hinges
    if not hinges:
        return False
    _, change = min(hinges, key=lambda h: abs(h[0]))
    stage.parts = {k: c / change for k, c in parts.items()}
    return True


def _curve(program: Program, stage: Link, parts: dict[int, fmpq]) -> Curve:
    """Σ parts·atoms as a function of z."""
    gates = []
    for k, c in parts.items():
        found = kernel_of(program.atom(k))
        assert found is not None
        inner, kernel, own = found
        rate = factor_of(inner, stage.z)
        assert rate is not None
        gates.append(Bend(c * own, kernel, rate, inner.constant - rate * stage.z.constant))
    return Curve(ZERO, ZERO, joined(gates))


def _peeled(chains: list[list[Link]], output: Value) -> Value | None:
    """output − Σ weight·y, from the last stage to the first: what is left has no atoms."""
    rest = output
    for stage in sorted((s for c in chains for s in c), key=lambda s: -max(s.atoms)):
        k, part = next(iter(stage.parts.items()))
        stage.weight = coefficient(rest, k) / (-2 * part)
        rest = subtract(rest, scale(stage.weight, stage.y()))
        if any(coefficient(rest, k) != 0 for k in stage.atoms):
            return None
    return rest


def _steps(program: Program, chain: Sequence[Link], tau: fmpq) -> tuple[list[ChainLevel], fmpq]:
    """The steps in units of τ, and the sum of their constants."""
    steps, weight, constant = [], ONE, ZERO
    for stage in chain:
        level = level_of(_curve(program, stage, stage.parts))
        if stage.following is None:
            steps.append(ChainLevel(level, stage.weight / tau, weight, last=True))
        else:
            a, b = stage.shift, stage.factor
            steps.append(ChainLevel(level, stage.weight / tau + 2 * weight * a / b, weight, a, b))
            constant += tau * weight * a * a / (b * b)
            weight = weight / (b * b)
    return steps, constant


# --- small linear algebra in rationals --------------------------------------------------------------------------------

def _weights_of_squares(forms: list[RationalForm], target: Quadratic) -> list[fmpq] | None:
    """τ with Σ τ·(linear part)² = target, if there are such."""
    wanted: dict[tuple[int, int], fmpq] = {(i, j): c for i, j, c in target.coefficients}
    columns = []
    for z in forms:
        column: dict[tuple[int, int], fmpq] = {}
        for i, a in z.terms.items():
            for j, b in z.terms.items():
                key = (min(i, j), max(i, j))
                column[key] = column.get(key, ZERO) + a * b
        columns.append(column)
    return _solve(columns, wanted)


def _in_terms_of(forms: list[RationalForm], affine: Value) -> list[fmpq] | None:
    """Numbers c with affine − Σ c·form constant."""
    return _solve([dict(z.terms) for z in forms], dict(terms_of(affine)))


def _solve(columns: Sequence[Mapping[Key, fmpq]], wanted: Mapping[Key, fmpq]) -> list[fmpq] | None:
    """Numbers c with Σ c·column = wanted, for one or two columns that are no multiples of each other."""
    keys = sorted({k for column in columns for k in column} | set(wanted))
    rows = [([column.get(k, ZERO) for column in columns], wanted.get(k, ZERO)) for k in keys]
    solution: list[fmpq] | None = None
    if len(columns) == 1:
        solution = next(([y / row[0]] for row, y in rows if row[0] != 0), None)
    for (p, y), (q, z) in combinations(rows, 2) if len(columns) == 2 else ():
        determinant = p[0] * q[1] - p[1] * q[0]
        if determinant != 0:
            solution = [(y * q[1] - p[1] * z) / determinant, (p[0] * z - y * q[0]) / determinant]
            break
    if solution is None or any(sum((c * x for c, x in zip(solution, row, strict=True)), ZERO) != y for row, y in rows):
        return None
    return solution
