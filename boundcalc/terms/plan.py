"""Plans: how a network is put together from constructions, each used as its promise says.

A plan is in single assignment: every use has a new name for its result, and its arguments are affine forms of the inputs
and of earlier results. Affine maps before, between and after uses cost nothing and are exact.

    Plan((Use("s", "mult", {"x": var("x"), "y": var("x")}),
          Use("c", "mult", {"x": var("s"), "y": var("x")})), {"x³": var("c")})

A block that a parameter counts takes one argument a coordinate: {"x1": …, "x2": …, "x3": …} into max has n = 3. So do
inputs of the plan itself: where the input x has n coordinates, a plan mentions var("x1"), …, and frame["n"] is a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field, replace

from ..errors import InvalidInput, echo
from ..records import dataclass
from .linear import Form, Ref, Weighted, as_form

MOST_USES = 500
NAME = re.compile(r"[^\W\d_]\w*")            # parts of parts have a dot besides


@dataclass(frozen=True)
class Use:
    """result = construction(arguments). What is not said of route, gate and parameters is as the construction has it."""

    result: str
    name: str
    arguments: Mapping[str, Form]
    route: str | None = None
    gate: str | None = None
    given: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Plan:
    uses: tuple[Use, ...]
    outputs: Mapping[str, Form]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        if len(self.uses) > MOST_USES:
            raise InvalidInput(f"A plan of {len(self.uses)} uses is too long.", f"Use at most {MOST_USES} constructions.")
        for use in self.uses:
            if not NAME.fullmatch(use.result):
                raise InvalidInput(f"The result of a use cannot be called '{echo(use.result)}'.",
                                   "Begin with a letter, and go on with letters, digits and underscores.")
            if use.result in seen:
                raise InvalidInput(f"Two uses are called {echo(use.result)}.", "Give every result a name of its own.")
            seen.add(use.result)

    def check(self, inputs: tuple[str, ...]) -> None:
        """Nothing is mentioned before it is there, and no result has the name of an input."""
        known = set(inputs)
        for use in self.uses:
            if use.result in known:
                raise InvalidInput(f"{echo(use.result)} is an input and the result of a use.", "Give it another name.")
            for form in use.arguments.values():
                _known(form, known, f"The use {use.result} of {use.name}")
            known.add(use.result)
        for name, form in self.outputs.items():
            _known(form, known, f"The output {name}")


def names_of(form: Form) -> Iterator[str]:
    """The inputs and results that a form mentions."""
    return (t.ref.block for t in as_form(form).terms)


def _known(form: Form, known: set[str], who: str) -> None:
    for t in as_form(form).terms:
        if t.ref.block not in known or t.ref.at or t.over:
            raise InvalidInput(f"{who} mentions {echo(t.ref.block)}, which is no input and no earlier result.",
                               "The wires of a plan are single numbers; the results of uses come in order.")


def replaced(form: Form, by: Mapping[str, Form]) -> Form:
    """The form with other forms in place of what it mentions."""
    whole = Form((), as_form(form).const)
    for t in as_form(form).terms:
        put = by.get(t.ref.block)
        whole = whole + (t.coefficient * put if put is not None else Form((Weighted(t.coefficient, t.ref),)))
    return whole


def inlined(outer: Use, plan: Plan) -> tuple[tuple[Use, ...], Mapping[str, Form]]:
    """The uses of a plan that is itself used, with names of their own, and its outputs, in what the outer plan knows."""
    own = {use.result: Form((Weighted(as_form(1).const or 1, Ref(f"{outer.result}.{use.result}")),)) for use in plan.uses}
    known = {**{name: as_form(form) for name, form in outer.arguments.items()}, **own}
    uses = tuple(replace(use, result=f"{outer.result}.{use.result}", route=use.route, gate=use.gate or outer.gate,
                         arguments={name: replaced(form, known) for name, form in use.arguments.items()})
                 for use in plan.uses)
    return uses, {name: replaced(form, known) for name, form in plan.outputs.items()}
