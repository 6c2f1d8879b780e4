"""Errors of concrete networks: where a claimed error bound of a named construction lies below what we derive, the network
is built at exact parameters and evaluated at inputs. An input at which it errs by more than was claimed refutes the claim.

The error at an input is computed twice: by ball arithmetic here, and by mpmath (verify/evaluate.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import islice

import sympy as sp
from flint import arb, fmpq

from ..errors import BoundcalcError
from ..formulas.enclosure import arb_bounds, lower, upper
from ..formulas.symbols import symbol
from ..networks.network import AffineLayer, AttentionLayer, Matrix, ReluLayer
from ..numbers.arithmetic import working_precision
from ..numbers.exact import decimal_down
from ..results.bound import Bound, bound
from .cases import Branch
from .counterexample import DIGITS, Point, digits_of, points
from .found import NetworkError
from .model import Relation, Witness
from .value import Resolved, Variant

PRECISION = 400         # bits of the balls
PARAMETERS = 12         # choices of parameters at which networks are built
SHORT = 10 ** 6         # largest denominator of an input
LARGEST = 3000          # entries of a network that is evaluated
CANDIDATES = 600
VISIBLE = Fraction(1, 10 ** 15)     # relative difference that is worth showing
MOST = {symbol("n"): 8, symbol("d"): 2, symbol("m"): 6, symbol("p"): 60, symbol("H"): 12, symbol("N"): 60}


def network_witness(statement: Relation, case: Branch) -> Witness | None:
    """An input at which a network exceeds a claimed bound `NAME.error <= …` (or `<`)."""
    left, right, relation = statement.left, statement.right, statement.relation
    if relation in (">=", ">"):
        left, right, relation = right, left, {">=": "<=", ">": "<"}[relation]
    errors = [r for r in case.resolved if left == r.call.symbol]
    if relation not in ("<=", "<") or len(errors) != 1 or len(case.resolved) != 1 or errors[0].needed or \
            errors[0].call.quantity != "error" or errors[0].values[0].network is None:
        return None
    resolved = errors[0]
    for point in islice(_parameters(resolved, right, case), PARAMETERS):
        found = _exceeds(resolved, right, point)
        if found is not None:
            return found
    return None


def _parameters(resolved: Resolved, right: sp.Expr, case: Branch) -> Iterator[Point]:
    """Parameters at which the derived bound exceeds the claimed one: small numbers first, then a large excess."""
    found: list[tuple[int, Fraction, Point]] = []
    derived = resolved.values[0].upper
    if derived is None:
        return
    for point in points(case.domain, CANDIDATES):
        length = sum(x.numerator.bit_length() + x.denominator.bit_length() for x in point.values())
        if length > 120 or any(point.get(s, 0) > most for s, most in MOST.items()):
            continue
        try:
            ratio = lower(derived, point, 8) / upper(right, point, 8)
        except (BoundcalcError, ZeroDivisionError):
            continue
        if ratio > 1:
            found.append((length // 12, -ratio, point))
    found.sort(key=lambda entry: entry[:2])
    yield from (point for *_, point in found)


def _exceeds(resolved: Resolved, right: sp.Expr, parameters: Point) -> Witness | None:
    network = resolved.values[0].network
    assert network is not None
    made = _build(network, parameters)
    if made is None:
        return None
    claimed = upper(right, parameters, 60)
    from ..verify.search import observe
    seen = list(observe(made, DIGITS).at.values())
    for point in ([x.limit_denominator(SHORT) for x in seen], seen):        # a witness is copied by hand: short if it can be
        try:
            error = _error(made, point)
        except (BoundcalcError, ArithmeticError):
            return None
        if error > claimed * (1 + VISIBLE) and _second_opinion(made, point, claimed):
            names = dict(zip(made.network.inputs, point, strict=True))
            given = {s.name: x for s, x in sorted(parameters.items(), key=lambda e: e[0].name)}
            shown, exact = digits_of(right, parameters)
            return Witness({**given, **names}, decimal_down(error, DIGITS), shown, ">",
                           NetworkError(network, tuple(names)),
                           resolved.call.text, right, exact=(False, exact))
    return None


def _build(network: Variant, parameters: Point) -> Bound | None:
    given: dict[str, object] = {s.name: x for s, x in parameters.items()}
    if "a" in given and "b" in given:
        given["range"] = (given.pop("a"), given.pop("b"))
    for name in ("eps", "delta"):
        if given.get(name) == 0:
            del given[name]
    try:
        made = bound(network.name, **network.arguments(), **given)       # type: ignore[arg-type]
        entries = made.resources["parameters"].exact
        return made if entries is not None and entries <= LARGEST else None
    except BoundcalcError:
        return None


def _error(made: Bound, point: Sequence[Fraction]) -> Fraction:
    """A lower bound of the error at an input, by balls."""
    with working_precision(PRECISION):
        outputs = _forward(made, point)
        wanted = [arb(fmpq(t.numerator, t.denominator)) for t in made.target(list(point))]
        gaps = [abs(y - t) for y, t in zip(outputs, wanted, strict=True)]
        return max(arb_bounds(gap)[0] for gap in gaps)


def _second_opinion(made: Bound, point: Sequence[Fraction], claimed: Fraction) -> bool:
    from ..verify.evaluate import Evaluator, to_fraction
    values = Evaluator(made.network, 60)(point)
    return max(abs(to_fraction(v) - t) for v, t in zip(values, made.target(list(point)), strict=True)) > claimed


def _forward(made: Bound, point: Sequence[Fraction]) -> list[arb]:
    state = [arb(fmpq(x.numerator, x.denominator)) for x in point]
    for layer in made.network.layers:
        match layer:
            case AffineLayer(weight=weight, bias=bias):
                state = _times(weight, state)
                for i, value in bias.entries:
                    state[i] += fmpq(value.numerator, value.denominator)
            case ReluLayer():
                state = [x.max(arb(0)) for x in state]
            case AttentionLayer():
                state = _attend(layer, state)
    return state


def _times(matrix: Matrix, vector: Sequence[arb]) -> list[arb]:
    found = [arb(0)] * matrix.rows
    for i, j, value in matrix.entries:
        found[i] = found[i] + fmpq(value.numerator, value.denominator) * vector[j]
    return found


def _attend(layer: AttentionLayer, state: Sequence[arb]) -> list[arb]:
    tokens = [list(state[t * layer.dim:(t + 1) * layer.dim]) for t in range(layer.tokens)]
    result: list[arb] = []
    for query in layer.query:
        total: list[arb] = []
        for head in layer.heads:
            q = _times(head.Q, tokens[query])
            scores = [sum((x * y for x, y in zip(_times(head.K, token), q, strict=True)), arb(0)) for token in tokens]
            beta = fmpq(head.beta.numerator, head.beta.denominator)
            top = max(scores, key=lambda s: s.mid())
            weights = [(beta * (s - top)).exp() for s in scores]
            mass = sum(weights, arb(0))
            out = [arb(0)] * head.V.rows
            for weight, token in zip(weights, tokens, strict=True):
                for i, x in enumerate(_times(head.V, token)):
                    out[i] = out[i] + weight / mass * x
            total = out if not total else [x + y for x, y in zip(total, out, strict=True)]
        result += total
    if layer.skip is not None:
        result = [x + y for x, y in zip(result, _times(layer.skip, state), strict=True)]
    return result
