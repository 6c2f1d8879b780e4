"""An external network against a named target, against expressions in its inputs, or against what its file says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from ..declarations.frame import (
    EVERY,
    InputEnds,
    checked_errors,
    checked_lists,
    checked_ranges,
    domains_of_a_copy,
    input_errors,
    of_target,
    own_error,
    with_domain,
)
from ..declarations.record import Construction
from ..declarations.registry import NETWORK, construction
from ..declarations.registry import known as known_construction
from ..declarations.shared import DELTA, EPS, RANGE
from ..errors import InvalidInput, echo
from ..formulas.notation import to_unicode
from ..formulas.parameter import Kind
from ..formulas.symbols import symbol
from ..formulas.target import AnyTarget, Target, least_size
from ..formulas.target_text import declared, names_in
from ..networks.about import About
from ..networks.network import Network
from ..numbers.exact import Shift
from ..results.verification import Verification
from .verification import Telling, verify_network

GIVEN = (EPS, DELTA, RANGE)             # what may be said beside a target that is an expression
OF_EXPRESSIONS = (*(p.name for p in GIVEN), "relative")
OWN_WORDS = "target, domain and ε"
SHOWN = 4                               # inputs and outputs in the first line
LEGIBLE = 200                           # characters of a target there
MOST_LOOKED_AT = 10 ** 7                # inputs times outputs, to see which output has which inputs


@dataclass(frozen=True)
class Request:
    """What is to be verified: a target for every output and an interval for every input. `name` and `map` are what a reader
    is told, `parameters` exact ones; `least`, where given, is the least |target|: errors are relative to it then.
    `own_words`: what of it is what the file says of itself."""

    name: str
    map: str
    parameters: Mapping[str, Fraction]
    targets: Sequence[AnyTarget]
    domains: Sequence[InputEnds]
    shift: Shift = Fraction(0)
    least: Fraction | None = None
    own_words: str = ""


def request_of_file(network: Network, given: Mapping[str, Any]) -> Request:
    """What the file says that its network computes; what is given besides goes before what it says."""
    about = network.about
    if about is None or (about.construction is None and not about.target):
        raise InvalidInput("The file does not say what its network is to compute.",
                           "Add --target NAME, for example --target mult.")
    if about.construction != NETWORK and (about.construction is None or not known_construction(about.construction)):
        return _of_words(network, about, given)
    c, stated = construction(about.construction), about.parameters
    asked = {k: v for k, v in given.items() if v is not None and v is not False}
    own = _stated(c, stated)
    if about.relative is not None:
        asked.setdefault("relative", True)
    if _claimed(about) is not None:
        own.setdefault("eps", _claimed(about))
    own = {k: v for k, v in own.items() if k not in ("M", "range") or not {"M", "range"} & asked.keys()}
    length = stated.get("L", Fraction(1))
    if length not in range(1, len(network.inputs) + 1):
        raise InvalidInput("The file contradicts itself: its sequence is not as long as it states.",
                           "Add --target NAME, and only the weights are looked at.")
    found = request(network, c.name, {**own, **asked}, int(length))
    if not {"M", "range"} & asked.keys() and about.domain not in ((), tuple(found.domains)):
        raise InvalidInput("The file contradicts itself: its parameters do not mean the domain that it states.",
                           "Add --target NAME and the domain, and only the weights are looked at.")
    return replace(found, own_words=OWN_WORDS)


def _claimed(about: About) -> Fraction | None:
    """The bound that a file states, relative to the target where it says so."""
    error = about.relative if about.relative is not None else about.error
    return error if error is not None and error >= 0 else None


def _of_words(network: Network, about: About, given: Mapping[str, Any]) -> Request:
    """Of a construction that is not known here and is not looked for: its target as it stands in the network's file."""
    if not about.target:
        raise InvalidInput(f"The file is of {echo(str(about.construction))}, a construction that is not known here, and "
                           "does not write out its target.", "Add --target, an expression in its inputs and --range.")
    eps = about.parameters.get("eps", _claimed(about))
    errors = {x: about.parameters.get(own_error(x), about.parameters.get(DELTA.name, Fraction(0))) for x in network.inputs}
    own = {"eps": None if eps is None else EPS.checked(eps), "delta": {x: DELTA.checked(e) for x, e in errors.items() if e}}
    asked = {k: v for k, v in given.items() if v is not None and v is not False}
    try:
        return replace(request_of_expressions(network, about.target, {
            **own, **({} if about.relative is None else {"relative": True}), **asked}, about.construction),
            own_words=OWN_WORDS)
    except InvalidInput as problem:
        raise InvalidInput(f"The file writes out its target: {problem.problem}", problem.remedy) from None


