"""Plain letters for what an encoding cannot write: β as beta, ≤ as <=, x² as x^2.

`reading` says which encoding the text that is being made is for; tables are laid out with the letters that it will have.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ENCODING: ContextVar[str] = ContextVar("encoding", default="utf-8")

_PLAIN = {
    "ε": "eps", "−": "-", "‐": "-", "‑": "-", "–": "-", "—": "-", "─": "-", "│": "|", "·": "*", "⋅": "*", "×": "x", "∗": "*",
    "÷": "/", "±": "+/-", "∓": "-/+", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~", "≡": "==", "∼": "~", "≪": "<<", "≫": ">>",
    "∞": "inf", "∈": "in", "⊆": "within", "∪": "or", "∩": "and", "→": "->", "↦": "|->", "⇒": "=>", "⟺": "<=>",
    "⇔": "<=>", "←": "<-", "↑": "(up)", "↓": "(down)", "⌈": "ceil(", "⌉": ")", "⌊": "floor(", "⌋": ")", "⟨": "<", "⟩": ">",
    "‖": "||", "∎": "(end of proof)", "…": "...", "⋯": "...", "‘": "'", "’": "'", "“": '"', "”": '"', "„": '"', "ß": "ss",
    "√": "sqrt", "∑": "sum", "∏": "product", "∫": "integral", "∂": "d", "∇": "grad", "∀": "for all ", "∃": "exists ",
    "½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "°": " degrees", "§": "section ", "′": "'", "″": "''",
    "∅": "{}", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2062": "*", "\u2061": "", "✓": "yes", "✗": "no", "ı": "i",
    "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "ː": ":", "¬": "not ", "∧": "and", "∨": "or", "∘": "o", "↔": "<->",
    "∝": "~", "∥": "||", "⊂": "within", "⊇": "contains", "◐": "o", "Λ": "Lambda", "λ": "lambda", "⁻": "-", "₋": "-",
    "⊢": "|-", "⩽": "<=", "≦": "<=", "⩾": ">=", "≧": ">=", "\u2060": " ",
}
_ROOT = re.compile(r"√([^\W_]+)")
_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿⁱᵐᵏᵈ]+")
_LOWERED = re.compile("[₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ]+")
_MISSING = "?"


@contextmanager
def reading(encoding: str) -> Iterator[None]:
    """All that is laid out inside is for a reader in that encoding."""
    token = _ENCODING.set(encoding)
    try:
        yield
    finally:
        _ENCODING.reset(token)


def read_in(encoding: str) -> None:
    """The same from here on, within the innermost `reading`."""
    _ENCODING.set(encoding)


def written(text: str) -> str:
    """The text in letters that today's reader has."""
    return in_letters_of(_ENCODING.get(), text)


def in_letters_of(encoding: str, text: str) -> str:
    """The text with plain letters for all that the encoding cannot write; text that it can write stays as it is."""
    if _can_write(encoding, text):
        return text

    def raised(match: re.Match[str]) -> str:
        return match[0] if _can_write(encoding, match[0]) else "^" + _digits(match[0])

    def lowered(match: re.Match[str]) -> str:
        return match[0] if _can_write(encoding, match[0]) else "_" + _digits(match[0])

    if not _can_write(encoding, "√"):
        text = _ROOT.sub(r"√(\1)", text)
    text = _LOWERED.sub(lowered, _RAISED.sub(raised, text))
    found: list[str] = []
    for place, c in enumerate(text):
        if _can_write(encoding, c):
            found.append(c)
            continue
        plain = plain_letters(c)
        # 2βM is 2beta M: a name must not run into the next one
        following = text[place + 1:place + 2]
        found.append(plain + (" " if len(plain) > 1 and plain.isalpha() and following.isalpha() else ""))
    return "".join(found)


def plain_letters(c: str) -> str:
    """ASCII for one character: its name if it is Greek, what it stands for, or the letter without its accents."""
    if c in _PLAIN:
        return _PLAIN[c]
    if unicodedata.combining(c):
        return ""
    name = unicodedata.name(c, "")
    if name.startswith("GREEK"):
        letter = name.split(" LETTER ")[-1].split()[0] if " LETTER " in name else name.split()[1]
        return letter.capitalize() if "CAPITAL" in name else letter.lower()
    return "".join(x for x in unicodedata.normalize("NFKD", c) if x.isascii()) or _MISSING


def _can_write(encoding: str, text: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def _digits(text: str) -> str:
    return unicodedata.normalize("NFKD", text).replace("−", "-")
