"""From a request to a bound: the closed forms, the parameters that were chosen, and every value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TypeGuard

import sympy as sp
from sympy import Expr

from ..declarations.record import FUNCTION, POSITIVE, WHOLE_LINE, Case, Construction, Setting
from ..declarations.registry import construction as construction_named
from ..declarations.registry import information
from ..derivation.analysis import Analysis, analyse
from ..display import Printed, Shown
from ..errors import BoundcalcError, Infeasible, InvalidInput, echo
from ..formulas.enclosure import exact_value, greater_than_power_of_ten, less_than, upper
from ..formulas.interval import Interval
from ..formulas.symbols import symbol
from ..gates import Options
from ..gates import gate as gate_named
from ..gates.anchor_grid import AnchorGate
from ..networks.network import Network
from ..numbers.exact import decimal_up, exact_text
from ..terms.gate import Gate
from ..terms.materialise import materialise, weight_bits
from ..terms.term import sharper_lemmas
from ..tune import Choice, choose, choose_integers, meets, numbers
from .about import about_of
from .given import checked, checked_range, checked_weights

Given = str | int | Fraction | tuple[object, ...] | None

HUGE = 1000         # decimal digits beyond which a value is not written out


@dataclass(frozen=True)
class Quantity(Shown):
    """A closed form with its value: exact where rational, and always a rational upper bound (∞ as None).

    What is written for it is at most `limit`, if it is at most that itself: as many digits as it takes."""

    symbolic: Expr
    exact: Fraction | None
    upper: Fraction | None
    rounded: str | None = None
    limit: Fraction | None = None


@dataclass(frozen=True)
class Bound(Printed):
    """A derived bound at exact parameters."""

    analysis: Analysis
    values: Mapping[str, Fraction]
    choices: tuple[Choice, ...]

    @property
    def construction(self) -> Construction:
        return self.analysis.construction

    def knows(self, expr: Expr) -> bool:
        """Whether every symbol has a value: a network without heads has no β."""
        return bool(expr.free_symbols <= numbers(self.values).keys())

    def quantity(self, expr: Expr, rounded: str | None = None) -> Quantity:
        """The value of a closed form, which is shown in the user's own parameters."""
        at, shown = numbers(self.values), self.analysis.settled(expr)
        expr = self.analysis.evaluable(expr)
        if expr.has(sp.oo, sp.nan):
            return Quantity(shown, None, None)
        exact = exact_value(expr, at)
        return Quantity(shown, exact, exact if exact is not None else upper(expr, at, 25), rounded)

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
        inputs, outputs = self.names()
        return replace(materialise(self.analysis.flat, numbers(self.values), inputs, outputs), about=about_of(self))

    def input_count(self) -> int:
        size = int(self.values[self.construction.block or "d"]) * int(self.values.get("L", 1))
        return size * len(self.construction.inputs)

    def names(self) -> tuple[list[str], list[str]]:
        """Input and output names: x, y for one copy, x1, y1, x2, y2, … for several; x_1, y_1, x_2, … along a sequence."""
        places = [""] if "L" not in self.values else [f"_{t + 1}" for t in range(int(self.values["L"]))]
        groups = [self._names_of_token(place) for place in places]
        return [x for inputs, _ in groups for x in inputs], [y for _, outputs in groups for y in outputs]

    def _names_of_token(self, place: str) -> tuple[list[str], list[str]]:
        c = self.construction
        size = int(self.values[c.block or "d"])
        marks = [place] if size == 1 else [f"{i + 1}{place}" for i in range(size)]
        inputs = [f"{x}{k}" for k in marks for x in c.inputs]
        if c.block:
            shown = inputs if len(inputs) <= 8 else [inputs[0], "…", inputs[-1]]
            return inputs, [c.output.format(x=(" + " if c.block == "d" else ", ").join(shown))]
        return inputs, [c.output.format(**{x: f"{x}{k}" for x in c.inputs}) for k in marks]

    def target(self, point: list[Fraction]) -> list[Fraction]:
        """The exact function that the network approximates."""
        c, case = self.construction, Case(dict(self.values))
        k = int(self.values[c.block]) if c.block else len(c.inputs)
        return [c.target(point[i:i + k], case) for i in range(0, len(point), k)]

    def domain(self) -> tuple[Fraction | None, Fraction | None]:
        """The exact domain of every input; None is infinite."""
        if self.analysis.setting.half == sp.oo:
            return None, None
        return Case(dict(self.values)).interval


