"""The parts of a plan as a reader is shown them: equal ones once, with their number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..derivation.composition import AffineForm, Span
from ..errors import BoundcalcError
from ..formulas.parser import parse, to_text
from ..formulas.symbols import exchange, symbol
from .bound import Bound, Quantity
from .parts import Part


@dataclass(frozen=True)
class PartLine:
    """`expression` is what the part computes, in inputs and earlier results; None where the grammar has no word for it."""

    name: str
    expression: str
    construction: str
    route: str
    gate: str | None
    domain: tuple[Span, ...]
    accuracy: Quantity
    gain: Quantity
    count: int
    resources: Mapping[str, Quantity]


def part_lines(bound: Bound) -> tuple[PartLine, ...]:
    if bound.composition is None:
        return ()
    alike: dict[tuple[int, Fraction], list[Part]] = {}
    for part in bound.composition.parts:
        alike.setdefault((id(part.bound), part.gain), []).append(part)
    return tuple(_line(parts[0], len(parts)) for parts in alike.values())


def _line(part: Part, count: int) -> PartLine:
    own = part.bound

    def named(q: Quantity) -> Quantity:
        return replace(q, symbolic=exchange(own.analysis.settled(q.symbolic), part.naming[0]))

    gain = Quantity(_rational(part.gain), part.gain, part.gain)
    return PartLine(part.name, expression(part), part.construction_name, own.analysis.route, own.analysis.gate, part.box,
                    named(own.quantity(own.analysis.total.radius)), gain, count,
                    {key: named(q) for key, q in own.resources.items()})


def expression(part: Part) -> str:
    """The part in the grammar of claims, or name(arguments) where its target is not a formula of coordinates."""
    c = part.bound.construction
    inputs, (target,) = c.names(part.bound.values, 0)
    forms = [_form(a) for a in part.arguments]
    try:
        names = [sp.Dummy() for _ in inputs]
        whole = parse(target).subs([(symbol(x), d) for x, d in zip(inputs, names, strict=True)], simultaneous=True)
        if whole.free_symbols <= set(names):
            return to_text(whole.subs(list(zip(names, forms, strict=True)), simultaneous=True))
    except (BoundcalcError, ValueError):
        pass
    return f"{part.construction_name}({', '.join(map(to_text, forms))})"


def _form(form: AffineForm) -> Expr:
    return sp.Add(_rational(form.constant), *(_rational(c) * symbol(name.replace(".", "_")) for name, c in form.terms))


def _rational(x: Fraction) -> Expr:
    return sp.Rational(x.numerator, x.denominator)
