"""What a construction says about itself: inputs and outputs, parameters, routes, cases. One record a file.

Everything that other rooms know of a construction they ask here; none of them knows one by name.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp
from sympy import Expr

from ..errors import InvalidInput, echo, nearest
from ..formulas.index import upto
from ..formulas.interval import Interval
from ..formulas.parameter import Kind, Parameter, PieceRule, Pieces
from ..formulas.parser import parse
from ..formulas.symbols import index, symbol
from ..records import dataclass
from ..terms.plan import Plan
from ..terms.term import Copies, Term
from .header import UNREAD, Information

if TYPE_CHECKING:
    from ..formulas.closed_slopes import SymbolicBox
    from ..formulas.piecewise import Piecewise
    from ..formulas.target import AnyTarget, Target

RELATIONS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq}
MOST_NAMES = 8          # of a block in the name of an output


class Region(Enum):
    BOX = "box"
    LINE = "line"
    FINITE = "finite"
    GAP = "gap"


@dataclass(frozen=True)
class InputDomain:
    """Where the coordinates of a block may be. `default` is the box where nothing is said; None: it must be given, or, on
    the line, is not bounded. `above`: every coordinate, its error included, must exceed this number. A finite domain has
    `values` alone; a box with a gap is without the open interval `gap`, whose ends are numbers or a parameter, −w and w. A
    term is built for the whole box all the same."""

    region: Region = Region.BOX
    default: tuple[str, str] | None = ("-1", "1")
    above: str | None = None
    values: tuple[str, ...] = ()
    gap: tuple[str, str] | None = None

    @property
    def broken(self) -> bool:
        """Whether it is less than a box: then an input error may lead out of it."""
        return self.region in (Region.FINITE, Region.GAP)

    def parts(self, low: Fraction | None, high: Fraction | None,
              values: Mapping[str, Fraction]) -> list[tuple[Fraction | None, Fraction | None]]:
        """The intervals that it consists of, within the ends of its box."""
        if self.region is Region.FINITE:
            return [(Fraction(v), Fraction(v)) for v in self.values]
        if self.gap is None:
            return [(low, high)]
        left, right = (_end(text, values) for text in self.gap)
        found = [(low, left if high is None else min(left, high)), (right if low is None else max(right, low), high)]
        return [(a, b) for a, b in found if a is None or b is None or a <= b]


def _end(text: str, values: Mapping[str, Fraction]) -> Fraction:
    name = text.removeprefix("-")
    return (-values[name] if text != name else values[name]) if name in values else Fraction(text)


UNIT = InputDomain()
ANYWHERE = InputDomain(Region.LINE, None)
POSITIVE = InputDomain(default=None, above="0")


@dataclass(frozen=True)
class Input:
    """A block of coordinates; `size` is 1 or the name of the parameter that counts them."""

    name: str
    domain: InputDomain = UNIT
    size: str | None = None
    meaning: str = ""


@dataclass(frozen=True)
class Output:
    """`name` is the block of the term, `target` an expression in inputs and parameters. `written` is what an exported
    network calls it, where that is not the target. A piecewise linear `function` of the one input is the target itself,
    where it has too many pieces for an expression: then that only stands for it where it is shown."""

    name: str
    target: str
    written: str | None = None
    function: Piecewise | None = None


@dataclass(frozen=True)
class Box:
    """Where a block can be, input errors included: [lo, hi] = [centre − half, centre + half]."""

    lo: Expr
    hi: Expr
    centre: Expr
    half: Expr

    @property
    def interval(self) -> Interval:
        return Interval(self.lo, self.hi)


@dataclass(frozen=True)
class Frame:
    """What a term may mention: the box of every input block, and the parameters. All of them may be symbols.

    Terms are written in symbols whose signs are known; `meaning` says what the internal ones are in the user's own
    parameters. `ends` is the exact domain of a block in those, `facts` what they satisfy, and `exists` what they must
    satisfy besides for the network to be there at all.
    """

    boxes: Mapping[str, Box]
    parameters: Mapping[str, object]
    deltas: Mapping[str, Expr]                  # the error of every input block
    meaning: Mapping[str, Expr]
    ends: Mapping[str, tuple[Expr, Expr]]
    facts: tuple[Expr, ...] = ()
    exists: tuple[Expr, ...] = ()
    codes: str | None = None                    # the position codes of a sequence, if there is one

    def __getitem__(self, name: str) -> Expr:
        """A parameter, as a symbol or a number."""
        value = self.parameters[name]
        assert isinstance(value, Expr)
        return value

    def interval(self, name: str) -> Interval:
        value = self.parameters[name]
        assert isinstance(value, Interval)
        return value

    def list(self, name: str) -> tuple[Expr, ...] | None:
        """The numbers of a list; None where none was given."""
        value = self.parameters[name]
        assert value is None or isinstance(value, tuple)
        return value

    def exact(self, block: str) -> Interval:
        """Where exact inputs are: their error δ further inside."""
        box, delta = self.boxes[block], self.deltas[block]
        return Interval(box.lo + delta, box.hi - delta)

    @property
    def known_exactly(self) -> bool:
        """Whether no input has an error."""
        return all(delta == 0 for delta in self.deltas.values())

    @property
    def unbounded(self) -> bool:
        return any(box.half == sp.oo for box in self.boxes.values())


@dataclass(frozen=True)
class StandIn:
    """A symbol for an expression of parameters whose sign sympy would not see (symbols.stand_in)."""

    name: str
    means: Expr


def copies(frame: Frame, term: Term) -> Term:
    return Copies(term, upto(index("c"), frame["d"]))


@dataclass(frozen=True)
class Case:
    """Parameters for the conformance suite, with the gates that they are for; () is every gate."""

    given: Mapping[str, object]
    gates: tuple[str, ...] = ()


@dataclass(frozen=True)
class RelativeForm:
    """How a route is built where the error is to be small relative to the target: its lemmas say so (Lemma.relative)."""

    build: Callable[[Frame], Term]
    pieces: PieceRule
    step: str                   # what its step is
    covers: Callable[[Frame], Mapping[str, Box]] | None = None
    stand_ins: tuple[StandIn, ...] = ()


@dataclass(frozen=True)
class Route:
    """One way to build the network; `composed` says that it is a plan, of other constructions. `chooses` names the
    parameters that follow from ε. `covers` gives boxes on which the network is built where they are larger than those of
    the frame. `attained` names the gates for which the derived error is the supremum on the whole line; `witness` gives a
    point where it is attained. `means` names the gates (None: a route without any) for which every output is a mean of the
    inputs. `words` say in a few words what the network is made of."""

    name: str
    build: Callable[[Frame], Term | Plan]
    gated: bool = True
    composed: bool = False
    chooses: tuple[str, ...] = ()
    stand_ins: tuple[StandIn, ...] = ()
    covers: Callable[[Frame], Mapping[str, Box]] | None = None
    witness: Callable[[Mapping[str, Fraction]], Sequence[Fraction]] | None = None
    attained: tuple[str, ...] = ()
    means: tuple[str | None, ...] = ()
    relative: RelativeForm | None = None
    cases: tuple[Case, ...] = ()
    words: str = ""


@dataclass(frozen=True)
class Family:
    """Constructions that differ in more than numbers: in how many inputs they have, or in the function that is meant.
    `make` gets every parameter by its name, an int, a Fraction, a tuple of them or a text as its kind says, and gives the
    record of this one. What is not said has its default; where there is none, it must be said, and `example` stands for it
    in what is shown of all of them."""

    make: Callable[..., Construction]
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, eq=False)           # there is one record of a construction
class Construction:
    """`copies` says whether there are d copies side by side, inputs interleaved. `far_from_affine` has points (numbers
    times M; the last entry is repeated over a block) and coefficients that annihilate affine maps: the distance of the
    target from all of these is at least |Σ c_k f(x_k)|/Σ|c_k|."""

    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    routes: tuple[Route, ...]
    parameters: tuple[Parameter, ...] = ()
    copies: bool = True
    far_from_affine: tuple[tuple[tuple[str, ...], int], ...] = ()
    map: str = ""               # of one of a family: prose instead of the map of its header
    condition: str = ""         # a relation between inputs that the domain has besides, such as x <= y
    remark: str = ""            # what a table of all constructions must say about its parameters
    cases: tuple[Case, ...] = ()
    information: Information = UNREAD        # the header of its file: the registry fills it in
    family: Family | None = None             # of which it is one, which the registry fills in, too

    @property
    def name(self) -> str:
        return self.information.name

    @property
    def tempered(self) -> bool:
        """Whether every layer has a β of its own."""
        return False

    @property
    def numeric(self) -> bool:
        """Whether its terms are for boxes of numbers, and not of symbols."""
        return False

    @cached_property
    def by_route(self) -> Mapping[str, Route]:
        return {route.name: route for route in self.routes}

    def route(self, name: str) -> Route:
        if name not in self.by_route:
            raise InvalidInput(f"{self.name} has no route '{echo(name)}'.", f"Its routes are {', '.join(self.by_route)}.",
                               {"--route": nearest(name, self.by_route) or self.routes[0].name})
        return self.by_route[name]

    def relative(self, route: str) -> Construction | None:
        """The construction with this route alone, in the form that errs little relative to the target, if it has one."""
        how = self.route(route)
        form = how.relative
        if form is None:
            return None
        if route not in self._relative:
            parameters = tuple(replace(p, chosen=Pieces(form.pieces)) if p.name == form.pieces.name else
                               replace(p, meaning=form.step) if p.name == form.pieces.step else p for p in self.parameters)
            only = replace(how, build=form.build, covers=form.covers, stand_ins=form.stand_ins, relative=None)
            self._relative[route] = replace(self, routes=(only,), parameters=parameters)
        return self._relative[route]

    @cached_property
    def _relative(self) -> dict[str, Construction]:
        return {}

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)

    @property
    def lists(self) -> tuple[Parameter, ...]:
        return tuple(p for p in self.parameters if p.kind is Kind.LIST)

    @property
    def own_interval(self) -> Parameter | None:
        """The interval that belongs to the function itself (where it is clipped, where a hat stands)."""
        return next((p for p in self.parameters if p.kind is Kind.INTERVAL), None)

    @property
    def counted(self) -> str | None:
        """The parameter that counts the coordinates of a block."""
        return next((i.size for i in self.inputs if i.size), None)

    def pieces(self, route: str) -> PieceRule | None:
        """The rule by which a route chooses how many pieces it has."""
        return next((p.chosen.rule for p in self.parameters
                     if isinstance(p.chosen, Pieces) and p.name in self.by_route[route].chooses), None)

    def sizes(self, values: Mapping[str, Fraction]) -> list[int]:
        """How many coordinates each input block of one copy has."""
        return [int(values[i.size]) if i.size else 1 for i in self.inputs]

    def coordinates(self, values: Mapping[str, Fraction]) -> list[Input]:
        """The block of every input of one copy, in their order."""
        return [block for block, size in zip(self.inputs, self.sizes(values), strict=True) for _ in range(size)]

    def groups(self, values: Mapping[str, Fraction]) -> int:
        """How many copies there are."""
        return int(values.get("d", 1)) if self.copies else 1

    def target_at(self, values: Mapping[str, Fraction], output: int = 0) -> Target:
        """The target of an output at concrete sizes and parameters, for one copy. The ends of the function's own interval
        are a and b."""
        sizes = {i.name: size for i, size in zip(self.inputs, self.sizes(values), strict=True)}
        given: dict[str, Fraction | tuple[Fraction, ...]] = {k: v for k, v in values.items() if k not in sizes}
        if self.own_interval is not None:
            given["a"], given["b"] = (-values["M"], values["M"]) if "M" in values else (values["a"], values["b"])
        for p in self.parameters:
            if p.kind is Kind.LIST:
                missing = Fraction(p.default) if p.default is not None else None
                entries = [values.get(p.entry(k), missing) for k in range(sum(sizes.values()))]
                given[p.name] = tuple(x for x in entries if x is not None)
            elif p.default is not None and p.kind is Kind.RATIONAL:
                given.setdefault(p.name, Fraction(p.default))
        from ..formulas.target import Target, target_of
        said = self.outputs[output]
        if said.function is not None:
            return replace(target_of(said.function), text=said.target)
        return replace(Target.of(said.target, sizes, given), again=output > 0)

    def targets_at(self, values: Mapping[str, Fraction]) -> list[AnyTarget]:
        """Those of all outputs of one copy."""
        return [self.target_at(values, k) for k in range(len(self.outputs))]

    def admits(self, point: Sequence[Fraction], values: Mapping[str, Fraction]) -> bool:
        """Whether the side condition holds for every copy."""
        if not self.condition:
            return True
        from ..formulas.target import Target
        (left, relation, right), sizes = split_relation(self.condition), self.sizes(values)
        blocks = {i.name: size for i, size in zip(self.inputs, sizes, strict=True)}
        gap, one = Target.of(f"({left}) - ({right})", blocks), sum(sizes)
        gaps = [gap.exact(point[k:k + one]) for k in range(0, len(point), one)]
        return all(g is not None and RELATIONS[relation](g, 0) for g in gaps)

    def distance_from_affine(self) -> Expr:
        """The bound that `far_from_affine` gives, in M."""
        inputs, (target, *_) = self.names({i.size: Fraction(2) for i in self.inputs if i.size}, copy=0)
        total, weights = sp.S.Zero, 0
        for point, coefficient in self.far_from_affine:
            at = {symbol(x): symbol("M") * sp.Rational(point[min(k, len(point) - 1)]) for k, x in enumerate(inputs)}
            total += coefficient * parse(target).subs(at)
            weights += abs(coefficient)
        return sp.Abs(total) / weights

    def boxes(self, frame: Frame) -> dict[str, SymbolicBox]:
        """Where the coordinates of every input block are, exact and perturbed."""
        from ..formulas.closed_slopes import SymbolicBox
        return {i.name: SymbolicBox(frame.exact(i.name), frame.boxes[i.name].interval, frame[i.size] if i.size else sp.S.One)
                for i in self.inputs}

    def names(self, values: Mapping[str, Fraction], copy: int, place: str = "") -> tuple[list[str], list[str]]:
        """What the inputs and outputs of one copy are called: x, or x1, x2, … where there are several copies or a block."""
        one_of_many = str(copy + 1) if self.groups(values) > 1 else ""
        blocks = {}
        for block, size in zip(self.inputs, self.sizes(values), strict=True):
            marks = [str(k + 1) for k in range(size)] if size > 1 else [one_of_many]
            blocks[block.name] = [f"{block.name}{mark}{place}" for mark in marks]
        inputs = [x for names in blocks.values() for x in names]
        return inputs, [_expanded(o.written or o.target, blocks) for o in self.outputs]


def split_relation(text: str) -> tuple[str, str, str]:
    """The two sides of a relation, and it between them."""
    found = re.fullmatch(r"([^<>=]+)(<=|>=|==|<|>)([^<>=]+)", text.strip())
    if found is None:
        raise InvalidInput(f"'{echo(text)}' is not a relation between inputs.", "For example x <= y.")
    return found[1].strip(), found[2], found[3].strip()


BETWEEN = {"sum": " + ", "product": "*"}         # coordinates of a block that is the only argument


def _expanded(text: str, blocks: Mapping[str, list[str]]) -> str:
    """An expression with the names of coordinates for those of blocks: sum(x) is x1 + x2, product(x) is x1*x2, max(x) is
    max(x1, x2)."""
    def names(match: re.Match[str]) -> str:
        found = blocks.get(match["name"])
        if found is None:
            return match[0]
        shown = found if len(found) <= MOST_NAMES else [found[0], "…", found[-1]]
        return BETWEEN.get(match["all"], ", ").join(shown)
    return re.sub(r"(?:(?P<all>sum|product)\()?\b(?P<name>[A-Za-z]\w*)\b(?!\()(?(all)\))", names, text)
