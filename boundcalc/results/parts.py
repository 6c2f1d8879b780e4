"""The parts of a plan: one use each, the box on which it is used, and the bound of its own construction there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ..derivation.composition import AffineForm, Pass, Span
from ..formulas.target import Target
from ..terms.linear import Form
from ..terms.plan import Use

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

    @property
    def accuracy(self) -> Fraction:
        return max(-self.own[0], self.own[1])

    @cached_property
    def target(self) -> Target:
        return self.bound.target_function


@dataclass(frozen=True)
class Composition:
    """The plan of a bound at its numbers, uses of plans written out, and the pass over it with the parts' own errors."""

    inputs: Mapping[str, Span]
    delta: Fraction
    parts: tuple[Part, ...]
    outputs: Mapping[str, AffineForm]

    def forward(self, own: Callable[[Part], Span] | None = None) -> Pass:
        """The pass with these errors of the parts; NotDerivable where they lead out of the boxes."""
        found = Pass(self.inputs, self.delta)
        for part in self.parts:
            arguments = [found.affine(a) for a in part.arguments]
            found.apply(part.name, part.target, arguments, part.box, own(part) if own else part.own)
        return found

    def error(self, own: Callable[[Part], Span] | None = None) -> dict[str, Span]:
        """Where the error of every output lies."""
        found = self.forward(own)
        return {name: found.error(found.affine(form)) for name, form in self.outputs.items()}

    def exact(self, point: Sequence[Fraction]) -> list[Fraction] | None:
        """The values of the plan with exact parts; None where one is not rational."""
        values = dict(zip(self.inputs, point, strict=True))
        for part in self.parts:
            value = part.target.exact([_at(a, values) for a in part.arguments])
            if value is None:
                return None
            values[part.name] = value
        return [_at(form, values) for form in self.outputs.values()]


def _at(form: AffineForm, values: Mapping[str, Fraction]) -> Fraction:
    return sum((c * values[name] for name, c in form.terms), form.constant)
