"""The one table of cases: every construction × route × gate, each with a set of parameters.

`routes()` is read from the package, and a test demands that the table covers it: a construction that is added later
fails until it has cases here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

from boundcalc.bounds import Bound, bound
from boundcalc.construction import Case as Values
from boundcalc.gates import GATES
from boundcalc.registry import construction, information, names

F = Fraction


@dataclass(frozen=True)
class Case:
    name: str
    route: str
    gate: str | None
    given: tuple[tuple[str, object], ...]

    def __str__(self) -> str:
        how = "-".join(x for x in (self.name, self.route, self.gate) if x)
        what = ",".join(f"{k}={'..'.join(map(str, v)) if isinstance(v, tuple) else v}" for k, v in self.given)
        return f"{how}[{what}]"

    @property
    def parameters(self) -> dict[str, object]:
        return dict(self.given)

    @property
    def has_delta(self) -> bool:
        return bool(F(str(self.parameters.get("delta", 0))))

    def changed(self, **parameters: object) -> Bound:
        """The bound with some parameters replaced; None takes one away."""
        merged = {k: v for k, v in {**self.parameters, **parameters}.items() if v is not None}
        return bound(self.name, route=self.route, gate=self.gate, **merged)  # type: ignore[arg-type]


@cache
def built(case: Case) -> Bound:
    return case.changed()


def routes() -> Iterator[tuple[str, str, str | None]]:
    """Every construction × route × gate of the package."""
    for name in names():
        for route, how in construction(name).routes.items():
            for gate in information(name).gates if how.gated else (None,):
                assert gate is None or gate in GATES
                yield name, route, gate


# ---------------------------------------------------------------------------------------------------------------
# parameters; a row without eps fixes β or p (and m) instead

EPS = ("1/3", "1/100", "1e-3", "1e-6")

GATE_ONLY = [      # relu, abs: the whole line, or a range
    *({"eps": e} for e in (*EPS, "1e-12")),
    {"eps": "1e-3", "d": 2}, {"eps": "1e-6", "d": 5},
    {"eps": "1e-2", "M": 7}, {"eps": "1e-3", "M": "1/3", "d": 2},
    {"eps": "1e-3", "range": ("-3", "2")}, {"eps": "1e-4", "range": ("3", "4")}, {"eps": "1e-4", "range": ("-7", "-1/2")},
    {"eps": "1e-3", "delta": "1/10000"}, {"eps": "1e-3", "delta": "1/10000", "range": ("-1/2", "5"), "d": 2},
]
GATE_ONLY_BETA = [{"eps": "1e-2", "beta": 500}, {"beta": "17/3"}, {"beta": "1e-3", "d": 2},
                  {"beta": 40, "delta": "1/10000", "M": 1}]

SQUARE = [
    {"eps": 2}, {"eps": 1}, {"eps": 2, "d": 2},                           # no level at all (silu, eps = 1: one)
    {"eps": "1/3"}, {"eps": "1/4"}, {"eps": "1/16"},                      # one level, and where eps is a power of 4
    {"eps": "1e-3"}, {"eps": "1e-6"}, {"eps": "1e-12"},
    {"eps": "1e-3", "M": "1/3"}, {"eps": "1e-3", "M": 7}, {"eps": "1e-3", "M": "1/3", "d": 5}, {"eps": "1/9", "M": "1/3"},
    {"eps": "1e-3", "range": ("3", "4")}, {"eps": "1e-3", "range": ("-3", "2"), "d": 2},
    {"eps": "1e-2", "range": ("1/7", "9")},
    {"eps": "1e-4", "range": ("-1/2", "5")}, {"eps": "1e-3", "range": ("0", "2")}, {"eps": "30", "range": ("1/7", "9")},
    {"eps": "1e-2", "delta": "1/10000"}, {"eps": "1e-2", "delta": "1/10000", "range": ("-3", "2"), "d": 2},
    {"eps": 2, "delta": "1/10000"}, {"eps": "1e-3", "m": 9},
]
SQUARE_BETA = [{"eps": "1e-3", "beta": 1000}, {"eps": "1e-3", "beta": 100, "m": 6}, {"beta": 10, "m": 3},
               {"beta": "1/2", "m": 1},
               {"beta": 30, "m": 0}, {"beta": 30, "m": 4, "range": ("1/7", "9"), "delta": "1/10000"}]
SQUARE_FFN = [{"m": 0}, {"m": 1}, {"m": 5, "d": 2}, {"m": 9, "delta": "1/2"},
              {"m": 9, "delta": "1/2", "range": ("1/7", "9")}]

MULT = [
    {"eps": "1/3"}, {"eps": "1/4"}, {"eps": "1/3", "d": 2}, {"eps": "1/10"}, {"eps": "1/16"},
    {"eps": "1e-3"}, {"eps": "1e-6"}, {"eps": "1e-12"},
    {"eps": "1e-3", "M": "1/3"}, {"eps": "1e-3", "M": 7}, {"eps": "1/9", "M": "1/3"}, {"eps": "1e-3", "d": 2},
    {"eps": "1e-2", "M": 7, "d": 5},
    {"eps": "1e-3", "range": ("3", "4")}, {"eps": "1e-3", "range": ("-3", "2"), "d": 2},
    {"eps": "1e-2", "range": ("1/7", "9")},
    {"eps": "1e-4", "range": ("-1/2", "5")}, {"eps": "1e-3", "range": ("0", "2")}, {"eps": "30", "range": ("1/7", "9")},
    {"eps": "1e-2", "delta": "1/10000"}, {"eps": "1e-2", "delta": "1/10000", "range": ("-3", "2"), "d": 2},
    {"eps": "1/3", "delta": "1/10000"}, {"eps": "1e-3", "m": 8},
]
MULT_BETA = [{"eps": "1e-3", "beta": 1000}, {"eps": "1e-3", "beta": 300}, {"eps": "1e-3", "beta": 120, "m": 6},
             {"beta": 16, "m": 3},
             {"beta": "1/2", "m": 1}, {"beta": 30, "m": 0}, {"beta": 30, "m": 4, "range": ("1/7", "9"), "delta": "1/10000"}]
MULT_FFN = [{"m": 0}, {"m": 1}, {"m": 4, "d": 2, "range": ("3", "4")},
            {"m": 9, "delta": "1/2"}, {"m": 9, "delta": "1/2", "range": ("1/7", "9")}]     # nearly all of it is input error

TILT = [
    *({"eps": e} for e in (*EPS, "1e-12")),
    {"eps": "1e-3", "M": "1/3"}, {"eps": "1e-3", "M": 7, "d": 2}, {"eps": "1e-3", "d": 5},
    {"eps": "1e-3", "range": ("3", "4")}, {"eps": "1e-3", "range": ("-3", "2"), "d": 2},
    {"eps": "1e-2", "range": ("1/7", "9")},
    {"eps": "1e-2", "delta": "1/10000"}, {"eps": "1e-2", "delta": "1/10000", "range": ("-1/2", "5")},
    {"eps": "1e-3", "beta": "1/100"}, {"beta": 3}, {"beta": "1e-4", "delta": "1/2"},
    {"beta": "1/7", "range": ("1/7", "9"), "delta": "1/10000"},
]

SIZES = (2, 3, 4, 5, 7, 8, 13, 16, 33)
EXTREMUM = [
    *({"n": n, "eps": "1e-3"} for n in SIZES),
    {"n": 8, "eps": "1/3"}, {"n": 5, "eps": "1e-6"}, {"n": 13, "eps": "1e-12"},
    {"n": 7, "eps": "1e-2", "M": "1/3"}, {"n": 4, "eps": "1e-2", "M": 7},
    {"n": 5, "eps": "1e-2", "range": ("3", "4")}, {"n": 3, "eps": "1e-4", "range": ("-3", "2")},
    {"n": 33, "eps": "1e-2", "range": ("1/7", "9")},
    {"n": 8, "eps": "1e-2", "delta": "1/10000"}, {"n": 13, "eps": "1e-2", "delta": "1/10000", "range": ("-1/2", "5")},
]
EXTREMUM_BETA = [{"n": 8, "eps": "1e-2", "beta": 1000}, {"n": 5, "beta": 2}, {"n": 3, "beta": "1/3", "delta": "1/10000"}]
# anchors: networks have p tokens, so ε is moderate; p = 2 is the least there is
ANCHOR = [
    {"eps": 2}, {"eps": "1/3"}, {"eps": "1/16"}, {"eps": "1/100"}, {"eps": "1/20", "d": 2},
    {"eps": "1e-2", "M": "1/3", "d": 2}, {"eps": "1/2", "M": 7},
    {"eps": "1e-2", "range": ("3", "4")}, {"eps": "1/2", "range": ("-3", "2"), "d": 2},
    {"eps": "1/4", "range": ("1/7", "9")}, {"eps": "1/20", "range": ("0", "2")},
    {"eps": "1/20", "delta": "1/10000"}, {"eps": "1/2", "delta": "1/10000", "range": ("-3", "2"), "d": 2},
    {"eps": "1/4", "delta": "1/10000", "range": ("1/7", "9")}, {"eps": "1/10", "p": 80},
]
GATE_ONLY_ANCHOR = [*ANCHOR, {"eps": "1e-3"}, {"eps": "1e-3", "range": ("-1/2", "5")}, {"p": 2}, {"p": 7, "d": 2},
                    {"p": 3, "range": ("3", "4")},
                    {"p": 12, "delta": "1/10000", "range": ("-3", "2")},
                    {"p": 3, "delta": "1/10000", "range": ("-3", "0")}]              # inputs above 0 by their error only
SAWTOOTH_ANCHOR = [
    {"eps": 1}, {"eps": "1/2"}, {"eps": "1/4"}, {"eps": "1/9", "M": "1/3"}, {"eps": 30, "range": ("1/7", "9")},
    {"eps": "1/10", "m": 6}, {"eps": "1/10", "m": 5, "p": 40}, {"eps": "1/20", "p": 15}, {"eps": 2, "p": 5},
    {"p": 9, "m": 0}, {"p": 2, "m": 1}, {"p": 5, "m": 1, "d": 2}, {"p": 2, "m": 3}, {"p": 17, "m": 4, "range": ("-3", "2")},
    {"p": 6, "m": 4, "range": ("1/7", "9"), "delta": "1/10000"}, {"p": 6, "m": 0, "delta": "1/10000"},
]
EXTREMUM_ANCHOR = [
    *({"n": n, "eps": "1e-2"} for n in (2, 3, 5)), {"n": 8, "eps": "1/20"}, {"n": 33, "eps": "1/3"},
    {"n": 8, "eps": 2}, {"n": 8, "eps": "1/3"}, {"n": 2, "eps": "1e-3"},
    {"n": 7, "eps": "1e-2", "M": "1/3"}, {"n": 4, "eps": "1/10", "M": 7},
    {"n": 5, "eps": "1e-2", "range": ("3", "4")}, {"n": 3, "eps": "1/20", "range": ("-3", "2")},
    {"n": 8, "eps": "1/10", "range": ("1/7", "9")},
    {"n": 5, "eps": "1/20", "delta": "1/10000"}, {"n": 5, "eps": "1/10", "delta": "1/10000", "range": ("-1/2", "5")},
    {"n": 8, "eps": "1/20", "p": 60}, {"n": 2, "p": 2}, {"n": 5, "p": 4}, {"n": 8, "p": 3, "range": ("3", "4")},
    {"n": 3, "p": 9, "delta": "1/10000"},
]
EXTREMUM_FFN = [{"n": 6}, {"n": 12, "delta": "1/10000"}]

TABLE: dict[tuple[str, str, str | None], list[dict[str, object]]] = {
    **{(name, "recipe", "silu"): GATE_ONLY + GATE_ONLY_BETA for name in ("relu", "abs")},
    **{(name, "recipe", "ffn"): [*GATE_ONLY[::2], {}, {"delta": "1/10000", "d": 2}] for name in ("relu", "abs")},
    **{(name, "recipe", "anchor"): GATE_ONLY_ANCHOR for name in ("relu", "abs")},
    **{(name, "recipe", "anchor"): ANCHOR + SAWTOOTH_ANCHOR for name in ("square", "mult")},
    **{(name, "tree", "anchor"): EXTREMUM_ANCHOR for name in ("max", "min")},
    ("square", "recipe", "silu"): SQUARE + SQUARE_BETA,
    ("square", "recipe", "ffn"): SQUARE + SQUARE_FFN,
    ("mult", "recipe", "silu"): MULT + MULT_BETA,
    ("mult", "recipe", "ffn"): MULT + MULT_FFN,
    ("mult", "direct", None): TILT,
    **{(name, "direct", None): EXTREMUM + EXTREMUM_BETA for name in ("max", "min")},
    **{(name, "tree", "silu"): EXTREMUM + EXTREMUM_BETA for name in ("max", "min")},
    **{(name, "tree", "ffn"): EXTREMUM + EXTREMUM_FFN for name in ("max", "min")},
}

CASES = [Case(*key, tuple(row.items())) for key, rows in TABLE.items() for row in rows]


# ---------------------------------------------------------------------------------------------------------------
# points

def interesting(b: Bound) -> list[Fraction]:
    """Values of one coordinate that are worth a look: ends, middle, kinks of the ideal function and of the sawtooth."""
    low, high = b.domain()
    if low is None or high is None:
        low, high = F(-3), F(5)
    found = {low, high, (low + high) / 2, low + (high - low) / 3}
    levels = min(int(b.values.get("m", 0)), 6) + 1
    found |= {low + (high - low) * k / 2**levels for k in (1, 2, 2 ** (levels - 1) - 1, 2**levels - 1)}
    if low < 0 < high:
        found.add(F(0))
    if "beta" in b.values:                                                # where silu gates are worst
        at = F(12785, 10000) / b.values["beta"]
        centre = (low + high) / 2
        found |= {x for c in (F(0), centre) for x in (c - at, c + at) if low <= x <= high}
    if "p" in b.values:                                                   # where anchor gates are worst: near end anchors
        cell, centre = (high - low) / (b.values["p"] - 1), (low + high) / 2
        found |= {x for c in (F(0), low, centre, (centre + high) / 2, high) for part in (F(1, 8), F(3, 8), F(3, 4))
                  for x in (c - part * cell, c + part * cell) if low <= x <= high}
    return sorted(found)


def witness(b: Bound) -> list[Fraction] | None:
    """The point where the tight bound of the route is attained (one copy), moved into the domain if it fits there."""
    find = b.construction.routes[b.analysis.route].witness
    if find is None or "beta" not in b.values:
        return None
    point = list(find(Values(dict(b.values))))
    low, high = b.domain()
    if b.construction.many and low is not None and high is not None and max(point) - min(point) <= high - low:
        shift = high - max(point)                                         # max and min do not mind a common shift
        point = [x + shift for x in point]
    return point


def inside(b: Bound, point: list[Fraction]) -> bool:
    low, high = b.domain()
    return low is None or high is None or all(low <= x <= high for x in point)


def points(b: Bound, random_points: int = 12) -> list[tuple[list[Fraction], list[Fraction]]]:
    """(exact point, point with input errors of at most δ) in the domain; the same every time."""
    rng = random.Random(repr(sorted((k, str(v)) for k, v in b.values.items())))
    c = b.construction
    one = int(b.values["n"]) if c.many else len(c.inputs)
    copies = 1 if c.many else int(b.values["d"])
    special = interesting(b)
    low, high = min(special), max(special)

    def anywhere() -> Fraction:
        return low + (high - low) * F(rng.randrange(10**9 + 1), 10**9)

    chosen: list[list[Fraction]] = []
    if one <= 2:
        chosen += [list(p) for p in product(special, repeat=one)]
        rng.shuffle(chosen)
        chosen = chosen[:40]
        chosen += [list(p) for p in product((low, high), repeat=one)]
    else:
        chosen += [[low] * one, [high] * one, [high] + [low] * (one - 1), [low] * (one - 1) + [high]]
        chosen += [[rng.choice(special) for _ in range(one)] for _ in range(10)]
    chosen += [[anywhere() for _ in range(one)] for _ in range(random_points)]
    near = anywhere()                                                     # nearly equal entries: where soft maxima err
    beta = b.values.get("beta", F(1000))
    if "p" in b.values:                                                   # a few cells of the grid
        beta = 2 * (b.values["p"] - 1) / (high - low)

    def close() -> Fraction:
        return min(high, max(low, near + F(rng.randrange(-3000, 3001), 1000) / beta))

    chosen += [[close() for _ in range(one)] for _ in range(random_points)]
    attained = witness(b)
    if attained is not None and inside(b, attained):
        chosen.append(attained)
    delta = b.values["delta"]
    result = []
    for k, point in enumerate(chosen):
        exact = [x for j in range(copies) for x in chosen[(k + j * 7) % len(chosen)]] if copies > 1 else point
        if not delta:
            result.append((exact, exact))
            continue
        for shifts in ([delta] * len(exact), [-delta] * len(exact), [rng.choice((-delta, F(0), delta)) for _ in exact],
                       [delta * rng.randrange(-1000, 1001) / 1000 for _ in exact]):
            result.append((exact, [x + s for x, s in zip(exact, shifts, strict=True)]))
    return result
