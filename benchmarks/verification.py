"""Verification as ratios: windows against sums over all anchors, certificates by construction, evaluation."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

KAPPA = Fraction(8)             # β·Δ² of the softmax that is timed
DIGITS = 50
RANGE = ("0", "1")

CERTIFIED: list[tuple[str, dict[str, Any]]] = [
    ("relu", {"eps": "1e-3"}), ("relu", {"eps": "1e-9"}), ("abs", {"eps": "1e-3"}),
    ("clip", {"eps": "1e-3", "range": RANGE}),
    *(("clip", {"gate": "anchor", "p": p, "range": RANGE}) for p in (2, 100, 10**4)),
    ("clip", {"gate": "anchor", "temperature": "hard", "p": 100, "range": RANGE}),
    ("clip", {"gate": "anchors", "eps": "1e-3", "range": RANGE}), ("hat", {"eps": "1e-3"}),
    *(("max", {"n": n, "eps": "1e-3"}) for n in (2, 8, 64)),
    *(("max", {"n": n, "eps": "1e-3", "route": "tree"}) for n in (3, 4)),
    *(("square", {"eps": e}) for e in ("1e-3", "1e-9")), *(("mult", {"eps": e}) for e in ("1e-2", "1e-3", "1e-5", "1e-8")),
    *(("mult", {"eps": e, "route": "direct"}) for e in ("1e-3", "1e-8")), ("mult", {"eps": "1e-1", "gate": "anchor"}),
    ("mult", {"eps": "1e-1", "gate": "anchors"}), ("recip", {"eps": "1e-2", "range": ("1/10", "1")}),
    ("recip", {"eps": "1e-3", "range": ("1/10", "1")}),
]


def seconds(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def naive(p: int, z: Fraction) -> Any:
    """The softmax mean over p anchors as anybody would write it, with mpmath at 50 digits."""
    from mpmath.ctx_mp import MPContext
    mp = MPContext()
    mp.dps = DIGITS
    x, beta = mp.mpf(z.numerator) / z.denominator, mp.mpf(int(KAPPA)) * (p - 1) ** 2
    anchors = [mp.mpf(k) / (p - 1) for k in range(p)]
    scores = [beta * (2 * x * a - a * a) for a in anchors]
    top = max(scores)
    weights = [mp.exp(s - top) for s in scores]
    return sum(a * w for a, w in zip(anchors, weights, strict=True)) / sum(weights)


def windows(rounds: int) -> None:
    from flint import fmpq

    from boundcalc.verify.balls import precision
    from boundcalc.verify.windowed import Window

    z = Fraction(377, 1000)
    print(f"\n{'softmax over p anchors, 50 digits':34}{'naive ms':>10}{'window ms':>11}{'naive/window':>14}{'width':>10}")
    for p in (10**2, 10**3, 10**4, 10**5, 10**6):
        slow = seconds(lambda p=p: naive(p, z), rounds if p <= 10**3 else 1)
        with precision(200):
            t, window = fmpq(377, 1000) * (p - 1), Window(fmpq(8), p)
            quick = seconds(lambda t=t, window=window: [window.at(t) for _ in range(200)], rounds) / 200
            width = float(2 * window.at(t)[1].rad()) / (p - 1)
        print(f"{f'p = 10^{len(str(p)) - 1}':34}{1000 * slow:10.2f}{1000 * quick:11.4f}{slow / quick:14.0f}{width:10.0e}")


def certificates() -> None:
    from boundcalc.results.bound import bound
    from boundcalc.verify.verification import verify

    print(f"\n{'verification in a warm process':58}{'ms':>8}{'/ derive':>10}{'boxes':>8}{'cert/obs':>10}{'cert/der':>10}")
    for name, given in CERTIFIED:
        start = time.perf_counter()
        b = bound(name, **given)
        b.network, b.total, b.resources     # noqa: B018
        derived = time.perf_counter()
        v = verify(b)
        done = time.perf_counter()
        shown = f"{name} " + " ".join(f"--{k} {','.join(x) if isinstance(x, tuple) else x}" for k, x in given.items())
        tight = "" if v.tightness is None else f"{float(v.tightness):10.5f}"
        share = "" if v.share is None else f"{float(v.share):10.5f}"
        boxes = v.proved.boxes if v.proved else 0
        ratio = (done - derived) / (derived - start)
        print(f"{shown:58}{1000 * (done - derived):8.0f}{ratio:10.2f}{boxes:8}{tight:>10}{share:>10}")


def evaluation(rounds: int) -> None:
    """One network at one point: float64, plain mpmath over dense matrices, ours in mpmath and in balls, at 50 digits."""
    import numpy as np
    from mpmath.ctx_mp import MPContext

    from boundcalc.networks.network import AffineLayer, AttentionLayer, Matrix, Network
    from boundcalc.results.bound import bound
    from boundcalc.verify.enclose import enclose
    from boundcalc.verify.evaluate import Evaluator
    from boundcalc.verify.program import program_of

    def dense(network: Network, point: list[Fraction], number: Callable[[Fraction], Any], exp: Callable[[Any], Any]) -> Any:
        def full(m: Matrix) -> Any:
            rows = [[number(Fraction(0))] * m.cols for _ in range(m.rows)]
            for i, j, x in m.entries:
                rows[i][j] = number(x)
            return np.array(rows)

        prepared = []
        for layer in network.layers:
            if isinstance(layer, AffineLayer):
                bias = [number(Fraction(0))] * layer.bias.size
                for i, x in layer.bias.entries:
                    bias[i] = number(x)
                prepared.append((full(layer.weight), np.array(bias)))
            elif isinstance(layer, AttentionLayer):
                prepared.append((layer, [(full(h.Q), full(h.K), full(h.V), number(h.beta)) for h in layer.heads],
                                 None if layer.skip is None else full(layer.skip)))

        def run() -> Any:
            v = np.array([number(x) for x in point])
            for step in prepared:
                if len(step) == 2:
                    v = step[0] @ v + step[1]
                    continue
                layer, heads, skip = step
                z = v.reshape(layer.tokens, layer.dim).T
                total = 0 if skip is None else skip @ v
                for q, k, value, beta in heads:
                    scores = beta * ((k @ z).T @ (q @ z[:, layer.query[0]]))
                    weights = exp(scores - max(scores))
                    total = total + value @ (z @ weights) / sum(weights)
                v = total
            return v
        return run

    print(f"\n{'evaluation at a point':42}{'numpy ms':>10}{'plain mpmath':>14}{'ours mpmath':>13}{'balls':>8}  (/ numpy)")
    for name, given in (("mult", {"eps": "1e-3"}), ("max", {"n": 64, "eps": "1e-3"}),
                        ("clip", {"gate": "anchor", "p": 1000, "range": RANGE})):
        b = bound(name, **given)    # type: ignore[arg-type]
        low, high = b.domain()
        point = [Fraction(1, 3) if low is None or high is None else low + (high - low) * Fraction(i + 1, 71)
                 for i in range(b.input_count())]
        mp = MPContext()
        mp.dps = DIGITS
        exp = np.frompyfunc(mp.exp, 1, 1)
        evaluator, program = Evaluator(b.network, DIGITS), program_of(b.network)
        evaluator(point)
        ways = [dense(b.network, point, float, np.exp),
                dense(b.network, point, lambda x, mp=mp: mp.mpf(x.numerator) / x.denominator, exp),
                lambda e=evaluator, p=point: e(p), lambda g=program, p=point: enclose(g, p, DIGITS)]
        times = [seconds(way, 3 * rounds) for way in ways]
        shown = f"{name} " + " ".join(f"--{k} {','.join(x) if isinstance(x, tuple) else x}" for k, x in given.items())
        plain, ours, balls = (t / times[0] for t in times[1:])
        print(f"{shown:42}{1000 * times[0]:10.3f}{plain:14.1f}{ours:13.1f}{balls:8.1f}")
