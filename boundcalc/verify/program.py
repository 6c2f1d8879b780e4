"""A network as a short exact program: what it computes is an affine form of its inputs and of a few nonlinear atoms.

The layers are multiplied out in rationals, and every head is looked at: which function of which forms is it? Nothing is
assumed about how the network was made. A head that is none of the known kinds stays what it is, a softmax mean.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from flint import fmpq

from ..formulas.enclosure import Undecided
from ..networks.network import AffineLayer, AttentionLayer, Head, Layer, Matrix, Network, ReluLayer
from .anchors import AnchorScores, Fed, HeadRun, TokenStates, anchor_head, by_row, staircases
from .balls import rational
from .forms import ONE, ZERO, RationalForm, Value, add, combine, constant_of, factor_of, scale, subtract, variable
from .kernels import StairKernel
from .patience import check_time

HALF = fmpq(1, 2)
Renaming: TypeAlias = Callable[[Value], Value]      # the same form with its variables numbered differently


# --- atoms ------------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Rectified:
    """max(z, 0)."""

    z: RationalForm

    def renamed(self, change: Renaming) -> Rectified:
        return Rectified(_form(change(self.z)))


@dataclass(frozen=True)
class SiluHead:
    """z/(1 + e^(−βz)): two tokens, one of which has the score and the value z, the other 0."""

    z: RationalForm
    beta: fmpq

    def renamed(self, change: Renaming) -> SiluHead:
        return SiluHead(_form(change(self.z)), self.beta)


@dataclass(frozen=True)
class Grid:
    """F(t) = Σ k·w_k/Σ w_k, w_k = e^(−κ(t−k)²), k = 0 … count − 1: a head over equidistant anchors. Several heads are
    Σ_(h<heads) F(t − h·(count − 1)): each carries on where the last one ends."""

    t: RationalForm
    count: int
    kappa: fmpq
    heads: int = 1

    @cached_property
    def kernel(self) -> StairKernel:
        return StairKernel(self.kappa, self.count, self.heads)

    def renamed(self, change: Renaming) -> Grid:
        return Grid(_form(change(self.t)), self.count, self.kappa, self.heads)


@dataclass(frozen=True)
class Tilted:
    """y·tanh(s): two tokens with scores ±s and values ±y."""

    s: RationalForm
    y: Value

    def renamed(self, change: Renaming) -> Tilted:
        return Tilted(_form(change(self.s)), change(self.y))


@dataclass(frozen=True)
class Boltzmann:
    """Σ s_i·softmax(βs)_i: a head whose values are its scores."""

    scores: tuple[RationalForm, ...]
    beta: fmpq

    def renamed(self, change: Renaming) -> Boltzmann:
        return Boltzmann(tuple(_form(change(s)) for s in self.scores), self.beta)


@dataclass(frozen=True)
class Exponent:
    """A form plus products of forms: β times a score, less that of the first token."""

    form: Value
    products: tuple[tuple[RationalForm, RationalForm], ...] = ()

    def renamed(self, change: Renaming) -> Exponent:
        return Exponent(change(self.form), tuple((_form(change(a)), _form(change(b))) for a, b in self.products))


@dataclass(frozen=True)
class Mean:
    """Σ v_i·e^(x_i)·n_i/Σ e^(x_i)·n_i for any exponents x_i, values v_i and multiplicities n_i."""

    exponents: tuple[Exponent, ...]
    values: tuple[Value, ...]
    counts: tuple[int, ...]

    def renamed(self, change: Renaming) -> Mean:
        return Mean(tuple(x.renamed(change) for x in self.exponents), tuple(map(change, self.values)), self.counts)


Atom: TypeAlias = Rectified | SiluHead | Grid | Tilted | Boltzmann | Mean


@dataclass(frozen=True)
class Program:
    """Variables 0 … n − 1 are the inputs, n + i is the i-th atom, whose forms mention earlier variables only."""

    inputs: tuple[str, ...]
    outputs: tuple[Value, ...]
    atoms: tuple[Atom, ...]

    def atom(self, number: int) -> Atom:
        return self.atoms[number - len(self.inputs)]

    def is_input(self, number: int) -> bool:
        return number < len(self.inputs)


def forms_in(atom: Atom) -> list[Value]:
    """All forms that an atom mentions."""
    match atom:
        case Rectified(z=z) | SiluHead(z=z):
            return [z]
        case Grid(t=t):
            return [t]
        case Tilted(s=s, y=y):
            return [s, y]
        case Boltzmann(scores=scores):
            return list(scores)
        case Mean(exponents=exponents, values=values):
            return [*values, *(x.form for x in exponents), *(f for x in exponents for pair in x.products for f in pair)]


# --- from layers to atoms ---------------------------------------------------------------------------------------------

def program_of(network: Network) -> Program:
    """Multiply the layers out."""
    reading = LayerReader(network.inputs)
    state = reading.start()
    for layer in network.layers:
        state = reading.through(layer, state)
    return reading.program(state)


class LayerReader:
    """Layer after layer, the atoms that were met so far."""

    def __init__(self, inputs: tuple[str, ...]) -> None:
        self.inputs = inputs
        self.atoms: list[Atom] = []
        self.known: dict[Atom, int] = {}

    def start(self) -> list[Value]:
        return [variable(k) for k in range(len(self.inputs))]

    def through(self, layer: Layer, state: list[Value]) -> list[Value]:
        match layer:
            case AffineLayer():
                return self._affine(layer, state)
            case ReluLayer():
                return [self._rectified(v) for v in state]
            case AttentionLayer():
                return self.attention(layer, TokenStates(state, layer.dim))

    def program(self, state: list[Value]) -> Program:
        return Program(self.inputs, tuple(state), tuple(self.atoms))

    def _variable(self, atom: Atom) -> RationalForm:
        """The variable of an atom; equal atoms are one variable."""
        check_time()
        number = self.known.get(atom)
        if number is None:
            number = len(self.inputs) + len(self.atoms)
            self.known[atom] = number
            self.atoms.append(atom)
        return variable(number)

    def _affine(self, layer: AffineLayer, state: list[Value]) -> list[Value]:
        result = _times(layer.weight, state)
        for i, x in layer.bias.entries:
            result[i] = add(result[i], rational(x)) if isinstance(result[i], RationalForm) else result[i] + rational(x)
        return result

    def _rectified(self, z: Value) -> Value:
        if not isinstance(z, RationalForm):
            return max(z, ZERO)
        if _leading(z) < 0:     # max(z, 0) = max(−z, 0) + z: so z = max(z, 0) − max(−z, 0) is seen to be z
            return add(self._variable(Rectified(_form(scale(-ONE, z)))), z)
        return self._variable(Rectified(z))

    def attention(self, layer: AttentionLayer, tokens: TokenStates, runs: Sequence[HeadRun] = ()) -> list[Value]:
        """Heads one by one, and runs of heads too many to be listed (Undecided if a run is no staircase)."""
        listed = [*layer.heads, *(run.first for run in runs)]
        rows = listed[0].V.rows if listed else 0
        size = rows * len(layer.query) if listed else (layer.skip.rows if layer.skip else 0)
        parts: list[list[tuple[fmpq, Value]]] = [[] for _ in range(size)]
        if layer.skip is not None:
            for i, j, x in layer.skip.entries:
                parts[i].append((rational(x), tokens.entry(j)))
        for place, column in enumerate(layer.query):
            grids: list[tuple[AnchorScores, Fed]] = []
            for head in layer.heads:
                values = by_row(head.V)
                anchors = anchor_head(head, tokens, tokens.token(column)) if layer.tokens > 2 else None
                read = None if anchors is None else anchors.read(tokens, values)
                if anchors is None or read is None:
                    for i, c, mean in self._head(head, values, tokens.all, tokens.token(column)):
                        parts[place * rows + i].append((c, mean))
                    continue
                for i, constant, _ in read:
                    parts[place * rows + i].append((constant, ONE))
                grids.append((anchors, tuple((i, step) for i, _, step in read if step != 0)))
            stairs = list(staircases(grids, layer.tokens))
            for run in runs:
                check_time()
                found = run.staircase(tokens, tokens.token(column)) if layer.tokens > 2 else None
                if found is None:
                    raise Undecided("There are more heads than can be looked at one by one, and they are no staircase.")
                stairs.append(found[0])
                for i, constant in found[1]:
                    parts[place * rows + i].append((constant, ONE))
            for s in stairs:
                mean = self._variable(Grid(s.t, layer.tokens, s.kappa, s.heads))
                for i, c in s.fed:
                    parts[place * rows + i].append((c, mean))
        return [combine(p) for p in parts]

    def _head(self, head: Head, rows: Mapping[int, list[tuple[int, fmpq]]], tokens: list[list[Value]],
              query: list[Value]) -> list[tuple[int, fmpq, Value]]:
        """(row, factor, mean): rows of V that are multiples of each other share a mean."""
        exponents = self._exponents(head, tokens, query) if rows else []
        means: dict[tuple[tuple[int, fmpq], ...], Value] = {}
        found = []
        for i, entries in rows.items():
            leading = entries[0][1]
            base = tuple((j, x / leading) for j, x in entries)
            if base not in means:
                means[base] = self._mean(exponents, [_dot(base, token) for token in tokens])
            found.append((i, leading, means[base]))
        return found

    def _exponents(self, head: Head, tokens: list[list[Value]], query: list[Value]) -> list[Exponent]:
        """β·(score − score of the first token), where constant keys or queries leave no product of forms."""
        q = [scale(rational(head.beta), x) for x in _times(head.Q, query)]
        entries = [(i, j, rational(x)) for i, j, x in head.K.entries if x and q[i] != 0]
        keys = [_rows(entries, token) for token in tokens]
        found = []
        for key in keys:
            parts: list[tuple[fmpq, Value]] = []
            products = []
            for i, first in keys[0].items():
                difference = subtract(key[i], first)
                if not isinstance(difference, RationalForm):
                    if difference != 0:
                        parts.append((difference, q[i]))
                elif isinstance(factor := q[i], RationalForm):
                    products.append((factor, difference))
                else:
                    parts.append((factor, difference))
            found.append(Exponent(combine(parts), tuple(products)))
        return found

    def _mean(self, exponents: list[Exponent], values: list[Value]) -> Value:
        """The softmax mean of the values."""
        if all(v == values[0] for v in values):
            return values[0]
        if len(values) > 2 and not any(x.products for x in exponents):
            grid = self._grid([x.form for x in exponents], values)      # the only kind with very many tokens
            if grid is not None:
                return grid
        counts: dict[tuple[Exponent, Value], int] = {}
        for pair in zip(exponents, values, strict=True):
            counts[pair] = counts.get(pair, 0) + 1
        tokens = list(counts)
        if all(n == 1 for n in counts.values()) and not any(x.products for x, _ in tokens):
            known = self._known_kind([x.form for x, _ in tokens], [v for _, v in tokens])
            if known is not None:
                return known
        return self._variable(Mean(tuple(x for x, _ in tokens), tuple(v for _, v in tokens), tuple(counts.values())))

    def _known_kind(self, scores: list[Value], values: list[Value]) -> Value | None:
        if len(scores) == 2:
            return self._two(scores, values)
        return self._boltzmann(scores, values)

    def _two(self, scores: list[Value], values: list[Value]) -> Value | None:
        """v_0 + (v_1 − v_0)·σ(s), s = s_1 − s_0."""
        s, v = subtract(scores[1], scores[0]), subtract(values[1], values[0])
        if not isinstance(s, RationalForm):
            return None if s != 0 else combine(((HALF, values[0]), (HALF, values[1])))
        c = factor_of(v, s)
        if isinstance(v, RationalForm) and c and scale(c, s) == v:
            gate = self._silu(v, abs(1 / c))
            # v·σ(βv) where the value rises with the score, v·σ(−βv) = v − v·σ(βv) where it falls
            return add(values[0], gate) if c > 0 else subtract(values[1], gate)
        return combine(((HALF, values[0]), (HALF, values[1]), (HALF, self._variable(Tilted(_form(scale(HALF, s)), v)))))

    def _silu(self, z: RationalForm, beta: fmpq) -> Value:
        """z·σ(βz) = −z·σ(−βz) + z."""
        if _leading(z) < 0:
            return add(self._variable(SiluHead(_form(scale(-ONE, z)), beta)), z)
        return self._variable(SiluHead(z, beta))

    def _grid(self, scores: list[Value], values: list[Value]) -> Value | None:
        """Scores k·G − κk² up to a common term, values v + k·w, k = 0, 1, …, in any order: v + w·F(G/2κ)."""
        direction = next((s for s in scores if isinstance(s, RationalForm)), None)
        if direction is None:
            return None
        tokens = []
        for s, v in zip(scores, values, strict=True):
            slope, value = factor_of(s, direction), subtract(v, values[0])
            if slope is None or isinstance(value, RationalForm):
                return None
            tokens.append((slope, constant_of(s) - slope * direction.constant, value))
        tokens.sort()
        first, second, third = tokens[:3]
        step = tuple(b - a for a, b in zip(first, second, strict=True))
        bend = third[1] - 2 * second[1] + first[1]
        if bend >= 0 or step[2] == 0:
            return None
        for k, (before, after) in enumerate(pairwise(tokens)):
            if (after[0] - before[0], after[1] - before[1], after[2] - before[2]) != (step[0], step[1] + k * bend, step[2]):
                return None
        kappa = -bend / 2
        t = combine(((step[0], direction),), step[1] + kappa)
        mean = self._variable(Grid(_form(scale(1 / (2 * kappa), t)), len(tokens), kappa))
        return combine(((ONE, values[0]), (step[2], mean)), first[2])

    def _boltzmann(self, scores: list[Value], values: list[Value]) -> Value | None:
        """Values v_i = c·(score i) + a common form: ±Σ s_i·softmax(s/|c|)_i with s_i = ±v_i, the sign being that of c."""
        s, v = subtract(scores[1], scores[0]), subtract(values[1], values[0])
        c = factor_of(v, s) if isinstance(s, RationalForm) else None
        if not c:
            return None
        common = subtract(values[0], scale(c, scores[0]))
        if any(subtract(v, scale(c, s)) != common for s, v in zip(scores, values, strict=True)):
            return None
        sign = ONE if c > 0 else -ONE
        own = [scale(sign, v) for v in values]
        if not all(isinstance(x, RationalForm) for x in own):
            return None
        return scale(sign, self._variable(Boltzmann(tuple(map(_form, own)), abs(1 / c))))


def _form(x: Value) -> RationalForm:
    assert isinstance(x, RationalForm)
    return x


def _leading(x: RationalForm) -> fmpq:
    """The coefficient of the last variable: its sign tells z from −z."""
    return x.terms[max(x.terms)]


def _times(matrix: Matrix, state: Sequence[Value]) -> list[Value]:
    result: list[Value] = [ZERO] * matrix.rows
    parts: dict[int, list[tuple[fmpq, Value]]] = {}
    for i, j, x in matrix.entries:
        if x:
            parts.setdefault(i, []).append((rational(x), state[j]))
    for i, p in parts.items():
        check_time()        # a row of a dense layer behind many others is millions of terms
        result[i] = combine(p)
    return result


def _rows(entries: list[tuple[int, int, fmpq]], token: list[Value]) -> dict[int, Value]:
    parts: dict[int, list[tuple[fmpq, Value]]] = {}
    for i, j, x in entries:
        parts.setdefault(i, []).append((x, token[j]))
    return {i: combine(p) for i, p in parts.items()}


def _dot(row: tuple[tuple[int, fmpq], ...], token: list[Value]) -> Value:
    return combine((x, token[j]) for j, x in row)

