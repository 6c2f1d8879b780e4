"""From a request to a bound: the closed forms, the parameters that were chosen, and every value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import sympy as sp
from sympy import Expr

from ..declarations.frame import (
    InputEnds,
    anchors_counted_by,
    applicable,
    check_parts,
    checked_errors,
    checked_lists,
    checked_ranges,
    domains_of_a_copy,
    frame_of,
    input_errors,
    parts_of_a_copy,
    with_domain,
    with_numbers,
)
from ..declarations.record import Construction, Frame
from ..declarations.registry import construction as construction_named
from ..declarations.registry import information, named
from ..declarations.shared import DELTA, SEQUENCE
from ..derivation.analysis import Analysis, analyse
from ..display import Printed, Shown
from ..errors import BoundcalcError, Infeasible, InvalidInput, SignUnseen, echo, nearest
from ..formulas.enclosure import Undecided, exact_value, greater_than_power_of_ten, less_equal, less_than, upper
from ..formulas.interval import Interval
from ..formulas.parameter import Given as NeverChosen
from ..formulas.parameter import Kind, exactly
from ..formulas.symbols import symbol
from ..gates import Options
from ..gates import gate as gate_named
from ..gates.anchor_grid import AnchorGate
from ..lemmas.record import Lemma
from ..numbers.exact import Shift, decimal_up, exact_text
from ..records import dataclass
from ..terms.entries import weight_bits
from ..terms.gate import Gate
from ..terms.plan import Plan
from ..terms.term import sharper_lemmas
from ..tune import Aim, Choice, choose, choose_integers, meets, numbers
from ..tune.choice import LeastThereIs, Rounded

if TYPE_CHECKING:
    from ..formulas.target import AnyTarget
    from ..networks.families import NetworkFamilies
    from ..networks.network import Network
    from .parts import Composition

Given = str | int | Fraction | tuple[object, ...] | None

HUGE = 1000         # decimal digits beyond which a value is not written out


@dataclass(frozen=True)
class Quantity(Shown):
    """A closed form with its value: exact where rational, and always a rational upper bound (∞ as None).

    What is written for it is at most `limit`, if it is at most that itself: as many digits as it takes."""

    symbolic: Expr
    exact: Fraction | None
    upper: Fraction | None
    rounded: Rounded | None = None
    limit: Fraction | None = None


@dataclass(frozen=True)
class Bound(Printed):
    """A derived bound at exact parameters."""

    analysis: Analysis
    values: Mapping[str, Fraction]
    choices: tuple[Choice, ...]
    minimize: str | None = None         # the resource that free integers make least
    composition: Composition | None = None          # of a plan: its parts
    relative: Fraction | None = None    # where ε and errors are relative to the target: its least absolute value

    @property
    def construction(self) -> Construction:
        return self.analysis.construction

    def knows(self, expr: Expr) -> bool:
        """Whether every symbol has a value: a network without heads has no β."""
        return bool(expr.free_symbols <= numbers(self.values).keys())

    def quantity(self, expr: Expr, rounded: Rounded | None = None) -> Quantity:
        """The value of a closed form, which is shown in the user's own parameters."""
        return Quantity(self.analysis.settled(expr), *self.value(expr), rounded)

    @cached_property
    def _found(self) -> dict[Expr, tuple[Fraction | None, Fraction | None]]:
        """What was valued so far: a report asks for the same closed form in several places."""
        return {}

    def value(self, expr: Expr) -> tuple[Fraction | None, Fraction | None]:
        """The exact value of a closed form where rational, and an upper bound (∞ as None)."""
        expr = self.analysis.evaluable(expr)
        if expr not in self._found:
            if expr.has(sp.oo, sp.nan):
                self._found[expr] = None, None
            else:
                at = numbers(self.values)
                exact = exact_value(expr, at)
                self._found[expr] = exact, exact if exact is not None else upper(expr, at, 25)
        return self._found[expr]

    def within_eps(self, q: Quantity, expr: Expr) -> Quantity:
        """An error whose upper bound is at most ε, where it is so itself."""
        eps = self.values.get("eps")
        if eps is None or q.upper is None:
            return q
        expr, at, digits, above = self.analysis.evaluable(expr), numbers(self.values), 25, q.upper
        if q.exact is None and above > eps and less_than(expr, _rational(eps), at):
            while above > eps:
                digits *= 2
                above = upper(expr, at, digits)
        return replace(q, upper=above, limit=eps)

    def quantity_unless_huge(self, expr: Expr) -> Quantity:
        """The same for a value that may be too large to be written down: then only ∞ is claimed as an upper bound."""
        if expr.has(sp.oo):
            return Quantity(expr, None, None)
        if expr.free_symbols and greater_than_power_of_ten(self.analysis.evaluable(expr), numbers(self.values), HUGE):
            return Quantity(expr, None, None)
        return self.quantity(expr)

    @cached_property
    def resources(self) -> dict[str, Quantity]:
        found = {name: self.quantity(e) for name, e in self.analysis.resources.items()}
        for choice in self.choices:
            if choice.name == "beta":
                rule = choice.rule if choice.rule is not None else symbol("beta")
                found["beta"] = Quantity(rule, choice.value, choice.value, choice.rounded)
        bits = weight_bits(self.analysis.flat, numbers(self.values))
        if bits is not None:
            found["bits"] = self.quantity(sp.Integer(bits))
        return found

    @cached_property
    def error_terms(self) -> dict[str, tuple[Interval, Quantity]]:
        return {name: (i, self.within_eps(self.quantity(i.radius), i.radius)) for name, i in self.analysis.error.items()}

    @cached_property
    def total(self) -> Quantity:
        radius = self.analysis.total.radius
        return self.within_eps(self.quantity(radius), radius)

    @cached_property
    def network(self) -> Network:
        """The exact weights."""
        return self.families.network()

    @cached_property
    def families(self) -> NetworkFamilies:
        """The same by families of entries, nothing written out."""
        from ..terms.materialise import families
        from .about import about_of
        inputs, outputs = self.names()
        return replace(families(self.analysis.flat, numbers(self.values), inputs, outputs), about=about_of(self))

    def input_count(self) -> int:
        c = self.construction
        return sum(c.sizes(self.values)) * c.groups(self.values) * int(self.values.get("L", 1))

    def names(self) -> tuple[list[str], list[str]]:
        """Input and output names: x, y for one copy, x1, y1, x2, y2, … for several; x_1, y_1, x_2, … along a sequence."""
        places = [""] if "L" not in self.values else [f"_{t + 1}" for t in range(int(self.values["L"]))]
        groups = [self.construction.names(self.values, copy, place) for place in places
                  for copy in range(self.construction.groups(self.values))]
        return [x for inputs, _ in groups for x in inputs], [y for _, outputs in groups for y in outputs]

    @cached_property
    def target_functions(self) -> list[AnyTarget]:
        """What the outputs of one copy approximate."""
        return self.construction.targets_at(self.values)

    def targets(self) -> list[AnyTarget]:
        """One for every output, each of the inputs of its own copy."""
        return self.target_functions * (self.input_count() // self.target_functions[0].inputs)

    def target(self, point: list[Fraction]) -> list[Fraction]:
        """The exact function that the network approximates; Undecided where its value is not rational."""
        from ..formulas.target import exact_values
        values = exact_values(self.targets(), point)
        if None in values:
            raise Undecided("The target is not rational at this point.", "Ask for digits of it.")
        return [v for v in values if v is not None]

    def domains(self) -> list[InputEnds]:
        """The exact domain of every input, in their order; None is infinite."""
        one = domains_of_a_copy(self.construction, self.values)
        return one * (self.input_count() // len(one))

    @property
    def shift(self) -> Shift:
        """What every input may be off by: one number, or one for each input."""
        one = input_errors(self.construction, self.values)
        return one * (self.input_count() // len(one)) if isinstance(one, tuple) else one

    def parts_of_domain(self) -> Iterator[list[InputEnds]]:
        """Boxes that make up the domain: one, unless an input has a finite domain or one with a gap."""
        one = parts_of_a_copy(self.construction, self.values)
        return map(list, product(*(one * (self.input_count() // len(one)))))


def _rational(x: Fraction) -> Expr:
    return sp.Rational(x.numerator, x.denominator)


# ---------------------------------------------------------------------------------------------------------------

def bound(name: str, *, route: str | None = None, gate: str | None = None, temperature: str | None = None,
          grid: str | None = None, sentinels: bool = False, sequence: Given = None, codes: str | None = None,
          minimize: str | None = None, relative: bool = False, beta_per_layer: bool = False,
          split: Mapping[str, Given] | None = None, given: Mapping[str, Given] | None = None,
          **parameters: Given) -> Bound:
    """Derive the bound of a construction: `bound("mult", eps="1e-3")`.

    Parameters are exact: rationals as text, int or Fraction; a float is refused. `M=…` or `range=(a, b)` is the domain.
    Integers that are not given are balanced; `minimize` names the resource that they are to make least instead.
    Of a plan, `split` has shares of ε and `given` parameters of single parts: `split={"p": "1/4"}, given={"p.m": 5}`.
    """
    name, parameters = named(name, parameters)
    if is_plan(name, route):
        if relative:
            raise InvalidInput("--relative does not apply to a plan.", "Leave it out.")
        if sequence is not None or codes is not None:
            raise InvalidInput("--sequence does not apply to a plan.", "Leave it out.")
        from .composed import composed_bound
        made = construction_named(name)
        how = made.by_route[route] if route is not None and route in made.by_route else made.routes[0]
        choice = {"route": None if route == how.name else route, "gate": gate, "temperature": temperature, "grid": grid,
                  "sentinels": sentinels or None, "minimize": minimize}
        return composed_bound(made, how.name, {**parameters, **choice}, split=split, given=given)
    if split or given:
        raise InvalidInput("--split and --given are for parts, and this construction has none.", "Leave them out.")
    options = Options(temperature, grid, sentinels, sequence=sequence is not None)
    construction, route, gate = resolve(name, route, gate)
    if construction.numeric and (sequence is not None or codes is not None or relative):
        raise InvalidInput(f"--{'relative' if relative else 'sequence'} does not apply to a network from a file.",
                           "Leave it out.", {"--relative": None, "--sequence": None, "--codes": None})
    if beta_per_layer:
        construction = _with_beta_per_layer(construction, gate)

    def leaf(form: Construction, instead: Mapping[str, Given]) -> Bound:
        return _of_a_leaf(form, route, gate, options, codes, sequence, {**parameters, **instead}, minimize)

    if not relative:
        return leaf(construction, {})
    from .relative import relative_bound
    options = replace(options, tokens=anchors_counted_by(construction))
    checked = _checked(construction, route, _gate(gate, options, parameters), parameters)
    if sequence is not None:
        checked["L"] = SEQUENCE.checked(sequence)
    return relative_bound(construction, route, checked, leaf)


def _with_beta_per_layer(construction: Construction, gate: str | None) -> Construction:
    from ..declarations.of_network import NetworkConstruction
    if not isinstance(construction, NetworkConstruction) or gate is None or not gate_named(gate).parameters or (
            gate_named(gate).supply is not None):
        raise InvalidInput("--beta-per-layer is for networks from files with a gate whose β is free.",
                           "Leave it out, or use --gate silu.", {"--beta-per-layer": None})
    return construction.with_beta_per_layer()


def is_plan(name: str, route: str | None) -> bool:
    """Whether a route puts constructions together. A name that is no route of its own may be one of its parts'."""
    c = construction_named(name)
    how = c.by_route[route] if route is not None and route in c.by_route else c.routes[0]
    return how.composed


def _of_a_leaf(construction: Construction, route: str, gate: str | None, options: Options, codes: str | None,
               sequence: Given, parameters: Mapping[str, Given], minimize: str | None) -> Bound:
    options = replace(options, tokens=anchors_counted_by(construction))
    made = _gate(gate, options, parameters)
    given = _checked(construction, route, made, parameters)
    place = None
    if sequence is not None:
        if len(construction.outputs) > 1:
            raise InvalidInput("--sequence does not apply to a construction with several outputs.", "Leave it out.")
        given["L"] = SEQUENCE.checked(sequence)
        place = _codes(route, made, codes, given)
    elif codes is not None:
        raise InvalidInput("--codes belongs to a sequence.", "Add --sequence L, or leave it out.", {"--codes": None})
    said = [name for name, value in given.items() if name != "delta" or value]
    frame = frame_of(construction, route, made, said, codes=place,
                     right_positive="b" not in given or given["b"] + given["delta"] > 0)
    if construction.numeric:
        frame = with_numbers(_bounded(construction, frame), given)
    try:
        found = _derived(construction, route, made, options, frame, given, minimize)
    except SignUnseen:
        found = _derived(construction, route, made, options, with_numbers(frame, given), given, minimize)
    if not construction.information.bundled and not construction.numeric:
        from .consistency import check_term
        check_term(found)
    return found


def _bounded(construction: Construction, frame: Frame) -> Frame:
    """The frame, if all inputs are bounded."""
    if frame.unbounded:
        name = next(name for name, box in frame.boxes.items() if box.half == sp.oo)
        raise InvalidInput(f"{construction.information.asked} needs --range: nothing says where {name} lies.",
                           "Give --range, for example --range -1,1.", {"--range": "-1,1"})
    return frame


def _derived(construction: Construction, route: str, made: Gate | None, options: Options, frame: Frame,
             given: dict[str, Fraction], minimize: str | None) -> Bound:

    def derive(more: Mapping[str, Fraction], aim: Aim, pairs: bool = False) -> Bound:
        known = {**given, **more}
        if pairs or _may_have_pairs(made, known):
            # two tokens a head have another constant: whether they are enough is another question
            assert isinstance(made, AnchorGate)
            try:
                of_two = gate_named(made.name, replace(options, pairs=True))
                two = {**known, made.supply.tokens: Fraction(2)}
                return _with_two_tokens(best_bound(construction, route, of_two, frame, two, aim))
            except Infeasible:
                if pairs:
                    raise
        return best_bound(construction, route, made, frame, known, aim)

    if minimize is None:
        return derive({}, Aim.BALANCE)
    from .minimum import minimised
    return replace(minimised(derive, construction.route(route).chooses, made, given, minimize), minimize=minimize)


def _may_have_pairs(gate: Gate | None, given: Mapping[str, Fraction]) -> bool:
    return isinstance(gate, AnchorGate) and gate.supply.heads in given and gate.supply.tokens not in given and (
        gate.supply.least_tokens == 3 and not gate.supply.sentinels and "eps" in given)


def _with_two_tokens(found: Bound) -> Bound:
    assert found.analysis.supply is not None
    name = found.analysis.supply.tokens
    least = Choice(name, Fraction(2), "closed", LeastThereIs(symbol(name), 2, symbol("eps")), sp.Integer(2))
    return replace(found, choices=tuple(least if c.name == name else c for c in found.choices))


def best_bound(construction: Construction, route: str, gate: Gate | None, frame: Frame, given: dict[str, Fraction],
          aim: Aim) -> Bound:
    """The bound by a lemma for this gate where there is one, or by plain propagation where that is smaller."""
    found: list[Bound] = []
    refused: dict[int | None, Infeasible] = {}
    try:
        found.append(_shared(construction, route, gate, frame, given, 0, aim))
    except Infeasible as problem:
        refused[0] = problem
    term = construction.route(route).build(frame)
    assert not isinstance(term, Plan)
    lemmas = sharper_lemmas(term, gate.name) if gate is not None else ()
    for k, lemma in enumerate(lemmas[1:], 1):
        if found and not may_help(lemma, found[0]):
            continue
        try:
            found.append(_shared(construction, route, gate, frame, given, k, aim))
        except Infeasible as problem:
            refused[k] = problem
    if found:
        best = min(found, key=_preference)
        return _shared(construction, route, gate, frame, given, None, aim) if _propagation_is_smaller(best) else best
    if not lemmas:
        raise refused[0]
    try:
        return _shared(construction, route, gate, frame, given, None, aim)
    except Infeasible as problem:
        refused[None] = problem
    which: int | None = 0
    if "beta" in given:         # what is named as a remedy is what would be derived
        free = {name: value for name, value in given.items() if name != "beta"}
        used = best_bound(construction, route, gate, frame, free, aim).analysis
        which = next((k for k, lemma in enumerate(lemmas) if lemma.label in {x.label for x in used.lemmas}), None)
    raise refused[which] from None


def may_help(lemma: Lemma, found: Bound) -> bool:
    """Whether a lemma that needs some β can do with less than was found."""
    if "beta" not in found.values:      # a network without heads
        return False
    return lemma.from_beta is None or less_equal(lemma.from_beta, symbol("beta"), numbers(found.values)) is True


def _preference(found: Bound) -> tuple[Fraction, ...]:
    """Of bounds by several lemmas: fewer levels or pieces (where β is given), then the smaller β, then the smaller error."""
    integers = [found.values[name] for name in found.analysis.how.chooses]
    error = found.quantity(found.analysis.own_total.radius).upper
    return (*integers, found.values.get("beta", Fraction(0)), error or Fraction(0))


def _propagation_is_smaller(found: Bound) -> bool:
    propagated = found.analysis.propagated
    if propagated is None:
        return False
    plain, total = found.quantity(propagated.radius).upper, found.quantity(found.analysis.own_total.radius).upper
    return plain is not None and total is not None and plain < total


# what other errors may have of ε where tokens leak: less room for leaks only if something given asks for it
SHARES = (Fraction(9, 10), Fraction(999, 1000), 1 - Fraction(1, 10 ** 6))


def _shared(construction: Construction, route: str, gate: Gate | None, frame: Frame, given: dict[str, Fraction],
            sharper: int | None, aim: Aim) -> Bound:
    analysis = analyse(construction, route, gate, frame, sharper=sharper)
    if analysis.leak is None:
        return _tuned(analysis, gate, given, Fraction(1), sharper, aim)
    if analysis.leak.of_inputs and analysis.reach.has(sp.oo):
        raise Infeasible("On an unbounded domain other tokens can leak any amount into a silu gate.",
                         "Use --gate anchor or --gate anchors, whose values are bounded.", {"--gate": "anchor"})
    for share in SHARES:
        try:
            return _tuned(analysis, gate, given, share, sharper, aim)
        except Infeasible:
            continue
    _tuned(analysis.without_leaks(), gate, given, Fraction(1), sharper, aim)         # says what is wrong, for ε itself
    raise Infeasible("These parameters leave nothing of eps to what leaks between tokens.",
                     "Give a larger --eps, or leave one of them to be derived.")


def _tuned(analysis: Analysis, gate: Gate | None, given: dict[str, Fraction], share: Fraction, sharper: int | None,
           aim: Aim) -> Bound:
    """Every parameter chosen, with the given share of ε for all errors but leaks."""
    given = given | analysis.internal_values(given)
    integers = choose_integers(analysis, {**given, **({"eps": share * given["eps"]} if "eps" in given else {})}, aim)
    values = {**given, **_values(integers)}
    values |= analysis.internal_values(values)
    empty = [e for e in analysis.flat.nonempty if (exact_value(e, numbers(values)) or 0) < 1]
    if empty:
        # a repeat without a single level leaves another network: derive that one
        fixed = {s: sp.Integer(int(values[s.name])) for e in empty for s in e.free_symbols}
        analysis = replace(analyse(analysis.construction, analysis.route, gate, analysis.frame, fixed, sharper),
                           leak=analysis.leak)
    choices, values = choose(analysis, values, integers, share)
    result = with_worst_output(Bound(analysis, values, tuple(choices)))
    if "eps" in values and not meets(analysis, values):
        if any(c.kind != "given" for c in choices) or result.total.upper is None:
            raise BoundcalcError("The chosen parameters do not provably meet eps.", "Please report this as a defect.")
        least = decimal_up(result.total.upper, 7)
        raise Infeasible(f"The error is {least}, above eps = {echo(exact_text(values['eps']))}.",
                         f"Nothing is left to choose here: give an --eps of at least {least}.", {"--eps": least})
    return result


def with_worst_output(found: Bound) -> Bound:
    """Of several outputs, the one with the largest error has its terms shown."""
    if not found.analysis.outputs:
        return found
    sizes = [found.value(o.total.radius)[1] for o in found.analysis.outputs]
    k = max(range(len(sizes)), key=lambda k: (sizes[k] is None, sizes[k] or 0))
    return replace(found, analysis=found.analysis.of_output(k))


def _codes(route: str, gate: Gate | None, codes: str | None, given: Mapping[str, Fraction]) -> str:
    if gate is None:
        raise InvalidInput(f"--sequence does not apply to route {route}: its head looks at all tokens on purpose.",
                           "Use a route with gates.", {"--sequence": None, "--codes": None})
    if "eps" not in given:
        raise InvalidInput("--sequence needs --eps: the score scale follows from it.", "Give --eps.", {"--eps": "1e-3"})
    if codes is not None and not (gate.leak is not None and gate.leak.by_code):
        raise InvalidInput(f"--codes does not apply to gate {gate.name}: its tokens do not look at each other.",
                           "Leave it out.", {"--codes": None})
    return codes or "onehot"


def _values(choices: list[Choice]) -> dict[str, Fraction]:
    return {c.name: c.value for c in choices if c.value is not None}


def closed_forms(name: str, *, route: str | None = None, gate: str | None = None, temperature: str | None = None,
                 grid: str | None = None, sentinels: bool = False, **parameters: Given) -> Analysis:
    """The closed forms alone, with free symbols: no numbers needed. A parameter that is given stands in them as a number."""
    if any(parameters.values()):
        name, parameters = named(name, parameters)
    if is_plan(name, route):
        from .composed import composed_forms
        made_of = construction_named(name)
        return composed_forms(made_of, route or made_of.routes[0].name, {
            "gate": gate, "temperature": temperature, "grid": grid, "sentinels": sentinels or None, **parameters})
    construction, route, gate = resolve(name, route, gate)
    made = _gate(gate, Options(temperature, grid, sentinels, tokens=anchors_counted_by(construction)), parameters)
    if construction.numeric:
        return _of_numbers(construction, route, made, parameters)
    if not parameters:
        try:
            return analyse(construction, route, made, frame_of(construction, route, made, ()))
        except SignUnseen:
            return analyse(construction, route, made, _on_default_domain(construction, route, made))
    given = _read(construction, route, made, parameters)
    ranges = checked_ranges(parameters.get("range"))
    if ranges:
        given = with_domain(construction, made, given, ranges)
    given |= checked_lists(construction, {**parameters, **given})
    frame = frame_of(construction, route, made, [name for name, x in given.items() if name != "delta" or x],
                     right_positive="b" not in given or given["b"] + given.get("delta", 0) > 0)
    analysis = replace(analyse(construction, route, made, frame), given=given)
    empty = [e for e in analysis.flat.nonempty if (at := analysis.with_given(e)).is_Integer and at < 1]
    if empty:           # without a single level there is another network
        fixed = {s: sp.Integer(int(given[s.name])) for e in empty for s in e.free_symbols}
        analysis = replace(analyse(construction, route, made, frame, fixed), given=given)
    from ..formulas.parser import to_text
    for condition in analysis.conditions:
        if condition.func(*map(analysis.settled, condition.args)) == sp.false:
            raise InvalidInput("These parameters are outside of what the closed forms are for.",
                               f"They need {to_text(condition.lhs)} {condition.rel_op} {to_text(condition.rhs)}.")
    return analysis


def _on_default_domain(construction: Construction, route: str, gate: Gate | None) -> Frame:
    """With numbers, where a term has numbers of its own that cannot be compared with symbols."""
    values = with_domain(construction, gate, {}, {})
    frame = with_numbers(frame_of(construction, route, gate, tuple(values)), values)
    at = {symbol(name): _rational(x) for name, x in values.items()}
    return replace(frame, ends={x: (lo.xreplace(at), hi.xreplace(at)) for x, (lo, hi) in frame.ends.items()}, facts=())


def _of_numbers(construction: Construction, route: str, made: Gate | None, parameters: Mapping[str, Given]) -> Analysis:
    """Closed forms on a box of numbers: what follows from ε stays a symbol."""
    values = _checked(construction, route, made, parameters)
    ends = {name for name in values if name in ("M", "a", "b") or name.startswith(("a_", "b_"))}
    said = [name for name in values if name in ends or (name == "delta" and values[name])]
    frame = frame_of(construction, route, made, said)
    analysis = analyse(construction, route, made, with_numbers(_bounded(construction, frame), values))
    return replace(analysis, given={name: x for name, x in values.items() if name != "delta" or x})


def _gate(gate: str | None, options: Options, parameters: Mapping[str, Given]) -> Gate | None:
    """The gate as asked for."""
    if gate is None:
        given = [f"--{o}" for o in ("temperature", "grid", "sentinels") if getattr(options, o)]
        if given:
            raise InvalidInput(f"{' and '.join(given)} does not apply: this route has no gates.", "Leave it out.",
                               dict.fromkeys(given))
        return None
    raw = parameters.get(options.tokens)
    pairs = gate == "anchors" and raw is not None and exactly(options.tokens, raw) == 2
    return gate_named(gate, replace(options, pairs=pairs))


def routes_of(name: str, gated: bool = False, having: Collection[str] = ()) -> list[str]:
    """All routes of a construction, or those that have gates, or these parameters; all, where none has."""
    c = construction_named(name)
    found = [route.name for route in c.routes if route.gated or not gated]
    allowed = {route: {p.name for p in applicable(c, route)} for route in found}
    return [route for route in found if set(having) <= allowed[route]] or found


def resolve(name: str, route: str | None, gate: str | None) -> tuple[Construction, str, str | None]:
    """Names checked and defaults filled in; an option that does not apply is refused."""
    construction = construction_named(name)
    route = route or construction.routes[0].name
    if not construction.route(route).gated:
        if gate is not None:
            gated = [r.name for r in construction.routes if r.gated]
            raise InvalidInput(f"--gate: route {route} of {name} has no ReLU to replace.",
                               f"Leave it out, or add --route {gated[0]}." if gated else "Leave it out.",
                               {"--route": gated[0]} if gated else {"--gate": None})
        return construction, route, None
    gates = information(name).gates
    gate = gate or gates[0]
    if gate not in gates:
        raise InvalidInput(f"There is no gate '{echo(gate)}' for {name}.", f"Its gates are {', '.join(gates)}.",
                           {"--gate": nearest(gate, gates) or gates[0]})
    return construction, route, gate


def _checked(construction: Construction, route: str, gate: Gate | None,
             parameters: Mapping[str, Given]) -> dict[str, Fraction]:
    """The parameters as exact numbers, with the domain filled in where nothing was said."""
    given = _read(construction, route, gate, parameters)
    allowed = {p.name: p for p in applicable(construction, route, *((gate.parameters,) if gate else ()))}
    given = with_domain(construction, gate, given, checked_ranges(parameters.get("range")))
    given |= checked_lists(construction, {**parameters, **given})
    given.setdefault("delta", Fraction(0))
    for p in allowed.values():
        if p.kind is Kind.INTEGER and p.default is not None:
            given.setdefault(p.name, Fraction(p.default))
    _check_needed(construction, given)
    check_parts(construction, given)
    missing = construction.counted
    if missing is not None and missing not in given:
        counts = allowed[missing]
        raise InvalidInput(f"{construction.name} needs --{missing}, the {counts.meaning}.",
                           f"Give --{missing}, for example --{missing} {counts.example}.",
                           {f"--{missing}": counts.example})
    return given


def _check_needed(construction: Construction, given: Mapping[str, Fraction]) -> None:
    """Numbers of its own that have no default must be given."""
    for p in construction.parameters:
        needed = p.kind is Kind.RATIONAL and not p.internal and p.default is None and isinstance(p.chosen, NeverChosen)
        if needed and p.example and p.name not in given:
            raise InvalidInput(f"{construction.name} needs --{p.name}, {p.meaning}.",
                               f"Give --{p.name}, for example --{p.name} {p.example}.", {f"--{p.name}": p.example})


def _read(construction: Construction, route: str, gate: Gate | None, parameters: Mapping[str, Given]) -> dict[str, Fraction]:
    """The numbers among the parameters, each in its range; what does not apply is refused."""
    allowed = {p.name: p for p in applicable(construction, route, *((gate.parameters,) if gate else ()))}
    given: dict[str, Fraction] = {}
    for name, raw in parameters.items():
        if raw is None:
            continue
        if name not in allowed:
            where = f"route {route}" + (f" with gate {gate.name}" if gate else "")
            raise InvalidInput(f"--{echo(name)} does not apply to {construction.name}, {where}.",
                               f"What applies: {', '.join('--' + a for a in allowed)}.", {f"--{name}": None})
        if name == DELTA.name:
            given |= checked_errors(construction, raw)
        elif allowed[name].kind in (Kind.INTEGER, Kind.RATIONAL):
            given[name] = allowed[name].checked(raw)
    return given