def request_of_expressions(network: Network, texts: Sequence[str], given: Mapping[str, Any],
                           name: str | None = None) -> Request:
    """An expression in the names of the network's inputs for every output; the domain is the file's, or --range says it."""
    known = {k: v for k, v in given.items() if v is not None and v is not False}
    for key in known:
        if key not in OF_EXPRESSIONS:
            raise does_not_apply(f"--{key}")
    if len(texts) != len(network.outputs):
        raise InvalidInput(f"There are {len(texts)} expressions for {len(network.outputs)} outputs.",
                           "Repeat --target, once for every output.")
    targets = _targets(network.inputs, texts)
    ranges = checked_ranges(known.get("range"))
    domains = _domains(network, ranges)
    shift = _shift(network.inputs, known.get("delta", Fraction(0)))
    parameters = {EPS.name: EPS.checked(known["eps"])} if "eps" in known else {}
    return Request(name or "file", _map(network.inputs, targets), parameters, targets, domains, shift,
                   _least(targets, domains) if "relative" in known else None,
                   "" if EVERY in ranges or ranges.keys() >= set(network.inputs) else "domain")


def does_not_apply(option: str) -> InvalidInput:
    return InvalidInput(f"{echo(option)} does not apply to a target that is an expression.",
                        f"What applies: {', '.join('--' + a for a in OF_EXPRESSIONS)}.")


def _map(inputs: Sequence[str], targets: Sequence[Target]) -> str:
    names = [to_unicode(symbol(x)) for x in inputs[:SHOWN]]
    point = ", ".join([*names, *(["…"] if len(inputs) > SHOWN else [])])
    values = [t.unicode if len(t.text) <= LEGIBLE else "…" for t in targets[:SHOWN]]
    value = ", ".join([*values, *(["…"] if len(targets) > SHOWN else [])])
    return f"{point if len(names) == 1 else f'({point})'} ↦ {value if len(values) == 1 else f'({value})'}"


def _targets(inputs: Sequence[str], texts: Sequence[str]) -> list[Target]:
    """Each of the inputs that it mentions, where these follow each other as in copies side by side; else of all inputs."""
    names = [names_in(declared(text)[0]) for text in texts]
    mentioned = [[x for x in inputs if x in own] for own in names] if len(texts) * len(inputs) <= MOST_LOOKED_AT else []
    if all(mentioned) and [x for own in mentioned for x in own] == list(inputs):
        return [Target.of(text, dict.fromkeys(own, 1)) for text, own in zip(texts, mentioned, strict=True)]
    return [replace(Target.of(text, dict.fromkeys(inputs, 1)), again=k > 0) for k, text in enumerate(texts)]


def _domains(network: Network, ranges: Mapping[str, tuple[Fraction, Fraction]]) -> list[InputEnds]:
    unknown = next((x for x in ranges if x != EVERY and x not in network.inputs), None)
    if unknown is not None:
        raise InvalidInput(f"The network has no input '{echo(unknown)}' to give a range.",
                           f"Its inputs are {echo(', '.join(network.inputs))}.")
    stated = dict(zip(network.inputs, network.about.domain if network.about else (), strict=False))
    found = [ranges.get(x) or ranges.get(EVERY) or stated.get(x) for x in network.inputs]
    if None in found:
        raise InvalidInput("--range is missing: the file does not state its domain.",
                           "For example --range -1,1, or --range x=-1,1 for one input.", {"--range": "-1,1"})
    return [ends for ends in found if ends is not None]


def _shift(inputs: Sequence[str], errors: Any) -> Shift:
    if not isinstance(errors, Mapping):
        return DELTA.checked(errors)
    unknown = next((x for x in errors if x not in inputs), None)
    if unknown is not None:
        raise InvalidInput(f"The network has no input '{echo(unknown)}' to give an error.",
                           f"Its inputs are {echo(', '.join(inputs))}.")
    each = tuple(DELTA.checked(errors.get(x, Fraction(0))) for x in inputs)
    return each[0] if len(set(each)) == 1 else each


