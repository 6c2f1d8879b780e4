"""Untrusted: claims as people write them (Unicode, `^`, `19m`, LaTeX) in the plain grammar that the checker reads.

The finding shows the plain text that was decided, so a wrong translation is seen.
"""

from __future__ import annotations

import re

from ..errors import InvalidInput
from .latex_reader import is_latex, latex_tokens

_SIGNS = {
    "≤": "<=",
    "≥": ">=",
    "−": "-",
    "–": "-",
    "·": "*",
    "×": "*",
    "⋅": "*",
    "≠": "!=",
    "∞": "inf",
    "→": "->",
    "½": "(1/2)",
    "⌈": "ceil(",
    "⌉": ")",
    "⌊": "floor(",
    "⌋": ")",
    "∈": " in ",
    "÷": "/",
}
_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "eps",
    "ϵ": "eps",
    "η": "eta",
    "κ": "kappa",
    "λ": "lambda_",
    "μ": "mu",
    "ν": "nu",
    "ξ": "xi",
    "π": "pi",
    "σ": "sigma",
    "θ": "theta",
    "ρ": "rho",
    "τ": "tau",
    "Δ": "Delta",
    "Θ": "Theta",
    "Ω": "Omega",
}
_UP = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵐ", "0123456789+-nm")
_DOWN = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_UPPER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿᵐ]+")
_RELATION = re.compile(r"<=|>=|==|<|>")


def plain_text(text: str) -> str:
    """The text in plain grammar; InvalidInput if it is LaTeX that is not understood."""
    if is_latex(text):
        return _joined([t.text for t in latex_tokens(text) if t.kind != "end"])
    for sign, ascii_sign in _SIGNS.items():
        text = text.replace(sign, ascii_sign)
    text = _UPPER.sub(lambda m: f"**({m[0].translate(_UP)})", text)
    text = re.sub("[₀-₉]+", lambda m: m[0].translate(_DOWN), text)
    for letter, name in _GREEK.items():
        text = re.sub(rf"(?<![A-Za-z]){letter}", name, text)
    text = re.sub(
        r"√\s*(\([^()]*\)|[A-Za-z0-9_.]+)", lambda m: f"sqrt({m[1].strip('()')})" if m[1][0] != "(" else f"sqrt{m[1]}", text
    )
    text = text.replace("^", "**")
    text = _bars(text)
    text = re.sub(r"(?<![A-Za-z0-9_.])([0-9]+(?:\.[0-9]+)?)\s*(?=[A-Za-df-z(]|e[a-z])(?![eE][+-]?[0-9])", r"\1*", text)
    return text.replace("!=", " != ")


def _bars(text: str) -> str:
    """|x| as abs(x), where bars come in pairs and the first stands where an operand begins."""
    if text.count("|") % 2 or "|" not in text:
        return text
    found, open_ = "", False
    for c in text:
        if c == "|":
            found += ")" if open_ else "abs("
            open_ = not open_
        else:
            found += c
    return found


def _joined(tokens: list[str]) -> str:
    """Tokens with as few spaces as a reader likes."""
    text = ""
    for token in tokens:
        if token in ("<=", ">=", "==", "<", ">", "+", "-", "=", "->"):
            text += f" {token} "
        elif token == ",":
            text += ", "
        else:
            text += (" " if text[-1:].isalnum() and token[:1].isalnum() else "") + token
    return re.sub(r"([(\[*/,<>=]\s*)- ", r"\1-", re.sub(r"^\s*- ", "-", text.replace("  ", " "))).strip()


def chain(text: str) -> list[str]:
    """a <= b <= c is two claims."""
    depth, cuts, head = 0, [], ""
    stripped = text.strip()
    if re.match(r"(exists|independent)\b", stripped) or re.search(r"=\s*(O|o|Theta|Omega)\s*\(", stripped):
        return [text]
    body, _, tail = stripped.partition(" for ")
    position = 0
    while position < len(body):
        c = body[position]
        depth += c in "([{"
        depth -= c in ")]}"
        match = _RELATION.match(body, position)
        if match and depth == 0 and body[position : position + 2] != "->" and body[position - 1 : position + 1] != "->":
            cuts.append((match.start(), match.end()))
            position = match.end()
            continue
        position += 1
    if len(cuts) < 2:
        return [text]
    if len(cuts) > 4:
        raise InvalidInput("The claim has too many relations.", "Make several claims of it.")
    ends = [0, *(b for _, b in cuts)]
    starts = [*(a for a, _ in cuts), len(body)]
    sides = [body[a:b].strip() for a, b in zip(ends, starts, strict=True)]
    signs = [body[a:b] for a, b in cuts]
    behind = f" for {tail}" if tail else ""
    _ = head
    return [f"{sides[i]} {signs[i]} {sides[i + 1]}{behind}" for i in range(len(signs))]
