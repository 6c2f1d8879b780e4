"""Repeats a refutation by hand: from what is printed, with other code than the checker's own."""

from __future__ import annotations

import re
from fractions import Fraction

import sympy as sp

from boundcalc.claims.model import Witness
from boundcalc.export.verdicts import form, witness_note
from boundcalc.formulas.parser import parse
from boundcalc.formulas.symbols import C, symbol
from boundcalc.results.bound import bound
from boundcalc.verify.evaluate import evaluate, to_fraction

NETWORK = re.compile(r"the error of the network (\S+?)\[(.*)\] at the input (.*)")
QUANTITY = re.compile(r"[a-z]+(\[[^\]]*\])?\.[a-z_]+|\$")      # a quantity, or a bound letter of a sum: see `side`
DIGITS = 40
V = sp.nsolve(symbol("x") * sp.tanh(symbol("x")) - 1, 1.2, prec=60)
CONSTANT = 4 * (V ** 2 - 1)


def side(text: str, parameters: dict[str, Fraction]) -> sp.Expr:
    """The value of a printed expression at the printed parameters, by sympy's own numerics."""
    values = {symbol(name): sp.Rational(x.numerator, x.denominator) for name, x in parameters.items()}
    values[sp.Symbol("s", real=True)] = values.get(symbol("s"), sp.S.Zero)
    expr = parse(text)
    if expr.has(sp.Sum):
        expr = expr.xreplace(values).doit()
    return sp.N(expr.subs(values).subs({C: CONSTANT}), DIGITS)


def network_error(witness: Witness, match: re.Match[str]) -> sp.Expr:
    name, options, inputs = match.groups()
    given: dict[str, object] = dict(part.split("=") for part in options.split(", "))
    given["sentinels"] = given.pop("sentinels", "no") == "yes"
    coordinates = inputs.split(", ")
    given |= {k: v for k, v in witness.parameters.items() if k not in coordinates and not (k == "delta" and v == 0)}
    if "a" in given:
        given["range"] = (given.pop("a"), given.pop("b"))
    if not given["sentinels"]:
        del given["sentinels"]
    made = bound(name, **given)  # type: ignore[arg-type]
    point = [witness.parameters[x] for x in coordinates]
    values = evaluate(made.network, point, 60)
    error = max(abs(to_fraction(v) - t) for v, t in zip(values, made.target(point), strict=True))
    return sp.N(sp.Rational(error.numerator, error.denominator), DIGITS)


def printed(text: str) -> sp.Expr:
    return sp.N(parse(text), DIGITS)


RELATION = re.compile(r"<=|>=|==|(?<!-)[<>]")
OTHER = re.compile(r"the right side is the same with (\w+) = (.*)")


def repeat(witness: Witness, claim: str) -> None:
    """Both sides come out as printed, to 25 digits, and a claimed relation fails between them."""
    note = witness_note(witness.note)
    match = NETWORK.fullmatch(note)
    parameters = dict(witness.parameters)
    texts = form(witness.left_form), form(witness.right_form)
    if not match and any(map(QUANTITY.search, texts)):      # proved bounds stand there: the numbers contradict the claim
        fails(printed(witness.left), printed(witness.right), claim)
        return
    left = network_error(witness, match) if match else side(texts[0], parameters)
    if other := OTHER.fullmatch(note):      # independent: the same expression at another value
        parameters[other[1]] = Fraction(other[2])
    right = side(texts[1], parameters)
    for value, text in ((left, witness.left), (right, witness.right)):
        assert abs(value - printed(text)) <= abs(value) * sp.Float(10) ** -25, (value, text)
    fails(left, right, claim, bool(other))


def fails(left: sp.Expr, right: sp.Expr, claim: str, other: bool = False) -> None:
    relation = RELATION.search(claim)
    failing = {"<=": left > right, "<": left >= right, ">=": left < right, ">": left <= right, "==": left != right,
               "independent": left != right}
    name = "independent" if other else relation[0] if relation else ""
    assert not name or failing[name], (left, name, right)
