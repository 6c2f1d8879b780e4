"""What a quantity of a claim is worth: closed forms from the constructions, the softmax lemmas and the certified constants.

A quantity is known by bounds: `upper` and `lower` are closed forms, equal where it is known exactly. The error of a named
construction is the supremum over its domain; its upper bound is derived, and lower bounds are known only where the
derivation is sharp. A quantity for which no single network is named means what is *needed*: every construction gives an
upper bound, and lower bounds are the few that are proved (docs/claims.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import sympy as sp
from sympy import Expr

from ..declarations.families import joined, needed, split
from ..declarations.frame import anchors_counted_by, frame_of, with_domain, with_numbers
from ..declarations.record import Construction
from ..declarations.registry import construction as registered
from ..declarations.registry import in_claims
from ..declarations.registry import names as construction_names
from ..derivation.analysis import Analysis, analyse, facts_of
from ..errors import BoundcalcError, InvalidInput, NotDerivable, echo
from ..formulas.comparison import Regime
from ..formulas.symbols import C, exchange, symbol
from ..gates import GRIDS, TEMPERATURES, Options
from ..gates import gate as gate_named
from ..results.bound import closed_forms, is_plan, resolve
from ..results.composed import PlanForms
from ..terms.flat import relu_width
from ..terms.gate import Gate
from ..terms.term import sharper_lemmas
from ..tune import Aim, rules
from .lemma_quantities import LEMMAS
from .model import Condition, QuantityCall
from .value import Resolved, Value, Variant

OPTIONS = ("route", "gate", "temperature", "grid", "sentinels", "output", "sequence")
ALONG_A_SEQUENCE = ("error", "layers", "heads", "heads_per_layer", "tokens", "width", "parameters", "nu")


def construction_named(name: str) -> Construction:
    """The construction that a claim calls so."""
    return registered(in_claims(name) or name)


class Unresolved(BoundcalcError):
    """The quantity is well named, but there is no closed form for it under these conditions."""


def resolve_quantity(call: QuantityCall, mentioned: frozenset[str], fixed: Mapping[sp.Symbol, Expr]) -> Resolved:
    """`mentioned` are the parameters that the claim and its conditions name; `fixed` are those with small exact values."""
    if in_claims(call.name) is not None:
        return _of_construction(_of_family(call), mentioned, fixed)
    table = LEMMAS.get(call.name)
    if table is None:
        from difflib import get_close_matches
        known = [*construction_names(), *LEMMAS]
        known = [name.replace("-", "_") for name in known]
        near = get_close_matches(call.name[:60], known, n=1, cutoff=0.5)
        raise InvalidInput(f"At column {call.column}: there is no construction or lemma '{echo(call.name)}'.",
                           f"Did you mean {near[0]}?" if near else f"Known are {', '.join(known)}.")
    if call.quantity not in table:
        raise InvalidInput(f"At column {call.column}: {call.name} has no quantity '{echo(call.quantity)}'.",
                           f"It has {', '.join(table)}.")
    entry = table[call.quantity]
    unknown = [k for k, _ in call.options if k not in entry.options]
    if unknown:
        raise InvalidInput(f"At column {call.column}: {call.name}.{call.quantity} has no option '{echo(unknown[0])}'.",
                           f"It has {', '.join(entry.options)}." if entry.options else "Leave the brackets out.")
    arguments = list(call.arguments or ())
    defaults = [symbol(name) for name in entry.parameters]
    if len(arguments) not in ({0, len(defaults)} if entry.optional else {len(defaults)}):
        shown = ", ".join(entry.parameters)
        raise InvalidInput(f"At column {call.column}: {call.name}.{call.quantity} takes {len(defaults)} arguments, not "
                           f"{len(arguments)}.", f"Write {call.name}.{call.quantity}({shown}).")
    value = entry.make(dict(call.options), *(arguments or defaults))
    return Resolved(call, (replace(value, source=value.source or f"{call.name}.{call.quantity}"),))


# --- constructions ----------------------------------------------------------------------------------------------------

def _of_construction(call: QuantityCall, mentioned: frozenset[str], fixed: Mapping[sp.Symbol, Expr]) -> Resolved:
    if call.arguments is not None:
        raise InvalidInput(f"At column {call.column}: {call.name}.{call.quantity} takes no arguments.",
                           "Restrict its parameters with the line for.")
    networks = variants_of(call)
    values, problems = [], []
    for network in networks:
        try:
            values.append(_value(network, call, mentioned, fixed, needed=not names_one_network(call)))
            if (bounded := _hull_bound(values[-1], call, mentioned)) is not None:
                values.append(bounded)
        except (NotDerivable, Unresolved) as problem:
            problems.append(problem)
    if not values:
        raise Unresolved(problems[0].problem, problems[0].remedy)
    named = names_one_network(call)
    return Resolved(call, tuple(values), not named, None if named else _least(call, mentioned))


def _of_family(call: QuantityCall) -> QuantityCall:
    """One construction of a family: the brackets must say which one, median[n=5]."""
    family = construction_named(call.name).family
    if family is None or split(call.name)[1]:
        return call
    own = {key: value for key, value in call.options if key in {p.name for p in family.parameters}}
    for name, example in needed(family).items():
        if name not in own:
            raise InvalidInput(f"At column {call.column}: {call.name} needs {name} in its brackets.",
                               f"Write for example {call.name}[{name}={example}].{call.quantity}.")
    return replace(call, name=joined(call.name, own), options=tuple((k, v) for k, v in call.options if k not in own))


def names_one_network(call: QuantityCall) -> bool:
    """Whether the options single out one network of a construction; otherwise what is needed is meant."""
    networks, options, routes = variants_of(call), dict(call.options), construction_named(call.name).by_route
    return len(networks) == 1 and ("route" in options or len(routes) == 1 or networks[0].sequence) and (
        "gate" in options or not routes[networks[0].route].gated)


def variants_of(call: QuantityCall) -> list[Variant]:
    """The constructions that fit the options; without a gate all attention gates, at the tuned temperature."""
    call = _of_family(call)
    options: dict[str, str] = {}
    for key, value in call.options:
        if key not in OPTIONS:
            raise InvalidInput(f"At column {call.column}: there is no option '{echo(key)}'.",
                               f"Options are {', '.join(OPTIONS)}.")
        if key in options:
            raise InvalidInput(f"At column {call.column}: {key} is given twice.", "Give it once.")
        options[key] = value
    construction = construction_named(call.name)
    if "output" in options:
        _check_output(call, construction, options["output"])
    routes = [options["route"]] if "route" in options else list(construction.by_route)
    for key, known in (("temperature", TEMPERATURES), ("grid", GRIDS), ("sentinels", ("yes", "no"))):
        if options.get(key, known[0]) not in known:
            raise InvalidInput(f"At column {call.column}: {key} '{echo(options[key])}' is unknown.",
                               f"Known are {', '.join(known)}.")
    along = "sequence" in options
    if options.get("sequence", "L") != "L":
        raise InvalidInput(f"At column {call.column}: the length of a sequence is called L.",
                           "Write sequence=L, and L == 5 in the line for.")
    if along and call.quantity not in ALONG_A_SEQUENCE:
        raise InvalidInput(f"At column {call.column}: {echo(call.quantity)} along a sequence is not known to claims.",
                           f"Known are {', '.join(ALONG_A_SEQUENCE)}.")
    if call.quantity == "nu" and not along:
        raise InvalidInput(f"At column {call.column}: ν belongs to a sequence.", "Add sequence=L to the options.")
    found = []
    for route in routes:
        if route not in construction.by_route:
            raise InvalidInput(f"At column {call.column}: {call.name} has no route '{echo(route)}'.",
                               f"Its routes are {', '.join(construction.by_route)}.")
        if not construction.route(route).gated:
            if "gate" not in options and not along:
                found.append(Variant(construction.name, route, None))
            continue
        gates = construction.information.gates
        if "gate" in options and options["gate"] not in gates:
            raise InvalidInput(f"At column {call.column}: there is no gate '{echo(options['gate'])}' for {call.name}.",
                               f"Its gates are {', '.join(gates)}.")
        found += [Variant(construction.name, route, gate, options.get("temperature"), options.get("grid"),
                          options.get("sentinels") == "yes", along)
                  for gate in ([options["gate"]] if "gate" in options else [g for g in gates if g != "ffn"])]
    if not found:
        raise InvalidInput(f"At column {call.column}: the options of {call.name} do not go together.",
                           "A gate applies to routes that have gates.")
    if along and (len(found) > 1 or found[0].gate == "ffn" or len(construction.outputs) > 1):
        raise InvalidInput(f"At column {call.column}: a sequence belongs to one network of attention with one output.",
                           f"Name an attention gate, for example {call.name}[gate=silu, sequence=L].")
    return found


def _check_output(call: QuantityCall, construction: Construction, k: str) -> None:
    names = [o.name for o in construction.outputs]
    if call.quantity != "error":
        raise InvalidInput(f"At column {call.column}: {call.quantity} is not that of one output.", "Leave output out.")
    if len(names) == 1:
        raise InvalidInput(f"At column {call.column}: {call.name} has one output.", "Leave output out.")
    if k not in map(str, range(1, len(names) + 1)):
        raise InvalidInput(f"At column {call.column}: {call.name} has no output {echo(k)}.",
                           f"It has {len(names)}: {', '.join(f'{j + 1} ({name})' for j, name in enumerate(names))}.")


def output_of(call: QuantityCall) -> int | None:
    """Which output is meant, from 0; None: the one with the largest error."""
    k = dict(call.options).get("output")
    return None if k is None else int(k) - 1


def _value(network: Variant, call: QuantityCall, mentioned: frozenset[str], fixed: Mapping[sp.Symbol, Expr],
           needed: bool) -> Value:
    if is_plan(network.name, network.route):
        if fixed:
            raise Unresolved(f"{network.name} has closed forms with free parameters alone.", "Leave them free.")
        if network.sequence:
            raise Unresolved(f"{network.name} is a plan, which no sequence takes.", "Leave sequence out.")
        return _value_of_a_plan(network, call, mentioned)
    if network.sequence:
        return _along_a_sequence(network, call, mentioned, fixed)
    relative = call.quantity == "error_relative"
    analysis = _relative_analysis(network, call, mentioned, fixed) if relative else analysis_of(network, mentioned, fixed)
    conditions, (validity, structure) = _conditions(analysis), _validity(analysis)
    if relative and "eps" in mentioned:
        conditions.append(Condition(symbol("eps"), "<", sp.S.One))
    chosen = _chosen(analysis, mentioned, conditions, needed) if "eps" in mentioned else {}
    if chosen.get("beta") is not None:
        chosen["beta"] = _least_beta(chosen["beta"], network, analysis, fixed)
    if call.quantity == "error" or relative:
        output = output_of(call)
        meant = analysis if output is None else analysis.of_output(output)
        upper, lower = analysis.complete(meant.total.radius), None
        if upper == 0 or (output is None and _sharp(analysis)):
            lower = upper
        if chosen and "eps" in mentioned and not _given(analysis, mentioned):
            upper, lower = symbol("eps"), None      # what the choice of parameters guarantees
    elif call.quantity == "relu_width" and network.gate == "ffn":
        upper = lower = analysis.complete(relu_width(analysis.flat, Regime(facts_of(analysis.flat))))
    elif call.quantity in analysis.resources:
        upper = lower = analysis.complete(analysis.resources[call.quantity])
        if call.quantity == "logit" and not _logit_attained(analysis):
            lower = None
    else:
        raise InvalidInput(f"At column {call.column}: {call.name} has no quantity '{echo(call.quantity)}'.",
                           f"It has error, error_relative, {', '.join(k for k in analysis.resources if k != 'bits')}, and "
                           "with gate=ffn relu_width.")
    for name in reversed(chosen):       # later rules mention what was chosen before
        if chosen[name] is not None:
            upper = exchange(upper, {symbol(name): chosen[name]})
            lower = None if lower is None else exchange(lower, {symbol(name): chosen[name]})
    if upper.has(sp.oo):
        raise Unresolved(f"{call.text} is infinite on the whole line.", "Give a bounded domain, for example M = 1.")
    if chosen and upper == symbol("eps"):
        structure = []          # the choice guarantees the accuracy for every structure that it leads to, …
        made = {symbol(name) for name in chosen}
        validity = [c for c in validity if not made & c.left.free_symbols]      # … and meets the conditions of its lemmas
    validity, structure = _exchanged(validity, chosen), _exchanged(structure, chosen)
    met = upper.free_symbols.union(*(c.left.free_symbols for c in (*validity, *structure)))
    missing = [name for name, rule in chosen.items() if rule is None and symbol(name) in met]
    if missing:
        raise Unresolved(f"{missing[0]} is found by search, not by a formula.", f"Name {missing[0]} in the claim.")
    return Value(lower, upper, tuple(conditions), tuple(validity), str(network), network,
                 {name: rule for name, rule in chosen.items() if rule is not None}, _small(analysis), tuple(structure))


def _along_a_sequence(network: Variant, call: QuantityCall, mentioned: frozenset[str],
                      fixed: Mapping[sp.Symbol, Expr]) -> Value:
    """The construction at each of L ≥ 2 tokens, with one-hot codes; its score scale follows from ε.

    What follows from ε is chosen for a share of it, by rules that are not those of one token. So formulas that contain it
    are known to no row beside ε; the error is at most ε, which all of them guarantee.
    """
    analysis = analysis_of(network, mentioned, fixed)
    conditions = [*_conditions(analysis), Condition(symbol("L"), ">=", sp.Integer(2))]
    validity, structure = _validity(analysis)
    if "delta" in mentioned:
        raise Unresolved("Nothing is known to claims about errors of inputs along a sequence.", "Leave delta out.")
    if analysis.leak is not None and analysis.leak.of_inputs and analysis.reach.has(sp.oo):
        raise Unresolved("On an unbounded domain other tokens can leak any amount.",
                         "Give a bounded domain, for example M == 1.")
    follow = {*analysis.how.chooses, "beta", "kappa", "p", "H"}
    if call.quantity == "error":
        if "eps" not in mentioned or mentioned & follow:
            raise Unresolved("The score scale of a sequence follows from eps, and so does its error.",
                             "Name eps in the claim, and no parameter that follows from it.")
        return Value(None, symbol("eps"), (*conditions, Condition(symbol("eps"), ">", sp.S.Zero)), (), str(network), network)
    if call.quantity not in analysis.resources:
        raise Unresolved(f"{call.text} is known at numbers, not as a formula.", "Give a number to every parameter.")
    count = analysis.complete(analysis.resources[call.quantity])
    small = _small(analysis)
    if all(_counted_at(network, call, mentioned, s, k) == count for s, k in small):
        structure, small = [], ()                   # without the repeated part it is the same formula
    met = {s.name for s in count.free_symbols.union(*(c.left.free_symbols for c in structure))}
    if "eps" in mentioned and (missing := sorted(met & follow - mentioned)):
        raise Unresolved(f"{missing[0]} is chosen for a part of eps here, not by a formula.",
                         f"Name {missing[0]} in the claim.")
    return Value(count, count, tuple(conditions), tuple(validity), str(network), network, None, small, tuple(structure))


def _counted_at(network: Variant, call: QuantityCall, mentioned: frozenset[str], s: sp.Symbol, k: int) -> Expr | None:
    """A count of the network that is left without its repeated part."""
    try:
        analysis = analysis_of(network, mentioned, {s: sp.Integer(k)})
    except BoundcalcError:
        return None
    return analysis.complete(analysis.resources[call.quantity])


def _hull_bound(value: Value, call: QuantityCall, mentioned: frozenset[str]) -> Value | None:
    """Where every output is a mean of the inputs, no error exceeds 2M + δ."""
    if call.quantity != "error" or value.network is None or value.network.sequence or "eps" in mentioned:
        return None
    if value.network.gate not in construction_named(call.name).route(value.network.route).means:
        return None
    width = symbol("b") - symbol("a") if {"a", "b"} <= mentioned else 2 * symbol("M")
    delta = symbol("delta") if "delta" in mentioned else sp.S.Zero
    return replace(value, lower=None, upper=width + delta, source=f"{value.source} (outputs are means of inputs)")


def analysis_of(network: Variant, mentioned: frozenset[str], fixed: Mapping[sp.Symbol, Expr]) -> Analysis:
    return _analysed(network, mentioned & {"a", "b", "M", "delta"}, tuple(fixed.items()))


def _relative_analysis(network: Variant, call: QuantityCall, mentioned: frozenset[str],
                       fixed: Mapping[sp.Symbol, Expr]) -> Analysis:
    """Of the form of a route that errs little relative to the target; its errors are relative."""
    form = construction_named(network.name).relative(network.route)
    if form is None or "delta" in mentioned:
        raise InvalidInput(f"At column {call.column}: {call.name} has no closed bound of its relative error"
                           f"{' beside delta' if form else ''}.", "Use error, and divide by the least |target|.")
    gate = _gate(network, form) if network.gate is not None else None
    return analyse(form, network.route, gate, frame_of(form, network.route, gate, mentioned & {"a", "b", "M"}),
                   dict(fixed) or None)


def _gate(network: Variant, construction: Construction) -> Gate:
    assert network.gate is not None
    tokens = anchors_counted_by(construction)
    return gate_named(network.gate, Options(network.temperature, network.grid, network.sentinels, tokens,
                                            sequence=network.sequence))


@lru_cache(maxsize=256)
def _analysed(network: Variant, mentioned: frozenset[str], pairs: tuple[tuple[sp.Symbol, Expr], ...]) -> Analysis:
    fixed = dict(pairs)
    if is_plan(network.name, network.route):
        return _of_a_plan(network, mentioned, fixed)
    construction, route, gate = resolve(network.name, network.route, network.gate)
    made = _gate(network, construction) if gate is not None else None
    ranged = {"a", "b"} <= mentioned
    said = mentioned if ranged else (mentioned - {"a", "b"}) | ({"M"} if construction.own_interval else set())
    codes = "onehot" if network.sequence else None
    frame = frame_of(construction, route, made, said, codes=codes)
    if construction.numeric:                    # on the domain that it was taken up with
        if said:
            raise InvalidInput(f"The domain of {network.name} is that of its file, and has no {min(said)}.",
                               "Leave it out; --range says where the inputs lie.")
        frame = with_numbers(frame, with_domain(construction, made, {"delta": Fraction(0)}, {}))
    return analyse(construction, route, made, frame, fixed or None)


def _of_a_plan(network: Variant, mentioned: frozenset[str], fixed: Mapping[sp.Symbol, Expr]) -> Analysis:
    """Closed forms in the parameters of the parts, which gains and boxes at numbers bring along."""
    if mentioned or fixed:
        raise Unresolved(f"{network.name} is a plan, and has closed forms on its default domain alone.",
                         f"Leave {min(mentioned)} out." if mentioned else "Leave its parameters free.")
    return closed_forms(network.name, **network.arguments())        # type: ignore[arg-type]


def own_names(network: Variant) -> frozenset[str]:
    """The parameters of the parts of a plan; nothing of other constructions."""
    if not is_plan(network.name, network.route):
        return frozenset()
    try:
        analysis = analysis_of(network, frozenset(), {})
    except BoundcalcError:
        return frozenset()
    return frozenset(s.name for e in (*analysis.resources.values(), analysis.total.radius) for s in e.free_symbols) - {
        "d", C.name}


def _value_of_a_plan(network: Variant, call: QuantityCall, mentioned: frozenset[str]) -> Value:
    """With ε alone what its choice guarantees; with the parameters of its parts the closed forms."""
    analysis = analysis_of(network, mentioned, {})
    assert isinstance(analysis, PlanForms)
    own = {c.name for c in analysis.choices}
    output = output_of(call)
    if "eps" in mentioned:
        if call.quantity != "error" or own & mentioned or analysis.fixed_parts:
            raise Unresolved(f"The parameters of the parts of {network.name} follow from ε by search.",
                             "Name them in the claim instead of eps, or give eps a value.")
        small = Condition(symbol("eps"), "<=", analysis.nominal)
        return Value(None, symbol("eps"), tuple(_conditions(analysis)), (small,), str(network), network)
    if call.quantity == "error":
        meant = analysis if output is None else analysis.of_output(output)
        upper, lower = analysis.complete(meant.total.radius), None
    elif call.quantity in analysis.resources:
        upper = lower = analysis.complete(analysis.resources[call.quantity])
        lower = None if call.quantity in ("logit", "magnitude") else lower
    else:
        raise InvalidInput(f"At column {call.column}: the plan {call.name} has no quantity '{echo(call.quantity)}'.",
                           f"It has error, {', '.join(k for k in analysis.resources if k != 'bits')}.")
    unknown = {s.name for s in upper.free_symbols} - own - {"d", C.name}
    if unknown:
        raise Unresolved(f"{call.text} depends on {min(unknown)}, which only numbers give.", "Give eps a value.")
    validity, structure = _validity(analysis)
    return Value(lower, upper, tuple(_conditions(analysis)), tuple(validity), str(network), network,
                 structure=tuple(structure))


def _least_beta(rule: Expr, network: Variant, analysis: Analysis, fixed: Mapping[sp.Symbol, Expr]) -> Expr | None:
    """Where a gate has several lemmas, or none that helps, the smallest β of them and of plain propagation is used.

    That is the choice of the command line as long as all of them lead to the same integers; otherwise there is no formula.
    Plain propagation is taken where its error is smaller at the β that was found. Errors fall with β, so this is where it
    does with a smaller β.
    """
    if analysis.gate is None or not (lemmas := sharper_lemmas(analysis.how.build(analysis.frame), analysis.gate)):
        return rule
    own = {c.name: c.rule for c in rules(analysis) if c.name != "beta"}
    found = [rule]
    for which in (*range(1, len(lemmas)), None):
        gate = _gate(network, analysis.construction)
        other = analyse(analysis.construction, analysis.route, gate, analysis.frame, dict(fixed) or None, which)
        choices = {c.name: c.rule for c in rules(other)}
        settled = choices.pop("beta", None)
        if settled is None or choices != own:
            return None
        found.append(other.settled(settled))
    return sp.Min(*found)


def _conditions(analysis: Analysis) -> list[Condition]:
    """What parameters must satisfy for the network to exist."""
    found = [Condition(r.rhs, "<", r.lhs) if r.lhs.is_Symbol and r.rhs.is_Symbol else Condition(r.lhs, ">", r.rhs)
             for r in analysis.frame.exists or analysis.frame.facts]
    counted = analysis.construction.counted
    if counted is not None and (p := analysis.construction.parameter(counted)) is not None and (p.least or 0) > 1:
        found.append(Condition(symbol(counted), ">=", sp.Integer(p.least)))
    supply = analysis.supply
    if supply is not None:
        found.append(Condition(symbol(supply.tokens), ">=", sp.Integer(2)))
    return found


def _validity(analysis: Analysis) -> tuple[list[Condition], list[Condition]]:
    """What parameters must satisfy for the closed forms to hold, and of this what makes every repeated part be there."""
    relations = {"StrictGreaterThan": ">", "GreaterThan": ">=", "StrictLessThan": "<", "LessThan": "<="}
    proved: list[Condition] = []
    there: list[Condition] = []
    for c in analysis.conditions:
        if c not in analysis.frame.facts:
            stated = Condition(analysis.complete(c.lhs), relations[type(c).__name__], analysis.complete(c.rhs))
            (there if c.lhs in analysis.flat.nonempty else proved).append(stated)
    return [c for c in proved if c.left.free_symbols or (c.right is not None and c.right.free_symbols)], there


def _exchanged(conditions: list[Condition], chosen: dict[str, Expr | None]) -> list[Condition]:
    for name in reversed(chosen):
        if (rule := chosen[name]) is not None:
            conditions = [Condition(exchange(c.left, {symbol(name): rule}), c.relation,
                                    None if c.right is None else exchange(c.right, {symbol(name): rule}))
                          for c in conditions]
    return conditions


def _small(analysis: Analysis) -> tuple[tuple[sp.Symbol, int], ...]:
    """Values of integers at which a repeated part is not there at all: then the network is another one."""
    found = []
    for count in map(analysis.complete, analysis.flat.nonempty):
        for s in count.free_symbols:
            found += [(s, k) for k in range(6) if count.xreplace({s: sp.Integer(k)}) == 0]
    return tuple(dict.fromkeys(found))


def _given(analysis: Analysis, mentioned: frozenset[str]) -> list[str]:
    """The parameters that follow from ε unless the claim names them, and that it does name."""
    supply = analysis.supply
    free = [*analysis.how.chooses, *(("beta",) if analysis.uses_beta else ())]
    if supply is not None:
        free += [supply.tokens] if supply.heads is None else [supply.heads]
        free += ["kappa"] if supply.selection.kappa == symbol("kappa") else []
    return [name for name in free if name in mentioned]


def parameters_given(network: Variant | None, mentioned: frozenset[str]) -> list[str]:
    """The parameters of a network that would follow from ε, but stand in the claim."""
    return [] if network is None else _given(analysis_of(network, mentioned, {}), mentioned)


def _chosen(analysis: Analysis, mentioned: frozenset[str], conditions: list[Condition],
            needed: bool) -> dict[str, Expr | None]:
    """The parameters that follow from ε, as formulas; later ones may mention earlier ones. Where what is needed is asked
    for, an integer without a formula is the least that ε allows."""
    given = _given(analysis, mentioned)
    found: dict[str, Expr | None] = {}
    chosen = rules(analysis)
    if needed and any(c.rule is None for c in chosen if c.name in analysis.how.chooses):
        chosen = rules(analysis, Aim.FEWEST)
    for choice in chosen:
        if choice.name not in given:
            found[choice.name] = None if choice.rule is None else analysis.settled(choice.rule)
    own = {p.name for p in analysis.construction.parameters}
    late, early = set(given) - own, found.keys() & own
    if late and early:
        raise Unresolved(f"With eps and {min(late)} given, {min(early)} is found by search, not by a formula.",
                         f"Name {min(early)} in the claim as well, or leave {min(late)} out.")
    if found and given:
        for side in (analysis.total.hi, -analysis.total.lo):        # there must be room for the gates
            free = sp.Add(*(t for t in sp.Add.make_args(sp.expand(analysis.complete(side)))
                            if not t.free_symbols & {symbol(x) for x in found}))
            conditions.append(Condition(free, "<", symbol("eps")))
    return found


def _sharp(analysis: Analysis) -> bool:
    """Whether the derived error is the supremum: one silu gate on the whole line, or exact ReLUs with a sharp lemma."""
    if not all(lemma.tight for lemma in analysis.lemmas):
        return False
    if analysis.gate == "ffn":
        return len(analysis.construction.inputs) == 1 and analysis.frame.known_exactly
    return analysis.frame.unbounded and analysis.gate in analysis.how.attained


def _logit_attained(analysis: Analysis) -> bool:
    """One head that looks at its inputs reaches its bound; scores of gates are bounded by ranges that none need reach."""
    return analysis.gate is None and analysis.resources["layers"] == 1 and analysis.frame.known_exactly


NEEDED_AT_LEAST = {"layers": 1, "heads": 1, "heads_per_layer": 1, "tokens": 2}


def _least(call: QuantityCall, mentioned: frozenset[str]) -> Expr | None:
    """A lower bound of what is needed, for accuracies below the distance to affine maps (`affine_condition`)."""
    if construction_named(call.name).far_from_affine and call.quantity in NEEDED_AT_LEAST and "eps" in mentioned and \
            not {"a", "b", "delta"} & mentioned:
        return sp.Integer(NEEDED_AT_LEAST[call.quantity])
    return sp.S.Zero if call.quantity in ("error", "error_relative", "heads", "layers", "neurons", "relu_layers") else None


def affine_distance(name: str) -> Expr:
    """A lower bound of the distance of the target from affine maps in the sup norm over [−M, M]: a network without heads,
    or with one token, is affine."""
    return construction_named(name).distance_from_affine()
