"""Untrusted search: from a claim to a proof object that the checker accepts. Points first, then proofs by deepening.

Everything here may be wrong without harm: what is returned was decided by `boundcalc.checker.statements.check` on the bytes
of the object. Steps are counted, so that what is found does not depend on the machine; a time limit may be set besides.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import chain, pairwise, product
from typing import Any, TypeVar

from flint import fmpq

from ..checker.claims import DEFAULTS, OPPOSITE, Requirement, Stated, gap, natural, restrict
from ..checker.domains import Domain, Extent, Undefined, holds, rng, sign_of
from ..checker.forms import Interned, form, same
from ..checker.networks import SIGNED, Row, _among, attach, conditions_of, fits
from ..checker.rules import cut_ranges
from ..checker.statements import INFINITY, Decision, check, stated_of
from ..checker.terms import (
    ZERO,
    NetworkQuantity,
    Reject,
    Term,
    Unreadable,
    Work,
    free,
    mul,
    neg,
    put,
    read_number,
    read_term,
    show,
    sub,
    sym,
)
from .search_proofs import Exhausted, Node, Prover
from .search_terms import UNABLE, _ratio, floats, marks_of, points, poly_term, value

STEPS = 120_000  # of one search, five to ten seconds
SOMEWHERE = {
    "n": "3",
    "m": "1",
    "N": "2",
    "H": "2",
    "p": "4",
    "k": "2",
    "L": "2",
    "beta": "1",
    "kappa": "2",
    "eps": "1/10",
    "a": "-1",
    "b": "1",
    "eta": "1",
    "M": "1",
    "d": "1",
    "delta": "0",
    "gamma": "1",
    "R": "1",
}
_SOMEWHERE_FLOATS = {x: float(Fraction(v)) for x, v in SOMEWHERE.items()}
Result = TypeVar("Result")
SHARE = {1: 10, 2: 6, 3: 4, 4: 2, 5: 1}  # the part of all steps that an attempt of a depth may use
NetworkRow = Callable[[NetworkQuantity, dict[str, fmpq]], "tuple[Row, list[list[str]]] | None"]


@dataclass
class Found:
    """What the search came to: a decision of the checker with its object, or why there is none."""

    decision: Decision | None = None
    proof: bytes | None = None
    rows: tuple[Row, ...] = ()
    reason: str = ""
    undefined: dict[str, fmpq] | None = None
    holds: str | None = None
    looked_at: int = 0
    unfinished: bool = False  # its steps or its time were used up
    witness: dict[str, fmpq] = field(default_factory=dict)
    inputs: list[list[str]] = field(default_factory=list)


@lru_cache(maxsize=4096)
def _required(text: str) -> tuple[Requirement, ...]:
    return tuple(conditions_of(text))


@lru_cache(maxsize=4096)
def _formula(text: str) -> Term:
    return read_term(text)


def conditions_of_row(row: Row) -> tuple[Requirement, ...]:
    return _required(row.get("exists", "")) + _required(row.get("where", ""))


def _ordinary(row: Row) -> bool:
    return row.get("constant") is not True


class Search:
    def __init__(
        self,
        claim: str,
        conditions: str,
        rows: Sequence[Row] = (),
        network_row: NetworkRow | None = None,
        steps: int = STEPS,
        seconds: float | None = None,
        progress: Callable[[str, int], None] | None = None,
    ) -> None:
        self.claim, self.conditions, self.rows = claim, conditions, list(rows)
        self.network_row = network_row
        self.extra: dict[str, Row] = {}
        self.stated: Stated = stated_of(claim, conditions, rows)
        self.steps = steps
        self.seconds, self.progress, self.tried = seconds, progress, 0
        self.deadline = None if seconds is None else time.process_time() + seconds
        self.found = Found()
        self.inputs: list[list[str]] = []
        self.hard = False
        self.depth = 3

    def late(self) -> bool:
        return self.deadline is not None and time.process_time() > self.deadline

    def tell(self) -> None:
        self.tried += 1
        if self.progress:
            self.progress("searching a proof", self.tried)

    # --- trying objects ---------------------------------------------------------------------------------------------

    def accepted(self, verdict: str, proof: Node) -> bool:
        """Whether the checker accepts the object; then it is what the search has found."""
        self.tell()
        kept = (Interned.atoms, Interned.index, Interned.polys, Interned.keys, Work.steps)
        data = json.dumps({"verdict": verdict, "proof": proof}).encode()
        rows = [*self.rows, *self.extra.values()]
        try:
            decision = check(self.claim, self.conditions, data, rows)
        except Reject as problem:
            self.found.reason = str(problem)
            return False
        finally:
            Interned.atoms, Interned.index, Interned.polys, Interned.keys, Work.steps = kept
            if self.late():
                raise Exhausted
        used = {i for i, _ in decision.rows}
        self.found.decision, self.found.proof = decision, data
        self.found.rows = tuple(r for r in rows if r["id"] in used)
        return True

    def limited(self, share: int, attempt: Callable[..., Result], *given: Any) -> Result | None:
        """An attempt that may use a part of the steps, so that no single one uses them all; None if it is not enough."""
        total = Work.steps
        allowed = min(total, self.steps // share)
        Work.steps = allowed
        try:
            return attempt(*given)
        except (Exhausted, Reject) as problem:
            if isinstance(problem, Reject) and Work.steps >= 0:
                raise
            if allowed == total or self.late():
                raise
            return None
        finally:
            Work.steps = total - (allowed - Work.steps)

    def run(self) -> Found:
        Work.begin(self.steps)
        Interned.begin()
        Prover.deadline, Prover.tell = self.deadline, self.tell
        try:
            {"relation": self.relation, "exists": self.exists, "independent": self.independent, "growth": self.growth}[
                self.stated.kind
            ]()
        except Exhausted:
            late = f"not finished within {self.seconds} s of CPU time"
            self.found.reason = late if self.late() else "the steps of the search are used up"
            self.found.unfinished = True
        except Reject as problem:
            self.found.reason = str(problem)
        except RecursionError:
            self.found.reason = "the terms are nested too deeply for the search"
        return self.found

    # --- rows -------------------------------------------------------------------------------------------------------

    def fitting(self, q: NetworkQuantity) -> list[Row]:
        return [r for r in self.rows if fits(r, q, self.stated)]

    def use_on(self, g: Domain, prover: Prover, only: Callable[[Row], bool] = _ordinary) -> dict[str, Any] | None:
        """The rows that are valid on g, with proofs of their conditions; None if a quantity has none."""
        if not self.stated.quantities:
            return {}
        chosen: dict[str, list[str]] = {}
        where: list[Node] = []
        spoken = self.stated.mentioned - self.stated.silent
        if self.stated.kind == "growth":  # of the variable of a limit nothing is assumed
            spoken |= {self.stated.symbol}
        for label, q in self.stated.quantities.items():
            for row in [*self.fitting(q), *(r for r in self.extra.values() if fits(r, q, self.stated))]:
                if not only(row):
                    continue
                proofs: list[Node] = []
                h, valid = self.with_parameters(g, row, q), True
                for name in ("exists", "where"):
                    for c in _required(row.get(name, "")):
                        if name == "exists" and c.symbols and not c.symbols & spoken:
                            (h,) = restrict(h, c)
                            continue
                        f, rel = gap(c.left, c.rel, c.right)
                        try:
                            if holds(rng(f, h), rel) or _among(f, rel, h):
                                continue
                        except Undefined:
                            valid = False
                            break
                        node = prover.prove(h, f, rel, 3)
                        if node is None:
                            valid = False
                            break
                        proofs.append(node)
                    if not valid:
                        break
                if valid:
                    chosen.setdefault(label, []).append(row["id"])
                    where += proofs
            if label not in chosen:
                return None
        return {"rows": chosen, "where": where, "inputs": self.inputs}

    def with_parameters(self, g: Domain, row: Row, q: NetworkQuantity) -> Domain:
        from ..checker.networks import _parameters

        return _parameters(g, row, [], None)

    def rows_at(self, at: dict[str, fmpq]) -> tuple[dict[str, Any], dict[str, str]] | None:
        """Rows that hold at a point, networks included, and values for the parameters that they bring in."""
        chosen: dict[str, list[str]] = {}
        extra: dict[str, str] = {}
        for label, q in self.stated.quantities.items():
            if self.network_row is not None and self.builds(q):
                made = self.network_row(q, at)
                if made is not None and fits(made[0], q, self.stated):
                    self.extra[made[0]["id"]] = made[0]
                    chosen[label] = [made[0]["id"]]
                    if q.quantity == "error":
                        self.inputs = made[1]
                        chosen[label] = [made[0]["id"]] if made[1] else []
            for row in filter(_ordinary, self.fitting(q)):
                names = set() if row["kind"] == "network" else set(free(_formula(row["formula"])))
                for c in conditions_of_row(row):
                    names |= c.symbols
                mine = {x: SOMEWHERE.get(x, "1") for x in sorted(names - set(at))}
                if self.valid_at(row, q, {**at, **{x: fmpq(*map(int, v.split("/"))) for x, v in mine.items()}}):
                    chosen.setdefault(label, []).append(row["id"])
                    extra |= mine
            if not chosen.get(label):
                return None
        return {"rows": chosen, "inputs": self.inputs}, extra

    @property
    def builds_any(self) -> bool:
        return any(map(self.builds, self.stated.quantities.values()))

    def builds(self, q: NetworkQuantity) -> bool:
        """Whether a network is worth building: all parameters are numbers, or few were built to see an error."""
        fixed = all(
            isinstance(r, Extent) and r.lo is not None and r.lo == r.hi for g in self.stated.cases for r in g.box.values()
        )
        if fixed:
            return True
        return q.quantity == "error" and self.hard

    def valid_at(self, row: Row, q: NetworkQuantity, at: dict[str, fmpq]) -> bool:
        h = Domain({x: Extent(v, v) for x, v in at.items()}, ())
        for c in conditions_of_row(row):
            f, rel = gap(c.left, c.rel, c.right)
            try:
                if not holds(rng(f, h), rel):
                    return False
            except (Undefined, Reject):
                return False
        return True

    def seems_to_fail(self, at: dict[str, fmpq]) -> bool:
        """Whether the relation fails by floats for every value that the rows leave to the quantities; True if unknown."""
        return True if _extreme(at) else self.fails_by_floats(floats(at))

    def fails_by_floats(self, at: dict[str, float], surely: bool = False) -> bool:
        """`surely`: by more than rounding, and for one value that the rows leave."""
        s = self.stated
        x = {**_SOMEWHERE_FLOATS, **at}
        ends: list[list[tuple[str, float]]] = []
        for label, q in s.quantities.items():
            low, high = 0.0 if q.quantity not in SIGNED else -math.inf, math.inf
            known = False
            for row in filter(_ordinary, self.fitting(q)):
                if row["kind"] == "network":
                    return not surely
                try:
                    for c in conditions_of_row(row):
                        f, rel = gap(c.left, c.rel, c.right)
                        if value(f, x) < -1e-12 or (rel == "==" and abs(value(f, x)) > 1e-12):
                            break
                    else:
                        v = value(_formula(row["formula"]), x)
                        high = min(high, v) if row["kind"] in ("equal", "upper") else high
                        low = max(low, v) if row["kind"] in ("equal", "lower") else low
                        known = True
                except UNABLE:
                    return not surely
            if not known:
                return False
            ends.append([(label, low), (label, high)] if low < high else [(label, low)])
        for corner in product(*ends):
            try:
                left, right = value(s.left, {**x, **dict(corner)}), value(s.right, {**x, **dict(corner)})
            except UNABLE:
                return not surely
            slack = 1e-9 * (abs(left) + abs(right))
            if surely and {"<=": left > right + slack, "<": left > right + slack, ">=": left < right - slack,
                           ">": left < right - slack, "==": abs(left - right) > slack}[s.rel]:
                return True
            good = {"<=": left < right - slack, "<": left < right - slack, ">=": left > right + slack,
                    ">": left > right + slack, "==": False}[s.rel]
            if good and not surely:
                return False
        return not surely

    def point(self, at: dict[str, fmpq]) -> Node | None:
        found: Node = {"point": {x: str(v) for x, v in at.items()}}
        if self.stated.quantities:
            made = self.rows_at(at)
            if made is None:
                return None
            found["use"] = made[0]
            found["point"] |= made[1]
        return found

    # --- points -----------------------------------------------------------------------------------------------------

    def with_rows_parameters(self, g: Domain) -> Domain:
        """With the parameters that the rows bring in, which have no default."""
        names: set[str] = set()
        for q in self.stated.quantities.values():
            for row in filter(_ordinary, self.fitting(q)):
                names |= free(read_term(row["formula"])) if not row.get("needed") else set()
        wanted = sorted(x for x in names - set(g.box) - set(DEFAULTS) if x in natural_names())
        return self.parts([g], [[x, []] for x in wanted])[0] if wanted else g

    def domain_points(self, g: Domain, most: int, many: bool = True, marked: bool = False) -> Iterator[dict[str, fmpq]]:
        """Points at which the hypotheses seem to hold."""
        g = self.with_rows_parameters(g)
        terms = [self.stated.left, self.stated.right, sub(self.stated.left, self.stated.right), *(t for t, _ in g.hyps)]
        marks = marks_of(terms, g) if marked or g.hyps else None
        for at in points(g, most, many, marks=marks):
            try:
                x = floats(at) if not _extreme(at) else None
                if x is None or all(
                    (v := value(t, x)) > 0 or (v >= 0 and not strict) or abs(v) < 1e-12 for t, strict in g.hyps
                ):
                    yield at
            except UNABLE:
                continue

    def inhabited(self, cases: Sequence[Domain]) -> Node | None:
        for i, g in enumerate(cases):
            if g.is_empty():
                continue
            for at in chain(self.domain_points(g, 60, many=False), self.domain_points(g, 200)):
                if exactly_inside(g, at) and (p := self.point(at)) is not None:
                    return {"case": i, **p}
        return None

    def values_at(self, at: dict[str, fmpq], g: Domain) -> tuple[Domain, dict[str, Term]] | None:
        """Quantities as ranges at a point."""
        table: dict[str, Term] = {x: ("n", v) for x, v in at.items()}
        if not self.stated.quantities:
            return Domain({}, ()), table
        p = self.point(at)
        if p is None:
            return None
        values: dict[str, Term] = {x: read_term(v) for x, v in p["point"].items()}
        h = Domain({x: Extent(at[x], at[x]) for x in g.box}, g.ints)
        rows = {r["id"]: r for r in [*self.rows, *self.extra.values()]}
        try:
            a = attach(h, self.stated, rows, p["use"], values=values)
        except (Reject, Undefined):
            return None
        return Domain({x: r for x, r in a.domain.box.items() if x in self.stated.quantities}, a.domain.ints), table

    def refute_by_points(self, most: int) -> bool:
        s = self.stated
        for i, g in enumerate(s.cases):
            if g.is_empty():
                continue
            tried = built = 0
            for at in self.domain_points(g, most, marked=True):
                self.found.looked_at += 1
                if s.quantities and not self.builds_any:
                    if not self.seems_to_fail(at):
                        Work.spend()
                        continue
                    built += 1
                    if built > 40:
                        break
                made = self.values_at(at, g)
                if made is None:
                    continue
                h, table = made
                left, right = put(s.left, table), put(s.right, table)
                try:
                    a, b = rng(left, h), rng(right, h)
                except Undefined:
                    if self.found.undefined is None and exactly_inside(g, at) and _truly_undefined(left, right, h):
                        self.found.undefined = at
                    continue
                except Reject:
                    continue
                fails, sign = _fails(a, s.rel, b)
                if not fails:
                    continue
                p = self.point(at)
                tried += 1
                if p is not None and self.accepted("refuted", {"case": i, "sign": sign, **p}):
                    self.found.witness = at
                    return True
                if tried > 6:
                    break
        return False

    def refute_by_networks(self) -> bool:
        """Small networks are built and evaluated where what is derived exceeds the claim."""
        s = self.stated
        if len(s.quantities) != 1 or s.rel not in ("<=", "<") or self.network_row is None:
            return False
        ((label, q),) = s.quantities.items()
        rows = [r for r in self.fitting(q) if r["kind"] in ("equal", "upper") and _ordinary(r)]
        if q.quantity != "error" or s.left != sym(label) or not rows:
            return False
        self.hard = True
        seen: list[tuple[int, float, int, dict[str, fmpq]]] = []
        for i, g in enumerate(s.cases):
            for at in () if g.is_empty() else self.domain_points(g, 500, many=False):
                if at.get("delta", 0) != 0 or any(
                    at.get(x, 0) > most for x, most in (("n", 6), ("d", 2), ("m", 5), ("p", 30), ("H", 6), ("N", 30))
                ):
                    continue
                try:
                    x = {**{y: floats({"v": fmpq_of(v)})["v"] for y, v in SOMEWHERE.items()}, **floats(at)}
                    bounds = [
                        value(read_term(r["formula"]), x)
                        for r in rows
                        if self.valid_at(r, q, {**{y: fmpq_of(v) for y, v in SOMEWHERE.items()}, **at})
                    ]
                    most_claimed = value(s.right, x)
                    excess = min(bounds) / most_claimed if most_claimed > 0 else float("inf") * min(bounds)
                except (*UNABLE, KeyError):
                    continue
                if excess > 1 or not bounds:
                    size = sum(int(v.p).bit_length() + int(v.q).bit_length() for v in at.values())
                    seen.append((size // 10, -excess, i, at))
        for _, _, i, at in sorted(seen, key=lambda e: e[:2])[:12]:
            p = self.point(at)
            if p is not None and self.accepted("refuted", {"case": i, **p}):
                self.found.witness = at
                return True
        return False

    # --- relations --------------------------------------------------------------------------------------------------

    def relation(self) -> None:
        s = self.stated
        if INFINITY in (s.left, s.right):
            return self.infinite()
        if all(g.is_empty() for g in s.cases):
            self.accepted("vacuous", {"why": "empty", "cases": [{} for _ in s.cases]})
            return None
        if self.refute_by_points(400):
            self.conditional()
            return None
        if self.refute_by_networks():  # it looks where what is derived exceeds the claim: no proof is there
            return None
        if self.found.undefined is None and self.prove_relation():
            return None
        if self.refute_roots() or (not s.quantities and self.refute_by_points(4000)):
            return None
        if self.found.undefined is not None:
            self.found.reason = "undefined"
        return None

    def infinite(self) -> None:
        s = self.stated
        prover = Prover()
        other = s.left if s.right == INFINITY else s.right
        cases = []
        for g in s.cases:
            use = {} if g.is_empty() else self.use_on(g, prover) or {}
            rows = {r["id"]: r for r in self.rows}
            h = attach(g, s, rows, use).domain if use else g
            made = None if g.is_empty() else prover.defined([other], h, 3)
            cases.append({"defs": made[1] if made else [], "use": use})
        here = self.inhabited(s.cases)
        if here is not None:
            self.accepted("vacuous", {"why": "infinite", "cases": cases, "inhabited": here})
        elif all(g.is_empty() for g in s.cases):
            self.accepted("vacuous", {"why": "empty", "cases": [{} for _ in s.cases]})

    def splits(self) -> list[list[Any]]:
        """Cuts at which rows say that a network changes."""
        found: dict[str, list[fmpq]] = {}
        for q in self.stated.quantities.values():
            for row in self.fitting(q):
                for x, at in row.get("cuts", ()):
                    if x != self.stated.symbol:
                        found.setdefault(x, []).append(fmpq(*map(int, at.split("/"))))
        kept = {x: sorted(set(cuts)) for x, cuts in found.items()}
        for g in self.stated.cases:  # cuts below the range cut nothing
            for x in kept:
                lo = r.lo if isinstance(r := g.box.get(x, Extent(fmpq(0))), Extent) else None
                kept[x] = [c for c in kept[x] if lo is None or c >= lo]
        return [[x, [str(c) for c in cuts]] for x, cuts in kept.items() if cuts][:2]

    def parts(self, cases: Sequence[Domain], splits: list[list[Any]]) -> list[Domain]:
        found = list(cases)
        for x, cuts in splits:
            new = []
            for g in found:
                if x not in g.box:
                    r = Extent(DEFAULTS[x][1], DEFAULTS[x][1]) if x in DEFAULTS else natural(x)
                    g = g.but({**g.box, x: r}, ints=g.ints | ({x} if x in "nmkNHdpL" else set()))
                new += [g.within(x, r) for r in cut_ranges(cuts)]
            found = new
        return found

    def proofs(
        self,
        left: Term,
        rel: str,
        right: Term,
        cases: Sequence[Domain],
        depth: int,
        only: Callable[[Row], bool] = _ordinary,
        constant: bool = False,
    ) -> list[Node] | None:
        found: list[Node] = []
        for g in cases:
            if g.is_empty():
                found.append({})
                continue
            prover = Prover()
            use = self.use_on(g, prover, only)
            if use is None:
                return None
            h = g
            if use:
                rows = {r["id"]: r for r in [*self.rows, *self.extra.values()]}
                try:
                    h = attach(g, self.stated, rows, use, constant=constant).domain
                except (Reject, Undefined):
                    return None
            made = prover.defined([left, right], h, depth)
            if made is None:
                return None
            f, goal = gap(left, rel, right)
            node = prover.prove(made[0], f, goal, depth)
            if node is None:
                return None
            found.append({"use": use, "defs": made[1], "p": node})
        return found

    def prove_relation(self) -> bool:
        s = self.stated
        for splits in ([], self.splits()):
            cases = self.parts(s.cases, splits)
            here = self.inhabited(cases)
            if here is None:
                continue
            for only, depth in self.attempts():
                found = self.limited(SHARE[depth], self.proofs, s.left, s.rel, s.right, cases, depth, only)
                if found is not None and self.accepted("proved", {"splits": splits, "cases": found, "inhabited": here}):
                    self.vacuous_by_constant({"splits": splits, "cases": found, "inhabited": here})
                    return True
            if not s.quantities:
                break
        return False

    def attempts(self) -> Iterator[tuple[Callable[[Row], bool], int]]:
        """Which rows are used, and how deep: of what is needed, one construction after the other, the shortest row first."""
        needed = sorted(
            (
                r
                for q in self.stated.quantities.values()
                for r in self.fitting(q)
                if r.get("needed") and r["kind"] == "upper" and _ordinary(r)
            ),
            key=lambda r: len(r["formula"]),
        )
        if needed and any(r["kind"] == "lower" for q in self.stated.quantities.values() for r in self.fitting(q)):
            yield (lambda r: _ordinary(r) and r["kind"] == "lower"), 2
        for row in needed[:6]:

            def only(r: Row, row: Row = row) -> bool:
                return _ordinary(r) and (r["kind"] != "upper" or not r.get("needed") or r is row)

            yield from ((only, depth) for depth in (1, 3))
        yield from ((_ordinary, depth) for depth in (1, 2, 3, 4, 5))

    def vacuous_by_constant(self, proved: Node) -> None:
        """The same claim for a network that outputs a constant."""
        s = self.stated
        if not s.quantities or any(q.quantity != "error" for q in s.quantities.values()):
            return

        def only(row: Row) -> bool:
            return row.get("constant") is True

        try:
            found = self.proofs(s.left, s.rel, s.right, s.cases, 3, only, True) if s.kind == "relation" else None
        except Exhausted:
            return
        if found is not None:
            again = {"cases": found, "inhabited": proved["inhabited"]}
            place = dict(proved["inhabited"])
            place["use"] = {
                "rows": {label: [r["id"] for r in self.fitting(q) if only(r)][:1] for label, q in s.quantities.items()}
            }
            again["inhabited"] = place
            self.accepted("vacuous", {"why": "constant", "proved": proved, "constant": again})

    def refute_roots(self) -> bool:
        """A strict claim that fails at an irrational point: a root of the difference, as a closed term."""
        s = self.stated
        if s.rel not in ("<", ">", "==") or s.quantities:
            return False
        for i, g in enumerate(s.cases):
            if len(g.box) != 1:
                continue
            (x,) = g.box
            f = sub(s.left, s.right)
            for t in roots_of(f, x, g):
                if self.accepted("refuted", {"case": i, "point": {x: show(t)}}):
                    return True
        return False

    def conditional(self) -> None:
        """A refuted relation may be true exactly where one symbol is on one side of a term."""
        s, refuted = self.stated, (self.found.decision, self.found.proof, self.found.rows)
        if s.rel == "==" or len(s.cases) != 1:
            return
        for text in thresholds(self):
            condition = _condition(text)
            if condition is None:
                continue
            try:
                cases = self.parts(s.cases, [[x, []] for x in sorted(condition.symbols - s.mentioned)])
                inner = [h for g in cases for h in restrict(g, condition)]
                outer = [h for g in cases for h in restrict(g, condition.opposite)]
                a, b = self.inhabited(inner), self.inhabited(outer)
                if a is None or b is None:
                    continue
                for depth in (2, 4):
                    within = self.proofs(s.left, s.rel, s.right, inner, depth)
                    if within and self.found.holds is None and self.holds_under(text, {"cases": within, "inhabited": a}):
                        self.found.holds = text
                    beyond = within and self.proofs(s.left, OPPOSITE[s.rel], s.right, outer, depth)
                    if (
                        within
                        and beyond
                        and self.accepted(
                            "conditional", {"condition": text, "inside": within, "outside": beyond, "in": a, "out": b}
                        )
                    ):
                        return
            except Exhausted:
                return
        self.found.decision, self.found.proof, self.found.rows = refuted
        self.fails_beyond()

    def fails_beyond(self) -> None:
        """The witness just beyond the part on which the claim was proved, where the same proof shows it."""
        condition = _condition(self.found.holds or "")
        if condition is None or condition.left[0] != "s" or condition.right[0] != "n" or self.found.proof is None:
            return
        x, c = condition.left[1], condition.right[1]
        body = json.loads(self.found.proof)["proof"]
        for step in (fmpq(1, 500), fmpq(1, 50), fmpq(1, 5), fmpq(1)):
            at = c + step * (abs(c) if c != 0 else 1) * (1 if condition.rel in ("<=", "<") else -1)
            if x in body.get("point", ()) and self.accepted("refuted", {**body, "point": {**body["point"], x: str(at)}}):
                return

    def holds_under(self, text: str, proof: Node) -> bool:
        """Whether the checker accepts the claim with one condition more."""
        kept = (Interned.atoms, Interned.index, Interned.polys, Interned.keys, Work.steps)
        data = json.dumps({"verdict": "proved", "proof": proof}).encode()
        conditions = f"{self.conditions}, {text}" if self.conditions.strip() else text
        try:
            return check(self.claim, conditions, data, [*self.rows, *self.extra.values()]).verdict == "proved"
        except (Reject, Unreadable):
            return False
        finally:
            Interned.atoms, Interned.index, Interned.polys, Interned.keys, Work.steps = kept

    # --- exists -----------------------------------------------------------------------------------------------------

    def exists(self) -> None:
        s = self.stated
        splits = self.splits()
        cases = self.parts(s.cases, splits)
        here = self.inhabited(cases)
        if all(g.is_empty() for g in s.cases):
            self.accepted("vacuous", {"why": "empty", "cases": [{} for _ in s.cases]})
            return
        constants = self.constants() if here is not None else []
        for depth in (1, 2, 3, 4):
            for c in constants[: 5 - depth]:
                table: dict[str, Term] = {s.symbol: ("n", c)}
                left, right = put(s.left, table), put(s.right, table)
                found = self.limited(2 * SHARE[depth], self.proofs, left, s.rel, right, cases, depth)
                if here is not None and found is not None and self.accepted(
                    "proved", {"splits": splits, "constant": str(c), "cases": found, "inhabited": here}
                ):
                    if not splits:
                        self.exists_vacuous(str(c), here, found)
                    return
            if depth in (1, 4):
                self.limited(2, self.refute_exists, min(depth + 1, 3))
                if self.found.decision is not None:
                    return

    def exists_vacuous(self, constant: str, here: Node, found: list[Node]) -> None:
        s = self.stated
        if not s.quantities or any(q.quantity != "error" for q in s.quantities.values()):
            return

        def only(row: Row) -> bool:
            return row.get("constant") is True

        for c in dict.fromkeys([constant, "1", "2", "10"]):
            table = {s.symbol: read_term(c)}
            again = self.proofs(put(s.left, table), s.rel, put(s.right, table), s.cases, 3, only, True)
            if again is not None:
                place = {
                    **here,
                    "use": {
                        "rows": {
                            label: [r["id"] for r in self.fitting(q) if only(r)][:1] for label, q in s.quantities.items()
                        }
                    },
                }
                self.accepted(
                    "vacuous",
                    {
                        "why": "constant",
                        "proved": {"constant": constant, "cases": found, "inhabited": here},
                        "constant": {"constant": c, "cases": again, "inhabited": place},
                    },
                )
                return

    def constants(self) -> list[fmpq]:
        """Constants that no point looked at speaks against, simple ones first."""
        s = self.stated
        tried = [fmpq(x) for x in (1, 2, 0, 3, 4, 5, 8, 10, 20, 100, 1000, 10**4, 10**6)]
        tried += (
            [fmpq(-x) for x in (1, 2, 3, 10, 100, 10**6)]
            + [fmpq(1, x) for x in (2, 4, 10, 100, 1000)]
            + [fmpq(3, 2), fmpq(-1, 2)]
        )
        samples = [
            floats(at)
            for g in s.cases
            if not g.is_empty()
            for at in chain(self.domain_points(g, 60, many=False), self.domain_points(g, 150))
            if not _extreme(at)
        ]
        kept = []
        for c in tried:
            k = _ratio(c)
            if not any(self.fails_by_floats({**at, s.symbol: k}, surely=True) for at in samples):
                kept.append(c)
        return kept[:5]

    def refute_exists(self, depth: int) -> None:
        """For K ≤ c a fixed point, for K ≥ c a point that moves with K; an equation has a fixed point on both sides."""
        s, self.depth = self.stated, depth
        if s.rel == "==":
            self.refute_equation()
            return
        k = s.symbol
        large = [
            f"{k} + 1",
            f"({k} + 1)**2",
            f"1/({k} + 1)",
            f"1/({k} + 1)**2",
            f"exp({k})",
            f"exp(-{k})",
            f"exp(3*{k})",
            f"exp(-3*{k})",
            f"{k} + 2",
            f"2*{k} + 3",
            f"{k}**2 + 2",
            f"1/(2*{k} + 2)",
            f"({k} + 1)**3",
            f"exp({k}**2)",
            f"exp(-{k}**2)",
            f"4*({k} + 1)**2",
            f"{k} + 3",
        ]
        low = [t.replace(k, f"(-{k})") for t in large]
        for i, g in enumerate(s.cases):
            if g.is_empty() or len(g.box) > 4:
                continue
            sides = [self.moving_part(i, g, large, Extent(fmpq(1), None))]
            if sides[0] is None:
                continue
            middle = self.fixed_part(i, g, Extent(fmpq(-1), fmpq(1))) or self.fixed_part(i, g, Extent(None, fmpq(1)))
            whole_left = self.fixed_part(i, g, Extent(None, fmpq(1)))
            if whole_left is not None:
                if self.accepted("refuted", {"cuts": ["1"], "parts": [whole_left, sides[0]]}):
                    return
                continue
            left = self.moving_part(i, g, low, Extent(None, fmpq(-1)))
            if middle and left:
                self.accepted("refuted", {"cuts": ["-1", "1"], "parts": [left, middle, sides[0]]})
                return

    def refute_equation(self) -> None:
        for i, g in enumerate(self.stated.cases):
            for c in () if g.is_empty() or self.stated.quantities else ("1/2", "0", "1", "2", "5", "-1", "1/10"):
                cut = read_number(c)
                below = self.fixed_part(i, g, Extent(None, cut))
                above = below and self.fixed_part(i, g, Extent(cut, None, True))
                if above and self.accepted("refuted", {"cuts": [c], "parts": [below, above]}):
                    return

    def fixed_part(self, i: int, g: Domain, r: Extent) -> Node | None:
        for at in self.domain_points(g, 60, many=False):
            node = self.exists_part(i, g, {x: str(v) for x, v in at.items()}, r)
            if node is not None:
                return node
        return None

    def moving_part(self, i: int, g: Domain, terms: list[str], r: Extent) -> Node | None:
        base = next(iter(self.domain_points(g, 30, many=False)), None)
        if base is None:
            return None
        bases = [base, *(b for b, _ in zip(self.domain_points(g, 12, many=False), range(6), strict=False))]
        for x in sorted(g.box):
            for t in terms:
                for b in bases[:3]:
                    table = {**{y: str(v) for y, v in b.items()}, x: t}
                    node = self.exists_part(i, g, table, r)
                    if node is not None:
                        return node
        for x, y in product(sorted(g.box), repeat=2):
            if x != y:
                for t in terms[:10]:
                    for u in terms:
                        node = self.exists_part(i, g, {**{z: str(v) for z, v in base.items()}, x: t, y: u}, r)
                        if node is not None:
                            return node
        return None

    def exists_part(self, i: int, g: Domain, at: dict[str, str], r: Extent) -> Node | None:
        from ..checker.statements import inside

        s = self.stated
        at = {x: f"floor({t}) + 2" if x in g.ints and s.symbol in t else t for x, t in at.items()}
        Work.spend()
        seen = 0
        for half in (-2000, -60, -4, -2, -1, 0, 1, 2, 3, 4, 10, 60, 2000):
            if (r.lo is None or fmpq(half, 2) >= r.lo) and (r.hi is None or fmpq(half, 2) <= r.hi):
                k = half / 2
                try:
                    where = {x: value(_formula(t), {s.symbol: k}) for x, t in at.items()}
                    if any(value(t, where) < 0 for t, _ in g.hyps) or not self.fails_by_floats({**where, s.symbol: k}):
                        return None
                    seen += 1
                except UNABLE:
                    continue
        if not seen:
            return None
        if s.quantities:
            return self.exists_part_with_rows(i, g, at, r)
        prover = Prover()
        table = {x: read_term(v) for x, v in at.items()}
        try:
            made = prover.defined(list(table.values()), Domain({s.symbol: r}, ()), 2)
            if made is None:
                return None
            goals = inside(g, table, made[0])
            left, right = put(s.left, table), put(s.right, table)
            found = prover.defined([left, right], made[0], 2)
            if found is None:
                return None
            sign = 1
            if s.rel == "==" and sign_of(rng(sub(left, right), found[0])) == -1:
                sign = -1
            goals.append(gap(left, OPPOSITE.get(s.rel, ">" if sign > 0 else "<"), right))
            nodes = []
            for f, rel in goals:
                d = prover.defined([f], found[0], 1)
                node = d and prover.prove(d[0], f, rel, self.depth)
                if not node or not d:
                    return None
                nodes.append({**node, "defs": d[1]})
        except (Reject, Undefined):
            prover.tired()
            return None
        return {"case": i, "at": at, "d": made[1], "d2": found[1], "p": nodes, **({"sign": -1} if sign < 0 else {})}

    def exists_part_with_rows(self, i: int, g: Domain, at: dict[str, str], r: Extent) -> Node | None:
        from ..checker.statements import inside

        s, prover = self.stated, Prover()
        use = self.use_on(g, prover)
        if use is None:
            return None
        table = {x: read_term(v) for x, v in at.items()}
        rows = {x["id"]: x for x in [*self.rows, *self.extra.values()]}
        try:
            a = attach(g, s, rows, use).domain
            made = prover.defined(list(table.values()), Domain({s.symbol: r}, ()), 2)
            if made is None:
                return None
            goals = inside(g, table, made[0])
            extra = set(a.box) - set(g.box) - set(s.quantities)
            values = {**table, **{x: ("n", q.lo) for x in extra if isinstance(q := a.box[x], Extent) and q.lo == q.hi}}
            at |= {x: show(values[x]) for x in extra if x in values and x not in at}
            for x in sorted(extra - set(values)):
                values[x] = read_term(SOMEWHERE.get(x, "1"))
                at[x] = show(values[x])
            facts = [(put(t, values), strict) for t, strict in a.hyps if free(t) & set(s.quantities)]
            h = Domain(
                {**made[0].box, **{q: a.box[q] for q in s.quantities}},
                made[0].ints | (a.ints & set(s.quantities)),
                (*made[0].hyps, *facts),
            )
            left, right = put(s.left, table), put(s.right, table)
            found = prover.defined([left, right], h, 2)
            if found is None:
                return None
            goals.append(gap(left, OPPOSITE[s.rel], right))
            nodes = []
            for f, rel in goals:
                node = prover.prove(found[0], f, rel, self.depth)
                if node is None:
                    return None
                nodes.append(node)
        except (Reject, Undefined):
            prover.tired()
            return None
        return {"case": i, "at": at, "use": use, "d": made[1], "d2": found[1], "p": nodes}

    # --- independent ------------------------------------------------------------------------------------------------

    def independent(self) -> None:
        s = self.stated
        if self.accepted("vacuous", {"why": "alone"}):
            return
        for i, g in enumerate(s.cases):
            if g.is_empty():
                continue
            by_rest: dict[Any, list[tuple[dict[str, fmpq], Any]]] = {}
            count = 0
            for at in chain(self.domain_points(g, 60, many=False), self.domain_points(g, 300)):
                others = {x: v for x, v in at.items() if x != s.symbol}
                base = next(iter(by_rest), None)
                if base is not None:
                    at = {**dict(base), s.symbol: at[s.symbol]}
                    others = dict(base)
                made = self.values_at(at, g)
                count += 1
                if made is None or count > 120:
                    continue
                try:
                    r = rng(put(s.left, made[1]), made[0])
                except (Undefined, Reject):
                    continue
                by_rest.setdefault(tuple(sorted(others.items())), []).append((at, r))
            for pairs in by_rest.values():
                pairs = [p for k, p in enumerate(pairs) if p[0] not in [q[0] for q in pairs[:k]]]
                for at, r in pairs[1:]:
                    fails, sign = _fails(pairs[0][1], "==", r)
                    if fails and (a := self.point(pairs[0][0])) and (b := self.point(at)):
                        first, second = {"case": i, **a}, {"case": i, **b}
                        if self.accepted("refuted", {"first": first, "second": second, "sign": sign}):
                            return
                if len(pairs) > 1 and self.prove_independent(i, pairs[0][0], pairs[1][0]):
                    return

    def prove_independent(self, i: int, one: dict[str, fmpq], other: dict[str, fmpq]) -> bool:
        s, x = self.stated, self.stated.symbol
        cases = []
        rows = {r["id"]: r for r in [*self.rows, *self.extra.values()]}
        for g in s.cases:
            prover = Prover()
            use = self.use_on(g, prover)
            if use is None:
                return False
            a = attach(g, s, rows, use).domain if use else g
            table: dict[str, Term] = {x: sym("$other")}
            for q in s.quantities:
                if any(q in free(t) and x in free(t) for t, _ in a.hyps):
                    table[q] = sym(q + "'")
            twins = {table[y][1]: a.box[y] for y in table}
            h = Domain(
                {**a.box, **twins},
                a.ints | {table[y][1] for y in table if y in a.ints},
                (*a.hyps, *((put(t, table), strict) for t, strict in a.hyps if free(t) & set(table))),
            )
            made = prover.defined([s.left, put(s.left, table)], h, 3)
            node = made and prover.prove(made[0], sub(s.left, put(s.left, table)), "==", 3)
            if not node or not made:
                return False
            cases.append({"use": use, "defs": made[1], "p": node})
        first, second = self.point(one), self.point(other)
        return (
            first is not None
            and second is not None
            and self.accepted("proved", {"cases": cases, "first": {"case": i, **first}, "second": {"case": i, **second}})
        )

    # --- growth -----------------------------------------------------------------------------------------------------

    def growth(self) -> None:
        from .search_growth import GrowthSearch

        GrowthSearch(self).run()


def natural_names() -> frozenset[str]:
    return frozenset(SOMEWHERE)


def fmpq_of(text: str) -> fmpq:
    return fmpq(*map(int, text.split("/")))


def _extreme(at: dict[str, fmpq]) -> bool:
    return any(v != 0 and abs(int(v.p).bit_length() - int(v.q).bit_length()) > 200 for v in at.values())


def exactly_inside(g: Domain, at: dict[str, fmpq]) -> bool:
    h = Domain({x: Extent(v, v) for x, v in at.items()}, g.ints)
    try:
        return all(holds(rng(t, h), ">" if strict else ">=") or (not strict and same(t, ZERO, h)) for t, strict in g.hyps)
    except (Undefined, Reject):
        return False


def _truly_undefined(left: Term, right: Term, h: Domain) -> bool:
    """Undefined as it is written, not only not seen to be defined: a term without symbols."""
    for t in (left, right):
        try:
            rng(t, h)
        except Undefined as missing:
            if missing.rel == "whole":
                return True
            try:
                r = rng(missing.term, h)
            except (Undefined, Reject):
                return True
            assert isinstance(r, Extent)
            if missing.rel == "!=":
                return bool(r.lo == 0 == r.hi)
            return r.hi is not None and (r.hi < 0 or (r.hi == 0 and missing.rel == ">"))
        except Reject:
            return False
    return False


def _fails(a: Any, rel: str, b: Any) -> tuple[bool, int]:
    """Whether the relation of two ranges certainly fails, and for == which side is larger."""
    if not isinstance(a, Extent) or not isinstance(b, Extent):
        return False, 1
    above = a.lo is not None and b.hi is not None and (a.lo > b.hi or (a.lo == b.hi and (a.lo_open or b.hi_open)))
    below = a.hi is not None and b.lo is not None and (a.hi < b.lo or (a.hi == b.lo and (a.hi_open or b.lo_open)))
    at_least = above or (a.lo is not None and b.hi is not None and a.lo >= b.hi)
    at_most = below or (a.hi is not None and b.lo is not None and a.hi <= b.lo)
    return {"<=": above, "<": at_least, ">=": below, ">": at_most, "==": above or below}[rel], 1 if above else -1


def _condition(text: str) -> Requirement | None:
    found = conditions_of(text)
    return found[0] if len(found) == 1 else None


def thresholds(search: Search) -> Iterator[str]:
    """Conditions x <= c or x >= c that may divide the domain: the difference solved for x, or a sign change by floats."""
    s = search.stated
    (g,) = s.cases
    left, right, h = s.left, s.right, g
    if s.quantities:
        prover = Prover()
        use = search.use_on(g, prover)
        if use is None:
            return
        rows = {r["id"]: r for r in [*search.rows, *search.extra.values()]}
        table: dict[str, Term] = {}
        for label, ids in use["rows"].items():
            wanted = ("equal", "upper" if (s.rel in ("<=", "<")) == (label in free(s.left)) else "lower")
            exact = next((rows[i] for kind in wanted for i in ids if rows[i]["kind"] == kind), None)
            if exact is None:
                return
            table[label] = read_term(exact["formula"])
        try:
            h = attach(g, s, rows, use).domain
        except (Reject, Undefined):
            return
        left, right = put(left, table), put(right, table)
    f, rel = gap(left, s.rel, right)
    strict = rel == ">"
    try:
        p, d = form(f, h)
    except (Reject, Undefined):
        return
    yield from _linear(p, d, h, strict, s)
    for x in sorted(free(f) & set(h.box)):
        if (
            len(free(f) & {y for y, r in h.box.items() if not (isinstance(r, Extent) and r.lo is not None and r.lo == r.hi)})
            == 1
        ):
            yield from _sign_changes(f, x, h, strict)


def _linear(p: Any, d: Any, g: Domain, strict: bool, s: Stated) -> Iterator[str]:
    from ..checker.forms import sign
    from .search_terms import atom_term

    top = poly_term(p)
    for q in d:
        if sign(poly_term(Interned.polys[q]), g) not in (1,):
            return
    for x in sorted(set(g.box) - set(s.quantities)):
        a = Interned.index.get(("s", x))
        if a is None:
            continue
        own = [m for m in p if any(b == a for b, _ in m)]
        exponents = {dict(m).get(a) for m in own}
        if len(exponents) != 1 or any(x in free(atom_term(b)) for m in p for b, _ in m if b != a):
            continue
        (e,) = exponents
        slope = poly_term({tuple(y for y in m if y[0] != a): v for m, v in p.items() if m in own})
        rest = poly_term({m: v for m, v in p.items() if m not in own})
        k = sign(slope, g)
        if k not in (1, -1) or e is None:
            continue
        bound = mul(neg(rest), ("^", slope, ("n", fmpq(-1)))) if slope[0] != "n" else mul(neg(rest), ("n", 1 / slope[1]))
        if e != 1:
            bound = ("^", bound, ("n", 1 / e))
        try:
            bp, bd = form(bound, g)
            bound = poly_term(bp) if not bd else bound
        except (Reject, Undefined):
            pass
        if free(bound) - set(g.box):
            continue
        up = (k == 1) == (e > 0)
        if x in g.ints and bound[0] == "n":
            whole_bound = bound[1].ceil() if up else bound[1].floor()
            if not strict or bound[1].q != 1:
                yield f"{x} {'>=' if up else '<='} {whole_bound}"
                continue
        yield f"{x} {('>' if strict else '>=') if up else ('<' if strict else '<=')} {show(bound)}"
    _ = top


def _sign_changes(f: Term, x: str, g: Domain, strict: bool) -> Iterator[str]:
    from .search_proofs import _short

    r = g.box[x]
    assert isinstance(r, Extent)
    fixed = {
        y: floats({y: q.lo})[y] for y, q in g.box.items() if isinstance(q, Extent) and q.lo is not None and q.lo == q.hi
    }
    lo = -1e6 if r.lo is None else floats({"x": r.lo})["x"]
    hi = 1e6 if r.hi is None else floats({"x": r.hi})["x"]
    if x in g.ints:
        start = int(lo) if lo > -1e5 else -50
        marks = [float(start + k) for k in range(400) if start + k <= hi]
    else:
        marks = sorted(
            {
                z
                for z in [
                    *(lo + (hi - lo) * k / 64 for k in range(65)),
                    *(k / 8 for k in range(-160, 161)),
                    *(10.0**k for k in range(-6, 6)),
                ]
                if lo < z < hi
            }
        )
    seen = []
    for z in marks:
        try:
            v = value(f, {**fixed, x: z})
        except UNABLE:
            continue
        seen.append((z, v > 0 or (v == 0 and not strict)))
    changes = [(a, b) for a, b in pairwise(seen) if a[1] != b[1]]
    if len(changes) != 1:
        return
    (a, true_a), (b, _) = changes[0]
    if x in g.ints:
        yield f"{x} <= {int(a)}" if true_a else f"{x} >= {int(b)}"
        return
    for _ in range(80):
        mid = (a + b) / 2
        try:
            v = value(f, {**fixed, x: mid})
        except UNABLE:
            return
        a, b = (mid, b) if (v > 0) == true_a else (a, mid)
    c = _short((a + b) / 2)
    for t in (str(c),):
        yield f"{x} {('<' if strict else '<=') if true_a else ('>' if strict else '>=')} {t}"


def roots_of(f: Term, x: str, g: Domain) -> Iterator[Term]:
    """Closed roots of the difference, or of what stands inside its abs, squares and max."""
    from ..checker.terms import children

    found: list[Term] = []
    stack = [f]
    while stack:
        t = stack.pop()
        stack += children(t)
        try:
            p, _ = form(t, g)
        except (Reject, Undefined):
            continue
        a = Interned.index.get(("s", x))
        own = [m for m in p if any(b == a for b, _ in m)]
        if not own or any(len(m) != 1 for m in own) or any(m != () for m in p if m not in own):
            continue
        c0 = p.get((), fmpq(0))
        exponents = {m[0][1]: p[m] for m in own}
        if len(exponents) == 1:
            ((e, v),) = exponents.items()
            base = -c0 / v
            if base > 0:
                found += [("^", ("n", base), ("n", 1 / e)), neg(("^", ("n", base), ("n", 1 / e)))]
        elif set(exponents) == {fmpq(1), fmpq(2)}:
            b, v = exponents[fmpq(1)], exponents[fmpq(2)]
            disc = b * b - 4 * v * c0
            if disc > 0:
                root = ("^", ("n", disc), ("n", fmpq(1, 2)))
                for sign in (1, -1):
                    found.append(mul(("n", 1 / (2 * v)), ("+", (("n", -b), mul(("n", fmpq(sign)), root)))))
    return iter(dict.fromkeys(found))
