"""What the words of a finding mean, for readers who have nothing but the report: verdicts, standings, methods, parameters.

Texts are prose: formulas stand between dollar signs (mathtext.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ..checker.claims import DEFAULTS, NATURAL
from ..declarations.registry import information
from ..declarations.registry import names as construction_names
from ..formulas.symbols import MEANINGS, PARAMETERS, C
from .found import SolvedFor, Tactic
from .lemma_quantities import LEMMAS
from .model import QuantityCall, Reading
from .quantities import names_one_network

VERDICTS = {
    "proved": "it holds for all parameters that its conditions allow, by exact algebra and rigorous enclosures",
    "refuted": "it fails: exact parameters are given at which it does, confirmed by ball arithmetic and again by mpmath; "
               "for a claim about a limit these are leading terms and a point close to the limit",
    "conditional": "it holds exactly under the condition that is given, and fails outside, where a witness is given",
    "vacuous": "it is true, but for a reason that makes it worthless",
    "supported": "no counterexample was found, and no proof; nothing more is claimed",
    "undecided": "neither proved nor refuted, for the reason that is given",
}
STANDINGS = {
    "quoted": "in the words of the source",
    "paraphrased": "in other words than those of the source",
    "reconstructed": "not to be attributed to the source: what it would have to say, or a variation of it",
    "from memory": "as it is remembered, not compared with the source",
}
METHODS = {
    "constant": "both sides are numbers, compared exactly or by enclosures",
    "sign": "range of the difference by interval arithmetic, rounded outwards",
    "parts": "sum of parts without common parameters, each of one sign",
    "linear": "linear in a parameter, so least at an end of its range",
    "factors": "common denominator; factors of known sign and squares dropped",
    "coefficients": "every parameter as its least value plus $t ≥ 0$; no coefficient is negative",
    "pieces": "cases for absolute values, max and min",
    "rounding": "roundings replaced by all values that they can take",
    "substitution": "a power, a logarithm or a product as the new variable",
    "roots": "$x = u^q$ takes roots away",
    "inverse": "$W(x) ≤ r$ exactly when $x ≤ r·e^r$",
    "logarithms": "both sides compared by their logarithms",
    "square": "the square is completed",
    "touching": "the two sides meet at a point, at which the range is cut",
    "exponentials": "tanh written by exponentials",
    "monotone": "derivatives of one sign, so that the difference is least at an end of the range",
    "boxes": "the range is halved until interval arithmetic settles every part",
    "integers": "small integers one by one, all others as real numbers",
    "counterexample": "parameters at which the claim fails",
    "evaluated network": "the network was built with exact weights and evaluated at an input by ball arithmetic: its error "
                         "there is larger than claimed",
    "leading terms": "the leading terms of both sides at the limit were compared",
    "exact algebra": "the derived closed form does not contain the parameter",
    "upper and lower bound agree": "the derived upper bound equals the proved lower bound",
    "derivative": "the derivative is zero",
    "empty domain": "no parameters satisfy the conditions, or the limit is never taken",
    "solved": "the inequality was solved by steps that can be undone, so the condition is exact",
}
RESOURCES = {
    "error": "largest error over the domain",
    "error_relative": "largest error relative to the target over the domain",
    "layers": "number of attention layers", "heads": "number of heads",
    "heads_per_layer": "largest number of heads in a layer", "tokens": "number of tokens",
    "width": "width, the dimension of a token", "parameters": "number of entries of all matrices and vectors",
    "magnitude": "largest absolute value of a weight", "beta": "inverse temperature of the heads",
    "logit": "largest logit, inverse temperature times the difference of two scores", "bits": "bits of a weight",
    "neurons": "number of ReLU units", "relu_layers": "number of ReLU layers",
}
ROUNDED = {     # stand-ins in leading terms (rewriting.relaxed)
    "r1": "what a rounding adds or takes away, from 0 to 1", "w1": "factor by which rounding a logarithm raises a power",
}
OPTIONS = {     # what the options of a quantity choose
    "route": {"recipe": "a ReLU network, every ReLU of it computed by a gate", "tree": "two by two, level by level, by "
              "gates", "direct": "without gates"},
    "gate": {"silu": "a head over two tokens, $z/(1+e^(−βz))$ for $max(z, 0)$",
             "anchor": "one head over tokens with fixed keys and values, the anchors",
             "anchors": "several heads that share the anchors", "ffn": "an exact ReLU, no attention"},
    "temperature": {"tuned": "$κ = 68/25$, for which a small error is certified", "hard": "given by $κ$; the larger, the "
                    "closer to a hard selection"},
    "grid": {"linspace": "anchors from end to end", "left": "anchors at the left ends of cells",
             "midpoint": "anchors at the midpoints of cells"},
    "sentinels": {"yes": "every head also sees the anchors next to its own, with value 0 (the outermost ones keep theirs)",
                  "no": "heads see their own anchors"},
}


def method(tactic: Tactic) -> str:
    """The name under which METHODS explains a tactic."""
    return "solved" if isinstance(tactic, SolvedFor) else tactic


def quantity(call: QuantityCall) -> str:
    """What a quantity is; the arguments of a lemma stand in braces, by the names of its parameters."""
    if call.name not in construction_names():
        options = f" ({', '.join(f'{k} {v}' for k, v in call.options)})" if call.options else ""
        return LEMMAS[call.name][call.quantity].meaning + options
    what = RESOURCES[call.quantity]
    how = "".join(f", {key} {value}" for key, value in call.options)
    title = information(call.name).title
    title = title[:1].lower() + title[1:]
    if names_one_network(call):
        return f"{what} of the construction {call.name} ({title}){how}"
    return f"least {what} over all softmax attention networks of accuracy $ε$ for {call.name} ({title}){how}"


def arguments(call: QuantityCall) -> dict[str, sp.Expr]:
    """The arguments of a lemma's quantity by the names of its parameters."""
    if call.name in construction_names():
        return {}
    names = LEMMAS[call.name][call.quantity].parameters
    return dict(zip(names, call.arguments or tuple(sp.Symbol(name) for name in names), strict=True))


def roles(reading: Reading) -> Iterator[tuple[str, str]]:
    """Parameters that are the argument of a lemma, with what they are there."""
    for call in reading.quantities:
        if call.name not in construction_names():
            entry = LEMMAS[call.name][call.quantity]
            for role, argument in zip(entry.roles, arguments(call).values(), strict=True):
                if argument.is_Symbol:
                    yield argument.name, role


def parameter(s: sp.Symbol, reading: Reading) -> str:
    """What a parameter of a claim, or of what is derived for it, is."""
    found = list(dict.fromkeys(role for name, role in roles(reading) if name == s.name))
    if found:
        return "; ".join(found)
    if s == C:
        return MEANINGS["C"]
    if s.name in PARAMETERS and s.name != "s":          # in claims s is any real number
        return PARAMETERS[s.name].meaning
    if s.name in reading.names:
        return "a parameter of the claim"
    return ROUNDED.get(s.name, "an input of the network")


def ranges_over(s: sp.Symbol) -> str:
    """The values of a parameter where a claim does not restrict it."""
    if s == C:
        return ""
    if s.name in "nmkNH" and s.is_integer:
        return f"integers from {NATURAL[s.name][0]}" if s.name in NATURAL else "integers"
    if s.name in NATURAL:
        return "positive numbers" if NATURAL[s.name][1] else "numbers from 0"
    return "real numbers"


def default(s: sp.Symbol) -> str:
    """The value that a parameter takes where neither the claim nor its conditions mention it."""
    return str(DEFAULTS[s.name][1]) if s.name in DEFAULTS else ""
