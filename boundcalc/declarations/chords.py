"""Constructions by chords of any function of one input, from a table: no closed form of knots or values is needed.

    TABLE = Chords("x", "softplus(x)", "log(1 + exp(x))", bends=1)

    CONSTRUCTION = Construction(
        inputs=(Input("x"),), outputs=TABLE.outputs, parameters=TABLE.parameters, routes=(TABLE.route("recipe"),), …)

The number N of chords is the least that ε allows (up to the share of gates). For given N and range the table is a function
of these, made and proved once (lemmas/tables.py); formulas have N, the error of the chords and the sums of their bends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import sympy as sp
from sympy import Expr

from ..errors import Infeasible, InvalidInput, echo
from ..formulas.enclosure import Undecided
from ..formulas.index import upto
from ..formulas.interval import LINE, Interval
from ..formulas.parameter import Kind, Parameter, Pieces
from ..formulas.symbols import index, parameter, symbol
from ..formulas.tables import Column, column
from ..lemmas.chords import INNER
from ..lemmas.knots import KnotRule, equal_errors
from ..lemmas.record import Lemma, Reference
from ..lemmas.tables import ChordTable, about, chord_table, steepest
from ..numbers.exact import exact_text
from ..terms.linear import Block, affine, identity, total, var
from ..terms.term import Approx, Ideal, Ramps, Term, Unit
from .frame import interval_of
from .record import Frame, Output, Route, StandIn, copies

if TYPE_CHECKING:
    from ..formulas.target import Target

ERROR = parameter("e_chord", "nonnegative")
UP, DOWN = parameter("bends_up", "nonnegative"), parameter("bends_down", "nonnegative")
BEND = parameter("bend_most", "nonnegative")
SLOPE, START = parameter("slope_first", "real"), parameter("start_first", "real")
LIFT = parameter("lift_most", "nonnegative")
STEEPEST = parameter("slope_most", "nonnegative")
FIRST, LAST = parameter("gap_first", "positive"), parameter("gap_last", "positive")
MOST = 10 ** 5
GUESSES = 8
MEANINGS = {
    ERROR: "how far the chords are from the function at most, proved for the table (P5)",
    UP: "sum of all changes of slope at knots where the slope rises",
    DOWN: "sum of all changes of slope at knots where the slope falls, as a positive number",
    BEND: "largest change of slope at a knot", LIFT: "largest |change of slope times knot|",
    SLOPE: "slope of the first chord",
    START: "value at 0 of the line through the first chord",
    STEEPEST: "bound of the absolute slope of the function",
    FIRST: "distance of the first inner knot from the right end", LAST: "distance of the last inner knot from the right end",
}


@dataclass(frozen=True, eq=False)       # there is one of each
class Chords:
    """Chords of `target`, an expression in the input and the parameters named in `of`. `bends` is +1 where the function is
    convex, −1 where it is concave, 0 where it may be both. `knots` is a rule such as `equal_lengths`; it may give numbers,
    or formulas that are rounded. `pieces(low, high)` is what the least number N of pieces is rounded up from, if there is a
    closed form in ε."""

    input: str
    output: str
    target: str
    bends: int = 0
    knots: KnotRule = equal_errors
    of: tuple[str, ...] = ()
    pieces: Callable[[Expr, Expr], Expr] | None = None
    _tables: dict[object, ChordTable] = field(default_factory=dict, repr=False)
    _steepest: dict[object, Fraction | None] = field(default_factory=dict, repr=False)

    # --- what a record says ---

    @property
    def outputs(self) -> tuple[Output, ...]:
        return (Output(self.output, self.target),)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        return (Parameter("N", Kind.INTEGER, "number of linear pieces", least=2, most=MOST, chosen=Pieces(self)),
                *(Parameter(s.name, Kind.RATIONAL, meaning, internal=True) for s, meaning in MEANINGS.items()
                  if s is not {1: DOWN, -1: UP}.get(self.bends)))

    def route(self, name: str, **more: object) -> Route:
        return Route(name, self.term, chooses=("N",), stand_ins=(StandIn("inner", symbol("N") - 1),),
                     **more)                                # type: ignore[arg-type]

    @property
    def lemma(self) -> Lemma:
        return Lemma("P5", "the chords of the table err by at most $e_chord$ on the range, errors of inputs included: "
                     "proved by ball arithmetic for its rounded numbers", (("interpolation", Interval.symmetric(ERROR)),),
                     Reference("proved here (docs/rules.md, P5)", "derived"))

    def term(self, frame: Frame) -> Term:
        """One layer: the first chord, and N − 1 rectifiers, each with the change of slope at its knot."""
        box, i = frame.boxes[self.input], upto(index("i"), INNER)
        at = (INNER, box.lo, box.hi, *(frame[name] for name in self.of))
        gaps, bends = self._columns
        x = (Block(self.input),)
        body = Ramps("chords", identity(x), (Unit("r", self.input, box.hi - gaps(i.symbol, *at), over=(i,)),), affine(
            (*x, Block("r", (INNER,))),
            {self.output: SLOPE * var(self.input) + START + total(bends(i.symbol, *at) * var("r", i.symbol), i)}))
        slope = () if frame.known_exactly else ((self.input, Interval.symmetric(STEEPEST)),)
        return copies(frame, Approx(body, self.lemma, ideals=((self.output, Ideal(LINE, (slope,))),)))

    @cached_property
    def _columns(self):                                     # type: ignore[no-untyped-def]
        def gaps(inner: int, low: Fraction, high: Fraction, *of: Fraction) -> list[Fraction]:
            return [high - t for t in self.table(inner + 1, low, high, *of).knots[1:-1]]

        def bends(inner: int, low: Fraction, high: Fraction, *of: Fraction) -> list[Fraction]:
            return bends_of(self.table(inner + 1, low, high, *of))

        gap = column(Column(cache(gaps), sp.S.Zero, sp.S.Zero, FIRST, 1, -1, (FIRST, LAST)))

        def knot(bend: Expr) -> Expr:
            _, i, inner, low, high, *of = bend.args
            return high - gap(i, inner, low, high, *of)

        return gap, column(Column(cache(bends), UP if self.bends >= 0 else sp.S.Zero, DOWN if self.bends <= 0 else sp.S.Zero,
                                  BEND, self.bends, moment=(LIFT, knot)))

    # --- the table ---

    def table(self, pieces: int, low: Fraction, high: Fraction, *of: Fraction) -> ChordTable:
        key = pieces, low, high, of
        if key not in self._tables:
            with self._told(low, high):
                found = chord_table(self._target(*of), low, high, pieces, self.knots, self.bends)
            if any(b * self.bends < 0 for b in bends_of(found)):
                raise InvalidInput(f"{echo(self.target)} does not bend as its construction says on [{exact_text(low)}, "
                                   f"{exact_text(high)}].", "Give another --range, or correct `bends`.")
            self._tables[key] = found
        return self._tables[key]

    @contextmanager
    def _told(self, low: Fraction, high: Fraction) -> Iterator[None]:
        try:
            yield
        except (Undecided, ZeroDivisionError) as problem:
            why = str(problem).split(".")[0] if isinstance(problem, Undecided) else "it is not defined there"
            raise InvalidInput(f"The chords of {echo(self.target)} have no proved error on [{exact_text(low)}, "
                               f"{exact_text(high)}]: {why[:1].lower() + why[1:]}.",
                               "Give a --range on which it is defined and has a second derivative.",
                               {"--range": None}) from problem

    def _of(self, values: Mapping[str, Fraction], pieces: int) -> ChordTable:
        _, low, high = self._at(values)
        return self.table(pieces, low, high, *(values[name] for name in self.of))

    def _at(self, values: Mapping[str, Fraction]) -> tuple[Target, Fraction, Fraction]:
        ends = interval_of(values, self.input)
        assert ends is not None
        return self._target(*(values[name] for name in self.of)), ends[0] - values["delta"], ends[1] + values["delta"]

    def _target(self, *of: Fraction) -> Target:
        from ..formulas.target import Target
        return Target.of(self.target, {self.input: 1}, dict(zip(self.of, of, strict=True)))

    # --- the rule for N (formulas/parameter.PieceRule) ---

    name, step = "N", ERROR.name

    @property
    def error(self) -> Expr:
        return ERROR

    error_in_step = error

    @property
    def step_rule(self) -> None:
        return None

    @property
    def conditions(self) -> tuple[Expr, ...]:
        return ()

    def rule(self, strict: bool) -> Expr | None:
        if self.pieces is None:
            return None
        count = self.pieces(symbol("a") - symbol("delta"), symbol("b") + symbol("delta"))
        return sp.Max(2, sp.floor(count) + 1 if strict else sp.ceiling(count), evaluate=False)

    def least(self, values: Mapping[str, Fraction], strict: bool) -> int:
        """A number of pieces that is enough, next to one that is not; the least of all where f″ has one sign (P6)."""
        eps = values["eps"]

        def enough(count: int) -> bool:
            error = self._of(values, count).error
            return error < eps if strict else error <= eps

        count = self._guess(values, float(eps))
        while not enough(count):
            ratio = float(self._of(values, count).error / eps) ** 0.5
            count = max(count + 1, min(int(count * ratio), 2 * count))
            if count > MOST:
                raise Infeasible(f"More than {MOST} chords of {echo(self.target)} would be needed.", "Give a larger --eps.")
        while count > 2 and enough(count - 1):
            count -= 1
        return count

    def _guess(self, values: Mapping[str, Fraction], eps: float) -> int:
        """About the number whose error is ε; the error falls with its square."""
        count = 2
        for _ in range(GUESSES):
            target, low, high = self._at(values)
            with self._told(low, high):
                ratio = (about(target, low, high, count, self.knots) / eps) ** 0.5
            if ratio * count > 2 * MOST:
                raise Infeasible(f"More than {MOST} chords of {echo(self.target)} would be needed.", "Give a larger --eps.")
            if abs(ratio - 1) * count < 1:
                break
            count = max(2, min(round(count * ratio), 16 * count))
        return count

    def step_for(self, values: Mapping[str, Fraction], count: int, strict: bool) -> tuple[Fraction, bool]:
        return self._of(values, count).error, True

    def more(self, values: Mapping[str, Fraction], count: int) -> dict[str, Fraction]:
        """What else formulas say of the table."""
        table = self._of(values, count)
        bends, right = bends_of(table), table.knots[-1]
        slope = table.slopes[0]
        found = {UP: sum((b for b in bends if b > 0), Fraction(0)), DOWN: -sum((b for b in bends if b < 0), Fraction(0)),
                 BEND: max(map(abs, bends)), SLOPE: slope,
                 LIFT: max(abs(b * t) for b, t in zip(bends, table.knots[1:-1], strict=True)),
                 START: table.values[0] - slope * table.knots[0],
                 FIRST: right - table.knots[1], LAST: right - table.knots[-2]}
        unused = {1: DOWN, -1: UP}.get(self.bends)
        return {**self.known(values), **{s.name: x for s, x in found.items() if s is not unused}}

    def known(self, values: Mapping[str, Fraction]) -> dict[str, Fraction]:
        """How steep the function is: where inputs have errors."""
        if not values["delta"]:
            return {}
        at = self._at(values)
        if at not in self._steepest:
            self._steepest[at] = steepest(*at)
        found = self._steepest[at]
        if found is None:
            raise InvalidInput(f"{echo(self.target)} has no bounded slope where its input, errors included, can be.",
                               "Give a --range on which it has, or leave out --delta.", {"--delta": None})
        return {STEEPEST.name: found}


def bends_of(table: ChordTable) -> list[Fraction]:
    """The change of slope at every inner knot."""
    return [after - before for before, after in pairwise(table.slopes)]
