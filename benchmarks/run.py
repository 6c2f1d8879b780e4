"""Costs as ratios, each measured side by side in one run: python benchmarks/run.py [rounds [part …]]

Parts are start, growth, windows, certificates, evaluation; all of them by default (a few minutes).

Times vary from machine to machine and from minute to minute, so runs that are compared alternate, and medians are shown.

`start` counts CPU time of whole processes. Goals and floors:

    boundcalc --help            at most 6 × bare Python. Floor: click, which takes as long to import as Python to
                                start, and the headers of the constructions, which are read as text.
    boundcalc mult --eps 1e-3   at most 1.45 × `import sympy`. Floor: sympy, click, and what sympy imports for the first
                                sum of two symbols (tensors, permutations), the line "import click, sympy; x + E" below.
                                What is left above it: making the records (a frozen dataclass takes 0.3 ms), and the
                                derivation, half of it first questions that sympy answers from its caches later on.

Bytecode is kept in a folder of its own while this runs, as an installed package has it: without any, every run would
compile our sources and not sympy's.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

from verification import certificates, evaluation, windows

PASS = [sys.executable, "-c", "pass"]
SYMPY = [sys.executable, "-c", "import sympy"]
BOUNDCALC = [sys.executable, "-m", "boundcalc"]

COLD_START = {
    "python -c pass": PASS,
    "import sympy": SYMPY,
    "import click": [sys.executable, "-c", "import click"],
    "import click, sympy; x + E": [sys.executable, "-c", "import click, sympy; sympy.Symbol('x') + sympy.E"],
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


def cpu_seconds(command: list[str], environment: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def cold_start(rounds: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in COLD_START}
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = bytecode
        for _ in range(rounds + 1):
            for name, command in COLD_START.items():
                times[name].append(cpu_seconds(command, environment))
    median = {name: statistics.median(t[1:]) for name, t in times.items()}         # the first round compiles
    print(f"{'whole process, CPU':34}{'ms':>8}{'/ pass':>9}{'/ sympy':>9}")
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
