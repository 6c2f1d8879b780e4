"""Certificates for products by one tilted head: error = y·φ(s), a value form times a function of the score form.

With one atom y·tanh(s) the network is affine + f·y·tanh(s); a product target that is affine + c·y·s, checked in rationals,
leaves the error y·(f·tanh(s) − c·s) + affine, and |error| ≤ sup|y|·sup|φ| + sup|affine|. For c·f > 0 and f·s against c·s of
the same slope at 0, φ has no cancellation trouble at the precision used.
"""

from __future__ import annotations

from flint import arb, fmpq

from ..formulas.shapes import Quadratic
from .balls import Box, Progress, exact, maximise
from .forms import ZERO, RationalForm, Value, coefficient, combine, constant_of, subtract, terms_of
from .program import Program, Tilted
from .proof import Domain, Proof, span

CLOSE = fmpq(1, 10**40)


def prove_tilt(program: Program, output: Value, target: Quadratic, domain: Domain,
               progress: Progress | None = None) -> Proof | None:
    if any(low is None or high is None for low, high in domain):
        return None
    atoms = [(k, c) for k, c in terms_of(output).items() if not program.is_input(k)]
    if len(atoms) != 1:
        return None
    (number, factor), = atoms
    atom = program.atom(number)
    if not isinstance(atom, Tilted) or not isinstance(atom.y, RationalForm):
        return None
    s, y = atom.s, atom.y
    if not all(map(program.is_input, (*s.terms, *y.terms))):
        return None
    found = _product(s, y, target)
    spread_s, spread_y = span(s, domain), span(y, domain)
    if found is None or spread_s is None or spread_y is None:
        return None
    c, affine = found
    rest = subtract(subtract(output, RationalForm(ZERO, {number: factor})), affine)
    beside = span(rest, domain)
    assert beside is not None

    def at(x: fmpq) -> arb:
        return factor * arb(x).tanh() - c * x

    def over(box: Box) -> arb:
        u, v = box[0]
        a, b = arb(u).tanh(), arb(v).tanh()
        both = a.union(b)
        slope = factor * (1 - both * both) - c
        if slope >= 0 or slope <= 0:
            return abs(at(u).union(at(v)))
        middle = (u + v) / 2
        return abs(at(middle) + slope * arb(u - middle).union(arb(v - middle)))

    most = maximise(over, [(spread_s,)] if spread_s[0] < spread_s[1] else [((spread_s[0], spread_s[0]),)],
                    lambda p: abs(at(p[0])), tolerance=CLOSE, budget=2000, partial=True, progress=progress)
    largest = max(abs(e) for e in spread_y)
    upper = largest * exact(most.upper) + max(abs(e) for e in beside)
    point, lower = _witness(s, y, domain, most.point[0], at, rest)
    return Proof(upper, lower, point, most.boxes, "value times a function of the score: one variable")


def _product(s: RationalForm, y: RationalForm, target: Quadratic) -> tuple[fmpq, Value] | None:
    """(c, affine) with target = c·s·y + affine."""
    products: dict[tuple[int, int], fmpq] = {}
    for i, a in s.terms.items():
        for j, b in y.terms.items():
            key = (min(i, j), max(i, j))
            products[key] = products.get(key, ZERO) + a * b
    wanted = {(i, j): c for i, j, c in target.coefficients}
    i, j, coefficient_ = target.coefficients[0]
    if products.get((i, j), ZERO) == 0:
        return None
    c = coefficient_ / products[i, j]
    if any(c * products.get(k, ZERO) != wanted.get(k, ZERO) for k in {*products, *wanted}):
        return None
    # s·y = products + (linear parts with the other's constant) + product of constants
    linear = combine([(s.constant, RationalForm(ZERO, y.terms)), (y.constant, RationalForm(ZERO, s.terms))],
                     s.constant * y.constant)
    return c, combine([(-c, linear)])


def _witness(s: RationalForm, y: RationalForm, domain: Domain, goal: fmpq, at, rest: Value) -> tuple[tuple[fmpq, ...], arb]:  # type: ignore[no-untyped-def]
    """A corner of the domain, with the input that s depends on moved so that s is the goal."""
    point = []
    for k, (low, high) in enumerate(domain):
        assert low is not None
        assert high is not None
        point.append(high if coefficient(y, k) >= 0 else low)
    if sum(c * (point[k]) for k, c in y.terms.items()) + y.constant < 0:
        point = [(low if x == high else high) for x, (low, high) in zip(point, domain, strict=True)]
    own = [k for k in s.terms if k not in y.terms]
    if len(own) == 1 and len(s.terms) == 1:
        point[own[0]] = (goal - s.constant) / s.terms[own[0]]

    def value(form: Value) -> fmpq:
        return constant_of(form) + sum((c * point[k] for k, c in terms_of(form).items()), ZERO)

    return tuple(point), abs(value(y) * at(value(s)) + value(rest)).lower()
