"""Reading a claim with its conditions: what it says, and where it is to hold.

The domain is exactly what claim and `for` say. Only about symbols that `for` does not mention is anything assumed, and every
assumption is listed. Finite sets in `for` make cases; a bound of a symbol by a number narrows its range, every other
condition is a hypothesis.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flint import fmpq

from .domains import ALL, Domain, Extent, Undefined, empty, point, rng
from .terms import (
    MINUS,
    RELATIONS,
    ZERO,
    NetworkQuantity,
    Reader,
    Reject,
    Term,
    Unreadable,
    free,
    has_infinity,
    neg,
    num,
    sym,
)

INTEGERS = frozenset("nmkNH")
COUNTS = frozenset("dpL")               # whole where a network quantity has them as parameters
WHOLE = INTEGERS | COUNTS
NATURAL = {"eps": (0, True), "beta": (0, True), "kappa": (0, True), "eta": (0, True), "M": (0, True), "delta": (0, False),
           "n": (1, False), "m": (0, False), "N": (1, False), "H": (1, False)}
KINDS = ("O", "o", "Omega", "Theta")
MOST_CASES, MOST_SYMBOLS = 64, 16
OPPOSITE = {"<=": ">", "<": ">=", ">=": "<", ">": "<="}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}


@dataclass(frozen=True)
class Requirement:
    """left REL right, or (members not None) left, a symbol, in a finite set."""

    left: Term
    rel: str
    right: Term
    members: tuple[fmpq, ...] | None = None

    @property
    def symbols(self) -> frozenset[str]:
        return free(self.left) | free(self.right)

    @property
    def opposite(self) -> Requirement:
        return replace(self, rel=OPPOSITE[self.rel])


@dataclass(frozen=True)
class Stated:
    """A claim as it was read. `cases` are the parts of the domain that the finite sets make."""

    kind: str                               # relation, exists, independent, growth
    left: Term
    rel: str                                # for growth: O, o, Omega, Theta
    right: Term
    symbol: str                             # of exists, independent, growth
    limit: fmpq | None                      # of growth; None is inf
    cases: tuple[Domain, ...]
    quantities: dict[str, NetworkQuantity]
    assumed: tuple[str, ...]
    mentioned: frozenset[str]               # symbols of claim and `for`
    silent: frozenset[str]                  # those about which `for` says nothing
    listed: frozenset[str]                  # those that a finite set restricts


def gap(left: Term, rel: str, right: Term) -> tuple[Term, str]:
    """A relation as f REL 0 with REL one of >=, >, ==."""
    if rel in ("<=", "<"):
        left, rel, right = right, TURNED[rel], left
    return ("+", (left, ("*", (MINUS, right)))), rel


def read_statement(text: str, conditions: str, counts: frozenset[str]) -> Stated:
    """`counts` are the symbols among d, p, L that are parameters of a network in the claim."""
    r = Reader(text)
    symbol, limit, kind = "", None, "relation"
    if r.accept("exists"):
        kind, symbol = "exists", r.name()
        if symbol in WHOLE:
            raise r.fail(f"one {symbol} for all parameters? Write the {symbol} that you mean, or call the constant C or K")
        r.expect(":")
    if kind == "relation" and r.accept("independent"):
        r.expect("(")
        left = r.term()
        r.expect(",")
        kind, symbol = "independent", r.name()
        r.expect(")")
        rel, right = "==", ZERO
    else:
        left = r.term()
        if kind == "relation" and r.accept("="):
            kind, (_, rel, column) = "growth", r.take()
            if rel not in KINDS:
                raise r.fail("expected O, Theta, Omega or o; equality is written ==", column)
            r.expect("(")
            right = r.term()
            r.expect(")")
            r.expect("as")
            symbol = r.name()
            r.expect("->")
            if not r.accept("inf"):
                t = r.term()
                if t[0] != "n":
                    raise r.fail("a limit is a rational number or inf")
                limit = t[1]
        else:
            rel = r.relation()
            right = r.term()
    found: list[Requirement] = []
    types: dict[str, bool] = {}
    quantities, r.quantities = r.quantities, {}
    if r.accept("for"):
        read_conditions(r, found, types)
    r.end()
    c = Reader(conditions)
    if conditions.strip():
        read_conditions(c, found, types)
        c.end()
    if r.quantities or c.quantities:
        raise Unreadable(1, "a quantity cannot stand in a condition")
    if any(not (kind == "relation" and side == ("f", "inf", ())) and has_infinity(side) for side in (left, right)):
        raise Unreadable(1, "inf is no number: it may be a whole side, a limit, an end of an interval, the order of a norm")
    return _stated(kind, left, rel, right, symbol, limit, quantities, found, types, counts)


def _stated(kind: str, left: Term, rel: str, right: Term, symbol: str, limit: fmpq | None,
            quantities: dict[str, NetworkQuantity], conditions: list[Requirement], types: dict[str, bool],
            counts: frozenset[str]) -> Stated:
    names = (free(left) | free(right)) - set(quantities)
    for q in quantities.values():
        names |= frozenset().union(*map(free, q.arguments))
    said = frozenset(types).union(*(c.symbols for c in conditions))
    if kind == "exists":
        if symbol in said:
            raise Unreadable(1, f"the constant {symbol} cannot be restricted")
        if symbol not in names:
            raise Unreadable(1, f"the constant {symbol} is not used")
        if quantities and symbol in NATURAL:
            raise Unreadable(1, f"{symbol} is a parameter of networks, so it cannot be a constant: call it C or K")
        if any(symbol in free(a) for q in quantities.values() for a in q.arguments):
            raise Unreadable(1, f"the constant {symbol} stands in a quantity's arguments")
        names -= {symbol}
    elif symbol:
        names |= {symbol}
    if len(names | said) > MOST_SYMBOLS:
        raise Unreadable(1, f"there are more than {MOST_SYMBOLS} symbols")
    ints = ((INTEGERS | counts) & (names | said) | {x for x, is_whole in types.items() if is_whole}) \
        - {x for x, is_whole in types.items() if not is_whole}
    box, assumed = {}, []
    for x in sorted(names | said):
        box[x] = ALL
        if x not in said and x in NATURAL:
            box[x] = Extent(fmpq(NATURAL[x][0]), None, NATURAL[x][1] and x not in ints)
            assumed.append(f"{x} {'>' if NATURAL[x][1] else '>='} {NATURAL[x][0]}")
    cases = [Domain(box, ints)]
    for c in conditions:
        cases = [h for g in cases for h in restrict(g, c)]
        if len(cases) > MOST_CASES:
            raise Unreadable(1, "the sets make too many cases")
    listed = frozenset(x for c in conditions if c.members is not None for x in c.symbols)
    return Stated(kind, left, rel, right, symbol, limit, tuple(cases), quantities, tuple(assumed), names | said,
                  names - said, listed)


def read_conditions(r: Reader, found: list[Requirement], types: dict[str, bool]) -> None:
    while True:
        names, start = [], r.i
        while r.tokens[r.i][0] == "name":
            names.append(r.take()[1])
            if not r.accept(","):
                break
        if names and r.peek() in ("in", "real", "integer"):
            r.i = start
            names = [r.name()]
            while r.accept(","):
                names.append(r.name())
            word = r.take()[1]
            if word == "in":
                _membership(r, names, found)
            else:
                if any(types.setdefault(x, word == "integer") != (word == "integer") for x in names):
                    raise r.fail("a symbol is real or integer, not both")
        else:
            r.i = start
            left, count = r.term(), 0
            while r.peek() in RELATIONS or r.peek() == "=":
                rel = "==" if r.accept("=") else r.relation()
                right = r.term()
                if has_infinity(left) or has_infinity(right):
                    raise r.fail("inf cannot stand in a condition")
                found.append(Requirement(left, rel, right))
                left, count = right, count + 1
            if not count:
                raise r.fail("expected a relation, 'in', 'real' or 'integer'")
        if not r.accept(","):
            return


def _membership(r: Reader, names: list[str], found: list[Requirement]) -> None:
    opening = r.take()[1]
    if opening == "{":
        members = [r.term()]
        while r.accept(","):
            members.append(r.term())
        r.expect("}")
        if any(m[0] != "n" for m in members):
            raise r.fail("members of a set are rational numbers")
        found += [Requirement(sym(x), "in", ZERO, tuple(dict.fromkeys(m[1] for m in members))) for x in names]
        return
    if opening not in ("[", "("):
        raise r.fail("expected an interval or a set")
    lo: Term | None = None
    if r.peek() == "-" and r.tokens[r.i + 1][1] == "inf":
        r.i += 2
    else:
        lo = r.term()
    r.expect(",")
    hi = None if r.accept("inf") else r.term()
    closing = r.take()[1]
    if closing not in ("]", ")"):
        raise r.fail("expected ] or )")
    for x in names:
        found.append(Requirement(sym(x), ">=" if opening == "[" else ">", lo) if lo is not None else
                     Requirement(sym(x), ">=", sym(x)))
        if hi is not None:
            found.append(Requirement(sym(x), "<=" if closing == "]" else "<", hi))


def restrict(g: Domain, c: Requirement) -> list[Domain]:
    """The domain with one condition more; a set makes one case for each member."""
    if c.members is not None:
        x = c.left[1]
        parts = [g.within(x, point(m)) for m in c.members if x not in g.ints or m.q == 1]
        return [h for h in parts if not empty(h.box[x])]  # type: ignore[arg-type]
    left, rel, right = c.left, c.rel, c.right
    if left == right and rel in ("<=", ">=", "==") and left[0] == "s":
        return [g]
    if right[0] == "s" and not free(left):
        left, right, rel = right, left, TURNED[rel]
    if left[0] == "s" and right[0] == "n":
        v = right[1]
        if rel == "==" and left[1] in g.ints and v.q != 1:
            return []
        return [g.within(left[1], _half_line(rel, v, v))]
    if left[:2] == ("f", "abs") and left[2][0][0] == "s" and right[0] == "n" and rel in ("<=", "<"):
        v, is_open = right[1], rel == "<"               # |x| ≤ c is an interval
        return [g.within(left[2][0][1], Extent(-v, v, is_open, is_open))]
    if left[0] == "s" and not free(right):              # a bound by a constant: its enclosure narrows the range
        try:
            r = rng(right, Domain({}, ()))
            assert isinstance(r, Extent)
            wide = _half_line({"<": "<=", ">": ">="}.get(rel, rel), r.lo, r.hi)
            g = g.within(left[1], wide)
        except (Undefined, Reject):
            pass
    f, rel = gap(left, rel, right)
    return [g.assume((f, False), (neg(f), False)) if rel == "==" else g.assume((f, rel == ">"))]


def _half_line(rel: str, lo: fmpq | None, hi: fmpq | None) -> Extent:
    """The x with x REL c for a c in [lo, hi]."""
    return {"<": Extent(None, hi, False, True), "<=": Extent(None, hi), ">": Extent(lo, None, True), ">=": Extent(lo),
            "==": Extent(lo, hi)}[rel]


def natural(x: str) -> Extent:
    return Extent(fmpq(NATURAL[x][0]), None, NATURAL[x][1]) if x in NATURAL else ALL


DEFAULTS = {"M": num(1), "d": num(1), "delta": num(0)}
