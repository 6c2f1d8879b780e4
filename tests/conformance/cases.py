"""The cases of the conformance suite: every construction × route × gate, each with sets of parameters.

A construction declares its own cases, in its file; the table adds what is asked of all that are bundled. The files of
docs/examples/ are constructions outside the package: they are named by their paths and need nothing here. With
`pytest --construction PATH` the cases are those that one file declares, and all of them are run.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from boundcalc.declarations.frame import anchors_counted_by, checked_ranges
from boundcalc.declarations.record import Construction
from boundcalc.declarations.registry import construction, is_path, names
from boundcalc.formulas.parameter import Levels
from boundcalc.lemmas.chords import EqualErrorKnots
from boundcalc.results.bound import Bound, bound
from tests.selection import CONSTRUCTION, selected

from .table import TABLE, sequences

F = Fraction
EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"


@dataclass(frozen=True, eq=False)
class Case:
    """`name` is that of a construction, or the path of its file; `own` says that this file declares the case."""

    name: str
    route: str
    gate: str | None
    given: Mapping[str, object]
    own: bool = False

    def __str__(self) -> str:
        name = Path(self.name).stem if is_path(self.name) else self.name
        what = ",".join(f"{k}={shown(k, v)}" for k, v in self.given.items())
        return f"{'-'.join(x for x in (name, self.route, self.gate) if x)}[{what}]"

    @property
    def declaration(self) -> Construction:
        return construction(self.name)

    @property
    def chooses(self) -> tuple[str, ...]:
        return self.declaration.route(self.route).chooses

    @property
    def has_delta(self) -> bool:
        return bool(F(str(self.given.get("delta", 0))))

    @property
    def sequence(self) -> bool:
        return "sequence" in self.given

    def changed(self, **parameters: object) -> Bound:
        """The bound with some parameters replaced; None takes one away."""
        merged = {k: v for k, v in {**self.given, **parameters}.items() if v is not None}
        return bound(self.name, route=self.route, gate=self.gate, **merged)  # type: ignore[arg-type]


def shown(name: str, value: object) -> str:
    if name == "range":
        return ";".join(f"{block}{'=' if block else ''}{a}..{b}" for block, (a, b) in checked_ranges(value).items())
    return "..".join(map(str, value)) if isinstance(value, tuple) else str(value)


@cache
def built(case: Case) -> Bound:
    return case.changed()


def derivable(case: Case) -> bool:
    """For lists of cases that ask a bound what it is like: a case that cannot be built must not keep the others from being
    collected. It fails in every test that runs over all cases."""
    try:
        return bool(built(case).values)
    except Exception:
        return False


# ---------------------------------------------------------------------------------------------------------------
# which there are

def routes(named: tuple[str, ...] = names()) -> Iterator[tuple[str, str, str | None]]:
    """Every construction × route × gate of the package."""
    for name in named:
        for route in construction(name).routes:
            for gate in construction(name).information.gates if route.gated else (None,):
                yield name, route.name, gate


def declared(name: str) -> list[Case]:
    """What a construction's own file asks for: its cases on every route that takes their parameters, those of a route on
    this one."""
    c = construction(name)
    return [Case(name, route, gate, case.given, own=True) for _, route, gate in routes((name,))
            for case in (*c.cases, *c.route(route).cases) if not case.gates or gate in case.gates]


def bundled() -> list[Case]:
    table = [Case(name, route, gate, row) for (name, route, gate), rows in TABLE.items()
             for row in [*rows, *(sequences(name, gate) if gate else [])]]
    known = {str(c) for c in table}
    return [*table, *(c for name in names() for c in declared(name) if str(c) not in known)]


def examples() -> list[str]:
    return sorted(map(str, EXAMPLES.glob("*.py")))


ALONE = os.environ.get(CONSTRUCTION)
CASES = declared(ALONE) if ALONE else [*bundled(), *(c for path in examples() for c in declared(path))]


# ---------------------------------------------------------------------------------------------------------------
# which of them are run

VALUES = {name: [c.given[name] for c in CASES if name in c.given] for name in {k for c in CASES for k in c.given}}
LEAST = {name: min(values) for name, values in VALUES.items() if all(isinstance(v, int) for v in values)}       # of counts


def likeness(name: str, value: object) -> object:
    """What sets a value of a parameter apart: a word from other words, an end of what is possible from the rest."""
    if name in LEAST:
        return value == LEAST[name]
    if name == "eps":
        eps = F(str(value))
        return "no level is needed" if eps >= 1 else "tiny" if eps <= F(1, 10**9) else "some"
    if name == "range":
        return tuple((block, *((end > 0) - (end < 0) for end in ends)) for block, ends in checked_ranges(value).items())
    return value if isinstance(value, str) and value.isalpha() else "given"


def traits(case: Case) -> Iterator[object]:
    """Every construction × route × gate, made in every way; each parameter with what sets it apart, for each construction
    and for each route and gate."""
    given = case.given
    yield case.name, case.route, case.gate, *(given.get(name) for name in ("temperature", "grid", "sentinels"))
    yield case.name, case.own
    yield case.name, case.route, "eps" in given, "beta" in given
    apart = [("eps", "eps" in given), *((name, likeness(name, value)) for name, value in given.items())]
    for part in (case.name, (case.route, case.gate)):
        yield from ((part, *one) for one in apart)


CHOSEN = CASES if ALONE else selected(CASES, traits)


# ---------------------------------------------------------------------------------------------------------------
# what a case is like, read from its declaration and its parameters alone

def level_of(case: Case) -> str | None:
    """The parameter that counts levels which ε asks for, if the route has one."""
    c = case.declaration
    return next((p.name for p in c.parameters if isinstance(p.chosen, Levels) and p.name in case.chooses), None)


def has_pieces(case: Case) -> bool:
    """Whether the route has chords with equal errors."""
    return isinstance(case.declaration.pieces(case.route), EqualErrorKnots)


def tokens_name(case: Case) -> str:
    """The parameter that counts the tokens of an anchor head."""
    return anchors_counted_by(case.declaration) if case.gate == "anchors" else "p"


def cells(case: Case, values: Mapping[str, Fraction]) -> Fraction:
    """The cells of a grid of anchors, counted here once more: heads share their end anchors, or own all but two."""
    count, heads = values[tokens_name(case)], values.get("H", F(1))
    if case.given.get("sentinels"):
        return (count - 2) * heads - 1
    return count if case.given.get("grid") in ("left", "midpoint") else (count - 1) * heads


def kappa(case: Case, values: Mapping[str, Fraction]) -> Fraction:
    return values["kappa"] if case.given.get("temperature") == "hard" else F(68, 25)


def levels(b: Bound) -> dict[str, object]:
    """The integers of the route, as they were chosen."""
    return {name: int(b.values[name]) for name in b.analysis.how.chooses}
