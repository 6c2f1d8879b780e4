"""Many points at once in float64: quick, and no more than that. Nothing is proved by it; it says where to look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidInput
from ..networks.network import AffineLayer, AttentionLayer, Head, Layer, Matrix, Network

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

MOST = 10**7        # numbers of one state that are held at once: points are taken in parts


class FloatEvaluator:
    """`evaluator(network)(X)`: one row a point, one column an input; one row a point, one column an output."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self._layers = [_prepared(layer) for layer in network.layers]
        self._part = max(1, MOST // max(1, *network.sizes()))

    def __call__(self, points: ArrayLike) -> Array:
        given = np.asarray(points, dtype=np.float64)
        rows = np.atleast_2d(given)
        if rows.ndim != 2 or rows.shape[1] != len(self.network.inputs):
            raise InvalidInput(f"The points have shape {given.shape}.",
                               f"Give one row a point and {len(self.network.inputs)} columns: "
                               f"{', '.join(self.network.inputs[:8])}.")
        parts = [self._some(rows[k:k + self._part]) for k in range(0, len(rows), self._part)]
        found = np.concatenate(parts) if parts else np.zeros((0, len(self.network.outputs)))
        return found if given.ndim == 2 else found[0]

    def _some(self, rows: Array) -> Array:
        state = rows.T
        for layer in self._layers:
            state = layer(state)
        return state.T


def evaluator(network: Network) -> FloatEvaluator:
    """The network as a function of arrays of points."""
    return FloatEvaluator(network)


class _Sparse:
    def __init__(self, matrix: Matrix) -> None:
        self.rows = matrix.rows
        self.i = np.array([i for i, _, _ in matrix.entries], dtype=np.intp)
        self.j = np.array([j for _, j, _ in matrix.entries], dtype=np.intp)
        self.x = np.array([float(x) for _, _, x in matrix.entries])[:, None]

    def __call__(self, state: Array) -> Array:
        total = np.zeros((self.rows, state.shape[1]))
        np.add.at(total, self.i, self.x * state[self.j])
        return total

    def transposed(self, state: Array, columns: int) -> Array:
        total = np.zeros((columns, state.shape[1]))
        np.add.at(total, self.j, self.x * state[self.i])
        return total


class _Affine:
    def __init__(self, layer: AffineLayer) -> None:
        self.weight = _Sparse(layer.weight)
        self.bias = np.zeros((layer.bias.size, 1))
        for i, x in layer.bias.entries:
            self.bias[i, 0] = float(x)

    def __call__(self, state: Array) -> Array:
        return self.weight(state) + self.bias


class _FloatHead:
    def __init__(self, head: Head, dim: int) -> None:
        self.Q, self.K, self.V = (_Sparse(m) for m in (head.Q, head.K, head.V))
        self.beta, self.dim = float(head.beta), dim
        self.keys, self.values = np.unique(self.K.j), np.unique(self.V.j)

    def __call__(self, tokens: Array, query: Array) -> Array:
        """`tokens` is token × coordinate × point."""
        factors = self.K.transposed(self.Q(query), self.dim)
        scores = np.zeros((tokens.shape[0], tokens.shape[2]))
        for c in self.keys:
            scores += factors[c] * tokens[:, c]
        weights = np.exp(self.beta * (scores - scores.max(axis=0)))
        weights /= weights.sum(axis=0)
        mean = np.zeros((self.dim, tokens.shape[2]))
        for c in self.values:
            mean[c] = (weights * tokens[:, c]).sum(axis=0)
        return self.V(mean)


class _FloatAttention:
    def __init__(self, layer: AttentionLayer) -> None:
        self.dim, self.tokens, self.query = layer.dim, layer.tokens, layer.query
        self.skip = None if layer.skip is None else _Sparse(layer.skip)
        self.heads = [_FloatHead(h, layer.dim) for h in layer.heads]

    def __call__(self, state: Array) -> Array:
        tokens = state.reshape(self.tokens, self.dim, -1)
        total: Any = 0.0 if self.skip is None else self.skip(state)
        if self.heads:
            total = total + np.concatenate([sum(head(tokens, tokens[k]) for head in self.heads) for k in self.query])
        return np.asarray(total)


def _prepared(layer: Layer) -> Any:
    if isinstance(layer, AffineLayer):
        return _Affine(layer)
    return _FloatAttention(layer) if isinstance(layer, AttentionLayer) else lambda state: np.maximum(state, 0)