def _rational(x: Fraction) -> Expr:
    return sp.Rational(x.numerator, x.denominator)


# ---------------------------------------------------------------------------------------------------------------

def bound(name: str, *, route: str | None = None, gate: str | None = None, temperature: str | None = None,
          grid: str | None = None, sentinels: bool = False, sequence: Given = None, codes: str | None = None,
          **parameters: Given) -> Bound:
    """Derive the bound of a construction: `bound("mult", eps="1e-3")`.

    Parameters are exact: rationals as text, int or Fraction; a float is refused. `M=…` or `range=(a, b)` is the domain.
    """
    construction, route, gate = resolve(name, route, gate)
    options = Options(temperature, grid, sentinels, sequence=sequence is not None,
                      tokens="p" if construction.block == "n" else "n")
    made = _gate(gate, options, parameters)
    given = _checked(construction, route, made, parameters)
    setting = _setting(construction, made, given)
    if sequence is not None:
        given["L"] = checked("sequence", sequence)
        setting = replace(setting, codes=_codes(route, made, codes, given))
    elif codes is not None:
        raise InvalidInput("--codes belongs to a sequence.", "Add --sequence L, or leave it out.")
    if _may_have_pairs(made, given):
        # two tokens a head have another constant: whether they are enough is another question
        try:
            pairs = gate_named(made.name, replace(options, pairs=True))
            return _with_two_tokens(_best(construction, route, pairs, setting, {**given, made.supply.tokens: Fraction(2)}))
        except Infeasible:
            pass
    return _best(construction, route, made, setting, given)


def _may_have_pairs(gate: Gate | None, given: Mapping[str, Fraction]) -> TypeGuard[AnchorGate]:
    return isinstance(gate, AnchorGate) and gate.supply.heads in given and gate.supply.tokens not in given and (
        gate.supply.least_tokens == 3 and not gate.supply.sentinels and "eps" in given)


def _with_two_tokens(found: Bound) -> Bound:
    assert found.analysis.supply is not None
    name = found.analysis.supply.tokens
    least = Choice(name, Fraction(2), "closed", "{0} = 2, the least there is, meets {1}", sp.Integer(2),
                   about=(symbol(name), symbol("eps")))
    return replace(found, choices=tuple(least if c.name == name else c for c in found.choices))


def _best(construction: Construction, route: str, gate: Gate | None, setting: Setting, given: dict[str, Fraction]) -> Bound:
    """The bound by the lemma for this gate where there is one, or by plain propagation where that is smaller."""
    try:
        found = _shared(construction, route, gate, setting, given, sharper=True)
    except Infeasible as by_lemma:
        if not _has_sharper_lemma(construction, route, gate, setting):
            raise
        try:
            return _shared(construction, route, gate, setting, given, sharper=False)
        except Infeasible as by_rules:
            free = {name: value for name, value in given.items() if name != "beta"}
            if free != given and _best(construction, route, gate, setting, free).analysis.propagated is None:
                raise by_rules from None        # what it names is what would be derived
            raise by_lemma from None
    propagated = found.analysis.propagated
    if propagated is not None:
        plain, total = found.quantity(propagated.radius).upper, found.quantity(found.analysis.own_total.radius).upper
        if plain is not None and total is not None and plain < total:
            return _shared(construction, route, gate, setting, given, sharper=False)
    return found


def _has_sharper_lemma(construction: Construction, route: str, gate: Gate | None, setting: Setting) -> bool:
    return gate is not None and any(name == gate.name for name in sharper_lemmas(construction.routes[route].build(setting)))


# what other errors may have of ε where tokens leak: less room for leaks only if something given asks for it
SHARES = (Fraction(9, 10), Fraction(999, 1000), 1 - Fraction(1, 10 ** 6))


def _shared(construction: Construction, route: str, gate: Gate | None, setting: Setting, given: dict[str, Fraction],
            sharper: bool) -> Bound:
    analysis = analyse(construction, route, gate, setting, sharper=sharper)
    if analysis.leak is None:
        return _tuned(analysis, gate, given, Fraction(1), sharper)
    if analysis.leak.of_inputs and analysis.reach.has(sp.oo):
        raise Infeasible("On an unbounded domain other tokens can leak any amount into a silu gate.",
                         "Use --gate anchor or --gate anchors, whose values are bounded.")
    for share in SHARES:
        try:
            return _tuned(analysis, gate, given, share, sharper)
        except Infeasible:
            continue
    _tuned(analysis.without_leaks(), gate, given, Fraction(1), sharper)         # says what is wrong, for ε itself
    raise Infeasible("These parameters leave nothing of eps to what leaks between tokens.",
                     "Give a larger --eps, or leave one of them to be derived.")


