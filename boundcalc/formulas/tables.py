"""Numbers of a table in formulas: functions of an index that have no closed form.

`TableEntry(k, i, count, *at)` is the i-th of the `count` numbers that column k has for the numbers `at`. Sums, maxima,
readers of weights and the evaluator all ask the column, which names its sums and ends by symbols: a formula then says what
it can (the sum of all changes of slope), and the numbers stay in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..errors import NotDerivable
from .index import Index
from .symbols import PART_SYMBOLS, part_symbol

Numbers = Sequence[Fraction]


@dataclass(frozen=True)
class Column:
    """`numbers` gives them for a count and further numbers. `plus` and `minus` are the sums of their positive and of their
    negative parts, `largest` is the largest absolute value; `ends` are the first and the last, where they rise (+1) or
    fall (−1) throughout. `sign` is +1 where none is negative, −1 where none is positive, 0 where that is not known.
    `moment` names the largest |entry·other|, and says what the other is, a function of the entry."""

    numbers: Callable[..., Numbers]
    plus: Expr
    minus: Expr
    largest: Expr
    sign: int = 0
    direction: int = 0
    ends: tuple[Expr, Expr] | None = None
    moment: tuple[Expr, Callable[[Expr], Expr]] | None = None


_COLUMNS: list[Column] = []


def column(made: Column) -> Callable[..., Expr]:
    """The column as a function: (index, count, *at) ↦ its entry."""
    _COLUMNS.append(made)
    number = sp.Integer(len(_COLUMNS) - 1)
    return lambda i, count, *at: TableEntry(number, i, count, *at)


def named(of_table: Expr, count: Expr) -> Expr:
    """What a formula calls a number of the table; in a plan, where the count has the name of a part, with that name."""
    part = next((PART_SYMBOLS[s.name][1] for s in count.free_symbols if s.name in PART_SYMBOLS), None)
    return of_table if part is None else of_table.xreplace({s: part_symbol(s.name, part) for s in of_table.free_symbols})


class _OfAColumn(sp.Function):
    is_real = True

    @property
    def column(self) -> Column:
        return _COLUMNS[int(self.args[0])]

    @property
    def index(self) -> Expr:
        return self.args[1]

    def numbers(self) -> Numbers | None:
        """All numbers of the column, where everything but the index is known."""
        at = self.args[2:]
        if not all(e.is_Rational for e in at):
            return None
        return self.column.numbers(int(at[0]), *(Fraction(int(e.p), int(e.q)) for e in at[1:]))


class TableEntry(_OfAColumn):
    @classmethod
    def eval(cls, which: Expr, i: Expr, count: Expr, *at: Expr) -> Expr | None:
        """A number where table and index are known. While a table is not, the first and the last one have names of their
        own."""
        found = _COLUMNS[int(which)]
        if all(e.is_Rational for e in (count, *at)):
            return _rational(found.numbers(int(count), *(Fraction(int(e.p), int(e.q)) for e in at))[int(i)]) if (
                i.is_Integer) else None
        if found.ends is None:
            return None
        return named(found.ends[0], count) if i == 0 else (
            named(found.ends[1], count) if sp.expand(i - count + 1) == 0 else None)

    def _eval_is_nonnegative(self) -> bool | None:
        return True if self.column.sign > 0 else None

    def _eval_is_nonpositive(self) -> bool | None:
        return True if self.column.sign < 0 else None

    def value(self, number: Fraction) -> Fraction:
        return number


class EntryPart(_OfAColumn):
    """The positive (+1) or the negative (−1) part of an entry: max(±entry, 0)."""

    is_nonnegative = True

    @property
    def part(self) -> int:
        return int(self.args[-1])

    def numbers(self) -> Numbers | None:
        whole = TableEntry(*self.args[:-1], evaluate=False).numbers()
        return None if whole is None else [max(self.part * x, Fraction(0)) for x in whole]


OF_TABLES = (TableEntry, EntryPart)


def parts_of(x: Expr) -> tuple[Expr, Expr] | None:
    """max(x, 0) and max(−x, 0) where x is a multiple of an entry whose sign is not known."""
    found = x.atoms(TableEntry)
    if len(found) != 1:
        return None
    (entry,) = found
    factor = x / entry
    if factor.has(TableEntry) or not (factor.is_nonnegative or factor.is_nonpositive):
        return None
    above, below = (abs(factor) * EntryPart(*entry.args, sp.Integer(s)) for s in (1, -1))
    return (above, below) if factor.is_nonnegative else (below, above)


def sum_of_entries(expr: Expr, index: Index) -> Expr:
    """Σ over a whole column."""
    return sp.Add(*(_summed(term, index) for term in sp.Add.make_args(sp.expand(expr))))


def _summed(term: Expr, index: Index) -> Expr:
    if index.symbol not in term.free_symbols:
        return term * index.count
    size = sp.Abs in {type(a) for a in sp.Mul.make_args(term)}
    found = [e for e in term.atoms(*OF_TABLES) if index.symbol in e.free_symbols]
    if len(found) == 1:
        (entry,) = found
        inner = sp.Abs(entry) if size else entry
        factor = term / inner
        count = entry.args[2]
        whole = index.first == 0 and sp.expand(index.count - count) == 0 and entry.index == index.symbol
        if index.symbol not in factor.free_symbols and whole:
            numbers = entry.numbers()
            if numbers is not None:
                return factor * _rational(sum(map(abs, numbers)) if size else sum(numbers))
            plus, minus = (named(e, count) for e in (entry.column.plus, entry.column.minus))
            if isinstance(entry, EntryPart):
                return factor * (plus if entry.part > 0 else minus)
            return factor * (plus + minus if size else plus - minus)
    raise NotDerivable("series", str(term), "a table can be summed over all of its entries only")


def largest_of_entries(expr: Expr, index: Index) -> Expr | None:
    """The maximum over a whole column, where the expression is a multiple of an entry, or the table is known."""
    found = [e for e in expr.atoms(*OF_TABLES) if index.symbol in e.free_symbols]
    for entry in found:
        if len(found) > 1 and entry.column.moment is not None:
            name, other = entry.column.moment
            times = sp.cancel(expr ** 2 / (entry * other(entry)) ** 2)
            if times.is_Rational and entry.numbers() is None:
                return sp.sqrt(times) * named(name, entry.args[2])
    numbers = [e.numbers() for e in found]
    known = [n for n in numbers if n is not None]
    if known and len(known) == len(found) and index.values() == range(len(known[0])):
        values = {expr.xreplace(dict(zip(found, map(_rational, at), strict=True))) for at in zip(*known, strict=True)}
        return max(values) if all(v.is_Rational for v in values) else None
    if len(found) != 1:
        return None
    (entry,) = found
    for inner in (sp.Abs(entry), entry):
        factor = expr / inner
        if index.symbol in factor.free_symbols or not factor.is_nonnegative:
            continue
        if inner != entry or (entry.column.sign > 0 and isinstance(entry, TableEntry)):
            return factor * named(entry.column.largest, entry.args[2])
    return None


def _rational(x: Fraction | int) -> Expr:
    return sp.Rational(x.numerator, x.denominator)
