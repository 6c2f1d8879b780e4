"""A second, slow evaluator, written from the formula of the network format alone: Fractions until the first softmax,
then mpmath with far more digits than any comparison needs. It also reports β·(max score − min score) of every head."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mpmath.ctx_mp import MPContext

from boundcalc.networks.network import AffineLayer, AttentionLayer, Matrix, Network, ReluLayer

DIGITS = 150


def run(network: Network, point: Sequence[Fraction]) -> tuple[list[Any], list[Any]]:
    """(outputs, logit spreads). Outputs are Fractions where the network has no softmax, else mpf."""
    mp = MPContext()
    mp.dps = DIGITS
    state: list[Any] = list(point)
    spreads: list[Any] = []

    def times(m: Matrix, v: Sequence[Any]) -> list[Any]:
        out: list[Any] = [Fraction(0) if isinstance(v[0], Fraction) else mp.mpf(0)] * m.rows
        for i, j, x in m.entries:
            out[i] = out[i] + (x * v[j] if isinstance(v[j], Fraction) else mp.mpf(x.numerator) * v[j] / x.denominator)
        return out

    for layer in network.layers:
        if isinstance(layer, ReluLayer):
            state = [x if x > 0 else 0 * x for x in state]
        elif isinstance(layer, AffineLayer):
            state = times(layer.weight, state)
            for i, x in layer.bias.entries:
                state[i] = state[i] + (x if isinstance(state[i], Fraction) else mp.mpf(x.numerator) / x.denominator)
        else:
            assert isinstance(layer, AttentionLayer)
            tokens = [state[t * layer.dim:(t + 1) * layer.dim] for t in range(layer.tokens)]
            out: list[Any] = []
            for q in layer.query:
                block = [mp.mpf(0)] * layer.heads[0].V.rows
                for head in layer.heads:
                    query = times(head.Q, tokens[q])
                    scores = [sum(a * b for a, b in zip(query, times(head.K, t), strict=True)) for t in tokens]
                    logits = [_mpf(mp, s) * head.beta.numerator / head.beta.denominator for s in scores]
                    spreads.append(head.beta * (max(scores) - min(scores)) if isinstance(scores[0], Fraction)
                                   else max(logits) - min(logits))
                    top = max(logits)
                    masses = [mp.exp(x - top) for x in logits]
                    mean = [sum(w * _mpf(mp, t[c]) for w, t in zip(masses, tokens, strict=True)) / sum(masses)
                            for c in range(layer.dim)]
                    block = [a + b for a, b in zip(block, times(head.V, mean), strict=True)]
                out += block
            if layer.skip is not None:
                out = [a + _mpf(mp, b) for a, b in zip(out, times(layer.skip, state), strict=True)]
            state = out
    return state, spreads


def _mpf(mp: MPContext, x: Any) -> Any:
    return mp.mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x
