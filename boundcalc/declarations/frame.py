"""From what was said to the frame of a term: which box every input has, in which symbols.

A box is written with M where it is [−M, M], with a and b otherwise, and with a_x and b_x where blocks have boxes of their
own. This is decided here and nowhere else, for bounds, closed forms, claims and networks from files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import sympy as sp
from sympy import Expr

from ..errors import InvalidInput, echo
from ..formulas.interval import Interval
from ..formulas.parameter import Given, Kind, Parameter, interval
from ..formulas.symbols import INTERNAL, exchange, stand_in, symbol
from ..gates.parameters import BETA
from ..numbers.exact import exact_text, rational
from ..terms.gate import Gate
from .record import Box, Construction, Frame, Input, Region
from .shared import COPIES, DELTA, EPS, HALF_WIDTH, RANGE

Ranges = Mapping[str, tuple[Fraction, Fraction]]        # block → its range; "": of every block, or of the function itself
InputEnds = tuple[Fraction | None, Fraction | None]        # of one input; None is infinite
EVERY = ""


# ---------------------------------------------------------------------------------------------------------------
# parameters

def applicable(construction: Construction, route: str, heads: tuple[Parameter, ...] = (BETA,)) -> tuple[Parameter, ...]:
    """The parameters that mean something here; `heads` are those of the gate, if there is one."""
    chosen = construction.route(route).chooses
    own = [p for p in construction.parameters if not p.internal and p.kind is not Kind.INTERVAL]
    return (EPS, DELTA, *(() if _positive(construction) else (HALF_WIDTH,)), construction.own_interval or RANGE,
            *((COPIES,) if construction.copies else ()), *(p for p in own if isinstance(p.chosen, Given)),
            *(p for p in own if p.name in chosen), *heads)


def of_target(construction: Construction) -> tuple[Parameter, ...]:
    """The parameters that target and domain have, whatever the network."""
    return tuple(p for p in applicable(construction, construction.routes[0].name)
                 if p is not BETA and isinstance(p.chosen, Given))


def anchors_counted_by(construction: Construction) -> str:
    """The parameter that counts the tokens of one of many heads: n, unless the construction has one of that name."""
    family = construction.family.parameters if construction.family else ()
    return "p" if any(p.name == "n" for p in (*construction.parameters, *family)) else "n"


def checked_lists(construction: Construction, given: Mapping[str, object]) -> dict[str, Fraction]:
    """Lists entry by entry, and the size of the block that they belong to, where that is not given."""
    found: dict[str, Fraction] = {}
    counted = construction.counted
    for p in construction.lists:
        if given.get(p.name) is None:
            continue
        entries = p.entries(given[p.name])
        found |= {p.entry(k): value for k, value in enumerate(entries)}
        if counted is not None:
            size = found.setdefault(counted, Fraction(len(entries)))
            if size != len(entries) or given.get(counted, size) != size:
                raise InvalidInput(f"--{p.name} has {len(entries)} entries, but --{counted} is {given.get(counted, size)}.",
                                   "Give one number for each input.")
    return found


def checked_ranges(raw: object) -> dict[str, tuple[Fraction, Fraction]]:
    """What a range says: of every block, or, as a mapping, block by block."""
    if raw is None:
        return {}
    return {name: interval(ends) for name, ends in (raw if isinstance(raw, Mapping) else {EVERY: raw}).items()}


def checked_errors(construction: Construction, raw: object) -> dict[str, Fraction]:
    """What --delta says: one number for all inputs or, as a mapping, one for each that is named."""
    if not isinstance(raw, Mapping):
        return {DELTA.name: DELTA.checked(raw)}
    blocks = [i.name for i in construction.inputs]
    found = {name: DELTA.checked(x) for name, x in raw.items()}
    for name, x in found.items():
        if name not in blocks:
            raise InvalidInput(f"{construction.name} has no input '{echo(str(name))}' to give an error.",
                               f"Its inputs are {', '.join(blocks)}.", {"--delta": f"{blocks[0]}={exact_text(x)}"})
    if found.keys() >= set(blocks) and len(set(found.values())) == 1:
        return {DELTA.name: found[blocks[0]]}
    return {DELTA.name: Fraction(0), **{own_error(name): x for name, x in found.items() if x}}


def read_errors(text: str) -> str | dict[str, str]:
    """The value of --delta: a number, or x=… for one input, several with commas between them."""
    if "=" not in text:
        return text
    found: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (x.strip() for x in part.partition("="))
        if not equals or not name or name in found:
            raise InvalidInput(f"--delta takes a number, or NAME=NUMBER once for an input, not '{echo(text)}'.",
                               "For example --delta 1e-4, or --delta x=1e-4,y=1e-5.", {"--delta": "1e-4"})
        found[name] = value
    return found


def own_error(block: str) -> str:
    """What the error of one input is called, where each has its own."""
    return f"{DELTA.name}_{block}"


def error_of(values: Mapping[str, Fraction], block: str) -> Fraction:
    return values.get(own_error(block), values.get(DELTA.name, Fraction(0)))


def input_errors(construction: Construction, values: Mapping[str, Fraction]) -> Fraction | tuple[Fraction, ...]:
    """What every input of one copy is off by: one number, or one for each input, in their order."""
    if not any(own_error(i.name) in values for i in construction.inputs):
        return values.get(DELTA.name, Fraction(0))
    return tuple(error_of(values, block.name) for block in construction.coordinates(values))


def read_ranges(texts: Sequence[str]) -> dict[str, tuple[Fraction, Fraction]]:
    """The values of --range: a,b for every block, x=a,b for one."""
    found: dict[str, tuple[Fraction, Fraction]] = {}
    for text in texts:
        name, equals, ends = text.partition("=")
        name, ends = (name.strip(), ends) if equals else (EVERY, text)
        if equals and not name:
            raise InvalidInput(f"--range '{echo(text)}' names no input.", "Write --range a,b, or --range x=a,b.",
                               {"--range": text.partition("=")[2]})
        if name in found:
            raise InvalidInput(f"--range is given twice{f' for {echo(name)}' if name else ''}.", "Give it once.")
        found[name] = interval(ends)
    return found


def with_domain(construction: Construction, gate: Gate | None, given: Mapping[str, Fraction],
                ranges: Ranges) -> dict[str, Fraction]:
    """The parameters with the ends of all ranges, filled in where nothing was said."""
    values = dict(given)
    blocks = {i.name: i for i in construction.inputs}
    ranges = dict(ranges)
    _check_ranges(construction, values, ranges)
    if construction.own_interval is None and ranges.keys() >= blocks.keys() and len(set(ranges.values())) == 1:
        ranges = {EVERY: next(iter(ranges.values()))}       # a common one
    own = {name: ends for name, ends in ranges.items() if name}
    nothing = EVERY not in ranges and "M" not in values
    separate = any(own_error(name) in values for name in blocks)
    if construction.own_interval is None and (own or separate or (nothing and have_own_boxes(construction))):
        common = ranges.get(EVERY) or ((-values["M"], values.pop("M")) if "M" in values else None)
        for name, block in blocks.items():
            ends = own.get(name) or common or _default(construction, block, gate)
            if ends is not None:
                own[name] = ends
    elif EVERY in ranges:
        values["a"], values["b"] = ranges[EVERY]
    elif nothing:
        interval = construction.own_interval
        default = _ends(interval.default.split(",")) if interval is not None and interval.default else (
            _default(construction, construction.inputs[0], gate))
        if default is not None:
            values["a"], values["b"] = default
    if _positive(construction):
        for name, block in blocks.items():
            _check_above(construction, block, own.get(name, (values.get("a", Fraction(0)), Fraction(0)))[0], values)
    elif "a" in values and values["a"] == -values["b"]:
        values["M"] = values.pop("b")
        del values["a"]
    for name, (low, high) in own.items():
        values[f"a_{name}"], values[f"b_{name}"] = low, high
    return values


def check_parts(construction: Construction, values: Mapping[str, Fraction]) -> None:
    """A gap must leave something of the range."""
    for i in construction.inputs:
        ends = domain_of(construction, values, i.name)
        if i.domain.gap and not i.domain.parts(*ends, values):
            raise InvalidInput(f"Nothing of the range of {i.name} lies outside of its gap.",
                               "Give a larger --range, or a smaller gap.")


def _check_ranges(construction: Construction, values: Mapping[str, Fraction], ranges: Ranges) -> None:
    """Refuse what contradicts itself, or leads out of the domain."""
    blocks = [i.name for i in construction.inputs]
    for name in ranges:
        if name not in (EVERY, *blocks):
            raise InvalidInput(f"{construction.name} has no input '{echo(name)}' to give a range.",
                               f"Its inputs are {', '.join(blocks)}.", {"--range": f"{blocks[0]}={_text(ranges[name])}"})
    if "M" in values and EVERY in ranges:
        raise InvalidInput("--M and --range both set the domain.", "Give one of them.", {"--M": None})
    for i in (i for i in construction.inputs if i.domain.broken):
        ranged = i.name in ranges or (EVERY in ranges and construction.own_interval is None)
        if i.domain.region is Region.FINITE and ranged:
            raise InvalidInput(f"{i.name} takes the values {', '.join(i.domain.values)} only.", "Leave out its --range.",
                               {"--range": None})
        if error_of(values, i.name):
            raise InvalidInput(f"An input error would lead out of the domain of {i.name}, which is no interval.",
                               "Leave out --delta.", {"--delta": None})
    if construction.own_interval is None and ranges.keys() >= set(blocks) and ("M" in values or EVERY in ranges):
        said = "--M" if "M" in values else "--range without a name"
        raise InvalidInput(f"{said} says nothing here: every input has a range of its own.", "Leave it out.")


def _default(construction: Construction, block: Input, gate: Gate | None) -> tuple[Fraction, Fraction] | None:
    """The box of a block where nothing is said; None for the whole line."""
    default = block.domain.default
    if block.domain.region is Region.FINITE:
        values = sorted(Fraction(v) for v in block.domain.values)
        return values[0], values[-1]
    if block.domain.above is not None and default is None:
        one = f"{block.name}=" if len(construction.inputs) > 1 else ""
        raise InvalidInput(f"{construction.name} needs --range: {block.name} must stay positive.",
                           f"Give --range, for example --range {one}1/10,1.", {"--range": f"{one}1/10,1"})
    if default is None:
        if gate is None or not (gate.needs_bounded_input or gate.leak is not None):
            return None
        default = ("-1", "1")                               # what leaks, or is laid on anchors, must be bounded
    return _ends(default)


def _ends(texts: Sequence[str]) -> tuple[Fraction, Fraction]:
    low, high = (rational(text, "--range") for text in texts)
    return low, high


def _text(ends: tuple[Fraction, Fraction]) -> str:
    return ",".join(exact_text(x) for x in ends)


def have_own_boxes(construction: Construction) -> bool:
    """Whether the blocks have different domains where nothing is said."""
    return construction.own_interval is None and len({i.domain for i in construction.inputs}) > 1


def _check_above(construction: Construction, block: Input, low: Fraction, values: Mapping[str, Fraction]) -> None:
    if block.domain.above is None:
        return
    delta = error_of(values, block.name)
    least = rational(block.domain.above, "above") + delta
    if low <= least:
        inputs = "inputs" if not delta else "inputs with their error delta"
        raise InvalidInput(f"The {inputs} must stay positive, but the range begins at {echo(exact_text(low))}.",
                           f"Give a --range whose left end is above {echo(exact_text(least))}.",
                           {"--range": f"{exact_text(least + Fraction(1, 10))},{exact_text(least + 1)}"})


def _positive(construction: Construction) -> bool:
    return any(i.domain.above is not None for i in construction.inputs)


def interval_of(values: Mapping[str, Fraction], block: str = "") -> tuple[Fraction, Fraction] | None:
    """What --M or --range says, of one block or of all."""
    if f"a_{block}" in values:
        return values[f"a_{block}"], values[f"b_{block}"]
    if "M" in values:
        return -values["M"], values["M"]
    return (values["a"], values["b"]) if "a" in values else None


def domain_of(construction: Construction, values: Mapping[str, Fraction], block: str) -> InputEnds:
    """The exact domain of a block; None is infinite."""
    if construction.own_interval is not None and f"a_{block}" not in values:
        return None, None
    return interval_of(values, block) or (None, None)


def domains_of_a_copy(construction: Construction, values: Mapping[str, Fraction]) -> list[InputEnds]:
    """The exact domain of every input of one copy, in their order."""
    coordinates = construction.coordinates(values)
    of = {name: domain_of(construction, values, name) for name in {block.name for block in coordinates}}
    return [of[block.name] for block in coordinates]


def parts_of_a_copy(construction: Construction, values: Mapping[str, Fraction]) -> list[list[InputEnds]]:
    """For every input of one copy the intervals that its domain consists of."""
    return [block.domain.parts(*ends, values) for block, ends in zip(
        construction.coordinates(values), domains_of_a_copy(construction, values), strict=True)]


# ---------------------------------------------------------------------------------------------------------------
# frames

def frame_of(construction: Construction, route: str, gate: Gate | None, said: Collection[str], *,
             right_positive: bool = True, codes: str | None = None) -> Frame:
    """`said` are the names of parameters that have a value, or that a claim mentions. `right_positive` says whether the
    right end of the domain, errors included, is positive, where that is known."""
    if not {"M", "a"} & set(said) and have_own_boxes(construction):
        said = {*said, *(f"a_{i.name}" for i in construction.inputs if i.domain.region is not Region.LINE)}
    deltas = {i.name: next((symbol(x) for x in (own_error(i.name), DELTA.name) if x in said), sp.S.Zero)
              for i in construction.inputs}
    pieces = [_box(construction, block, gate, said, deltas[block.name], right_positive) for block in construction.inputs]
    own, meaning, facts = _parameters(construction, said)
    for piece in pieces:
        meaning |= piece.meaning
        facts += tuple(f for f in piece.facts if f not in facts)
    how = construction.route(route)
    frame = Frame({name: box for piece in pieces for name, box in piece.boxes.items()}, own, deltas, meaning,
                  {name: ends for piece in pieces for name, ends in piece.ends.items()}, facts,
                  tuple(dict.fromkeys(f for piece in pieces for f in piece.exists)), codes)
    if how.stand_ins:
        frame = replace(frame, meaning={**meaning, **{s.name: s.means for s in how.stand_ins}})
    return replace(frame, boxes={**frame.boxes, **how.covers(frame)}) if how.covers else frame


def of_a_plan(frame: Frame, construction: Construction, values: Mapping[str, Fraction]) -> Frame:
    """The frame of a plan: integers of its own are numbers there, since they may say how many uses it has."""
    known = {p.name: sp.Integer(int(values[p.name])) for p in construction.parameters
             if p.kind is Kind.INTEGER and p.name in values}
    return replace(frame, parameters={**frame.parameters, **known})


def coordinate_names(block: Input, values: Mapping[str, Fraction]) -> list[str]:
    """What a plan calls the coordinates of an input."""
    return [f"{block.name}{k + 1}" for k in range(int(values[block.size]))] if block.size else [block.name]


def with_numbers(frame: Frame, values: Mapping[str, Fraction]) -> Frame:
    """The same frame with the numbers of its boxes, for terms whose signs their symbols do not show."""
    ends = {symbol(name): sp.Rational(x.numerator, x.denominator) for name, x in values.items()}
    known = {**ends, **{INTERNAL[name]: exchange(e, ends) for name, e in frame.meaning.items()}}
    boxes = {x: Box(*(exchange(e, known) for e in (box.lo, box.hi, box.centre, box.half))) for x, box in frame.boxes.items()}
    return replace(frame, boxes=boxes)


def _parameters(construction: Construction,
                said: Collection[str]) -> tuple[dict[str, object], dict[str, Expr], tuple[Expr, ...]]:
    """The parameters as a term mentions them; what stand-ins among them mean; what they satisfy."""
    own: dict[str, object] = {"d": symbol("d")}
    for p in construction.parameters:
        match p.kind:
            case Kind.LIST:
                entries = [p.entry(k) for k in range(len(said)) if p.entry(k) in said]
                own[p.name] = tuple(map(symbol, entries)) or None
            case Kind.INTERVAL:
                pass
            case Kind.RATIONAL if p.name not in said and p.default is not None:
                own[p.name] = sp.Rational(p.default)
            case _:
                own[p.name] = symbol(p.name)
    interval = construction.own_interval
    if interval is None:
        return own, {}, ()
    if "M" in said:
        own[interval.name] = Interval.symmetric(symbol("M"))
        return own, {}, ()
    a, b = symbol("a"), symbol("b")
    own[interval.name] = Interval(a, a + INTERNAL["width"])
    return own, {"width": b - a}, (_greater(b, a),)


def _box(construction: Construction, block: Input, gate: Gate | None, said: Collection[str], delta: Expr,
         right_positive: bool) -> Frame:
    """The frame of one block alone."""
    x, bounded = block.name, gate is not None and gate.needs_bounded_input
    if f"a_{x}" in said:
        return _positive_box(x, delta, f"_{x}") if block.domain.above else _between(x, delta, f"_{x}")
    if construction.own_interval is not None:
        return _line(x, delta)
    if block.domain.above is not None:
        return _positive_box(x, delta)
    line = block.domain.region is Region.LINE
    if "M" not in said:
        if "a" in said or _lopsided(block):
            return _up_to(x, delta) if line and bounded and right_positive else _between(x, delta)
        if line and not bounded:
            return _line(x, delta)
    half = symbol("M")
    if delta is sp.S.Zero:
        return _framed(x, sp.S.Zero, half, delta, {}, (-half, half))
    return _framed(x, sp.S.Zero, INTERNAL["half"], delta, {"half": half + delta}, (-half, half))


def _lopsided(block: Input) -> bool:
    """Whether its domain is no [−M, M] where nothing is said."""
    ends = block.domain.default
    return ends is not None and Fraction(ends[0]) != -Fraction(ends[1])


def _line(x: str, delta: Expr) -> Frame:
    return Frame({x: Box(-sp.oo, sp.oo, sp.S.Zero, sp.oo)}, {}, {x: delta}, {}, {x: (-sp.oo, sp.oo)})


def _between(x: str, delta: Expr, suffix: str = "") -> Frame:
    """[a, b]."""
    a, b = symbol(f"a{suffix}"), symbol(f"b{suffix}")
    total, width = _stand_in("sum", suffix, real=True), _stand_in("width", suffix, positive=True)
    return _framed(x, total / 2, width / 2, delta, {f"sum{suffix}": a + b, f"width{suffix}": b - a + 2 * delta}, (a, b))


def _up_to(x: str, delta: Expr) -> Frame:
    """[a, b] with b + δ > 0, for gates that must see that sign."""
    a, b, width, right = symbol("a"), symbol("b"), INTERNAL["width"], INTERNAL["right"]
    found = _framed(x, right - width / 2, width / 2, delta, {"right": b + delta, "width": b - a + 2 * delta}, (a, b))
    return replace(found, exists=(*found.exists, _greater(b + delta, sp.S.Zero)))


def _positive_box(x: str, delta: Expr, suffix: str = "") -> Frame:
    """[a, b] with 0 < a − δ."""
    a, b = symbol(f"a{suffix}"), symbol(f"b{suffix}")
    left, right = _stand_in("left", suffix, positive=True), _stand_in("right", suffix, positive=True)
    found = Frame({x: Box(left, right, (left + right) / 2, (right - left) / 2)}, {}, {x: delta},
                  {f"left{suffix}": a - delta, f"right{suffix}": b + delta}, {x: (a, b)}, (_greater(b, a),))
    return replace(found, exists=(_greater(a, sp.S.Zero), _greater(b, a), *((_greater(a, delta),) if delta != 0 else ())))


def _framed(x: str, centre: Expr, half: Expr, delta: Expr, meaning: Mapping[str, Expr], ends: tuple[Expr, Expr]) -> Frame:
    low, high = ends
    facts = () if low == -high else (_greater(high, low),)
    box = Box(centre - half, centre + half, centre, half)
    return Frame({x: box}, {}, {x: delta}, dict(meaning), {x: ends}, facts, facts)


def _stand_in(name: str, suffix: str, **assumptions: bool) -> sp.Symbol:
    return stand_in(name + suffix, INTERNAL[name].name + suffix, **assumptions) if suffix else INTERNAL[name]


def _greater(large: Expr, small: Expr) -> Expr:
    return sp.Gt(large, small, evaluate=False)
