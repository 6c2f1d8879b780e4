"""What would be cheaper: routes without gates, and one level more or less.

Of the same network with another number of levels all closed forms are known, and are evaluated at other numbers. What is
said here is a comparison: nothing rests on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from ..declarations.frame import frame_of
from ..errors import Infeasible, NotDerivable
from ..formulas.enclosure import exact_value
from ..formulas.parameter import Levels
from ..formulas.symbols import INTERNAL
from ..gates import gate as gate_named
from ..records import dataclass
from ..terms.term import sharper_lemmas
from ..tune import Aim, choose, choose_integers, numbers
from .bound import Bound, best_bound, may_help

COMPARED = ("layers", "heads", "tokens", "parameters", "beta")
PRICES = (*COMPARED, "magnitude")


@dataclass(frozen=True)
class Price:
    """The resource that grows most, what it becomes, and what it is."""

    resource: str
    becomes: Fraction
    instead_of: Fraction


@dataclass(frozen=True)
class Alternative:
    """One option that would change a bound, what is less with it, and what it costs."""

    option: str
    value: str
    resources: Mapping[str, Fraction]
    less: tuple[str, ...]
    price: Price | None


def alternatives(found: Bound) -> tuple[Alternative, ...]:
    """None for a network without numbers to choose, along a sequence, where what leaks decides, and for relative errors."""
    analysis = found.analysis
    if "eps" not in found.values or found.relative is not None or analysis.codes is not None or analysis.gate == "ffn":
        return ()
    ours = _resources(found)
    made = (_compared(option, value, ours, _resources(other)) for option, value, other in _others(found))
    return tuple(a for a in made if a.less)


def _others(found: Bound) -> Iterator[tuple[str, str, Bound]]:
    c = found.construction
    chosen = {choice.name for choice in found.choices}
    target = {name: x for name, x in found.values.items() if name not in INTERNAL and name not in chosen}
    for route in c.routes:
        if not route.gated and route.name != found.analysis.route:
            said = [name for name, x in target.items() if name != "delta" or x]
            frame = frame_of(c, route.name, None, said,
                             right_positive="b" not in target or target["b"] + target["delta"] > 0)
            try:
                yield "route", route.name, best_bound(c, route.name, None, frame, target, Aim.BALANCE)
            except (Infeasible, NotDerivable):
                continue
    given = {choice.name: choice.value for choice in found.choices if choice.kind == "given" and choice.value is not None}
    for name in found.analysis.how.chooses:
        p = c.parameter(name)
        if p is None or not isinstance(p.chosen, Levels) or "beta" in given:
            continue
        level = found.values[name]
        for other in (level - 1, level + 1):
            if other >= (p.least or 0):
                derived = _at_level(found, {**target, **given, name: other})
                if derived is not None:
                    yield name, str(other), derived


def _at_level(found: Bound, given: Mapping[str, Fraction]) -> Bound | None:
    """The bound with another number of levels; None where there is none."""
    analysis = found.analysis
    try:
        known = {**given, **analysis.internal_values(given)}
        if all((exact_value(e, numbers(known)) or 0) >= 1 for e in analysis.flat.nonempty) and not _fixed(found):
            choices, values = choose(analysis, known, choose_integers(analysis, known), Fraction(1))
            made = Bound(analysis, values, tuple(choices))
            if not _others_may_help(made):
                return made
        if analysis.supply is None and analysis.gate is not None:       # another structure, or another lemma
            gate = gate_named(analysis.gate)
            return best_bound(found.construction, analysis.route, gate, analysis.frame, dict(given), Aim.BALANCE)
    except (Infeasible, NotDerivable):
        pass
    return None


def _fixed(found: Bound) -> bool:
    """Whether the closed forms are those of a network without a single level."""
    names = {str(s) for e in found.analysis.resources.values() for s in e.free_symbols}
    return any(name not in names for name in found.analysis.how.chooses)


def _others_may_help(made: Bound) -> bool:
    """Whether a lemma that is not used could do with a smaller β."""
    analysis = made.analysis
    if analysis.gate is None:
        return False
    used = {x.label for x in analysis.lemmas}
    term = analysis.how.build(analysis.frame)
    return any(x.from_beta is not None and x.label not in used and may_help(x, made)
               for x in sharper_lemmas(term, analysis.gate))


def _resources(found: Bound) -> dict[str, Fraction]:
    forms = {name: found.analysis.resources[name] for name in PRICES}
    return {name: value for name, e in forms.items()
            if (value := found.values["beta"] if name == "beta" and "beta" in found.values
                else found.value(e)[1]) is not None}


def _compared(option: str, value: str, ours: Mapping[str, Fraction], theirs: Mapping[str, Fraction]) -> Alternative:
    common = [name for name in PRICES if name in ours and name in theirs]
    less = tuple(name for name in common if name in COMPARED and theirs[name] < ours[name])
    more = [name for name in common if theirs[name] > ours[name] > 0]
    price = None
    if more:
        worst = max(more, key=lambda name: theirs[name] / ours[name])
        price = Price(worst, theirs[worst], ours[worst])
    return Alternative(option, value, {name: theirs[name] for name in COMPARED if name in theirs}, less, price)
