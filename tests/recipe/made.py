"""ReLU networks for the tests: random ones, one that was really trained, and files of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from boundcalc.networks.arrays import from_python
from boundcalc.networks.relu import ReluNetwork

Arrays = list[Any]


def random_arrays(*widths: int, seed: int = 0) -> Arrays:
    """W0, b0, W1, b1, … with float32 weights of the usual sizes."""
    r = np.random.default_rng(seed)
    found: Arrays = []
    for a, b in pairwise(widths):
        found += [(r.standard_normal((b, a)) / np.sqrt(a)).astype(np.float32), (r.standard_normal(b) / 4).astype(np.float32)]
    return found


def random_network(*widths: int, seed: int = 0) -> ReluNetwork:
    return from_python(random_arrays(*widths, seed=seed))


def trained_arrays(steps: int = 300) -> Arrays:
    """2–12–12–1, trained by full-batch Adam on the product of its inputs, with numpy alone."""
    r = np.random.default_rng(7)
    sizes = (2, 12, 12, 1)
    weights: Arrays = []
    for a, b in pairwise(sizes):
        weights += [r.standard_normal((b, a)) * np.sqrt(2 / a), np.zeros(b)]
    grid = np.linspace(-1, 1, 15)
    x = np.array([(u, v) for u in grid for v in grid])
    y = (x[:, 0] * x[:, 1])[:, None]
    first = [np.zeros_like(w) for w in weights]
    second = [np.zeros_like(w) for w in weights]
    for t in range(1, steps + 1):
        states = [x]
        for k in range(3):
            z = states[-1] @ weights[2 * k].T + weights[2 * k + 1]
            states.append(np.maximum(z, 0) if k < 2 else z)
        back = 2 * (states[-1] - y) / len(x)
        slopes: Arrays = []
        for k in (2, 1, 0):
            slopes = [back.T @ states[k], back.sum(axis=0), *slopes]
            back = (back @ weights[2 * k]) * (states[k] > 0)
        for k, g in enumerate(slopes):
            first[k], second[k] = 0.9 * first[k] + 0.1 * g, 0.999 * second[k] + 0.001 * g * g
            size = np.sqrt(second[k] / (1 - 0.999 ** t)) + 1e-8
            weights[k] = weights[k] - 0.01 * (first[k] / (1 - 0.9 ** t)) / size
    assert float(np.mean((states[-1] - y) ** 2)) < 0.01         # it has learned something
    return [w.astype(np.float32) for w in weights]


def exact_run(arrays: Sequence[Any], point: Sequence[Fraction]) -> list[Fraction]:
    """y = W·x + b with ReLUs between, from the arrays, in fractions: what the network is, by its definition alone."""
    state = list(point)
    for k in range(0, len(arrays), 2):
        if k:
            state = [max(x, Fraction(0)) for x in state]
        state = [sum((Fraction(float(w)) * x for w, x in zip(row, state, strict=True)), Fraction(float(b)))
                 for row, b in zip(arrays[k], arrays[k + 1], strict=True)]
    return state


def save_npz(path: Path, arrays: Sequence[Any]) -> Path:
    np.savez(path, **{f"{'Wb'[k % 2]}{k // 2}": x for k, x in enumerate(arrays)})
    return path