def _tuned(analysis: Analysis, gate: Gate | None, given: dict[str, Fraction], share: Fraction, sharper: bool) -> Bound:
    """Every parameter chosen, with the given share of ε for all errors but leaks."""
    given = given | analysis.internal_values(given)
    integers = choose_integers(analysis, {**given, **({"eps": share * given["eps"]} if "eps" in given else {})})
    values = {**given, **_values(integers)}
    values |= analysis.internal_values(values)
    empty = [e for e in analysis.flat.nonempty if (exact_value(e, numbers(values)) or 0) < 1]
    if empty:
        # a repeat without a single level leaves another network: derive that one
        fixed = {s: sp.Integer(int(values[s.name])) for e in empty for s in e.free_symbols}
        analysis = replace(analyse(analysis.construction, analysis.route, gate, analysis.setting, fixed, sharper),
                           leak=analysis.leak)
    choices, values = choose(analysis, values, integers, share)
    result = Bound(analysis, values, tuple(choices))
    if "eps" in values and not meets(analysis, values):
        if any(c.kind != "given" for c in choices) or result.total.upper is None:
            raise BoundcalcError("The chosen parameters do not provably meet eps.", "Please report this as a defect.")
        least = decimal_up(result.total.upper, 7)
        raise Infeasible(f"The error is {least}, above eps = {echo(exact_text(values['eps']))}.",
                         f"Nothing is left to choose here: give an --eps of at least {least}.")
    return result


def _codes(route: str, gate: Gate | None, codes: str | None, given: Mapping[str, Fraction]) -> str:
    if gate is None:
        raise InvalidInput(f"--sequence does not apply to route {route}: its head looks at all tokens on purpose.",
                           "Use a route with gates.")
    if "eps" not in given:
        raise InvalidInput("--sequence needs --eps: the score scale follows from it.", "Give --eps.")
    if codes is not None and not (gate.leak is not None and gate.leak.by_code):
        raise InvalidInput(f"--codes does not apply to gate {gate.name}: its tokens do not look at each other.",
                           "Leave it out.")
    return codes or "onehot"


def _values(choices: list[Choice]) -> dict[str, Fraction]:
    return {c.name: c.value for c in choices if c.value is not None}


def closed_forms(name: str, *, route: str | None = None, gate: str | None = None, temperature: str | None = None,
                 grid: str | None = None, sentinels: bool = False) -> Analysis:
    """The closed forms alone, with free symbols: no numbers needed."""
    construction, route, gate = resolve(name, route, gate)
    made = _gate(gate, Options(temperature, grid, sentinels, tokens="p" if construction.block == "n" else "n"), {})
    if construction.domain == POSITIVE:
        setting = Setting.positive()
    elif construction.domain == FUNCTION:
        setting = Setting.around(symmetric=False)
    else:
        setting = Setting.whole_line() if _on_whole_line(construction, made) else Setting.symmetric()
    return analyse(construction, route, made, setting)


def _gate(gate: str | None, options: Options, parameters: Mapping[str, Given]) -> Gate | None:
    """The gate as asked for."""
    if gate is None:
        given = [f"--{o}" for o in ("temperature", "grid", "sentinels") if getattr(options, o)]
        if given:
            raise InvalidInput(f"{' and '.join(given)} does not apply: this route has no gates.", "Leave it out.")
        return None
    raw = parameters.get(options.tokens)
    pairs = gate == "anchors" and raw is not None and checked(options.tokens, raw) == 2
    return gate_named(gate, replace(options, pairs=pairs))


def _on_whole_line(construction: Construction, gate: Gate | None) -> bool:
    """Whether the domain is the whole line when the user says nothing."""
    return construction.domain == WHOLE_LINE and not (gate is not None and gate.needs_bounded_input)


def routes_of(name: str, gated: bool = False) -> list[str]:
    """All routes of a construction, or those that have gates."""
    return [route for route, r in construction_named(name).routes.items() if r.gated or not gated]


