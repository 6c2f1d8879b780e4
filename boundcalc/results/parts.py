"""The parts of a plan: one use each, the box on which it is used, and the bound of its own construction there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp
from sympy import Expr

from ..derivation.composition import AffineForm, Pass, Span
from ..formulas.index import upto
from ..formulas.symbols import INTERNAL, exchange, index, part_symbol, symbol
from ..formulas.target import AnyTarget
from ..terms.expand import Placed, expanded
from ..terms.flat import FlatNetwork
from ..terms.gate import Gate
from ..terms.linear import Form, var
from ..terms.plan import Use
from ..terms.term import Term
from ..terms.with_gate import lower

if TYPE_CHECKING:
    from .bound import Bound

NIL = Fraction(0)


@dataclass(frozen=True)
class Part:
    """`arguments` has one form for every coordinate of its inputs, `box` where those can be, errors included, and `own`
    encloses the error of its network there. `gain` is the largest factor with which that error arrives at an output."""

    name: str
    use: Use
    bound: Bound
    forms: tuple[Form, ...]
    arguments: tuple[AffineForm, ...]
    box: tuple[Span, ...]
    own: Span
    gain: Fraction = NIL
    leader: str = ""            # the first of the parts with which it shares layers and parameters

    @property
    def accuracy(self) -> Fraction:
        return max(-self.own[0], self.own[1])

    @property
    def construction_name(self) -> str:
        """What it is used by: the name of a file, not its path."""
        return self.bound.construction.name

    @property
    def suffix(self) -> str:
        """What its symbols carry."""
        return (self.leader or self.name).replace(".", "_")

    @cached_property
    def naming(self) -> tuple[dict[sp.Symbol, Expr], dict[str, Fraction]]:
        """What its symbols become: numbers where they follow from its box, else symbols with its name, and their values."""
        found = self.bound
        chosen = {c.name for c in found.choices}
        fixed = {name: v for name, v in found.values.items() if name not in chosen and name not in INTERNAL}
        renamed: dict[sp.Symbol, Expr] = {symbol("d"): sp.S.One}
        own: dict[str, Fraction] = {}
        for name, value in {**fixed, **internal_values(found.analysis.meaning, fixed)}.items():
            renamed[INTERNAL.get(name) or symbol(name)] = sp.Rational(value.numerator, value.denominator)
        for name, value in found.values.items():
            s = INTERNAL.get(name) or symbol(name)
            if s not in renamed:
                renamed[s] = part_symbol(name, self.suffix)
                own[f"{name}_{self.suffix}"] = value
        return renamed, own

    @cached_property
    def target(self) -> AnyTarget:
        return self.bound.target_functions[0]


@dataclass(frozen=True)
class Composition:
    """The plan of a bound at its numbers, uses of plans written out, and the pass over it with the parts' own errors."""

    inputs: Mapping[str, Span]
    delta: Fraction
    parts: tuple[Part, ...]
    outputs: Mapping[str, AffineForm]

    def forward(self) -> Pass:
        """The pass with the parts' errors; NotDerivable where they lead out of the boxes."""
        found = Pass(self.inputs, self.delta)
        for part in self.parts:
            arguments = [found.affine(a) for a in part.arguments]
            found.apply(part.name, part.target, arguments, part.box, part.own)
        return found

    def error(self) -> dict[str, Span]:
        """Where the error of every output lies."""
        found = self.forward()
        return {name: found.error(found.affine(form)) for name, form in self.outputs.items()}

    def in_layers(self) -> tuple[Part, ...]:
        """The parts in the order of their layers: by depth, where some of them share any."""
        return tuple(sorted(self.parts, key=lambda p: depths(self.parts)[p.name])) if any(
            p.leader not in ("", p.name) for p in self.parts) else self.parts

    def exact(self, point: Sequence[Fraction]) -> list[Fraction] | None:
        """The values of the plan with exact parts; None where one is not rational."""
        values = dict(zip(self.inputs, point, strict=True))
        for part in self.parts:
            value = part.target.exact([_at(a, values) for a in part.arguments])
            if value is None:
                return None
            values[part.name] = value
        return [_at(form, values) for form in self.outputs.values()]


def depths(parts: Sequence[Part]) -> dict[str, int]:
    """How many parts come before one another at most."""
    found: dict[str, int] = {}
    for part in parts:
        found[part.name] = 1 + max((found.get(name, 0) for a in part.arguments for name, _ in a.terms), default=0)
    return found


def sharing(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Equal parts at equal depth share layers, if those are layers of gates."""
    deep = depths(parts)
    first: dict[tuple[int, int], str] = {}
    return tuple(replace(p, leader=first.setdefault((deep[p.name], id(p.bound)), p.name)) if p.bound.analysis.gate else p
                 for p in parts)


def internal_values(meaning: Mapping[str, Expr], values: Mapping[str, Fraction]) -> dict[str, Fraction]:
    at = {symbol(k): sp.Rational(v.numerator, v.denominator) for k, v in values.items()}
    found = {name: e.xreplace(at) for name, e in meaning.items()}
    return {name: Fraction(int(v.p), int(v.q)) for name, v in found.items() if v.is_Rational}


def flat_of(composition: Composition, copies: bool, fixed: Mapping[sp.Symbol, Expr] | None = None,
            gate: Gate | None = None) -> FlatNetwork:
    """The layers of the whole; with another gate where one is given."""
    placed = [Placed(p.name, _with_gate(p.bound.analysis.term, gate), p.forms,
                     {s: exchange(e, fixed or {}) for s, e in p.naming[0].items()}, p.leader or p.name)
              for p in composition.in_layers()]
    outputs = {name: _form(form) for name, form in composition.outputs.items()}
    return expanded(tuple(composition.inputs), placed, outputs, upto(index("c"), symbol("d")) if copies else None)


def _with_gate(term: Term | None, gate: Gate | None) -> Term:
    assert term is not None             # plans that are used were written out
    return term if gate is None else lower(term, gate)


def _form(form: AffineForm) -> Form:
    found = Form()
    for name, c in form.terms:
        found = found + sp.Rational(c.numerator, c.denominator) * var(name)
    return found + sp.Rational(form.constant.numerator, form.constant.denominator) if form.constant else found


def _at(form: AffineForm, values: Mapping[str, Fraction]) -> Fraction:
    return sum((c * values[name] for name, c in form.terms), form.constant)
