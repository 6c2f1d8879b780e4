"""The table of axioms: what the other rooms derive about networks and lemmas, written as data for the checker.

A row is (network, options, quantity, formula, direction, where it holds, lemma). Nothing is decided here. A closed form was
derived under the assumptions that its symbols carry (β > 0, whole m, …) and for one structure of the network; both stand in
the row's conditions, so that the checker asks for them. Where all parameters are numbers, a row holds the exported network.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import sympy as sp
from flint import fmpq

from ..checker.claims import Stated
from ..checker.networks import ATTENTION_ONLY, COUNT, Row, measured
from ..checker.terms import NetworkQuantity, Reject, show
from ..declarations.registry import in_claims
from ..errors import BoundcalcError, InvalidInput
from ..formulas.parser import parse, to_text
from ..formulas.symbols import C, exchange, symbol
from ..networks.file import to_json
from ..results.bound import Bound, bound
from .lemma_quantities import LEMMAS
from .model import Condition, QuantityCall
from .quantities import (
    analysis_of,
    construction_named,
    names_one_network,
    output_of,
    own_names,
    parameters_given,
    resolve_quantity,
    variants_of,
)
from .targets import on_the_cube, target_texts, with_output
from .value import Resolved, Value, Variant

PARAMETERS = ("eps", "delta", "a", "b", "M", "m", "N", "p", "H", "n", "d", "beta", "kappa", "L", "k")
COUNTS = ("layers", "heads", "heads_per_layer", "tokens", "width", "parameters", "neurons", "relu_layers", "relu_width")
LEAST = {
    "M": (">", 0),
    "beta": (">", 0),
    "kappa": (">", 0),
    "eps": (">", 0),
    "delta": (">=", 0),
    "d": (">=", 1),
    "m": (">=", 0),
    "N": (">=", 1),
    "H": (">=", 1),
    "n": (">=", 1),
    "p": (">=", 2),
}  # without which no construction exists
LARGEST = 3000  # entries of a network that is exported
SAME = 1 - fmpq(1, 10**9)  # of an error: not worth an input of forty digits
ARGUMENTS = {  # what the arguments of a lemma's quantity must satisfy; numbers are no exemption
    "softmax.lipschitz": ("{0} >= 1", "{1} >= 1"),
    "softmax.offmass": ("{0} >= 2", "{1} >= 0"),
    "softmax.largest_weight": ("{0} >= 2", "{1} >= 0"),
    "softmax.max_error": ("{0} >= 2",),
    "softmax.selection_beta": ("{0} >= 2", "{1} > 0", "{2} > 0", "{0}*({2}) < {0} - 1"),
    "softmax.needed_logit": ("{0} >= 2", "{1} > 0", "{1} < 1"),
    "silu.needed_beta": ("{0} > 0", "{1} >= 1"),
    "head.perturbation": ("{0} >= 0", "{1} >= 0", "{2} >= 0"),
    "regions.maxout": ("{0} >= 1", "{1} >= 2", "{2} >= 1"),
    "regions.layer": ("{0} >= 1", "{1} >= 1", "{2} >= 2"),
}
WHOLE_ARGUMENTS = {
    "softmax.offmass": (0,),
    "softmax.largest_weight": (0,),
    "softmax.max_error": (0,),
    "softmax.selection_beta": (0,),
    "softmax.needed_logit": (0,),
    "regions.maxout": (0, 1, 2),
    "regions.layer": (0, 1, 2),
}
@dataclass(frozen=True)
class Known:
    """The rows for a claim, and why a quantity has none."""

    rows: tuple[Row, ...]
    problems: tuple[str, ...] = ()


def call_of(q: NetworkQuantity) -> QuantityCall:
    arguments = None
    if q.arguments:
        arguments = tuple(sp.oo if a == ("f", "inf", ()) else parse(show(a)) for a in q.arguments)
    return QuantityCall(sp.Symbol("_q", real=True), q.name, q.quantity, q.options, arguments, 1, q.label)


def table_for(stated: Stated) -> Known:
    """Every row about the quantities of a claim; InvalidInput if a quantity does not exist or does not apply."""
    rows: list[Row] = []
    problems: list[str] = []
    for q in stated.quantities.values():
        call = call_of(q)
        refuse_foreign(call)
        try:
            found = list(_rows(call, q, stated.mentioned - _computed(call.name)))
        except InvalidInput:
            raise
        except BoundcalcError as problem:       # no closed form, or none that can be written
            problems.append(f"{problem.problem} {problem.remedy}".strip())
            # the names alone, so that the checker knows which symbols count things
            found = []
        rows += found
        if in_claims(call.name) is not None:
            rows.append(_names(call, q, stated))
        if stated.kind == "exists" and any(stated.symbol in row["relevant"] for row in found):
            raise InvalidInput(f"{stated.symbol} is a parameter of {q.name}, so it cannot be a constant.",
                               "Call the constant C or K.")
    return Known(tuple(rows), tuple(problems))


def refuse_foreign(call: QuantityCall) -> None:
    """Layers, heads, tokens, width, β and logit are those of attention: a ReLU network has none, not 0."""
    gate = dict(call.options).get("gate")
    if in_claims(call.name) is not None and gate == "ffn" and call.quantity in ATTENTION_ONLY:
        own = {"layers": "relu_layers", "width": "relu_width", "heads": "neurons"}.get(call.quantity)
        raise InvalidInput(f"A ReLU network has no {call.quantity}.", f"Use {own}." if own else "Name an attention gate.")


def _names(call: QuantityCall, q: NetworkQuantity, stated: Stated) -> Row:
    """A row that says nothing but which names are parameters of the construction."""
    return {
        "id": f"{q.label}/names",
        "network": q.name,
        "options": {"names": "only"},
        "quantity": q.quantity,
        "kind": "upper",
        "formula": "0",
        "relevant": [],
        "given": [],
        "counts": _counts_of(call.name),
    }


@cache
def _computed(name: str) -> frozenset[str]:
    """What a construction computes for itself: in a claim a letter like any other."""
    if in_claims(name) is None:
        return frozenset()
    return frozenset(p.name for p in construction_named(name).parameters if p.internal)


@cache
def _counts_of(name: str) -> list[str]:
    known = construction_named(name).information
    found = ["L"]
    if any(g.startswith("anchor") for g in known.gates):
        found.append("p")
    return [*found, "d"]


def _rows(call: QuantityCall, q: NetworkQuantity, mentioned: frozenset[str]) -> Iterator[Row]:
    resolved = resolve_quantity(call, mentioned, {})
    built = in_claims(call.name) is not None
    # with δ a network that follows from ε is known by its accuracy alone; where all is given, ε is a letter like any other
    both = built and {"eps", "delta"} <= mentioned and (resolved.needed or any(v.chosen for v in resolved.values))
    by_accuracy = both and (resolved.needed or not any(parameters_given(v.network, mentioned) for v in resolved.values))
    counter = 0
    for value in resolved.values if not both else ():
        if any(s.name in _computed(call.name) for e in (value.upper, value.lower) if e is not None for s in e.free_symbols):
            continue  # what a construction computes for itself is no parameter
        for row in _value_rows(value, resolved, call, mentioned):
            if call.quantity in ("beta", "logit") and row["formula"] == "0":
                continue  # a network without heads has none, not 0
            counter += 1
            yield _complete({**row, "id": f"{q.label}/{counter}"}, call, q, mentioned, resolved.needed)
    named = construction_named(call.name).name if built else ""
    target = on_the_cube(named) if built and call.quantity == "error" and not {"a", "b"} & mentioned else None
    exists = ", ".join(["M > 0", *(_condition(c) for c in _common(resolved.values))])
    if target is not None:
        counter += 1
        zero = {
            "kind": "upper",
            "formula": to_text(target.largest),
            "exists": f"{exists}, delta >= 0",
            "where": "",
            "lemma": "a network that returns 0",
        }
        if resolved.needed or not _on_the_whole_line(resolved.values, mentioned):
            yield _complete({**zero, "id": f"{q.label}/constant", "constant": True}, call, q, mentioned, resolved.needed)
        if resolved.needed and "eps" not in mentioned:
            yield _complete({**zero, "id": f"{q.label}/zero"}, call, q, mentioned, True)
        if by_accuracy:
            share = f"({to_text(target.moved)})"
            both_ways = (("upper", f"{share} + eps"), ("lower", f"{share} - eps"))
            for kind, formula in both_ways if target.attained else both_ways[:1]:
                yield _complete(
                    {
                        "kind": kind,
                        "formula": formula,
                        "exists": exists,
                        "where": "eps > 0, delta >= 0",
                        "lemma": "triangle inequality",
                        "id": f"{q.label}/inputs/{kind}",
                    },
                    call,
                    q,
                    mentioned,
                    resolved.needed,
                )
    if resolved.least is not None and resolved.least != 0:
        from .quantities import affine_distance

        yield _complete(
            {
                "kind": "lower",
                "formula": to_text(resolved.least),
                "exists": exists,
                "where": f"eps > 0, eps < {to_text(affine_distance(call.name))}",
                "lemma": "affine",
                "id": f"{q.label}/least",
            },
            call,
            q,
            mentioned,
            True,
        )


def _common(values: Sequence[Value]) -> list[Condition]:
    """The conditions of existence that all of them have: for other parameters there is no such network, and no target."""
    return [c for c in values[0].conditions if all(c in v.conditions for v in values)] if values else []


def _on_the_whole_line(values: Sequence[Value], mentioned: frozenset[str]) -> bool:
    """Where inputs are unbounded no network that returns a constant has a bounded error."""
    return any(v.network is not None and analysis_of(v.network, mentioned, {}).frame.unbounded for v in values)


def _value_rows(value: Value, resolved: Resolved, call: QuantityCall, mentioned: frozenset[str]) -> Iterator[dict[str, Any]]:
    """The general closed form, and one for each integer at which the network has another structure and another form."""
    if call.quantity in COUNTS:
        value = _counted_anywhere(value)
    if resolved.needed:  # one construction bounds the least over all networks from above, never from below
        value = replace(value, lower=None)
    rules = dict(value.chosen or {})
    if rules and value.upper == symbol("eps"):  # what the choice of parameters guarantees, whatever the structure
        yield from _bounds(value, [], ())
        return
    special: list[tuple[sp.Symbol, int, str, Value]] = []
    odd = odd_values(value.network, frozenset(mentioned & {"a", "b", "M"})) if value.network is not None else ()
    last: dict[sp.Symbol, int] = {}
    for x, at_least in (*value.small, *odd):
        last[x] = max(at_least, last.get(x, at_least))
    for s, k in [(x, k) for x, most in last.items() for k in range(FIRST.get(x.name, 0), most + 1)]:
        try:
            again = resolve_quantity(call, mentioned, {s: sp.Integer(k)})
        except BoundcalcError:
            again = None
        other = next((v for v in again.values if v.source == value.source), None) if again is not None else None
        if other is not None and resolved.needed:
            other = replace(other, lower=None)
        if other is not None and call.quantity in COUNTS:
            other = _counted_anywhere(other)
        if other is not None and (s, k) in odd and not _matches(value.network, call.quantity, other, s, k):
            other = None
        left = s.name if s.name not in rules else text_of(rules[s.name])
        special.append((s, k, left, other or replace(value, lower=None, upper=None)))
    cuts = [c for s, k, left, _ in special if left == s.name for c in ([s.name, str(k - 1)], [s.name, str(k)])]
    cuts += [c for s, k, left, _ in special if left != s.name for c in _jump(rules[s.name], k)]
    above = {s: f"{text_of(rules[s.name]) if s.name in rules else s.name} >= {k + 1}" for s, k in last.items()}
    if len(last) == 1 and all(_agree(value, other, s, k) for s, k, _, other in special):
        # derived for each small case by itself, and the same formula: one row for all of them
        least = [f"{text_of(rules[s.name]) if s.name in rules else s.name} >= {FIRST.get(s.name, 0)}" for s in last]
        yield from _bounds(replace(value, structure=()), least, ())
        return
    yield from _bounds(value, list(above.values()), cuts)
    for s, k, left, other in special:
        rest = [x for t, x in above.items() if t != s]
        at = [f"{left} == {k}"] if left == s.name else [f"{left} >= {k}", f"{left} <= {k}"]
        yield from _bounds(other, [*at, *rest], cuts)


def _agree(general: Value, small: Value, s: sp.Symbol, k: int) -> bool:
    """Whether the general closed forms also are those of the small case, which holds without conditions of its own."""
    def at(e: sp.Expr | None) -> sp.Expr | None:
        return None if e is None else sp.expand(exchange(e, {s: sp.Integer(k)}))
    return small.upper is not None and not small.structure and small.validity == general.validity and \
        at(general.upper) == at(small.upper) and at(general.lower) == at(small.lower)


def _counted_anywhere(value: Value) -> Value:
    """What is counted follows from the structure; conditions of lemmas, which an error needs, do not matter."""
    return replace(value, validity=())


PLACE = {
    "m": 2,
    "n": 3,
    "N": 3,
    "p": 5,
    "H": 2,
    "d": 1,
    "M": Fraction(3, 2),
    "beta": 7,
    "kappa": 2,
    "a": Fraction(1, 2),
    "b": 3,
    "L": 3,
}
FIRST = {"m": 0, "n": 2, "N": 1, "p": 2, "H": 1, "d": 1, "L": 2}
ALONG = Fraction(1, 1000)          # the accuracy of a sequence whose counts are compared: its score scale follows from it


@lru_cache(maxsize=256)
def odd_values(network: Variant, mentioned: frozenset[str]) -> tuple[tuple[sp.Symbol, int], ...]:
    """Small integers at which a general closed form of a count is not what the exported network has.

    A network whose repeated parts are missing has another structure: closed forms of every quantity are kept away from it.
    """
    found = []
    for s, first in FIRST.items():
        for k in range(first, first + 2):
            matched = _counted(network, mentioned, s, k)
            if matched is False:
                found.append((symbol(s), k))
    return tuple(found)


def _place(network: Variant, mentioned: frozenset[str]) -> dict[str, Any]:
    """Numbers for every parameter that the network has."""
    analysis = analysis_of(network, mentioned, {})
    known = {
        s.name for e in (*analysis.resources.values(), analysis.complete(analysis.total.radius)) for s in e.free_symbols
    }
    known |= set(analysis.how.chooses)
    if analysis.uses_beta:
        known.add("beta")
    if network.sequence:
        known -= {"beta", "kappa"}
    return {x: v for x, v in PLACE.items() if x in known}


@lru_cache(maxsize=1024)
def _counted(network: Variant, mentioned: frozenset[str], s: str, k: int) -> bool | None:
    """Whether all closed forms of counts are right at s = k; None if there is no such network."""
    place = _place(network, mentioned)
    if s not in place:
        return None
    place[s] = k
    counts = _counts_at(network, tuple(sorted(place.items())))
    if counts is None:
        return None
    analysis = analysis_of(network, mentioned, {})
    compared = [q for q in counts if q in analysis.resources and (q in COUNTS or not network.sequence)]
    return all(_at(analysis.complete(analysis.resources[q]), place) == counts[q] for q in compared)


def _at(formula: sp.Expr, place: Mapping[str, Any]) -> sp.Expr:
    return exchange(formula, {symbol(x): sp.Rational(Fraction(v)) for x, v in place.items()}).doit()


@lru_cache(maxsize=1024)
def _counts_at(network: Variant, place: tuple[tuple[str, Any], ...]) -> dict[str, sp.Rational] | None:
    given: dict[str, Any] = dict(place)
    if network.sequence:
        given |= {"sequence": given.pop("L"), "eps": ALONG}
    if "a" in given and "b" in given:
        given["range"] = (given.pop("a"), given.pop("b"))
    try:
        made = bound(network.name, **network.arguments(), **given)  # type: ignore[arg-type]
        layers = json.loads(to_json(made.network))["layers"]
    except (BoundcalcError, TypeError, ValueError):
        return None
    counted = {q: COUNT[q](layers) for q in COUNT if q != "beta"}
    return {q: sp.Rational(int(v.p), int(v.q)) for q, v in counted.items()}


def _matches(network: Variant | None, quantity: str, value: Value, s: sp.Symbol, k: int) -> bool:
    """Whether the closed form of a small case is what its network has; errors follow the structure."""
    if network is None:
        return False
    if quantity not in COUNT or quantity == "beta":
        return True
    mentioned = frozenset(x.name for x in (value.upper or sp.S.Zero).free_symbols) & {"a", "b", "M"}
    place = {**_place(network, mentioned), s.name: k}
    counts = _counts_at(network, tuple(sorted(place.items())))
    return counts is not None and value.upper is not None and bool(_at(value.upper, place) == counts[quantity])


def _jump(rule: sp.Expr, k: int) -> list[list[str]]:
    """The eps at which an integer that follows from it exceeds k, for M = 1 and a power of two."""
    for e in range(6, -12, -1):
        at = sp.Rational(2) ** e
        low, high = (
            exchange(rule, {symbol("eps"): x, symbol("M"): sp.S.One}) for x in (at, at * (1 + sp.Rational(1, 10**9)))
        )
        if low.is_Integer and high.is_Integer and low > k >= high:
            return [["eps", str(at)]]
    return []


def _bounds(value: Value, where: Sequence[str], cuts: Sequence[Any]) -> Iterator[dict[str, Any]]:
    conditions = {
        "exists": ", ".join(_condition(c) for c in value.conditions),
        "where": ", ".join([*(_condition(c) for c in (*value.validity, *value.structure)), *where]),
        "cuts": list(cuts),
        "lemma": value.source,
    }
    if value.exact and value.upper is not None:
        yield {"kind": "equal", "formula": text_of(value.upper), **conditions, **_symbols(value.upper)}
        return
    if value.upper is not None:
        yield {"kind": "upper", "formula": text_of(value.upper), **conditions, **_symbols(value.upper)}
    if value.lower is not None:
        yield {"kind": "lower", "formula": text_of(value.lower), **conditions, **_symbols(value.lower)}


def text_of(expr: sp.Expr) -> str:
    return to_text(expr.xreplace({C: sp.Symbol("C_silu", positive=True)}))


def formula_of(text: str) -> sp.Expr:
    """The formula of a row as it was derived: the constant is ours again, not a letter of the checker."""
    expr = parse(text)
    return expr.xreplace({s: C for s in expr.free_symbols if s.name == "C_silu"})


def _condition(c: Condition) -> str:
    assert c.right is not None
    return f"{text_of(c.left)} {c.relation} {text_of(c.right)}"


def _symbols(expr: sp.Expr) -> dict[str, Any]:
    """What the symbols of a closed form were assumed to be."""
    signs, wholes = [], []
    for s in sorted(expr.free_symbols - {C}, key=lambda s: s.name):
        if s.is_positive:
            signs.append(f"{s.name} > 0")
        elif s.is_nonnegative:
            signs.append(f"{s.name} >= 0")
        if s.is_integer:
            wholes.append(s.name)
    return {"signs": ", ".join(signs), "wholes": wholes}


def _complete(row: dict[str, Any], call: QuantityCall, q: NetworkQuantity, mentioned: frozenset[str], needed: bool) -> Row:
    lemma = in_claims(call.name) is None
    own = () if lemma else sorted({x for v in variants_of(call) for x in own_names(v)})
    exists = [x for x in (row.get("exists", ""), row.get("signs", "")) if x]
    if not lemma:
        exists += [f"{x} {rel} {least}" for x, (rel, least) in LEAST.items() if x in mentioned]
    if lemma:
        name = f"{call.name}.{call.quantity}"
        texts = [show(a) if a != ("f", "inf", ()) else None for a in q.arguments] or list(
            LEMMAS[call.name][call.quantity].parameters
        )
        for pattern in ARGUMENTS.get(name, ()):
            if all(f"{{{i}}}" not in pattern or t is not None for i, t in enumerate(texts)):
                exists.append(pattern.format(*(f"({t})" if t else "" for t in texts)))
        exists += [f"floor({texts[i]}) == {texts[i]}" for i in WHOLE_ARGUMENTS.get(name, ())]
    return {
        "id": row["id"],
        "label": q.label,
        "network": call.name,
        "options": dict(call.options),
        "quantity": call.quantity,
        "arguments": [f"_{i}" for i in range(len(q.arguments))],
        "kind": row["kind"],
        "formula": row["formula"],
        "exists": ", ".join(exists),
        "where": row.get("where", ""),
        "wholes": row.get("wholes", []),
        "whole": call.quantity in COUNTS and not lemma,
        "needed": needed,
        "constant": row.get("constant", False),
        "relevant": [*PARAMETERS, *own],
        "given": sorted(mentioned & {*PARAMETERS, *own}),
        "cuts": row.get("cuts", []),
        "lemma": row.get("lemma", ""),
        "counts": _counts_of(call.name) if not lemma else {"regions": ["L"], "anchor": ["p"]}.get(call.name, []),
    }


# --- networks at numbers ----------------------------------------------------------------------------------------------


def network_row(q: NetworkQuantity, at: dict[str, fmpq], mentioned: frozenset[str]) -> tuple[Row, list[list[str]]] | None:
    """The network of a quantity at numbers, and inputs at which it errs much; None if it cannot be built or is large."""
    if q.arguments or in_claims(q.name) is None:
        return None
    if q.quantity == "error_relative":  # the network for a relative error is another one
        return None
    if "delta" in mentioned and ("eps" in mentioned or at["delta"] != 0):       # its inputs would have to be moved as well
        return None
    call = call_of(q)
    if not names_one_network(call) or any(own_names(v) & mentioned for v in variants_of(call)):
        return None
    values = {x: Fraction(int(v.p), int(v.q)) for x, v in at.items() if x in PARAMETERS}
    if any(
        values.get(x, 0) > most for x, most in (("n", 24), ("d", 6), ("m", 12), ("N", 100), ("p", 400), ("H", 60))
    ) or any(v.numerator.bit_length() + v.denominator.bit_length() > 400 for v in values.values()):
        return None
    along = "sequence" in dict(q.options)
    if along and (q.quantity == "error" or "eps" not in mentioned):
        return None
    if "eps" in mentioned and q.quantity in ("beta", "magnitude", "logit"):
        return None  # claims speak of the formula of β, the network has it rounded
    made = _built(call, tuple(sorted(values.items())))
    if made is None:
        return None
    gate, lead = dict(q.options).get("gate"), None
    if q.quantity == "nu":
        lead = next((c.value for c in made.choices if c.name == "nu"), None)
        if lead is None:
            return None
    given = ", ".join(f"{x} == {v}" for x, v in sorted(values.items()))
    row: dict[str, Any] = {
        "id": f"{q.label} at {given}",
        "label": q.label,
        "network": q.name,
        "options": dict(q.options),
        "quantity": "*",
        "arguments": [],
        "kind": "network" if lead is None else "equal",
        "formula": "0" if lead is None else str(lead),
        "exists": "",
        "where": given,
        "wholes": [],
        "whole": q.quantity in COUNTS,
        "needed": False,
        "constant": False,
        "relevant": list(PARAMETERS),
        "given": sorted(mentioned & set(PARAMETERS)),
        "cuts": [],
        "lemma": "the exported network" if lead is None else "R10",
        "counts": _counts_of(q.name),
        "relu": gate == "ffn",
        "domain": [["-inf" if lo is None else str(lo), "inf" if hi is None else str(hi)] for lo, hi in made.domains()],
        "target": [] if along else target_texts(made, output_of(call)),
        "file": json.loads(to_json(with_output(made.network, len(made.construction.outputs), output_of(call)))),
    }
    return row, _worst(made, row) if q.quantity == "error" else []


@lru_cache(maxsize=64)
def _built(call: QuantityCall, values: tuple[tuple[str, Fraction], ...]) -> Bound | None:
    given: dict[str, Any] = dict(values)
    if "a" in given and "b" in given:
        given["range"] = (given.pop("a"), given.pop("b"))
    given.pop("k", None)
    options: dict[str, Any] = {k: v for k, v in call.options if k not in ("sentinels", "output", "sequence")}
    if "sequence" in dict(call.options):
        options["sequence"] = given.pop("L", None)
    if dict(call.options).get("sentinels") == "yes":
        options["sentinels"] = True
    try:
        made = bound(construction_named(call.name).name, **options, **given)
        entries = made.resources["parameters"].exact
        return made if entries is not None and entries <= LARGEST else None
    except (BoundcalcError, TypeError):
        return None


def _worst(made: Bound, row: Row) -> list[list[str]]:
    """An input at which a search sees a large error: a short one near it, where the error is the same but for rounding."""
    try:
        seen = _observe(made)
    except (BoundcalcError, ArithmeticError, ValueError):
        return []
    long, short = [str(x) for x in seen], [str(x.limit_denominator(10**6)) for x in seen]
    try:
        at_short, at_long = (measured(row, "error", [x])[0][0][1] for x in (short, long))
    except Reject:                                      # rounded out of the domain
        return [long]
    return [short if at_short >= at_long * SAME else long]


def _observe(made: Bound) -> list[Fraction]:
    from ..verify.search import observe

    return list(observe(made, 40).at.values())


__all__ = ["Known", "network_row", "table_for"]
