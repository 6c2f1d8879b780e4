"""Mathematics as people type it in Unicode, such as 0 ≤ f_m(t) − t² ≤ 4^(−m−1), read so that it can be set properly.

Statements of lemmas, names of stages and maps of constructions are prose with formulas between dollar signs. `plain` is
the same without the dollar signs (terminals, JSON); `to_latex` sets a formula for a paper. Only our own texts are read
here: what is not understood is a defect, not somebody's mistake.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeAlias

from ..errors import BoundcalcError
from ..records import dataclass


@dataclass(frozen=True)
class Atom:
    """A number, a letter, a word or a sign."""

    text: str
    kind: str                   # "number", "letter", "word", "sign", "open", "close"


@dataclass(frozen=True)
class Scripted:
    base: Node
    below: Nodes = ()
    above: Nodes = ()


@dataclass(frozen=True)
class Root:
    body: Nodes


Node: TypeAlias = Atom | Scripted | Root
Nodes: TypeAlias = tuple[Node, ...]

OPEN, CLOSE = "([{⌈⌊⟨", ")]}⌉⌋⟩"
WORDS = frozenset(("ln",))                      # of two letters; other pairs of letters are products
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789−+", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₋₊", "0123456789−+", strict=True))
_TOKEN = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<word>[A-Za-z]+)|(?P<space>\s+)|(?P<sign>.)", re.DOTALL)


def pieces(text: str) -> list[tuple[bool, str]]:
    """Words and formulas of a prose text in turn: (is a formula, text)."""
    parts = text.split("$")
    if len(parts) % 2 == 0:
        raise BoundcalcError(f"A dollar sign is missing in {text!r}.")
    return [(k % 2 == 1, part) for k, part in enumerate(parts) if part]


def plain(text: str) -> str:
    """A prose text without its marks."""
    return text.replace("$", "")


def read(text: str) -> Nodes:
    """The formula as a tree."""
    reader = _Reader(text)
    nodes = reader.sequence("")
    if reader.left:
        raise BoundcalcError(f"{reader.left[0][1]!r} closes nothing in {text!r}.")
    return nodes


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.left = [(m.lastgroup or "", m[0]) for m in _TOKEN.finditer(text) if m.lastgroup != "space"]
        self.bars = 0

    def sequence(self, closer: str) -> Nodes:
        """Nodes up to the closer, which is left."""
        found: list[Node] = []
        while self.left and self.left[0][1] != closer:
            kind, text = self.left.pop(0)
            if text in _RAISED or text in _LOWERED:
                found[-1:] = [self.digits(text, found)]
            elif text in ("^", "_"):
                below_or_above = self.script()
                found[-1:] = [_scripted(found, text == "_", below_or_above)]
            elif text == "√":
                found.append(Root(self.script()))
            elif kind == "word":
                found += _words(text)
            elif text == "|":
                # behind an operand a bar closes the one that is open
                closes = self.bars > 0 and _is_operand(found[-1])
                self.bars += -1 if closes else 1
                found.append(Atom("|", "close" if closes else "open"))
            else:
                found.append(Atom(text, "number" if kind == "number" else "open" if text in OPEN
                                  else "close" if text in CLOSE else "letter" if text.isalpha() else "sign"))
        return tuple(found)

    def digits(self, first: str, found: Sequence[Node]) -> Scripted:
        """A run of raised or lowered digits."""
        table = _RAISED if first in _RAISED else _LOWERED
        run = table[first]
        while self.left and self.left[0][1] in table:
            run += table[self.left.pop(0)[1]]
        return _scripted(found, table is _LOWERED, read(run))

    def script(self) -> Nodes:
        """What ^, _ or √ applies to: a bracket, whose brackets are not shown, a number, a letter or a word."""
        kind, text = self.left.pop(0) if self.left else ("", "")
        if text == "(":
            body = self.balanced()
            return read(body)
        if kind == "word":
            # only the first letter of a product is a script: x_ij would be ambiguous and is not used
            return _words(text)
        if kind == "number" or text.isalpha() or (text and text in "−+±∞"):
            return (Atom(text, "number" if kind == "number" else "letter" if text.isalpha() else "sign"),)
        raise BoundcalcError(f"A script is missing in {self.text!r}.")

    def balanced(self) -> str:
        """The text up to the bracket that closes the one just read."""
        depth, body = 1, ""
        while self.left:
            _, text = self.left.pop(0)
            depth += (text == "(") - (text == ")")
            if depth == 0:
                return body
            body += f" {text} " if text.isalpha() and text.isascii() else text
        raise BoundcalcError(f"A bracket is not closed in {self.text!r}.")


def _scripted(found: Sequence[Node], below: bool, script: Nodes) -> Scripted:
    if not found:
        raise BoundcalcError("A script stands alone.")
    last = found[-1]
    base = last if isinstance(last, Scripted) else Scripted(last)
    return Scripted(base.base, script, base.above) if below else Scripted(base.base, base.below, script)


def _words(text: str) -> Nodes:
    if len(text) == 1:
        return (Atom(text, "letter"),)
    if len(text) > 2 or text in WORDS:
        return (Atom(text, "word"),)
    return tuple(Atom(c, "letter") for c in text)


def _is_operand(node: Node) -> bool:
    return not isinstance(node, Atom) or node.kind in ("number", "letter", "word", "close")


# ---------------------------------------------------------------------------------------------------------------
# LaTeX

_LATEX = {
    "↦": r"\mapsto", "·": r"\cdot", "−": "-", "≤": r"\le", "≥": r"\ge", "→": r"\to", "∈": r"\in", "±": r"\pm",
    "∞": r"\infty", "×": r"\times", "∥": r"\parallel", "…": r"\dots", "Σ": r"\sum", "≈": r"\approx", "ℓ": r"\ell",
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "η": r"\eta", "κ": r"\kappa",
    "λ": r"\lambda", "ν": r"\nu", "ξ": r"\xi", "ρ": r"\rho", "ϱ": r"\varrho", "σ": r"\sigma", "τ": r"\tau",
    "Δ": r"\Delta", "π": r"\pi", "⌈": r"\lceil", "⌉": r"\rceil", "⌊": r"\lfloor", "⌋": r"\rfloor", "⟨": r"\langle",
    "⟩": r"\rangle", "{": r"\{", "}": r"\}", "ℝ": r"\mathbb{R}", "‖": r"\Vert", "ᵀ": r"{}^{\mathsf T}", "Φ": r"\Phi",
    "θ": r"\theta", "ζ": r"\zeta", "′": "'",
    "Λ": r"\Lambda", "⊂": r"\subset", "≠": r"\ne", "√": r"\surd", "↑": r"\uparrow", "↓": r"\downarrow",
    "∼": r"\sim", "Θ": r"\Theta", "Ω": r"\Omega",
}
_NAMED = frozenset(["max", "min", "ln", "log", "exp", "sin", "cos", "tanh"])


def known_sign(c: str) -> str | None:
    """The LaTeX of a single mathematical sign; None where there is none."""
    if c in _RAISED or c in _LOWERED:
        return f"^{_RAISED[c]}".replace("−", "-") if c in _RAISED else f"_{_LOWERED[c]}".replace("−", "-")
    return _LATEX.get(c)


def to_latex(text: str) -> str:
    """The formula for a paper, in amsmath math mode."""
    return _latex(read(text))


def _latex(nodes: Nodes) -> str:
    out, last = "", None
    for node, following in zip_longest(nodes, nodes[1:]):
        text = _latex_node(node, isinstance(following, Atom) and following.text == "(")
        # a command would swallow the letter behind it; behind a script a space is for those who read the source
        apart = re.search(r"\\[A-Za-z]+$", out) or isinstance(last, Scripted)
        out += " " + text if apart and (text[0].isalnum() or text[0] == "\\") else text
        last = node
    return out


def _latex_node(node: Node, applied: bool = False) -> str:
    """`applied`: a bracket follows, so that a word is the name of a function."""
    match node:
        case Scripted(base=base, below=below, above=above):
            return (_latex_node(base, applied) + (f"_{_braced(_latex(below))}" if below else "")
                    + (f"^{_braced(_latex(above))}" if above else ""))
        case Root(body=body):
            return rf"\sqrt{{{_latex(body)}}}"
        case Atom(text="|", kind=kind):
            return r"\lvert" if kind == "open" else r"\rvert"
        case Atom(text=text, kind="word"):
            return rf"\{text}" if text in _NAMED else rf"\{'operatorname' if applied else 'mathrm'}{{{text}}}"
        case Atom(text=text):
            if not text.isascii() and text not in _LATEX:
                raise BoundcalcError(f"There is no LaTeX for {text!r}.")
            return _LATEX.get(text, text)


def _braced(text: str) -> str:
    return text if len(text) == 1 else f"{{{text}}}"
