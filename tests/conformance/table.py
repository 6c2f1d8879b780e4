"""The cross-cutting table: what no construction can say of itself, every gate in every way for all that are bundled."""

from __future__ import annotations

Row = dict[str, object]

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
