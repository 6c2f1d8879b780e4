"""The one table of cases: every construction × route × gate, each with a set of parameters.

`routes()` is read from the package, and a test demands that the table covers it: a construction that is added later
fails until it has cases here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

from boundcalc.declarations.registry import construction, information, names
from boundcalc.gates import GATES
from boundcalc.results.bound import Bound, bound
from tests.selection import selected

F = Fraction
Row = dict[str, object]


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

    @property
    def sequence(self) -> bool:
        return "sequence" in self.parameters

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
        for route in construction(name).routes:
            for gate in information(name).gates if route.gated else (None,):
                assert gate is None or gate in GATES
                yield name, route.name, gate


# ---------------------------------------------------------------------------------------------------------------
# parameters; a row without eps fixes β or p (and m) instead

EPS = ("1/3", "1/100", "1e-3", "1e-6")

GATE_ONLY: list[Row] = [      # relu, abs: the whole line, or a range
    *[Row(eps=e) for e in (*EPS, "1e-12")],
    {"eps": "1e-3", "d": 2}, {"eps": "1e-6", "d": 5},
    {"eps": "1e-2", "M": 7}, {"eps": "1e-3", "M": "1/3", "d": 2},
    {"eps": "1e-3", "range": ("-3", "2")}, {"eps": "1e-4", "range": ("3", "4")}, {"eps": "1e-4", "range": ("-7", "-1/2")},
    {"eps": "1e-3", "delta": "1/10000"}, {"eps": "1e-3", "delta": "1/10000", "range": ("-1/2", "5"), "d": 2},
]
GATE_ONLY_BETA: list[Row] = [{"eps": "1e-2", "beta": 500}, {"beta": "17/3"}, {"beta": "1e-3", "d": 2},
                  {"beta": 40, "delta": "1/10000", "M": 1}]

SQUARE: list[Row] = [
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
SQUARE_BETA: list[Row] = [{"eps": "1e-3", "beta": 1000}, {"eps": "1e-3", "beta": 100, "m": 6}, {"beta": 10, "m": 3},
               {"beta": "1/2", "m": 1},
               {"beta": 30, "m": 0}, {"beta": 30, "m": 4, "range": ("1/7", "9"), "delta": "1/10000"}]
SQUARE_FFN: list[Row] = [{"m": 0}, {"m": 1}, {"m": 5, "d": 2}, {"m": 9, "delta": "1/2"},
              {"m": 9, "delta": "1/2", "range": ("1/7", "9")}]

MULT: list[Row] = [
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
MULT_BETA: list[Row] = [{"eps": "1e-3", "beta": 1000}, {"eps": "1e-3", "beta": 300}, {"eps": "1e-3", "beta": 120, "m": 6},
             {"beta": 16, "m": 3},
             {"beta": "1/2", "m": 1}, {"beta": 30, "m": 0}, {"beta": 30, "m": 4, "range": ("1/7", "9"), "delta": "1/10000"}]
MULT_FFN: list[Row] = [{"m": 0}, {"m": 1}, {"m": 4, "d": 2, "range": ("3", "4")},
            {"m": 9, "delta": "1/2"}, {"m": 9, "delta": "1/2", "range": ("1/7", "9")}]     # nearly all of it is input error

TILT: list[Row] = [
    *[Row(eps=e) for e in (*EPS, "1e-12")],
    {"eps": "1e-3", "M": "1/3"}, {"eps": "1e-3", "M": 7, "d": 2}, {"eps": "1e-3", "d": 5},
    {"eps": "1e-3", "range": ("3", "4")}, {"eps": "1e-3", "range": ("-3", "2"), "d": 2},
    {"eps": "1e-2", "range": ("1/7", "9")},
    {"eps": "1e-2", "delta": "1/10000"}, {"eps": "1e-2", "delta": "1/10000", "range": ("-1/2", "5")},
    {"eps": "1e-3", "beta": "1/100"}, {"beta": 3}, {"beta": "1e-4", "delta": "1/2"},
    {"beta": "1/7", "range": ("1/7", "9"), "delta": "1/10000"},
]

SIZES = (2, 3, 4, 5, 7, 8, 13, 16, 33)
EXTREMUM: list[Row] = [
    *[Row(n=n, eps="1e-3") for n in SIZES],
    {"n": 8, "eps": "1/3"}, {"n": 5, "eps": "1e-6"}, {"n": 13, "eps": "1e-12"},
    {"n": 7, "eps": "1e-2", "M": "1/3"}, {"n": 4, "eps": "1e-2", "M": 7},
    {"n": 5, "eps": "1e-2", "range": ("3", "4")}, {"n": 3, "eps": "1e-4", "range": ("-3", "2")},
    {"n": 33, "eps": "1e-2", "range": ("1/7", "9")},
    {"n": 8, "eps": "1e-2", "delta": "1/10000"}, {"n": 13, "eps": "1e-2", "delta": "1/10000", "range": ("-1/2", "5")},
]
EXTREMUM_BETA: list[Row] = [{"n": 8, "eps": "1e-2", "beta": 1000}, {"n": 5, "beta": 2},
                            {"n": 3, "beta": "1/3", "delta": "1/10000"}]
# anchors: networks have p tokens, so ε is moderate; p = 2 is the least there is
ANCHOR: list[Row] = [
    {"eps": 2}, {"eps": "1/3"}, {"eps": "1/16"}, {"eps": "1/100"}, {"eps": "1/20", "d": 2},
    {"eps": "1e-2", "M": "1/3", "d": 2}, {"eps": "1/2", "M": 7},
    {"eps": "1e-2", "range": ("3", "4")}, {"eps": "1/2", "range": ("-3", "2"), "d": 2},
    {"eps": "1/4", "range": ("1/7", "9")}, {"eps": "1/20", "range": ("0", "2")},
    {"eps": "1/20", "delta": "1/10000"}, {"eps": "1/2", "delta": "1/10000", "range": ("-3", "2"), "d": 2},
    {"eps": "1/4", "delta": "1/10000", "range": ("1/7", "9")}, {"eps": "1/10", "p": 80},
]
GATE_ONLY_ANCHOR: list[Row] = [*ANCHOR, {"eps": "1e-3"}, {"eps": "1e-3", "range": ("-1/2", "5")}, {"p": 2}, {"p": 7, "d": 2},
                    {"p": 3, "range": ("3", "4")},
                    {"p": 12, "delta": "1/10000", "range": ("-3", "2")},
                    {"p": 3, "delta": "1/10000", "range": ("-3", "0")}]              # inputs above 0 by their error only
SAWTOOTH_ANCHOR: list[Row] = [
    {"eps": 1}, {"eps": "1/2"}, {"eps": "1/4"}, {"eps": "1/9", "M": "1/3"}, {"eps": 30, "range": ("1/7", "9")},
    {"eps": "1/10", "m": 6}, {"eps": "1/10", "m": 5, "p": 40}, {"eps": "1/20", "p": 15}, {"eps": 2, "p": 5},
    {"p": 9, "m": 0}, {"p": 2, "m": 1}, {"p": 5, "m": 1, "d": 2}, {"p": 2, "m": 3}, {"p": 17, "m": 4, "range": ("-3", "2")},
    {"p": 6, "m": 4, "range": ("1/7", "9"), "delta": "1/10000"}, {"p": 6, "m": 0, "delta": "1/10000"},
]
EXTREMUM_ANCHOR: list[Row] = [
    *[Row(n=n, eps="1e-2") for n in (2, 3, 5)], {"n": 8, "eps": "1/20"}, {"n": 33, "eps": "1/3"},
    {"n": 8, "eps": 2}, {"n": 8, "eps": "1/3"}, {"n": 2, "eps": "1e-3"},
    {"n": 7, "eps": "1e-2", "M": "1/3"}, {"n": 4, "eps": "1/10", "M": 7},
    {"n": 5, "eps": "1e-2", "range": ("3", "4")}, {"n": 3, "eps": "1/20", "range": ("-3", "2")},
    {"n": 8, "eps": "1/10", "range": ("1/7", "9")},
    {"n": 5, "eps": "1/20", "delta": "1/10000"}, {"n": 5, "eps": "1/10", "delta": "1/10000", "range": ("-1/2", "5")},
    {"n": 8, "eps": "1/20", "p": 60}, {"n": 2, "p": 2}, {"n": 5, "p": 4}, {"n": 8, "p": 3, "range": ("3", "4")},
    {"n": 3, "p": 9, "delta": "1/10000"},
]
EXTREMUM_FFN: list[Row] = [{"n": 6}, {"n": 12, "delta": "1/10000"}]

# ---------------------------------------------------------------------------------------------------------------
# how hard anchors select, many heads, sequences

HARD: Row = {"temperature": "hard"}
LEFT: Row = {"temperature": "hard", "grid": "left"}
MIDPOINT: Row = {"temperature": "hard", "grid": "midpoint"}
SENTINELS: Row = {"temperature": "hard", "sentinels": True}
FAR = ("9", "10")

GATE_ONLY_HARD: list[Row] = [
    {"eps": "1/20", **HARD}, {"eps": "1/20", "range": FAR, "d": 2, **HARD}, {"eps": "1/20", "kappa": 3, **HARD},
    {"eps": "1/20", **LEFT}, {"eps": "1/10", "kappa": "3/2", **LEFT}, {"p": 4, "kappa": 2, "range": ("-3", "2"), **LEFT},
    {"eps": "1/20", **MIDPOINT}, {"eps": "1/10", "eps0": "1/50", "delta": "1/10000", **MIDPOINT},
    {"p": 3, "d": 2, **MIDPOINT},
]
GATE_ONLY_ANCHORS: list[Row] = [
    {"eps": "1/100"}, {"eps": "1/100", "n": 12}, {"eps": "1/100", "H": 3}, {"eps": "1/20", "n": 5, "H": 9, "d": 2},
    {"eps": "1/100", "n": 2}, {"n": 2, "H": 7}, {"n": 4, "H": 3, "d": 2, "range": ("-3", "2")},
    {"eps": "1/4", "n": 3, "delta": "1/10000", "range": ("1/7", "9")}, {"eps": "1/100", "n": 4, "range": FAR},
    {"eps": "1/20", "n": 4, **HARD}, {"n": 2, "H": 4, "kappa": "7/2", **HARD},
    {"eps": "1/10", "n": 5, **SENTINELS}, {"eps": "1/5", "n": 4, "range": FAR, **SENTINELS},
]
SAWTOOTH_HARD: list[Row] = [
    {"eps": "1/5", **HARD}, {"eps": "1/5", **LEFT}, {"eps": "1/5", "m": 3, "kappa": 3, **MIDPOINT},
    {"eps": "1/2", "eps0": "1/100", "range": ("-3", "2"), "delta": "1/10000", **LEFT}, {"p": 5, "m": 2, **MIDPOINT},
    {"p": 45, "eps": "1/4", **LEFT},
]
SAWTOOTH_ANCHORS: list[Row] = [
    {"eps": "1/20"}, {"eps": "1/20", "n": 5}, {"eps": "1/20", "H": 3}, {"eps": "1/10", "n": 3, "d": 2},
    {"n": 2, "H": 5, "m": 2},
    {"eps": "1/3", "n": 2}, {"eps": "1/2", "n": 6, "range": FAR},
    {"eps": "1/2", "n": 6, "range": ("-3", "2"), "delta": "1/10000"},
    {"eps": "1/10", "n": 6, "H": 9}, {"n": 4, "H": 2, "m": 0, "delta": "1/10000"},
    {"eps": "1/4", "n": 6, **HARD}, {"eps": "1/2", "n": 7, **SENTINELS}, {"n": 3, "H": 5, "m": 1, "kappa": 4, **SENTINELS},
]
EXTREMUM_HARD: list[Row] = [
    {"n": 3, "eps": "1/5", **HARD}, {"n": 3, "eps": "1/4", "range": FAR, **LEFT},
    {"n": 2, "eps": "1/10", "kappa": 2, **MIDPOINT},
]
EXTREMUM_ANCHORS: list[Row] = [                                            # here p counts the tokens of a head
    {"n": 5, "eps": "1/20"}, {"n": 3, "eps": "1/20", "p": 5}, {"n": 3, "eps": "1/20", "H": 2},
    {"n": 4, "eps": "1/3", "p": 6, "H": 4},
    {"n": 3, "p": 2, "H": 6}, {"n": 2, "eps": "1/50", "p": 3, "range": FAR},
    {"n": 5, "eps": "1/4", "delta": "1/10000", "p": 4},
    {"n": 3, "eps": "1/3", "p": 5, **HARD}, {"n": 3, "eps": "1/2", "p": 6, **SENTINELS},
]

# clip and hat: the range belongs to the function, inputs are any real numbers
RANGES: list[Row] = [{"eps": "1e-3", "range": ("0", "1")}, {"eps": "1e-2", "range": FAR},
                     {"eps": "1e-2", "range": ("-3", "2")},
          {"eps": "1e-2", "range": ("1/7", "9")}, {"eps": "1e-3", "M": "1/3"}, {"eps": "1e-2"},
          {"eps": "1e-2", "range": ("-3", "0")}, {"eps": "1e-2", "range": ("-7", "-5")},
          {"eps": "1e-2", "range": ("-3", "2"), "delta": "1/10000"}]
COPIES: list[Row] = [{"eps": "1e-2", "range": ("-3", "2"), "d": 2},
                     {"eps": "1e-2", "range": FAR, "d": 3, "delta": "1/10000"}]
UNIT: list[Row] = [{"eps": "1e-2", "range": ("-3", "2"), "d": 3},
                   {"eps": "1e-2", "range": FAR, "w": ("1", "-1/2"), "t": "1/3"},
        {"eps": "1e-1", "range": ("1/7", "9"), "w": ("2/3",), "t": "-5", "delta": "1/10000"},
        {"eps": "1e-1", "range": ("0", "2"), "w": ("0", "-3", "7/2")}, {"eps": "1e-1", "M": 2, "d": 2, "t": "0"}]
FUNCTION_SILU: list[Row] = [{"beta": 30, "range": ("-3", "2")}, {"beta": "1/2", "range": FAR, "d": 2},
                            {"eps": "1e-1", "beta": 1000},
                 {"eps": "1e-6", "range": ("1/7", "9")}, {"eps": 2, "range": FAR}]
FUNCTION_ANCHOR: list[Row] = [
    {"p": 2, "range": FAR}, {"p": 7, "range": ("-3", "2"), "d": 2}, {"eps": 2},
    {"eps": "1/10", "p": 80, "range": ("0", "1")},
    {"eps": "1/20", "range": FAR, **HARD}, {"eps": "1/10", "kappa": 5, **HARD}, {"eps": "1/10", "eps0": "1/1000", **HARD},
    {"eps": "1/50", "range": ("0", "1"), **LEFT}, {"eps": "1/10", "range": FAR, **LEFT}, {"eps": "1/2", "kappa": 1, **LEFT},
    {"eps": "1/10", "range": ("-3", "2"), "delta": "1/10000", **LEFT},
    {"eps": "1/20", "range": FAR, **MIDPOINT}, {"eps": "1/4", "eps0": "1/100", "range": ("1/7", "9"), **MIDPOINT},
]
FUNCTION_ANCHORS: list[Row] = [
    {"eps": "1e-2", "range": ("0", "1"), "n": 12}, {"eps": "1e-2", "range": FAR, "H": 4},
    {"eps": "1e-2", "range": FAR, "n": 2},
    {"n": 2, "H": 9, "range": ("-3", "2")}, {"n": 3, "H": 6, "range": ("1/7", "9"), "d": 2},
    {"eps": "1/10", "n": 4, "H": 20, "range": ("0", "1")},
    {"eps": "1/20", "n": 4, "range": FAR, **HARD}, {"eps": "1/20", "n": 2, "kappa": 4, "range": ("0", "1"), **HARD},
    {"eps": 1, "H": 5, "range": ("0", "1")},                    # two tokens a head do
]
FUNCTION_SENTINELS: list[Row] = [
    {"eps": "1/5", "n": 3, "range": ("-3", "2"), "delta": "1/10000", **SENTINELS},
    {"n": 4, "H": 1, "range": FAR, "d": 2, **SENTINELS},
    {"eps": "1/5", "n": 5, "range": FAR, **SENTINELS}, {"eps": "1/5", "range": ("0", "1"), **SENTINELS},
    {"eps": "1/2", "H": 3, "range": ("-3", "2"), **SENTINELS},
    {"eps": "1/4", "n": 5, "kappa": 6, "range": ("-7", "-5"), **SENTINELS},
    {"eps": "1/10", "n": 6, "eps0": "1/5000", "range": ("0", "1"), **SENTINELS},
]

# recip; (1/4, 1) and (1/9, 1) have rational step: with these ε two and four pieces leave no room at all
RECIP: list[Row] = [
    {"range": ("1/10", "1"), "eps": "1e-3"}, {"range": ("1/10", "1"), "eps": "1/3"}, {"range": FAR, "eps": "1e-5"},
    {"range": ("1/7", "9"), "eps": "1/50"}, {"range": ("3", "4"), "eps": "1e-6", "d": 2},
    {"range": ("1", "100"), "eps": "1e-2"},
    {"range": ("1/10", "1"), "eps": "1/10", "delta": "1/10000"},
    {"range": ("1/7", "9"), "eps": "1/3", "delta": "1/1000", "d": 2},
    {"range": ("1/4", "1"), "eps": "1/8"}, {"range": ("1/9", "1"), "eps": "1/8"}, {"range": ("1/9", "1"), "eps": "1/2"},
    {"range": ("1/10", "1"), "eps": "1e-2", "N": 40}, {"range": ("1/10", "1"), "eps": 5},
]
RECIP_FFN: list[Row] = [{"range": ("1/10", "1"), "eps": "1e-6"}, {"range": ("1/10", "1"), "N": 2},
                        {"range": ("1/4", "1"), "N": 5, "d": 2}]
RECIP_SILU: list[Row] = [{"range": ("1/10", "1"), "eps": "1e-2", "beta": 5000}, {"range": FAR, "N": 5, "beta": 40},
              {"range": ("1/10", "1"), "eps": "1/10", "beta": 500}]
RECIP_ANCHOR: list[Row] = [
    {"range": ("1/10", "1"), "eps": "1/3"}, {"range": FAR, "eps": "1e-3"}, {"range": ("1", "4"), "eps": "1/50", "d": 2},
    {"range": ("1", "4"), "eps": "1/32"}, {"range": ("2", "5"), "eps": "1/40", "delta": "1/1000"},
    {"range": ("1", "4"), "eps": "1/20", "N": 6},
]
RECIP_ONE_HEAD: list[Row] = [{"range": ("1", "4"), "N": 3, "p": 5}, {"range": ("1", "4"), "eps": "1/10", **HARD},
                  {"range": ("1", "4"), "eps": "1/10", **LEFT}, {"range": ("1", "4"), "eps": "1/5", "kappa": 2, **MIDPOINT},
                  {"range": ("1", "4"), "eps": "1/20", "p": 40}]
RECIP_MANY_HEADS: list[Row] = [{"range": ("1", "4"), "N": 3, "n": 2, "H": 4}, {"range": ("1", "4"), "eps": "1/20", "n": 5},
                    {"range": ("1", "4"), "eps": "1/20", "H": 3},
                               {"range": ("1", "4"), "N": 2, "n": 4, "H": 2, "kappa": 3, **SENTINELS}]

# sequences: L data tokens; the least is 2
SEQUENCE_SILU: list[Row] = [{"eps": "1e-2", "sequence": 2},
                            {"eps": "1/20", "sequence": 5, "codes": "circle", "range": ("-3", "2")},
                 {"eps": "1/10", "sequence": 3, "d": 2, "delta": "1/10000"}]
SEQUENCE_ANCHOR: list[Row] = [{"eps": "1/10", "sequence": 3},
                              {"eps": "1/4", "sequence": 4, "range": ("-3", "2"), "d": 2, "delta": "1/10000"},
                   {"eps": "1/3", "sequence": 2, **MIDPOINT}]
SEQUENCE_ANCHORS: list[Row] = [{"eps": "1/10", "sequence": 3, "n": 4}, {"eps": "1/2", "sequence": 2, "n": 5, **SENTINELS}]
SEQUENCE_FFN: list[Row] = [{"eps": "1/10", "sequence": 3}, {"eps": "1/10", "sequence": 2, "d": 2, "delta": "1/10000"}]


def with_own(rows: list[Row], own: Row, but: tuple[str, ...] = ()) -> list[Row]:
    """The rows for a construction that must be told more (or that has no copies)."""
    return [{**own, **{k: v for k, v in row.items() if k not in but}} for row in rows]


def extremum(rows: list[Row]) -> list[Row]:
    return with_own([{("p" if k == "n" else k): v for k, v in row.items()} for row in rows], {"n": 3}, but=("d",))


def positive(rows: list[Row]) -> list[Row]:
    return with_own([{k: v for k, v in row.items() if k != "range"} for row in rows], {"range": ("1", "4")})


SEQUENCES: dict[str, list[Row]] = {"silu": SEQUENCE_SILU, "anchor": SEQUENCE_ANCHOR, "anchors": SEQUENCE_ANCHORS,
                                   "ffn": SEQUENCE_FFN}


def sequences(name: str, gate: str) -> list[Row]:
    rows = SEQUENCES[gate]
    if name in ("max", "min"):
        return extremum(rows[:2])
    if name == "recip":
        return positive(rows[:1] if gate == "anchors" else rows[:2])
    if name in ("clip", "hat") and gate == "silu":
        return []                                               # refused: inputs are unbounded, and so is what leaks
    return rows[:1] if gate == "anchors" and name not in ("relu", "abs", "clip") else rows      # deep sentinels take long


TABLE: dict[tuple[str, str, str | None], list[Row]] = {
    **{(name, "recipe", "silu"): GATE_ONLY + GATE_ONLY_BETA for name in ("relu", "abs")},
    **{(name, "recipe", "ffn"): [*GATE_ONLY[::2], {}, {"delta": "1/10000", "d": 2}] for name in ("relu", "abs")},
    **{(name, "recipe", "anchor"): GATE_ONLY_ANCHOR + GATE_ONLY_HARD for name in ("relu", "abs")},
    **{(name, "recipe", "anchors"): GATE_ONLY_ANCHORS for name in ("relu", "abs")},
    **{(name, "recipe", "anchor"): ANCHOR + SAWTOOTH_ANCHOR + SAWTOOTH_HARD for name in ("square", "mult")},
    **{(name, "recipe", "anchors"): SAWTOOTH_ANCHORS for name in ("square", "mult")},
    **{(name, "tree", "anchor"): EXTREMUM_ANCHOR + EXTREMUM_HARD for name in ("max", "min")},
    **{(name, "tree", "anchors"): EXTREMUM_ANCHORS for name in ("max", "min")},
    ("square", "recipe", "silu"): SQUARE + SQUARE_BETA,
    ("square", "recipe", "ffn"): SQUARE + SQUARE_FFN,
    ("mult", "recipe", "silu"): MULT + MULT_BETA,
    ("mult", "recipe", "ffn"): MULT + MULT_FFN,
    ("mult", "direct", None): TILT,
    **{(name, "direct", None): EXTREMUM + EXTREMUM_BETA for name in ("max", "min")},
    **{(name, "tree", "silu"): EXTREMUM + EXTREMUM_BETA for name in ("max", "min")},
    **{(name, "tree", "ffn"): EXTREMUM + EXTREMUM_FFN for name in ("max", "min")},
    ("clip", "recipe", "silu"): RANGES + UNIT + FUNCTION_SILU,
    ("clip", "recipe", "ffn"): [*RANGES[::2], *UNIT, {"range": ("-3", "2")}],
    ("clip", "recipe", "anchor"): RANGES + UNIT + FUNCTION_ANCHOR,
    ("clip", "recipe", "anchors"): RANGES[1::2] + UNIT + FUNCTION_ANCHORS + FUNCTION_SENTINELS,
    ("hat", "recipe", "silu"): RANGES + COPIES + FUNCTION_SILU,
    ("hat", "recipe", "ffn"): [*RANGES[::2], *COPIES, {"range": ("-3", "2")}],
    ("hat", "recipe", "anchor"): RANGES[::2] + COPIES + FUNCTION_ANCHOR,
    ("hat", "recipe", "anchors"): RANGES[1::4] + COPIES + FUNCTION_ANCHORS + FUNCTION_SENTINELS[:2],
    ("recip", "recipe", "silu"): RECIP + RECIP_SILU,
    ("recip", "recipe", "ffn"): RECIP + RECIP_FFN,
    ("recip", "recipe", "anchor"): RECIP_ANCHOR + RECIP_ONE_HEAD,
    ("recip", "recipe", "anchors"): RECIP_ANCHOR[1:] + RECIP_MANY_HEADS,
}

CASES = [Case(name, route, gate, tuple(row.items())) for (name, route, gate), rows in TABLE.items()
         for row in [*rows, *(sequences(name, gate) if gate else [])]]


# ---------------------------------------------------------------------------------------------------------------
# which of them are run

VALUES = {name: [v for c in CASES for k, v in c.given if k == name] for name in {k for c in CASES for k, _ in c.given}}
LEAST = {name: min(values) for name, values in VALUES.items() if all(isinstance(v, int) for v in values)}       # of counts


def likeness(name: str, value: object) -> object:
    """What sets a value of a parameter apart: a word from other words, an end of what is possible from the rest."""
    if name in LEAST:
        return value == LEAST[name]
    if name == "eps":
        eps = F(str(value))
        return "no level is needed" if eps >= 1 else "tiny" if eps <= F(1, 10**9) else "some"
    if name == "range" and isinstance(value, tuple):
        return tuple((F(end) > 0) - (F(end) < 0) for end in value)
    return value if isinstance(value, str) and value.isalpha() else "given"


def traits(case: Case) -> Iterator[object]:
    """Every construction × route × gate, made in every way; each parameter with what sets it apart, for each construction
    and for each route and gate."""
    given = case.parameters
    yield case.name, case.route, case.gate, *(given.get(name) for name in ("temperature", "grid", "sentinels"))
    apart = [("eps", "eps" in given), *((name, likeness(name, value)) for name, value in given.items())]
    for part in (case.name, (case.route, case.gate)):
        yield from ((part, *one) for one in apart)


CHOSEN = selected(CASES, traits)


# ---------------------------------------------------------------------------------------------------------------
# what a bound looks like, read from its parameters alone

def interval(b: Bound) -> tuple[Fraction, Fraction]:
    """Where something happens: the domain, or the interval of the function itself; [−3, 5] on a plain whole line."""
    v = b.values
    return (-v["M"], v["M"]) if "M" in v else (v["a"], v["b"]) if "a" in v else (F(-3), F(5))


def bounded(b: Bound) -> bool:
    return b.domains()[0][0] is not None


def knots(b: Bound) -> list[Fraction]:
    """Of recip: x_0 … x_N."""
    a, h = b.values["a"] - b.values["delta"], b.values["h"]
    return [a / (1 - i * h) ** 2 for i in range(int(b.values["N"]) + 1)]


def ramps(b: Bound) -> list[tuple[Fraction, Fraction]]:
    """Where the units of the first layer rise, as far as their inputs go, along one input (the others at the centre)."""
    low, high = interval(b)
    centre, delta = (low + high) / 2, b.values["delta"]
    match b.construction.name:
        case "relu" | "abs":
            return [(F(0), high + delta)] if high + delta > 0 else []
        case "clip":
            return [(low, high)]
        case "hat":
            return [(low, centre), (centre, high)]
        case "recip":
            found = knots(b)                                              # one grid serves all knots: the widest ramp's
            return [(x, x + found[-1] - found[1]) for x in dict.fromkeys((found[1], found[len(found) // 2], found[-2]))]
        case _:
            return [(centre, high + delta)]


def tokens_name(case: Case) -> str:
    """The parameter that counts the tokens of an anchor head."""
    return "n" if case.gate == "anchors" and case.name not in ("max", "min") else "p"


def cells(case: Case, values: Mapping[str, Fraction]) -> Fraction:
    """The cells of a grid of anchors, counted here once more: heads share their end anchors, or own all but two."""
    options, count, heads = case.parameters, values[tokens_name(case)], values.get("H", F(1))
    if options.get("sentinels"):
        return (count - 2) * heads - 1
    return count if options.get("grid") in ("left", "midpoint") else (count - 1) * heads


def kappa(case: Case, values: Mapping[str, Fraction]) -> Fraction:
    return values["kappa"] if case.parameters.get("temperature") == "hard" else F(68, 25)


def derivable(case: Case) -> bool:
    """For lists of cases that ask a bound what it is like: a case that cannot be built must not keep the others from being
    collected. It fails in every test that runs over all cases."""
    try:
        return bool(built(case).values)
    except Exception:
        return False


def levels(b: Bound) -> dict[str, object]:
    """The integers of the route, as they were chosen."""
    return {name: int(b.values[name]) for name in b.analysis.how.chooses}


# ---------------------------------------------------------------------------------------------------------------
# points

MOST_WORK, LEAST_POINTS = 20_000, 25        # tokens × heads × queries × points of one case
PARTS = tuple(F(*x) for x in ((1, 50), (1, 8), (1, 4), (3, 8), (1, 2), (5, 8), (3, 4), (1, 1)))


def interesting(b: Bound) -> list[Fraction]:
    """Values of one coordinate that are worth a look: ends, middle, kinks of the ideal function and of the sawtooth, all
    over the ramps and where their gates are worst; and far outside, where inputs may be anything."""
    low, high = interval(b)
    width = high - low
    found = {low, high, (low + high) / 2, low + width / 3, F(0)}
    teeth = min(int(b.values.get("m", 0)), 6) + 1
    found |= {low + width * k / 2**teeth for k in (1, 2, 2 ** (teeth - 1) - 1, 2**teeth - 1)}
    for start, end in ramps(b) or [(low, high)]:
        found |= {start, end, start + (end - start) * F(2, 7)}
        around = {start, end, (start + end) / 2, (start + 3 * end) / 4}
        if "beta" in b.values:                                            # where silu gates are worst
            found |= {c + sign * k * F(12785, 10000) / b.values["beta"] for c in (start, end) for k in (1, F(1, 3), 4)
                      for sign in (-1, 1)}
        if "cells" in b.values:                                           # where anchors are: near ends and joints of heads
            cell, heads = (end - start) / b.values["cells"], b.values.get("H", F(1))
            around |= {start + (end - start) * k / heads for k in (1, heads // 2, heads - 1)}
            found |= {c + sign * part * cell for c in around for part in PARTS for sign in (-1, 1)}
            if heads > 1 and b.analysis.supply is not None and b.analysis.supply.sentinels:
                owned = b.values[b.analysis.supply.tokens] - 2            # between what a head owns and its neighbour does
                found |= {start + (k * owned - F(1, 2)) * cell for k in (1, heads // 2, heads - 1)}
    if "h" in b.values:                                                   # worst points of chords: between knots, and there
        x, last = knots(b), int(b.values["N"])
        h = b.values["h"]
        found |= {y for i in {0, 1, last // 2, last - 1} for y in (x[i], x[0] / ((1 - i * h) * (1 - (i + 1) * h)))}
    if bounded(b):
        return sorted(x for x in found if low <= x <= high)
    if b.construction.own_interval is not None:
        found |= {low - width * k for k in (F(1, 2), 1, 100)} | {high + width * k for k in (F(1, 2), 1, 100)}
    return sorted(found)


def witness(b: Bound) -> list[Fraction] | None:
    """The point where the tight bound of the route is attained (one copy), moved into the domain if it fits there."""
    find = b.analysis.how.witness
    if find is None or "beta" not in b.values:
        return None
    point = list(find(b.values))
    low, high = b.domains()[0]
    if b.construction.counted and low is not None and high is not None and max(point) - min(point) <= high - low:
        shift = high - max(point)                                         # max and min do not mind a common shift
        point = [x + shift for x in point]
    return point


def inside(b: Bound, point: list[Fraction]) -> bool:
    return all(low is None or high is None or low <= x <= high for x, (low, high) in zip(point, b.domains(), strict=False))


def linear_unit(b: Bound, z: Fraction, rng: random.Random) -> list[Fraction]:
    """Inputs of clip with w·x + t = z."""
    count = int(b.values["d"])
    weights = [b.values.get(f"w{i + 1}", F(1)) for i in range(count)]
    x = [F(rng.randrange(-2000, 2001), 1000) for _ in range(count)]
    k = max(range(count), key=lambda i: abs(weights[i]))
    rest = sum((w * v for i, (w, v) in enumerate(zip(weights, x, strict=True)) if i != k), b.values.get("t", F(0)))
    return [*x[:k], (z - rest) / weights[k], *x[k + 1:]]


def points(b: Bound, random_points: int = 12) -> list[tuple[list[Fraction], list[Fraction]]]:
    """(exact point, point with input errors of at most δ) in the domain; the same every time."""
    rng = random.Random(repr(sorted((k, str(v)) for k, v in b.values.items())))
    c = b.construction
    unit = bool(c.lists)
    one = 1 if unit else sum(c.sizes(b.values))
    groups = c.groups(b.values) * int(b.values.get("L", 1))
    special = interesting(b)
    low, high = min(special), max(special)
    centre, width = (interval(b)[0] + interval(b)[1]) / 2, interval(b)[1] - interval(b)[0]

    def anywhere() -> Fraction:
        x = centre + width * F(rng.randrange(-10**9, 10**9 + 1), 10**9) * (F(1, 2) if bounded(b) else 1)
        return min(high, max(low, x))

    chosen: list[list[Fraction]] = []
    if one == 1:
        chosen += [[x] for x in special]
    elif one == 2:
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
    if "cells" in b.values:                                               # a few cells of the grid
        beta = 2 * b.values["cells"] / width

    def close() -> Fraction:
        return min(high, max(low, near + F(rng.randrange(-3000, 3001), 1000) / beta))

    chosen += [[close() for _ in range(one)] for _ in range(random_points)]
    attained = witness(b)
    if attained is not None and inside(b, attained):
        chosen.append(attained)
    if unit:
        chosen = [linear_unit(b, z, rng) for (z,) in chosen]
    whole = chosen
    if groups > 1:
        whole = [[x for j in range(groups) for x in chosen[(k + j * 7) % len(chosen)]] for k in range(len(chosen))]
    if "L" in b.values:                                                   # what leaks is worst from extreme neighbours
        ends = [chosen[special.index(low)], chosen[special.index(high)]] if one == 1 else [[low] * one, [high] * one]
        whole = whole[::2] + [point + end * (groups - 1) for point in chosen[::4] for end in ends]
    delta = b.values["delta"]
    most = MOST_WORK // max(1, int(b.values.get("L", 1)) * (b.network.tokens * b.network.heads) * (4 if delta else 1))
    if len(whole) > max(most, LEAST_POINTS):                              # large networks: as many as time allows
        whole = rng.sample(whole, max(most, LEAST_POINTS))
    if not delta:
        return [(exact, exact) for exact in whole]
    return [(exact, [x + s for x, s in zip(exact, shifts, strict=True)]) for exact in whole for shifts in (
        [delta] * len(exact), [-delta] * len(exact), [rng.choice((-delta, F(0), delta)) for _ in exact],
        [delta * rng.randrange(-1000, 1001) / 1000 for _ in exact])]