def resolve(name: str, route: str | None, gate: str | None) -> tuple[Construction, str, str | None]:
    """Names checked and defaults filled in; an option that does not apply is refused."""
    construction = construction_named(name)
    routes = list(construction.routes)
    route = route or routes[0]
    if route not in construction.routes:
        raise InvalidInput(f"{name} has no route '{echo(route)}'.", f"Its routes are {', '.join(routes)}.")
    if not construction.routes[route].gated:
        if gate is not None:
            gated = [r for r in routes if construction.routes[r].gated]
            raise InvalidInput(f"--gate does not apply to route {route} of {name}: it has no ReLU to replace.",
                               f"Leave it out, or use --route {gated[0]}." if gated else "Leave it out.")
        return construction, route, None
    gates = information(name).gates
    gate = gate or gates[0]
    if gate not in gates:
        raise InvalidInput(f"There is no gate '{echo(gate)}' for {name}.", f"Its gates are {', '.join(gates)}.")
    return construction, route, gate


def applicable(construction: Construction, route: str, gate: Gate | None) -> tuple[str, ...]:
    """The parameters that mean something here."""
    own = gate.parameters if gate else ("beta",)
    unit = ("w", "t") if construction.block == "d" else ()
    domain = ("range",) if construction.domain == POSITIVE else ("M", "range")
    return ("eps", "delta", *domain, construction.block or "d", *unit, *construction.routes[route].integers, *own)


def _checked(construction: Construction, route: str, gate: Gate | None,
             parameters: Mapping[str, Given]) -> dict[str, Fraction]:
    allowed = applicable(construction, route, gate)
    given: dict[str, Fraction] = {}
    for name, raw in parameters.items():
        if raw is None:
            continue
        if name not in allowed:
            where = f"route {route}" + (f" with gate {gate.name}" if gate else "")
            raise InvalidInput(f"--{echo(name)} does not apply to {construction.name}, {where}.",
                               f"What applies: {', '.join('--' + a for a in allowed)}.")
        if name == "range":
            given["a"], given["b"] = checked_range(raw)
        elif name == "w":
            given |= {f"w{i + 1}": w for i, w in enumerate(checked_weights(raw))}
        else:
            given[name] = checked(name, raw)
    if "M" in given and "a" in given:
        raise InvalidInput("--M and --range both set the domain.", "Give one of them.")
    given.setdefault("delta", Fraction(0))
    _check_domain(construction, gate, given)
    if construction.block == "n" and "n" not in given:
        raise InvalidInput(f"{construction.name} needs the number of arguments.", "Give --n, for example --n 8.")
    if construction.block != "n":
        weights = sum(name[0] == "w" for name in given)
        if weights and given.setdefault("d", Fraction(weights)) != weights:
            raise InvalidInput(f"--w has {weights} entries, but --d is {given['d']}.", "Give one weight for each input.")
        given.setdefault("d", Fraction(1))
    return given


def _check_domain(construction: Construction, gate: Gate | None, given: dict[str, Fraction]) -> None:
    """The domain, filled in where the user said nothing."""
    if construction.domain == POSITIVE:
        if "a" not in given:
            raise InvalidInput(f"{construction.name} needs a range of positive numbers.",
                               "Give --range, for example --range 1/10,1.")
        if given["a"] <= given["delta"]:
            inputs = "inputs" if not given["delta"] else "inputs with their error delta"
            raise InvalidInput(f"The {inputs} must stay positive, but the range begins at {echo(exact_text(given['a']))}.",
                               f"Give a --range whose left end is above {echo(exact_text(given['delta']))}.")
        return
    if given.get("a") is not None and given["a"] == -given["b"]:
        given["M"] = given.pop("b")
        del given["a"]
    leaks = gate is not None and gate.leak is not None          # what leaks must be bounded
    if "M" not in given and "a" not in given and (leaks or not _on_whole_line(construction, gate)):
        given["M"] = Fraction(1)


def _setting(construction: Construction, gate: Gate | None, given: Mapping[str, Fraction]) -> Setting:
    delta = symbol("delta") if given["delta"] else sp.S.Zero
    if construction.domain == POSITIVE:
        return Setting.positive(delta)
    if construction.domain == FUNCTION:
        weights = tuple(symbol(name) for name in given if name[0] == "w")
        return replace(Setting.around("M" in given, delta), weights=weights or None,
                       shift=symbol("t") if "t" in given else sp.S.Zero)
    if "M" in given:
        return Setting.symmetric(delta)
    if "a" not in given:
        return Setting.whole_line(delta)
    by_right_end = gate is not None and gate.needs_bounded_input and construction.domain == WHOLE_LINE
    positive = given["b"] + given["delta"] > 0
    return Setting.up_to(delta) if by_right_end and positive else Setting.between(delta)
