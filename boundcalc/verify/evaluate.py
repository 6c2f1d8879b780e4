"""Evaluate a network at a point, to any number of digits.

The network is exact, the point is exact, and every result y comes with |y − true value| ≤ 10^(−digits)·max(1, |y|).
Numbers are integers in units of 2^(−P), exponentials are mpmath's in a private context. Beside the values a bound of
their error is kept (`_Pass`); where P turns out too small, as it may where a huge β multiplies nearly equal scores,
the evaluation is repeated with a larger P. Taken on trust is only that mpmath's exp errs by at most one unit in the
last place. This is a second opinion beside ball arithmetic, which gives the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

from mpmath.ctx_mp import MPContext
from mpmath.libmp import from_man_exp, to_fixed, to_str

from ..errors import BoundcalcError, InvalidInput
from ..networks.network import AffineLayer, AttentionLayer, Head, Layer, Matrix, Network
from ..numbers.exact import floor_log
from .patience import check_time

MAX_PRECISION = 1 << 22   # bits; beyond it an evaluation takes hours
_STEP = 64                # precisions are multiples of it, so that converted weights are used again
_KEPT = 4                 # precisions for which converted weights are kept
MANY = 1000               # tokens of a head, of which most are far from a query

Mpf = Any                 # mpmath has no type stubs, and every context has its own class of numbers


def evaluate(network: Network, point: Sequence[Fraction], digits: int = 50) -> list[Mpf]:
    """The outputs at one point; for many points make one Evaluator."""
    return Evaluator(network, digits)(point)


def to_fraction(x: Mpf) -> Fraction:
    """The exact value of an mpf, which is a binary fraction."""
    sign, mantissa, exponent, _ = x._mpf_
    if not mantissa and exponent:   # how mpmath writes infinities and NaN
        raise BoundcalcError("An infinite value or NaN has no exact value.")
    if abs(exponent) > 4 * MAX_PRECISION:
        raise BoundcalcError("A number with such an exponent is too long to be written as a fraction.")
    value = Fraction(int(mantissa)) * Fraction(2) ** exponent
    return -value if sign else value


def decimal_text(x: Mpf, digits: int) -> str:
    """The value in decimals, with no more digits than are known: the accuracy is 10^(−digits)·max(1, |x|)."""
    size = abs(to_fraction(x))
    known = digits if size >= 1 else digits + floor_log(size, 10) + 1 if size else 0
    return str(to_str(x._mpf_, known)) if known > 0 else "0.0"


class Evaluator:
    """Evaluates one network at many points. Arithmetic with the results is done at the precision of `context`."""

    def __init__(self, network: Network, digits: int = 50) -> None:
        if digits < 1:
            raise InvalidInput(f"{digits} digits were asked for.", "Ask for at least one.")
        self.network = network
        self.digits = digits
        self.context = MPContext()   # never mpmath.mp: its precision is global
        self.context.prec = _ladder(digits * 3322 // 1000 + 1 + _usual_loss(network))
        self._scale = 10**digits
        self._converted: dict[int, list[_Affine | _Attention | None]] = {}

    def __call__(self, point: Sequence[Fraction]) -> list[Mpf]:
        if len(point) != len(self.network.inputs):
            raise InvalidInput(f"The point has {len(point)} coordinates.",
                               f"Give {len(self.network.inputs)}: {', '.join(self.network.inputs)}.")
        start = precision = self.context.prec   # the same at every point: results do not depend on earlier ones
        while precision <= MAX_PRECISION:
            self.context.prec = precision
            try:
                return self._attempt(point)
            except _TooCoarse as problem:
                precision = _ladder(precision + problem.bits)
            finally:
                self.context.prec = start
        raise BoundcalcError(f"The network cannot be evaluated to {self.digits} digits with {MAX_PRECISION} bits.",
                             "Ask for fewer digits, or use smaller weights and inverse temperatures.")

    def _attempt(self, point: Sequence[Fraction]) -> list[Mpf]:
        state = _Pass(self.context, point)
        for layer in self._layers():
            state.apply(layer)
        excess = state.error * self._scale
        for value in state.values:
            if excess > (size := max(1 << state.bits, abs(value))):
                raise _TooCoarse(excess.bit_length() - size.bit_length() + 4)
        return [self.context.make_mpf(from_man_exp(value, -state.bits)) for value in state.values]

    def _layers(self) -> list[_Affine | _Attention | None]:
        bits = self.context.prec
        if bits not in self._converted:
            if len(self._converted) == _KEPT:
                del self._converted[max(self._converted)]
            self._converted[bits] = [_convert(layer, bits) for layer in self.network.layers]
        return self._converted[bits]


def _ladder(precision: int) -> int:
    return -(-precision // _STEP) * _STEP


def _usual_loss(network: Network) -> int:
    """Bits that a network of this kind usually loses: only a first guess, `_Pass` decides."""
    def size(x: Fraction) -> int:
        return max(0, x.numerator.bit_length() - x.denominator.bit_length() + 1)
    return 16 + size(network.beta) + 2 * size(network.magnitude) + 4 * len(network.layers)


# --- weights in units of 2^(-bits), rounded down ----------------------------------------------------------------------

def _fixed(x: Fraction, bits: int) -> int:
    return (x.numerator << bits) // x.denominator


class _Sparse:
    """A matrix: the entries of each nonzero row, how many there are at most, and a bound of the sums of |entries|."""

    def __init__(self, matrix: Matrix, bits: int) -> None:
        rows: dict[int, tuple[list[int], list[int]]] = {}
        for i, j, value in matrix.entries:
            if value:
                columns, values = rows.setdefault(i, ([], []))
                columns.append(j)
                values.append(_fixed(value, bits))
        self.bits = bits
        self.rows = rows
        self.size = matrix.rows
        self.terms = max((len(columns) for columns, _ in rows.values()), default=0)
        self.norm = max((sum(map(abs, values)) for _, values in rows.values()), default=0) + self.terms

    def times(self, vector: Sequence[int] | dict[int, int]) -> dict[int, int]:
        """The nonzero rows of matrix·vector."""
        bits = self.bits
        return {i: sum(map(mul, [vector[j] for j in columns], values)) >> bits
                for i, (columns, values) in self.rows.items()}

    def columns(self) -> list[int]:
        return sorted({j for columns, _ in self.rows.values() for j in columns})


class _Affine:
    def __init__(self, layer: AffineLayer, bits: int) -> None:
        self.weight = _Sparse(layer.weight, bits)
        self.bias = [(i, _fixed(value, bits)) for i, value in layer.bias.entries]


class _Head:
    def __init__(self, head: Head, bits: int) -> None:
        check_time()
        self.query = _Sparse(head.Q, bits)
        # Kᵀ, without the rows of K that meet a zero row of Q
        entries = tuple((j, i, x) for i, j, x in head.K.entries if i in self.query.rows)
        self.key = _Sparse(Matrix(head.K.cols, head.K.rows, entries), bits)
        self.value = _Sparse(head.V, bits)
        self.read = self.value.columns()
        self.beta = _fixed(head.beta, bits)


class _Attention:
    def __init__(self, layer: AttentionLayer, bits: int) -> None:
        self.dim, self.tokens, self.query = layer.dim, layer.tokens, layer.query
        self.heads = [_Head(head, bits) for head in layer.heads]
        self.skip = _Sparse(layer.skip or Matrix(0, 0), bits)
        self.rows = layer.heads[0].V.rows if layer.heads else 0
        self.size = self.rows * len(layer.query) if layer.heads else self.skip.size


def _convert(layer: Layer, bits: int) -> _Affine | _Attention | None:
    if isinstance(layer, AffineLayer):
        return _Affine(layer, bits)
    return _Attention(layer, bits) if isinstance(layer, AttentionLayer) else None


# --- one evaluation -------------------------------------------------------------------------------------------------

class _TooCoarse(Exception):
    """The precision does not suffice; `bits` more may."""

    def __init__(self, bits: int) -> None:
        super().__init__(bits)
        self.bits = bits


class _Pass:
    """One evaluation: `values`, each within `error` of the true value, none larger than `largest`.

    All are integers in units of 2^(−bits). Rounding is always down: each rounded product or weight is off by less than
    one unit.
    """

    def __init__(self, context: MPContext, point: Sequence[Fraction]) -> None:
        self.context = context
        self.bits: int = context.prec
        self.values = [_fixed(Fraction(x), self.bits) for x in point]
        self.largest = _largest(self.values)
        self.error = 1

    def _up(self, x: int, y: int) -> int:
        """x·y for non-negative bounds, rounded up."""
        return (x * y >> self.bits) + 1

    def _product_error(self, matrix: _Sparse, error: int, largest: int) -> int:
        """How far matrix·vector is off if the vector is off by `error`: W(x̂−x), then (Ŵ−W)x̂, then the rounding."""
        return self._up(matrix.norm, error) + self._up(matrix.terms, largest) + 1

    def apply(self, layer: _Affine | _Attention | None) -> None:
        """Pass through one layer (None is ReLU)."""
        if layer is None:
            self.values = [max(x, 0) for x in self.values]
            return
        self.values, self.error = self._affine(layer) if isinstance(layer, _Affine) else self._attention(layer)
        self.largest = _largest(self.values)
        if self.error.bit_length() > self.bits:   # beyond 1 the bounds below would not hold
            raise _TooCoarse(self.error.bit_length() - self.bits + 8)

    def _affine(self, layer: _Affine) -> tuple[list[int], int]:
        values = _dense(layer.weight.times(self.values), layer.weight.size)
        for i, x in layer.bias:
            values[i] += x
        return values, self._product_error(layer.weight, self.error, self.largest) + 1

    def _attention(self, layer: _Attention) -> tuple[list[int], int]:
        tokens = _Tokens(self.values, layer.dim, layer.tokens, self.bits)
        values = _dense(layer.skip.times(self.values), layer.size)
        worst = 0
        for place, column in enumerate(layer.query):
            error = 0
            for head in layer.heads:
                check_time()
                mean, mean_error = self._mean(head, tokens, tokens.one(column))
                for i, x in head.value.times(mean).items():
                    values[place * layer.rows + i] += x
                error += self._product_error(head.value, mean_error, self.largest + 1)
            worst = max(worst, error)
        return values, worst + self._product_error(layer.skip, self.error, self.largest)

    def _mean(self, head: _Head, tokens: _Tokens, query: list[int]) -> tuple[dict[int, int], int]:
        """Z·softmax(β(KZ)ᵀQz) in the coordinates that V reads, and a bound of its error."""
        # together, the tokens below e^(−cutoff) have less than 2^(−bits) of the mass
        cutoff = self.bits + 16 + tokens.count.bit_length()
        looked_at, scores, score_error = self._scores(head, tokens, query, cutoff)
        top = max(scores)
        kept, weights, gap = [], [], 0
        for token, score in zip(looked_at, scores, strict=True):
            exponent = head.beta * (score - top) >> self.bits
            if exponent >= -cutoff << self.bits:
                kept.append(token)
                weights.append(self._exp(exponent))
                gap = max(gap, top - score)
        # α bounds how far the exponents are off: two scores, then β, then the rounding
        alpha = self._up(head.beta + 1, 2 * score_error) + self._up(gap, 1) + 1
        if alpha >> (self.bits - 3):
            raise _TooCoarse(alpha.bit_length() - self.bits + 8)
        total = sum(weights)
        mean, spread = {}, 0
        for c in head.read:
            column = [token[c] for token in kept]
            mean[c] = middle = sum(map(mul, column, weights)) // total
            spread = max(spread, sum(map(mul, [abs(x - middle) for x in column], weights)) // total + 1)
        # With α ≤ 1/8 the weights change by factors between e^(−2α) and e^(2α); as Σ w (z − mean) = 0, the mean changes
        # by at most (e^(2α) − 1)·Σ w |z − mean| ≤ 3α·spread: the sensitivity at this point, small where it saturates.
        # Every weight is off by 2 more units (exp), which moves the mean by 4·largest each, as does what was left out.
        rounding = self._up(4 * (len(kept) + 1) * self.largest, 1) + 2
        return mean, self.error + 3 * self._up(alpha, spread) + rounding

    def _scores(self, head: _Head, tokens: _Tokens, query: list[int],
                cutoff: int) -> tuple[list[list[int]], list[int], int]:
        """Tokens, all but such as are surely below e^(−cutoff), their scores ⟨Kᵀ(Qz), token⟩, and a bound of errors."""
        q = head.query.times(query)
        q_error = self._product_error(head.query, self.error, self.largest)
        t = head.key.times(q)
        t_error = self._product_error(head.key, q_error, _largest(q.values()))
        places, factors = list(t), list(t.values())
        looked_at = tokens.near(places, factors, head.beta, cutoff)
        scores = [sum(map(mul, [token[c] for c in places], factors)) >> self.bits for token in looked_at]
        # t̂ẑ − tz = t̂(ẑ − z) + (t̂ − t)z, and the rounding
        error = self._up(sum(map(abs, factors)), self.error)
        return looked_at, scores, error + self._up(len(factors) * t_error, self.largest + self.error) + 1

    def _exp(self, x: int) -> int:
        """exp(x) for x ≤ 0, off by at most 2 units."""
        if not x:
            return 1 << self.bits
        return to_fixed(self.context.exp(self.context.make_mpf(from_man_exp(x, -self.bits)))._mpf_, self.bits)


class _Tokens:
    """The values before a layer, token by token, in units of 2^(−bits)."""

    def __init__(self, values: list[int], dim: int, count: int, bits: int) -> None:
        self.values, self.dim, self.count, self.bits = values, dim, count, bits
        self._floats: dict[int, Any] = {}

    def one(self, k: int) -> list[int]:
        return self.values[k * self.dim : (k + 1) * self.dim]

    def near(self, places: list[int], factors: list[int], beta: int, cutoff: int) -> list[list[int]]:
        """Tokens whose exponents may be within `cutoff` of the largest. Where there are many tokens, float64 leaves out
        those that are below it by more than all rounding: with n terms of size S each of ≤ (n + 4)·2^(−52)·S."""
        if self.count <= MANY:
            return [self.one(k) for k in range(self.count)]
        import numpy as np
        hot = self._float(beta)
        own = [self._float(f) for f in factors]
        columns = [self._column(c) for c in places]
        with np.errstate(all="ignore"):     # NaN compares as not below
            scores = sum((f * column for f, column in zip(own, columns, strict=True)), np.zeros(self.count))
            size = sum((abs(f) + 1) * (float(np.max(np.abs(column))) + 1) for f, column in zip(own, columns, strict=True))
            off = 2 * (hot + 1) * size * (len(own) + 4) * 2.0**-52
            drop = hot * (scores - np.max(scores)) < -(cutoff + 2 + off) * (1 + 2.0**-40)
        return [self.one(int(k)) for k in np.flatnonzero(~drop)]

    def _column(self, c: int) -> Any:
        if c not in self._floats:
            import numpy as np
            self._floats[c] = np.array([self._float(x) for x in self.values[c :: self.dim]])
        return self._floats[c]

    def _float(self, x: int) -> float:
        """Off by at most 2^(−52)·max(1, |x|); infinite where it is too large, so that nothing is left out."""
        try:
            return math.ldexp(x >> max(0, self.bits - 64), -min(self.bits, 64))
        except OverflowError:
            return math.inf


def _largest(values: Iterable[int]) -> int:
    return max(map(abs, values), default=0)


def _dense(rows: dict[int, int], size: int) -> list[int]:
    values = [0] * size
    for i, x in rows.items():
        values[i] = x
    return values
