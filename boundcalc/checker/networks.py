"""Network quantities: variables that are known by rows of a table of axioms, and by exported networks at numbers.

A row says: for this network, where its conditions hold, the quantity equals (is at most, at least) this formula. It is a
trusted input and is listed with its hash. A quantity becomes a variable q with the hypotheses formula − q ≥ 0 and so on,
so no bound can enter in the wrong direction. A row counts only if

- its label is the quantity as the claim writes it: network, options, quantity and arguments;
- of the names that matter to it (`relevant`) exactly those stand in the claim or in `for` that it was made for (`given`):
  parameters that a claim does not mention follow from eps, so a row for other givens speaks of another network;
- its conditions are proved on the domain. Conditions of existence (`exists`) on parameters about which nothing is said are
  assumed, and printed; a row whose validity does not cover the domain is rejected, never narrowed.

A row of kind "network" holds an exported network (boundcalc-network/1): it is counted and evaluated here.
"""

# ruff: noqa: I001  (imported names are not one to a line)
from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from flint import arb, ctx, fmpq

from .claims import COUNTS, DEFAULTS, WHOLE, Requirement, Stated, gap, natural, read_conditions, restrict
from .domains import (
    ALL, NOTHING_BELOW_ZERO, Domain, Extent, Fact, Reach, Undefined, empty, end, holds, integral, meet, point, rng)
from .forms import key
from .rules import defined, prove
from .terms import (
    NetworkQuantity, Reader, Reject, Term, Unreadable, free, neg, read_number, read_term, show, sub, sym)

Row = Mapping[str, Any]
BITS = 400
ATTENTION_ONLY = frozenset({"layers", "heads", "heads_per_layer", "tokens", "width", "beta", "logit"})
SIGNED = frozenset({"selection_beta"})          # everything else is nowhere negative


@dataclass(frozen=True)
class Attached:
    """A domain on which the quantities of a claim are variables."""

    domain: Domain
    assumed: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    conditions: tuple[Requirement, ...] = ()            # of existence, that are assumed
    exact: frozenset[str] = frozenset()                 # quantities that a formula equals