def _least(targets: Sequence[AnyTarget], domains: Sequence[InputEnds]) -> Fraction:
    found = least_size(targets, domains)
    if not found > 0:
        raise InvalidInput("A relative error needs a target without a zero, and this one may vanish in the domain.",
                           "Give a --range in which it has none.")
    return found


def _stated(c: Construction, stated: Mapping[str, Fraction]) -> dict[str, Any]:
    """What a file says of target and domain, as it would be given; what it says of the network itself is left out."""
    found: dict[str, Any] = {}
    for p in of_target(c):
        if p is DELTA:
            errors = {i.name: stated[own_error(i.name)] for i in c.inputs if own_error(i.name) in stated}
            found |= {p.name: errors or stated[p.name]} if errors or p.name in stated else {}
        elif p.kind is Kind.RATIONAL and p.name in stated:
            found[p.name] = p.checked(stated[p.name])
        elif p.kind is Kind.LIST:
            entries = tuple(stated[p.entry(k)] for k in range(len(stated)) if p.entry(k) in stated)
            found |= {p.name: entries} if entries else {}
        elif p.kind is Kind.INTERVAL:
            names = {EVERY: ("a", "b"), **{i.name: (f"a_{i.name}", f"b_{i.name}") for i in c.inputs}}
            ranges = {name: (stated[a], stated[b]) for name, (a, b) in names.items() if a in stated and b in stated}
            found |= {"range": checked_ranges(ranges)} if ranges else {}
    return found


def request(network: Network, name: str, given: Mapping[str, Any], tokens: int = 1) -> Request:
    """The parameters that mean something for a network whose weights are given; InvalidInput for all others. `tokens` is
    the length of a sequence, where the inputs of one token are not counted by the construction."""
    known = {k: v for k, v in given.items() if v is not None and v is not False}      # flags are False if not given
    relative = known.pop("relative", False)
    c = construction(name)
    allowed = {p.name: p for p in of_target(c)}
    for key in known:
        if key not in allowed:
            raise InvalidInput(f"--{echo(key)} does not apply to a network from a file: its weights are what they are.",
                               f"What applies: {', '.join('--' + a for a in allowed)}.")
    inputs = len(network.inputs) // tokens if c.counted else len(c.inputs)
    copies, rest = divmod(len(network.inputs), inputs)
    outputs = len(c.outputs)
    if rest or copies * outputs != len(network.outputs) or copies < 1:
        many = "one output" if outputs == 1 else f"{outputs} outputs"
        raise InvalidInput(f"{name} has {inputs} input{'s' * (inputs > 1)} and {many}, the network has "
                           f"{len(network.inputs)} and {len(network.outputs)}.",
                           "Give a network of that shape, or several copies of it side by side.")
    sizes = {c.counted: inputs} if c.counted else {"d": copies}
    for key, size in sizes.items():
        if key in known and known[key] != size:
            raise InvalidInput(f"--{key} is {echo(str(known[key]))}, but the network has {size}.", "Leave it out.")
    numbers = {k: v for k, v in known.items() if allowed[k].kind is Kind.RATIONAL and k != DELTA.name}
    numbers |= checked_errors(c, known[DELTA.name]) if DELTA.name in known else {}
    lists = {k: v for k, v in checked_lists(c, known | sizes).items() if k not in sizes}
    parameters = with_domain(c, None, numbers, checked_ranges(known.get("range"))) | lists
    values = {**parameters, **({c.counted: Fraction(inputs)} if c.counted else {"d": Fraction(copies)})}
    one = input_errors(c, values)
    targets, domains = c.targets_at(values) * copies, domains_of_a_copy(c, values) * copies
    return Request(c.name, c.information.map, parameters, targets, domains, one * copies if isinstance(one, tuple) else one,
                   _least(targets, domains) if relative else None)


def verify_file(network: Network, wanted: Request, digits: int = 50, progress: Telling | None = None, *,
                timeout: float | None = None) -> Verification:
    return verify_network(network, wanted.targets, wanted.domains, wanted.parameters.get("eps"), digits=digits,
                          shift=wanted.shift, progress=progress, timeout=timeout, relative=wanted.least)
