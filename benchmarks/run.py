"""Costs as ratios, each measured side by side in one run: python benchmarks/run.py [rounds [part …]]

Parts are start, growth, windows, certificates, evaluation; all of them by default (a few minutes).

Times vary from machine to machine and from minute to minute, so runs that are compared alternate, and medians are shown.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

from verification import certificates, evaluation, windows

PASS = [sys.executable, "-c", "pass"]
SYMPY = [sys.executable, "-c", "import sympy"]
BOUNDCALC = [sys.executable, "-m", "boundcalc"]

COLD_START = {
    "python -c pass": PASS,
    "import sympy": SYMPY,
    "boundcalc --version": [*BOUNDCALC, "--version"],
    "boundcalc --help": [*BOUNDCALC, "--help"],
    "boundcalc list": [*BOUNDCALC, "list"],
    "boundcalc mult --eps 1e-3": [*BOUNDCALC, "mult", "--eps", "1e-3"],
    "boundcalc max --n 8 --eps 1e-3": [*BOUNDCALC, "max", "--n", "8", "--eps", "1e-3"],
    "boundcalc mult --eps 1e-3 --verify": [*BOUNDCALC, "mult", "--eps", "1e-3", "--verify"],
    "boundcalc verify mult --eps 1e-3": [*BOUNDCALC, "verify", "mult", "--eps", "1e-3"],
    "boundcalc show mult": [*BOUNDCALC, "show", "mult"],
    "refused: mult --eps 9**9**9": [*BOUNDCALC, "mult", "--eps", "9**9**9"],
}

GROWTH = {
    "mult, 1/eps = 10^3": ("mult", {"eps": "1e-3"}),
    "mult, 1/eps = 10^30": ("mult", {"eps": "1e-30"}),
    "mult, 1/eps = 10^300": ("mult", {"eps": "1e-300"}),
    "mult, d = 10^6": ("mult", {"eps": "1e-3", "d": 10 ** 6}),
    "max tree, n = 8": ("max", {"eps": "1e-3", "n": 8, "route": "tree"}),
    "max tree, n = 10^6": ("max", {"eps": "1e-3", "n": 10 ** 6, "route": "tree"}),
}


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def cold_start(rounds: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in COLD_START}
    for _ in range(rounds):
        for name, command in COLD_START.items():
            times[name].append(seconds(command))
    median = {name: statistics.median(t) for name, t in times.items()}
    print(f"{'whole process':34}{'ms':>8}{'/ pass':>9}{'/ sympy':>9}")
    for name, t in median.items():
        print(f"{name:34}{1000 * t:8.0f}{t / median['python -c pass']:9.1f}{t / median['import sympy']:9.2f}")


def growth(rounds: int) -> None:
    """Derivation alone, in one warm process: it must not grow with m, n, d or 1/ε."""
    from boundcalc.results.bound import bound

    times: dict[str, list[float]] = {name: [] for name in GROWTH}
    for _ in range(rounds + 1):
        for name, (construction, parameters) in GROWTH.items():
            start = time.perf_counter()
            _ = bound(construction, **parameters).total
            times[name].append(time.perf_counter() - start)
    print(f"\n{'derivation in a warm process':34}{'ms':>8}{'/ first':>9}")
    for name, t in times.items():
        base = statistics.median(times[next(k for k in GROWTH if k.split(",")[0] == name.split(",")[0])][1:])
        print(f"{name:34}{1000 * statistics.median(t[1:]):8.0f}{statistics.median(t[1:]) / base:9.2f}")


PARTS = {"start": cold_start, "growth": growth, "windows": windows, "certificates": lambda rounds: certificates(),
         "evaluation": evaluation}

if __name__ == "__main__":
    how_many = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    for part in sys.argv[2:] or PARTS:
        PARTS[part](how_many)
