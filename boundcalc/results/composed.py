"""The bound of a plan: each use derived by its own construction on the box where its arguments can be.

Accuracies follow from gains, gains from boxes, and boxes from accuracies. So the pass is done with no errors first, ε is
split, and the pass is done again with these accuracies until they stay within ε. Then the parts are derived in order, each
on a box that the errors of earlier ones can reach, and the last pass is with the errors that they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial

import sympy as sp
from flint import fmpq
from sympy import Expr

from ..declarations.frame import anchors_counted_by, applicable, coordinate_names, domain_of, frame_of, of_a_plan
from ..declarations.record import Construction, Frame
from ..declarations.registry import construction as construction_named
from ..declarations.registry import information
from ..derivation.analysis import Analysis, OutputError, Propagation, Stage, facts_of, keeping_analyses
from ..derivation.composition import NIL, AffineForm, Pass, Signal, Span, Vector, gains, inside
from ..derivation.profile import StepName, total
from ..errors import BoundcalcError, Infeasible, InvalidInput, NotDerivable, echo
from ..formulas.comparison import Regime
from ..formulas.enclosure import Undecided, exact_value
from ..formulas.interval import Interval, hull, largest
from ..formulas.parameter import Levels, Pieces
from ..formulas.same_target import put, same
from ..formulas.symbols import exchange, part_symbol, symbol
from ..formulas.target import AnyTarget
from ..formulas.target_tree import Coordinate, TargetTree, plus
from ..gates import Options
from ..gates.parameters import of as parameters_of_gate
from ..numbers.exact import decimal_up, exact_text, round_up_significant
from ..terms.flat import FlatNetwork, resources
from ..terms.linear import Form, as_form
from ..terms.plan import Plan, Use, inlined, replaced
from ..terms.term import substitute
from ..tune import numbers, rules
from ..tune.choice import Choice
from ..tune.split import Cost, LevelCost, NoHeads, PieceCost, equalised, given_shares, shares
from .bound import Bound, Given, _checked, _gate, bound
from .minimum import check_wish
from .parts import Composition, Part, flat_of, internal_values, sharing

MARGIN = Fraction(1, 1000)      # of ε, for what gains grow when boxes are rounded
ROUNDS = 40
NOMINAL = Fraction(1, 1000)     # for which closed forms without numbers have their boxes
SHORT = 10 ** 5                 # denominators of box ends that are kept as they are
SMALL = Fraction(1, 1000)       # half-width of the box of a constant
LARGEST_COUNTS = ("tokens", "beta")         # of these a plan needs what that part needs which needs most
OF_RELU = {"heads": "neurons", "layers": "relu_layers"}
DIRECT = ("route", "gate", "temperature", "grid", "sentinels", "minimize")


@dataclass(frozen=True)
class Wanted:
    """A use with everything that was said about it."""

    use: Use
    construction: Construction
    route: str
    gate: str | None
    parameters: Mapping[str, object]
    forms: tuple[Form, ...]
    arguments: tuple[AffineForm, ...]

    @property
    def name(self) -> str:
        return self.use.result

    @property
    def sizes(self) -> list[int]:
        counted = self.construction.counted
        return [int(str(self.parameters[counted])) if i.size == counted and counted else 1 for i in self.construction.inputs]

    def ranges(self, box: Sequence[Span]) -> dict[str, tuple[Fraction, Fraction]]:
        """The box of every block: of a block of several coordinates, the hull of theirs."""
        found, start = {}, 0
        for block, size in zip(self.construction.inputs, self.sizes, strict=True):
            own = box[start:start + size]
            found[block.name] = min(a for a, _ in own), max(b for _, b in own)
            start += size
        return found

    def box(self, ranges: Mapping[str, Span]) -> tuple[Span, ...]:
        return tuple(ranges[block.name] for block, size in zip(self.construction.inputs, self.sizes, strict=True)
                     for _ in range(size))

    def asked(self, ranges: Mapping[str, Span]) -> dict[str, object]:
        """Parameters and ranges as `bound` takes them."""
        asked = {k: v for k, v in self.parameters.items() if k not in ("route", "gate")}
        own = asked.pop("range", None)
        return {**asked, "range": {**({"": own} if own is not None else {}), **ranges}}

    def target(self, ranges: Mapping[str, Span]) -> AnyTarget:
        asked = {k: v for k, v in self.asked(ranges).items() if k not in DIRECT}
        made = _gate(self.gate, Options(tokens=anchors_counted_by(self.construction)), {})
        return self.construction.target_at(_checked(self.construction, self.route, made, asked))    # type: ignore[arg-type]


@dataclass(frozen=True)
class PlanRequest:
    """A plan at numbers, and what was asked of it."""

    construction: Construction
    route: str
    frame: Frame
    values: Mapping[str, Fraction]
    inputs: Mapping[str, Span]
    wanted: tuple[Wanted, ...]
    forms: Mapping[str, Form]
    outputs: Mapping[str, AffineForm]
    split: Mapping[str, Fraction]

    @property
    def delta(self) -> Fraction:
        return self.values["delta"]


def composed_bound(construction: Construction, route: str, said: Mapping[str, Given], *, split: Mapping[str, Given] | None,
                   given: Mapping[str, Given] | None) -> Bound:
    """The bound of a route that is a plan. `said` has parameters of its own and those that go to every part."""
    request = _request(construction, route, said, split or {}, given or {})
    _check_target(request)
    with keeping_analyses():
        return _composed(request)


def _composed(request: PlanRequest) -> Bound:
    if "eps" not in request.values:
        return _finished(request, _derived(request, None))
    accuracies = _accuracies(request)
    for _ in range(ROUNDS):
        composition = _derived(request, accuracies)
        over = _largest(composition) / request.values["eps"]
        if over <= 1:
            return _finished(request, composition)
        accuracies = [e / over * (1 - MARGIN) for e in accuracies]
    raise BoundcalcError("The chosen accuracies do not provably meet eps.", "Please report this as a defect.")


# ---------------------------------------------------------------------------------------------------------------
# what was asked

def _request(construction: Construction, route: str, said: Mapping[str, Given], split: Mapping[str, Given],
             given: Mapping[str, Given]) -> PlanRequest:
    own = {p.name for p in applicable(construction, route, ())}
    if isinstance(said.get("delta"), Mapping):
        raise InvalidInput("A route that puts constructions together takes one --delta for all inputs.",
                           "Give the largest of them.", {"--delta": "1e-4"})
    values = _checked(construction, route, None, {k: v for k, v in said.items() if k in own})
    frame = of_a_plan(frame_of(construction, route, None, [name for name, v in values.items() if name != "delta" or v]),
                      construction, values)
    at = {**values, **internal_values(frame.meaning, values)}
    plan = construction.route(route).build(frame)
    if not isinstance(plan, Plan):
        raise NotDerivable("R11", construction.name, "the record says that this route is composed, and it is no plan")
    bounded: dict[str, Span] = {}
    for block in construction.inputs:
        low, high = domain_of(construction, values, block.name)
        if low is None or high is None:
            raise InvalidInput(f"The domain of {echo(block.name)} must be bounded.", "Give --range.")
        bounded |= dict.fromkeys(coordinate_names(block, values), (low, high))
    plan.check(tuple(bounded))
    everywhere = {k: v for k, v in said.items() if k not in own and v is not None and v is not False}
    uses, outputs = _written_out(plan.uses, plan.outputs, everywhere)
    wanted = _wanted(uses, everywhere, dict(given), at)
    shares_given = {name: _share(name, w) for name, w in split.items()}
    if shares_given:
        given_shares(shares_given, [w.name for w in wanted])
        if "eps" not in values:
            raise InvalidInput("--split shares eps among the parts.", "Give --eps.")
    return PlanRequest(construction, route, frame, values, bounded, wanted, {k: _at(f, at) for k, f in outputs.items()},
                   {name: _numbers(form, at) for name, form in outputs.items()}, shares_given)


def _share(name: str, raw: Given) -> Fraction:
    from ..formulas.parameter import exactly
    return exactly(f"split {name}", raw)


def _written_out(uses: Sequence[Use], outputs: Mapping[str, Form],
                 everywhere: Mapping[str, object]) -> tuple[tuple[Use, ...], Mapping[str, Form]]:
    """Without uses of plans: those are inlined, with names of their own."""
    found: list[Use] = []
    known: dict[str, Form] = {}
    for use in uses:
        use = replace(use, arguments={name: replaced(form, known) for name, form in use.arguments.items()})
        inner = _plan_of(use, everywhere)
        if inner is None:
            found.append(use)
            continue
        inside_, results = inlined(use, inner)
        more, ends = _written_out(inside_, results, everywhere)
        found += more
        (known[use.result],) = ends.values()
    return tuple(found), {name: replaced(form, known) for name, form in outputs.items()}


def _plan_of(use: Use, everywhere: Mapping[str, object]) -> Plan | None:
    construction = construction_named(use.name)
    route = use.route or _common(everywhere, "route", [r.name for r in construction.routes]) or construction.routes[0].name
    if not construction.route(route).composed:
        return None
    said = [*use.given, *(f"a_{i.name}" for i in construction.inputs)]
    count = {construction.counted: Fraction(len(use.arguments))} if construction.counted else {}
    built = construction.route(route).build(of_a_plan(frame_of(construction, route, None, said), construction, count))
    if not isinstance(built, Plan):
        raise NotDerivable("R11", construction.name, "the record says that this route is composed, and it is no plan")
    names = [name for block in construction.inputs for name in coordinate_names(block, count)]
    built.check(tuple(names))
    free = {s for u in built.uses for f in u.arguments.values() for s in _free(f)} | {
        s for f in built.outputs.values() for s in _free(f)}
    if free or use.given or set(use.arguments) != set(names) or len(built.outputs) != 1:
        raise InvalidInput(f"{echo(use.name)} cannot be used in a plan: its own plan depends on its box or its parameters.",
                           "Use its parts.")
    return built


def _free(form: Form) -> set[sp.Symbol]:
    form = as_form(form)
    return {s for t in form.terms for s in t.coefficient.free_symbols} | (form.const.free_symbols if form.const else set())


def _common(everywhere: Mapping[str, object], what: str, known: Sequence[str]) -> str | None:
    """A route or gate for all parts, where this part has it."""
    value = everywhere.get(what)
    return value if isinstance(value, str) and value in known else None


def _wanted(uses: Sequence[Use], everywhere: Mapping[str, object], single: dict[str, Given],
            at: Mapping[str, Fraction]) -> tuple[Wanted, ...]:
    taken: set[str] = set()
    found = []
    for use in uses:
        own = {key.rpartition(".")[2]: single.pop(key) for key in list(single) if key.rpartition(".")[0] == use.result}
        construction = construction_named(use.name)
        routes = [r.name for r in construction.routes]
        route = str(own.pop("route", None) or use.route or _common(everywhere, "route", routes) or routes[0])
        taken |= {"route"} if _common(everywhere, "route", routes) else set()
        if route not in routes:
            raise InvalidInput(f"The part {use.result} ({construction.name}) has no route '{echo(route)}'.",
                               f"Its routes are {', '.join(routes)}.")
        how = construction.route(route)
        gates = information(use.name).gates if how.gated else ()
        of_use = use.gate if how.gated or use.route == route else None      # another route may have no gates
        gate = own.pop("gate", None) or of_use or _common(everywhere, "gate", gates) or (gates[0] if gates else None)
        taken |= {"gate"} if _common(everywhere, "gate", gates) else set()
        if gate is not None and gate not in gates:
            raise InvalidInput(f"There is no gate '{echo(str(gate))}' for the part {use.result}.",
                               f"Its gates are {', '.join(gates)}." if gates else "Its route has no ReLU to replace.")
        heads = parameters_of_gate(str(gate), anchors_counted_by(construction)) if gate else None
        allowed = {p.name for p in applicable(construction, route, *(() if heads is None else (heads,)))}
        common = {k: v for k, v in everywhere.items() if k in allowed or k == "minimize" or (
            gate in ("anchor", "anchors") and k in ("temperature", "grid", "sentinels"))}
        taken |= set(common)
        given = {k: _value(v, at) for k, v in use.given.items()}
        _check_given(use.result, construction, {**given, **own}, allowed)
        parameters, forms = _coordinates(use, construction, {**common, **given, **own})
        if parameters.get("minimize"):
            check_wish(str(parameters["minimize"]))
        if any(i.domain.broken for i in construction.inputs) or construction.condition:
            raise InvalidInput(f"{echo(use.name)} cannot be used in a plan: its domain is not a box.", "Use another part.")
        found.append(Wanted(use, construction, route, None if gate is None else str(gate), parameters,
                            tuple(_at(f, at) for f in forms), tuple(_numbers(f, at) for f in forms)))
    if single:
        name = next(iter(single))
        raise InvalidInput(f"--given {echo(name)} names no part.", f"The parts are {', '.join(u.result for u in uses)}.")
    lost = [name for name in everywhere if name not in taken]
    if lost:
        known = {"route": [r.name for w in found for r in w.construction.routes],
                 "gate": [g for w in found for g in w.construction.information.gates]}.get(lost[0])
        if known is not None:
            raise InvalidInput(f"No part has the {lost[0]} {echo(str(everywhere[lost[0]]))}.",
                               f"They have {', '.join(dict.fromkeys(known))}.")
        raise InvalidInput(f"--{echo(lost[0])} does not apply to any part.", "Leave it out.")
    return tuple(found)


def _check_given(part: str, construction: Construction, given: Mapping[str, object], allowed: set[str]) -> None:
    """What a part is asked for follows from the plan: its accuracy, its box, its size."""
    by_plan = {"eps", "delta", "M", "d", construction.counted} | (set() if construction.own_interval else {"range"})
    for name in given:
        if name in by_plan:
            raise InvalidInput(f"The {echo(name)} of the part {part} follows from the plan.",
                               "Give --split for its share of eps." if name == "eps" else "Leave it out.")
        if name not in allowed and name not in ("minimize", "temperature", "grid", "sentinels"):
            raise InvalidInput(f"The part {part} has no parameter {echo(name)}.",
                               f"It has {', '.join(sorted((allowed | {'route', 'gate'}) - by_plan))}.")


def _value(raw: object, at: Mapping[str, Fraction]) -> object:
    """A parameter of a use may be an expression in parameters of the plan."""
    return exact_value(raw, numbers(at)) if isinstance(raw, Expr) else raw


def _coordinates(use: Use, construction: Construction,
                 parameters: dict[str, object]) -> tuple[dict[str, object], list[Form]]:
    """The forms of all coordinates in order; a block that a parameter counts has as many as there are arguments."""
    arguments, forms = dict(use.arguments), []
    for block in construction.inputs:
        if block.name in arguments:
            own = [arguments.pop(block.name)]
        else:
            own = []
            while f"{block.name}{len(own) + 1}" in arguments:
                own.append(arguments.pop(f"{block.name}{len(own) + 1}"))
        if not own or (block.size is None and len(own) > 1):
            raise InvalidInput(f"The use {echo(use.result)} of {use.name} has no argument {block.name}.",
                               f"Its inputs are {', '.join(i.name for i in construction.inputs)}.")
        if block.size is not None:
            parameters = {**parameters, block.size: len(own)}
        forms += own
    if arguments:
        raise InvalidInput(f"{use.name} has no input {echo(next(iter(arguments)))}.",
                           f"Its inputs are {', '.join(i.name for i in construction.inputs)}.")
    return parameters, forms


def _at(form: Form, at: Mapping[str, Fraction]) -> Form:
    """The form at numbers; what cancels is left out."""
    known = {s: sp.Rational(v.numerator, v.denominator) for s, v in numbers(at).items()}
    return substitute(as_form(form), known).written()


def _numbers(form: Form, at: Mapping[str, Fraction]) -> AffineForm:
    form = _at(form, at)

    def number(e: Expr) -> Fraction:
        value = exact_value(e, {})
        if value is None:
            raise InvalidInput(f"The coefficient {echo(str(e))} of a plan is not a rational number.", "Give its parameters.")
        return value
    return AffineForm(number(form.const) if form.const is not None else NIL,
                      tuple((t.ref.block, number(t.coefficient)) for t in form.terms))


def _check_target(request: PlanRequest) -> None:
    """The declared target must be what the exact parts compute."""
    trees: dict[str, TargetTree] = {name: Coordinate(k) for k, name in enumerate(request.inputs)}

    def tree(form: AffineForm) -> TargetTree:
        return plus([(fmpq(c.numerator, c.denominator), trees[name]) for name, c in form.terms],
                    fmpq(form.constant.numerator, form.constant.denominator))

    probe = _planned(request, [NIL] * len(request.wanted), NIL)
    for w in request.wanted:
        trees[w.name] = put(probe.targets[w.name].tree, tuple(map(tree, w.arguments)))      # type: ignore[attr-defined]
    declared = {o.name: k for k, o in enumerate(request.construction.outputs)}
    if list(declared) != list(request.outputs) and not len(declared) == len(request.outputs) == 1:
        raise InvalidInput(f"The outputs of the plan of {request.construction.name} are {', '.join(request.outputs)}, but "
                           f"{', '.join(declared)} are declared.", "Give them the same names, in the same order.")
    for k, form in enumerate(request.outputs.values()):
        target = request.construction.target_at(request.values, k)
        if not same(tree(form), target.tree):
            raise InvalidInput(f"It is not seen that the plan of {request.construction.name} computes {echo(target.text)}.",
                               "Correct one of them, or write the target as the plan computes it.")


# ---------------------------------------------------------------------------------------------------------------
# passes

@dataclass(frozen=True)
class Planned:
    forward: Pass
    targets: Mapping[str, AnyTarget]
    ranges: Mapping[str, Mapping[str, Span]]


def _planned(request: PlanRequest, accuracies: Sequence[Fraction], delta: Fraction) -> Planned:
    """The pass with errors ±e, each part on the box that it will have."""
    forward = Pass(request.inputs, delta)
    targets, boxes = {}, {}
    for w, e in zip(request.wanted, accuracies, strict=True):
        arguments = [forward.affine(a) for a in w.arguments]
        boxes[w.name] = _ranges(w, forward, arguments)
        with _told(w):
            targets[w.name] = w.target(boxes[w.name])
            forward.apply(w.name, targets[w.name], arguments, w.box(boxes[w.name]), (-e, e))
    return Planned(forward, targets, boxes)


def _ranges(w: Wanted, forward: Pass, arguments: Sequence[Signal]) -> dict[str, Span]:
    return {name: rounded(ends) for name, ends in w.ranges([forward.perturbed(a) for a in arguments]).items()}


def rounded(ends: Span) -> Span:
    """Outwards to a few digits, so that weights stay short; a box that is a point gets some width."""
    low, high = ends
    if low == high:
        half = abs(low) * SMALL if low else SMALL
        low, high = low - half, high + half
    width = high - low
    return _outwards(low, width, -1), _outwards(high, width, 1)


def _outwards(x: Fraction, width: Fraction, side: int) -> Fraction:
    if x.denominator <= SHORT:
        return x
    size, grid = min(width, abs(x)) if x else width, Fraction(1)
    while grid > size / 10 ** 4:
        grid /= 10
    while grid * 10 <= size / 10 ** 4:
        grid *= 10
    return -(-x // grid) * grid if side > 0 else x // grid * grid


@contextmanager
def _told(w: Wanted) -> Iterator[None]:
    """What goes wrong in a part is said of that part."""
    try:
        yield
    except (InvalidInput, Infeasible) as problem:
        raise type(problem)(f"In the part {w.name} ({w.use.name}): {problem.problem}", problem.remedy) from None
    except Undecided as problem:
        raise Infeasible(f"In the part {w.name} ({w.use.name}): {problem.problem}",
                         "Give ranges on which it is defined, with its slopes, errors included.") from None
    except NotDerivable as problem:
        raise Infeasible(f"In the part {w.name} ({w.use.name}): {problem.problem}",
                         "Give smaller ranges, or a smaller --eps.") from None


# ---------------------------------------------------------------------------------------------------------------
# accuracies

def _accuracies(request: PlanRequest) -> list[Fraction]:
    eps, wanted = request.values["eps"], request.wanted
    accuracies, ratios, whole = [NIL] * len(wanted), None, Fraction(1)
    for _ in range(ROUNDS):
        tiny = eps / 10 ** 9                # a source at every part, also where its accuracy is not known yet
        try:
            planned = _planned(request, [e or tiny for e in accuracies], request.delta)
        except (InvalidInput, Infeasible):
            if not any(accuracies):
                raise
            accuracies, whole = [e / 4 for e in accuracies], whole / 4      # arguments leave a domain: ask for more
            continue
        gain = gains(planned.forward.affine(f) for f in request.outputs.values())
        inputs = sum((gain.get(name, NIL) * request.delta for name in request.inputs), NIL)
        room = (eps - inputs) * (1 - MARGIN if len(wanted) > 1 else 1)
        if room <= 0:
            raise Infeasible(f"The inputs alone can cause an error of {decimal_up(inputs, 6)}, eps is {exact_text(eps)}.",
                             "Give a larger --eps or a smaller --delta.")
        factors = [gain.get(w.name, NIL) for w in wanted]
        if ratios is None:
            ratios = _ratios(request, planned, factors, room)
        load = _load(request, planned, dict(zip([w.name for w in wanted], zip(ratios, factors, strict=True), strict=True)))
        new = [whole * (room * share / g / load) if g else whole * eps for share, g in zip(ratios, factors, strict=True)]
        if all(a and abs(a - b) <= a * MARGIN for a, b in zip(accuracies, new, strict=True)):
            return [min(a, b) for a, b in zip(accuracies, new, strict=True)]
        accuracies = [short(e) if e.denominator > SHORT ** 4 else e for e in new]
    return accuracies


def _ratios(request: PlanRequest, planned: Planned, factors: Sequence[Fraction], room: Fraction) -> list[Fraction]:
    """What part of ε each part may use."""
    wanted = request.wanted
    if request.split:
        return given_shares(request.split, [w.name for w in wanted])
    resource = next((str(w.parameters["minimize"]) for w in wanted if w.parameters.get("minimize")), "heads")
    if resource not in LARGEST_COUNTS or len(wanted) == 1:
        return shares([_cost(request, w, planned, resource) for w in wanted], factors, room)

    def needs(ratios: Sequence[Fraction]) -> list[Fraction]:
        found = []
        for w, share, g in zip(wanted, ratios, factors, strict=True):
            asked = {**w.asked(planned.ranges[w.name]), "eps": room * share / g if g else request.values["eps"]}
            with _told(w):
                q = bound(w.use.name, route=w.route, gate=w.gate, **asked).resources[resource]      # type: ignore[arg-type]
            found.append(q.upper or NIL)
        return found
    return equalised(needs, len(wanted))


def _load(request: PlanRequest, planned: Planned, shares_: Mapping[str, tuple[Fraction, Fraction]]) -> Fraction:
    """How much of ε the shares of all parts use at most at one output: parts that go to different ones do not add up."""
    if len(request.outputs) == 1:
        return Fraction(1)
    loads = []
    for form in request.outputs.values():
        arriving = gains([planned.forward.affine(form)])
        loads.append(sum((share * arriving.get(name, NIL) / gain for name, (share, gain) in shares_.items() if gain), NIL))
    return min(Fraction(1), max(loads)) or Fraction(1)


def short(x: Fraction) -> Fraction:
    """Rounded down to six digits."""
    scale = 1
    while x * scale < 10 ** 5:
        scale *= 10
    while x * scale >= 10 ** 6 and scale == 1:
        return Fraction(int(x))
    return Fraction(int(x * scale), scale)


def _above(x: Fraction) -> Fraction:
    """Rounded up to twelve digits, where it is longer than those."""
    return x if x.denominator <= SHORT else round_up_significant(x, 12)


def _cost(request: PlanRequest, w: Wanted, planned: Planned, resource: str) -> Cost:
    """What accuracy costs a part in heads (or neurons, or another resource that adds up), read off its closed forms."""
    from ..derivation.analysis import analyse
    from ..tune.sides import sides_of
    c = w.construction
    chosen = [p for p in c.parameters if p.name in c.route(w.route).chooses and p.name not in w.parameters]
    if not chosen or len(request.wanted) == 1:
        return NoHeads()
    made = _gate(w.gate, Options(tokens=anchors_counted_by(c)), {})
    asked = {k: v for k, v in w.asked(planned.ranges[w.name]).items() if k not in DIRECT}
    values = _checked(c, w.route, made, asked)                      # type: ignore[arg-type]
    analysis = analyse(c, w.route, made, frame_of(c, w.route, made, [k for k, v in values.items() if k != "delta" or v]))
    values |= analysis.internal_values(values)
    (p,) = chosen[:1]
    s = symbol(p.name)
    counted = analysis.resources[resource if analysis.resources["heads"] != 0 else OF_RELU.get(resource, resource)]
    counted = analysis.settled(counted).xreplace({symbol("d"): sp.S.One})
    unit = sp.diff(counted, s)
    if isinstance(p.chosen, Levels):
        free = [side.free for side in sides_of(analysis) if s in side.free.free_symbols]
        at = numbers(values)
        first = [[exact_value(f.xreplace({s: sp.Integer(k)}), at) or NIL for k in range(3)] for f in free]
        steps = [(a - b) / (b - c_) for a, b, c_ in first if b != c_]
        if not steps or not unit.is_number:
            return NoHeads()
        return LevelCost(float(unit), float(max(steps)), float(max(a for a, _, _ in first)))
    if isinstance(p.chosen, Pieces):
        probe = request.values["eps"] / 16
        count = p.chosen.rule.least({**values, "eps": probe}, True)
        return PieceCost(float(unit if unit.is_number else 1) * count * float(probe) ** 0.5, float("inf"))
    return NoHeads()


# ---------------------------------------------------------------------------------------------------------------
# parts

def _derived(request: PlanRequest, accuracies: Sequence[Fraction] | None) -> Composition:
    """Every part by its own construction, in order, on the box that the errors of earlier ones can reach."""
    forward = Pass(request.inputs, request.delta)
    known: dict[object, Bound] = {}
    parts = []
    for k, w in enumerate(request.wanted):
        arguments = [forward.affine(a) for a in w.arguments]
        ranges = _ranges(w, forward, arguments)
        asked = {**w.asked(ranges), **({"eps": accuracies[k]} if accuracies is not None else {})}
        key = (w.use.name, w.route, w.gate, repr(sorted(asked.items(), key=lambda pair: pair[0])))
        with _told(w):
            if key not in known:
                known[key] = bound(w.use.name, route=w.route, gate=w.gate, **asked)         # type: ignore[arg-type]
            found = known[key]
            part = Part(w.name, w.use, found, w.forms, w.arguments, w.box(ranges), error_of(found))
            forward.apply(part.name, part.target, arguments, part.box, part.own)
        parts.append(part)
    made = Composition(request.inputs, request.delta, tuple(parts), request.outputs)
    last = made.forward()           # once more, from the parts alone
    gain = gains(last.affine(f) for f in made.outputs.values())
    return replace(made, parts=sharing([replace(p, gain=gain.get(p.name, NIL)) for p in parts]))


def error_of(found: Bound) -> Span:
    """A rational enclosure of network − target."""
    total = found.analysis.total
    above, below = found.value(total.hi)[1], found.value(-total.lo)[1]
    if above is None or below is None:
        raise Infeasible(f"The error of {found.construction.name} is not bounded.", "Give a smaller range.")
    return min(NIL, -below), max(NIL, above)


def _largest(composition: Composition) -> Fraction:
    return max(max(-a, b) for a, b in composition.error().values())


# ---------------------------------------------------------------------------------------------------------------
# the result: closed forms in the parameters of the parts, m_p, β_p

def _finished(request: PlanRequest, composition: Composition) -> Bound:
    values = {**request.values, **internal_values(request.frame.meaning, request.values)}
    choices: list[Choice] = []
    meaning: dict[str, Expr] = {}
    for part in composition.parts:
        if part.leader not in ("", part.name):
            continue
        renamed, own = part.naming
        if twice := own.keys() & values.keys():
            raise InvalidInput(f"Two numbers of this plan would be called {echo(min(twice))}.", "Rename a use.")
        values |= own
        choices += [replace(c.rewritten(partial(exchange, values=renamed)), name=f"{c.name}_{part.suffix}")
                    for c in part.bound.choices]
        meaning |= {f"{name}_{part.suffix}": e.xreplace(renamed)
                    for name, e in part.bound.analysis.meaning.items() if f"{name}_{part.suffix}" in own}
    fixed: dict[sp.Symbol, Expr] = {}
    while True:
        flat = flat_of(composition, request.construction.copies, fixed)
        empty = [e for e in flat.nonempty if (exact_value(e, numbers(values)) or 0) < 1]
        if not empty:
            break
        fixed |= {s: sp.Integer(int(values[s.name])) for e in empty for s in e.free_symbols if s.name in values}
    analysis = _analysis(request, composition, flat, values, meaning)
    return Bound(analysis, values, tuple(choices), composition=composition)


@dataclass(frozen=True)
class PlanForms(Analysis):
    """Closed forms of a plan on its default domain: gains are numbers there, and hold while no part errs by more than the
    boxes allow, which is among the conditions. `choices` say how parameters follow from shares of ε. Every accuracy from
    `nominal` downwards is reached, each part taking its share of the smaller one on the same box, if none of what a part
    would choose is fixed."""

    choices: tuple[Choice, ...] = ()
    composition: Composition | None = None

    @property
    def nominal(self) -> Expr:
        return _rational(NOMINAL)

    @property
    def fixed_parts(self) -> bool:
        assert self.composition is not None
        return any(c.kind == "given" for part in self.composition.parts for c in part.bound.choices)


def composed_forms(construction: Construction, route: str, said: Mapping[str, Given]) -> PlanForms:
    """Closed forms in the parameters of the parts, m_p, β_p, and in shares of ε, as symbols."""
    found = composed_bound(construction, route, {"eps": NOMINAL, **said}, split=None, given=None)
    analysis, composition = found.analysis, found.composition
    assert composition is not None
    conditions: list[Expr] = []
    choices: list[Choice] = []
    for part in composition.parts:
        if part.leader not in ("", part.name):
            continue
        renamed = part.naming[0]
        radius = part.bound.analysis.total.radius.xreplace(renamed)
        if radius.free_symbols:
            conditions.append(sp.Ge(_rational(short(part.accuracy)), radius, evaluate=False))
        share = {symbol("eps"): part_symbol("share", part.suffix) * symbol("eps") / _rational(part.gain or Fraction(1))}
        known = {s: e for s, e in renamed.items() if s != symbol("eps")}
        choices += [replace(c.rewritten(partial(exchange, values=share)).rewritten(partial(exchange, values=known)),
                            name=f"{c.name}_{part.suffix}") for c in rules(part.bound.analysis)]
    ends = {block.name: tuple(map(_rational, composition.inputs[coordinate_names(block, found.values)[0]]))
            for block in construction.inputs}
    fields_ = {f.name: getattr(analysis, f.name) for f in fields(analysis)}
    counted = {**analysis.resources, "magnitude": resources(analysis.flat, Regime(facts_of(analysis.flat)))["magnitude"]}
    return PlanForms(**{**fields_, "frame": replace(analysis.frame, ends=ends, facts=()), "resources": counted,
                        "of_parts": (*analysis.of_parts, *conditions)}, choices=tuple(choices), composition=composition)


def _analysis(request: PlanRequest, composition: Composition, flat: FlatNetwork, values: Mapping[str, Fraction],
              meaning: Mapping[str, Expr]) -> Analysis:
    counted = resources(flat, Regime(facts_of(flat)))
    at = {s: sp.Rational(v.numerator, v.denominator) for s, v in numbers(values).items()}
    counted["magnitude"] = resources(substitute(flat, at), Regime())["magnitude"]
    counted["logit"] = largest(p.bound.analysis.resources["logit"].xreplace(p.naming[0]) for p in composition.parts) \
        if composition.parts else sp.S.Zero
    last = composition.forward()
    own_errors, stages = {}, []
    for part in composition.parts:
        ends = part.bound.analysis.total
        own = Interval(ends.lo.xreplace(part.naming[0]), ends.hi.xreplace(part.naming[0]))
        own_errors[part.name] = own
        incoming = [max(map(abs, last.error(last.affine(a)))) for a in part.arguments]
        out = last.error(last.signals[part.name])
        incoming_, slope, outgoing = (_rational(_above(x)) for x in (max(incoming), _slope(part, last), max(map(abs, out))))
        stages.append(Stage(StepName((f"{part.name} = {part.construction_name}",)), (), "R11", incoming_, slope, own.radius,
                            outgoing, sp.oo, sp.oo))
    outputs = []
    for name, form in request.outputs.items():
        vectors = _longest(last.affine(form).error)
        worst = max(vectors, key=lambda v: max(abs(e) for e in last.along(v)))
        outputs.append(OutputError(name, _terms(worst, own_errors, request.inputs),
                                   hull(total(_terms(v, own_errors, request.inputs)) for v in vectors)))
    largest_of = max(range(len(outputs)), key=lambda k: max(
        map(abs, last.error(last.affine(list(request.outputs.values())[k])))))
    error, total_error = outputs[largest_of].error, outputs[largest_of].total
    lemmas = tuple({(x.label, x.statement): x for p in composition.parts for x in p.bound.analysis.lemmas}.values())
    gates = {p.bound.analysis.gate for p in composition.parts if p.bound.analysis.supply is None}
    one = len(gates) == 1 and not any(p.bound.analysis.supply for p in composition.parts)
    return Analysis(request.construction, request.route, next(iter(gates)) if one else None, (), None, None,
                    request.frame, None, flat, counted, error, total_error,
                    Propagation(lambda: stages, lambda: sp.oo), lemmas, sp.S.Zero,
                    {**request.frame.meaning, **meaning}, sp.S.Zero, None,
                    tuple((p.name, p.bound.analysis) for p in composition.parts),
                    tuple(dict.fromkeys(_conditions(composition))), tuple(outputs) if len(outputs) > 1 else ())


def _conditions(composition: Composition) -> Iterator[Expr]:
    """What the parts need; what says something of numbers alone was checked when they were derived."""
    for part in composition.parts:
        for c in part.bound.analysis.conditions:
            found = c.func(exchange(c.lhs, part.naming[0]), exchange(c.rhs, part.naming[0]), evaluate=False)
            if found.lhs.free_symbols | found.rhs.free_symbols:
                yield found


def _longest(vectors: Sequence[Vector]) -> list[Vector]:
    """Without those that give no error which another does not give: own errors may be 0, and smaller factors give less."""
    kept: list[Vector] = []
    for v in vectors:
        if not any(_covered(v, w) for w in kept):
            kept = [w for w in kept if not _covered(w, v)]
            kept.append(v)
    return kept


def _covered(v: Vector, w: Vector) -> bool:
    def with_nil(span: Span) -> Span:
        return min(span[0], NIL), max(span[1], NIL)
    return all(inside(c, with_nil(w.get(source, (NIL, NIL)))) for source, c in v.items())


def _terms(vector: Vector, own: Mapping[str, Interval], inputs: Mapping[str, Span]) -> dict[str, Interval]:
    """What every part, and the inputs together, add to the error along one vector."""
    found = {name: _product(i, *vector[name]) for name, i in own.items() if name in vector}
    moved = sum((max(abs(a), abs(b)) for name, (a, b) in vector.items() if name in inputs), NIL)
    return {**found, **({"inputs": Interval.symmetric(_rational(moved) * symbol("delta"))} if moved else {})}


def _rational(x: Fraction) -> Expr:
    return sp.Rational(x.numerator, x.denominator)


def _product(own: Interval, low: Fraction, high: Fraction) -> Interval:
    """g·r for g in [low, high] and r in an interval that contains 0."""
    a, b = _rational(low), _rational(high)
    if low >= 0:
        return Interval(b * own.lo, b * own.hi)
    if high <= 0:
        return Interval(a * own.hi, a * own.lo)
    return Interval(smallest_of(b * own.lo, a * own.hi), largest((b * own.hi, a * own.lo)))


def smallest_of(x: Expr, y: Expr) -> Expr:
    return -largest((-x, -y))


def _slope(part: Part, last: Pass) -> Fraction:
    """The largest Σ|slope| of a part's target between exact and perturbed arguments."""
    exact = [last.affine(a).exact for a in part.arguments]
    vectors = part.target.slopes(exact, list(part.box))
    sizes = [sum((max(abs(a), abs(b)) for a, b in v if a is not None and b is not None), NIL) for v in vectors]
    return max(sizes)


__all__ = ["composed_bound", "error_of", "inside", "rounded"]
