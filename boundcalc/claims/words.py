"""What the words of a finding mean, for readers who have nothing but the report: verdicts, standings, parameters.

Texts are prose: formulas stand between dollar signs (mathtext.py).
"""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ..checker.claims import DEFAULTS, NATURAL
from ..declarations.registry import in_claims, information
from ..formulas.symbols import MEANINGS, PARAMETERS, C
from .lemma_quantities import LEMMAS
from .model import QuantityCall, Reading
from .quantities import names_one_network

VERDICTS = {
    "proved": "at every point of its domain both sides are defined and it holds; a proof object was checked",
    "refuted": "it fails: at the point that is given (for a limit along a path, for a constant whatever its value), as was "
               "checked by exact and ball arithmetic",
    "conditional": "it holds under the condition that is given and fails wherever that does not hold; both were checked",
    "vacuous": "it is true, but for a reason that makes it worthless",
    "supported": "no counterexample was found, and no proof; nothing is asserted",
    "undecided": "neither proved nor refuted, for the reason that is given; nothing is asserted",
}
STANDINGS = {
    "quoted": "in the words of the source",
    "paraphrased": "in other words than those of the source",
    "reconstructed": "not to be attributed to the source: what it would have to say, or a variation of it",
    "from memory": "as it is remembered, not compared with the source",
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
    "relu_width": "number of ReLU units in the widest layer",
    "nu": "lead of a token's own score over those of other tokens, score scale times inverse temperature",
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
    "sequence": {"L": "at each of $L$ tokens"},
}


def quantity(call: QuantityCall) -> str:
    """What a quantity is; the arguments of a lemma stand in braces, by the names of its parameters."""
    if in_claims(call.name) is None:
        options = f" ({', '.join(f'{k} {v}' for k, v in call.options)})" if call.options else ""
        return LEMMAS[call.name][call.quantity].meaning + options
    what = RESOURCES[call.quantity]
    how = "".join(f", {key} {value}" for key, value in call.options)
    title = information(in_claims(call.name) or call.name).title
    title = title[:1].lower() + title[1:]
    if names_one_network(call):
        return f"{what} of the construction {call.name} ({title}){how}"
    return f"least {what} over all softmax attention networks of accuracy $ε$ for {call.name} ({title}){how}"


def arguments(call: QuantityCall) -> dict[str, sp.Expr]:
    """The arguments of a lemma's quantity by the names of its parameters."""
    if in_claims(call.name) is not None:
        return {}
    names = LEMMAS[call.name][call.quantity].parameters
    return dict(zip(names, call.arguments or tuple(sp.Symbol(name) for name in names), strict=True))


def roles(reading: Reading) -> Iterator[tuple[str, str]]:
    """Parameters that are the argument of a lemma, with what they are there."""
    for call in reading.quantities:
        if in_claims(call.name) is None:
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