def digest(row: Row) -> str:
    return hashlib.sha256(json.dumps(row, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def counts_of(quantities: Mapping[str, NetworkQuantity], rows: Sequence[Row]) -> frozenset[str]:
    """Which of d, p, L are parameters of a network in the claim, hence whole."""
    names = {q.name for q in quantities.values()}
    return frozenset(x for row in rows if row.get("network") in names for x in row.get("counts", ()) if x in COUNTS)


def conditions_of(text: object) -> list[Requirement]:
    if not isinstance(text, str):
        raise Reject("conditions of a row")
    found: list[Requirement] = []
    types: dict[str, bool] = {}
    if text.strip():
        try:
            r = Reader(text)
            read_conditions(r, found, types)
            r.end()
        except Unreadable as problem:
            raise Reject(f"conditions of a row: {problem}") from None
    if types or any(c.members is not None for c in found):
        raise Reject("conditions of a row")
    return found


def fits(row: Row, q: NetworkQuantity, stated: Stated) -> bool:
    return row.get("label") == q.label and set(row["relevant"]) & stated.mentioned == set(row["given"])


def attach(g: Domain, stated: Stated, rows: Mapping[str, Row], use: Any, *, values: Mapping[str, Term] | None = None,
           constant: bool = False) -> Attached:
    """The domain with every quantity of the claim as a variable, by the rows that the object names for each.

    With `values` g is the domain of one point: parameters that the rows bring in need a value there too, all conditions
    hold there, and the rows leave a range to every quantity. Otherwise they become hypotheses.
    """
    if not stated.quantities:
        return Attached(g)
    if not isinstance(use, dict) or not isinstance(use.get("rows"), dict):
        raise Reject("no rows are named")
    proofs = list(use.get("where", []))
    assumed: list[str] = []
    conditions: list[Requirement] = []
    exact: set[str] = set()
    taken: list[str] = []
    facts: list[Fact] = []
    ranges: dict[str, Reach] = {}
    whole_labels: set[str] = set()
    least: list[str] = []
    for label, q in stated.quantities.items():
        bounds: list[tuple[Term, int]] = []
        picked = use["rows"].get(label, [])
        if not picked:
            raise Reject(f"no row for {label}")
        for i in picked:
            row = rows.get(i)
            if (row is None or not fits(row, q, stated) or constant != (row.get("constant") is True)
                    or (stated.kind == "exists" and stated.symbol in row["relevant"])):
                raise Reject(f"row {i} does not fit {label}")
            g = _parameters(g, row, assumed, values)
            if any(x in stated.mentioned | set(g.box) and x not in g.ints for x in row.get("wholes", ())):
                raise Reject("a parameter of the row must be whole")
            g = _valid(g, row, stated, proofs, None if values is not None else conditions)
            bounds += _bounds(row, q, use)
            if row.get("whole") is True:
                whole_labels.add(label)
            if row.get("needed") is True and label not in least:
                least.append(label)
            taken.append(i)
        if len([x for x in least if stated.quantities[x].name == q.name]) > 1:
            raise Reject("several least quantities of one construction: name a route")
        if any((b, -s) in bounds for b, s in bounds):
            exact.add(label)
        g = defined([b for b, _ in bounds], g)
        reach = ALL if q.quantity in SIGNED else NOTHING_BELOW_ZERO
        if values is None:
            facts += [(sub(b, sym(label)) if s > 0 else sub(sym(label), b), False) for b, s in bounds]
        else:
            for b, s in bounds:
                r = rng(b, g)
                assert isinstance(r, Extent)
                reach = meet(reach, Extent(None, r.hi) if s > 0 else Extent(r.lo))
            reach = integral(reach) if label in whole_labels else reach
            if empty(reach):
                raise Reject(f"the rows for {label} contradict each other")
        ranges[label] = reach
    found = g.but({**g.box, **ranges}, ints=g.ints | whole_labels).assume(*facts)
    assumed += [f"{show(c.left)} {c.rel} {show(c.right)}" for c in conditions]
    return Attached(found, tuple(dict.fromkeys(assumed)), tuple(dict.fromkeys(taken)), tuple(conditions), frozenset(exact))


def _parameters(g: Domain, row: Row, assumed: list[str], values: Mapping[str, Term] | None) -> Domain:
    """Parameters of the row that neither claim nor `for` mentions: at their default, or all values of their kind."""
    names: set[str] = set()
    if row["kind"] != "network":
        names = set(free(read_term(row["formula"])))
    for c in conditions_of(row.get("exists", "")) + conditions_of(row.get("where", "")):
        names |= c.symbols
    for x in sorted(names - set(g.box)):
        r = kind_of(x)
        if x in DEFAULTS:
            assumed.append(f"{x} == {r.lo}")
        elif r != ALL:
            assumed.append(f"{x} {'>' if r.lo_open else '>='} {r.lo}")
        g = g.but({**g.box, x: r if values is None else point(value_of(x, values)[1])}, ints=g.ints | ({x} & WHOLE))
    return g


def kind_of(x: str) -> Extent:
    return point(DEFAULTS[x][1]) if x in DEFAULTS else natural(x)


def value_of(x: str, values: Mapping[str, Term]) -> Term:
    """At a point, of a parameter that the rows bring in."""
    v = values.get(x, DEFAULTS.get(x))
    if v is None or v[0] != "n" or empty(meet(kind_of(x), point(v[1]))) or (x in WHOLE and v[1].q != 1):
        raise Reject(f"no value of {x}, or one that it cannot take")
    return v


def _valid(g: Domain, row: Row, stated: Stated, proofs: list[Any], assumed: list[Requirement] | None) -> Domain:
    """The conditions of a row are proved, by range, by a hypothesis or by the object; see the head of this file.

    At a point (`assumed` is None) nothing is assumed, and of the variable of a limit nothing ever: the limit must be taken.
    """
    for field in ("exists", "where"):
        for c in conditions_of(row.get(field, "")):
            spoken = (stated.mentioned - stated.silent) | ({stated.symbol} if stated.kind == "growth" else set())
            if assumed is not None and field == "exists" and not c.symbols & spoken and c.symbols:
                (g,) = restrict(g, c)
                assumed.append(c)
                continue
            f, rel = gap(c.left, c.rel, c.right)
            try:
                seen = holds(rng(f, g), rel) or _among(f, rel, g)
            except Undefined:
                seen = False
            if not seen:
                if not proofs:
                    raise Reject(f"{show(c.left)} {c.rel} {show(c.right)} is not seen on the domain")
                proof = proofs.pop(0)
                prove(defined([f], g, proof.get("defs") if isinstance(proof, dict) else None), f, rel, proof)
    return g


def _among(f: Term, rel: str, g: Domain) -> bool:
    wanted = key(f, g)
    if rel == "==":
        return key(neg(f), g) in {key(t, g) for t, _ in g.hyps} and wanted in {key(t, g) for t, _ in g.hyps}
    return any(key(t, g) == wanted and (strict or rel == ">=") for t, strict in g.hyps)


def _bounds(row: Row, q: NetworkQuantity, use: Mapping[str, Any]) -> list[tuple[Term, int]]:
    if row["kind"] == "network":
        return measured(row, q.quantity, use.get("inputs", []))
    formula = read_term(row["formula"])
    signs = {"equal": (1, -1), "upper": (1,), "lower": (-1,)}[row["kind"]]
    return [(formula, s) for s in signs]


# --- exported networks ------------------------------------------------------------------------------------------------

def measured(row: Row, quantity: str, inputs: Any) -> list[tuple[Term, int]]:
    """Bounds of a quantity of the network in the row: counts are exact, the error at inputs is a lower bound."""
    network = row["file"]
    if quantity == "error":
        return [(("n", _error_at(row, at)), -1) for at in inputs]
    if quantity not in COUNT:
        raise Reject(f"{quantity} is not counted")
    attention = any(layer["kind"] == "attention" for layer in network["layers"])
    if not attention and quantity in ATTENTION_ONLY and (quantity == "beta" or row.get("relu") is True):
        raise Reject(f"{quantity} does not apply to this network")
    value = ("n", COUNT[quantity](network["layers"]))
    return [(value, 1), (value, -1)]


def _attention(layers: Sequence[Any]) -> list[Any]:
    return [x for x in layers if x["kind"] == "attention"]


def _relu_widths(layers: Sequence[Any]) -> list[int]:
    return [before["weight"]["shape"][0] for before, x in pairwise(layers) if x["kind"] == "relu"]


def _entries(layers: Sequence[Any]) -> list[Any]:
    found: list[Any] = []
    for x in layers:
        blocks = [x[k] for k in ("weight", "bias", "skip") if x.get(k) is not None]
        blocks += [h[k] for h in x.get("heads", ()) for k in "QKV"]
        found += [e for b in blocks for e in b["entries"]]
    return found


COUNT: dict[str, Callable[[Sequence[Any]], fmpq]] = {
    "layers": lambda ls: fmpq(len(_attention(ls))),
    "heads": lambda ls: fmpq(sum(len(x["heads"]) for x in _attention(ls))),
    "heads_per_layer": lambda ls: fmpq(max((len(x["heads"]) for x in _attention(ls)), default=0)),
    "tokens": lambda ls: fmpq(max((x["tokens"] for x in _attention(ls)), default=0)),
    "width": lambda ls: fmpq(max((x["dim"] for x in _attention(ls)), default=0)),
    "parameters": lambda ls: fmpq(len(_entries(ls))),
    "magnitude": lambda ls: max((abs(read_number(e[-1])) for e in _entries(ls)), default=fmpq(0)),
    "beta": lambda ls: max(read_number(h["beta"]) for x in _attention(ls) for h in x["heads"]),
    "neurons": lambda ls: fmpq(sum(_relu_widths(ls))),
    "relu_layers": lambda ls: fmpq(len(_relu_widths(ls))),
    "relu_width": lambda ls: fmpq(max(_relu_widths(ls), default=0)),
}


def _error_at(row: Row, at: Any) -> fmpq:
    """A lower bound of |network − target| at an input of the domain."""
    network, names = row["file"], row["file"]["inputs"]
    if not isinstance(at, list) or len(at) != len(names):
        raise Reject("an input of the network")
    x = [read_number(v) for v in at]
    for v, (lo, hi) in zip(x, row["domain"], strict=True):
        if (lo != "-inf" and v < read_number(lo)) or (hi != "inf" and v > read_number(hi)):
            raise Reject("the input lies outside the domain")
    g = Domain({n: point(v) for n, v in zip(names, x, strict=True)}, ())
    wanted = [rng(read_term(t), g) for t in row["target"]]
    old, ctx.prec = ctx.prec, BITS
    try:
        best = fmpq(0)
        for y, t in zip(_outputs(network["layers"], x), wanted, strict=True):
            assert isinstance(t, Extent)
            lo, hi = end(y, False), end(y, True)
            if lo is not None and hi is not None and t.lo is not None and t.hi is not None:
                best = max(best, lo - t.hi, t.lo - hi)
        return best
    finally:
        ctx.prec = old


def _outputs(layers: Sequence[Any], x: Sequence[fmpq]) -> list[arb]:
    state = [arb(v) for v in x]
    for layer in layers:
        if layer["kind"] == "affine":
            state = _times(layer["weight"], state)
            for i, v in layer["bias"]["entries"]:
                state[i] += read_number(v)
        elif layer["kind"] == "relu":
            state = [v.max(arb(0)) for v in state]
        elif layer["kind"] == "attention":
            state = _attend(layer, state)
        else:
            raise Reject("this kind of layer is not evaluated")
    return state


def _times(matrix: Any, vector: Sequence[arb]) -> list[arb]:
    rows, columns = matrix["shape"]
    if columns != len(vector):
        raise Reject("the shapes do not fit")
    found = [arb(0)] * rows
    for i, j, v in matrix["entries"]:
        if not (0 <= i < rows and 0 <= j < columns):
            raise Reject("an entry outside its matrix")
        found[i] = found[i] + read_number(v) * vector[j]
    return found


def _attend(layer: Any, state: Sequence[arb]) -> list[arb]:
    """Σ_h V_h Z softmax(β_h (K_h Z)ᵀ Q_h z_i) for every query token i; subtracting the largest score changes nothing."""
    d, n = layer["dim"], layer["tokens"]
    if d * n != len(state):
        raise Reject("the shapes do not fit")
    tokens = [list(state[t * d:(t + 1) * d]) for t in range(n)]
    result: list[arb] = []
    for query in layer["query"]:
        total: list[arb] = []
        for head in layer["heads"]:
            q = _times(head["Q"], tokens[query])
            beta = read_number(head["beta"])
            scores = [sum((a * b for a, b in zip(_times(head["K"], z), q, strict=True)), arb(0)) * beta for z in tokens]
            top = max(scores, key=lambda s: s.mid())
            weights = [(s - top).exp() for s in scores]
            mass = sum(weights, arb(0))
            values = [_times(head["V"], z) for z in tokens]
            out = [sum((w * v[i] for w, v in zip(weights, values, strict=True)), arb(0)) / mass
                   for i in range(head["V"]["shape"][0])]
            total = out if not total else [a + b for a, b in zip(total, out, strict=True)]
        result += total
    return result if layer["skip"] is None else [a + b for a, b in zip(result, _times(layer["skip"], state), strict=True)]
