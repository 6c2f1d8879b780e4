"""Trees of targets written out again in the grammar from which they are read."""

from __future__ import annotations

from collections.abc import Container, Sequence
from fractions import Fraction

from .functions import FUNCTIONS
from .target_tree import Apply, Constant, Coordinate, Linear, MaxOrMin, Product, Special, TargetTree


def target_text(tree: TargetTree, names: Sequence[str], said: Container[str] = FUNCTIONS,
                specials: bool = True) -> str | None:
    """In the names of the inputs; None where that takes another function than those that may be said, or π or e where these
    may not."""
    def texts(parts: Sequence[TargetTree]) -> list[str] | None:
        found = [target_text(t, names, said, specials) for t in parts]
        known = [t for t in found if t is not None]
        return known if len(known) == len(found) else None

    match tree:
        case Constant(value=x):
            return str(x)
        case Special(name=name):
            return name if specials else None
        case Coordinate(index=k):
            return names[k]
        case Linear(constant=constant, terms=terms):
            inner = texts([t for _, t in terms])
            if inner is None:
                return None
            summands = [_times(c, _bracketed(t, text)) for (c, t), text in zip(terms, inner, strict=True)]
            return " + ".join([*([str(constant)] if constant or not summands else []), *summands]).replace("+ -", "- ")
        case Product(factors=factors):
            inner = texts(factors)
            return None if inner is None else "*".join(map(_bracketed, factors, inner))
        case MaxOrMin(sign=sign, parts=parts):
            inner = texts(parts)
            return None if inner is None else f"{'max' if sign > 0 else 'min'}({', '.join(inner)})"
        case Apply(function=function, argument=argument):
            inner = texts([argument])
            if inner is None:
                return None
            if function.exponent is not None:
                simple = isinstance(argument, Coordinate | MaxOrMin)
                base, exponent = (inner[0] if simple else f"({inner[0]})"), str(function.exponent)
                return f"{base}**{exponent if exponent.isdigit() else f'({exponent})'}"
            return f"{function.name}({inner[0]})" if function.name in said else None


def _times(c: Fraction, text: str) -> str:
    return text if c == 1 else f"-{text}" if c == -1 else f"{c}*{text}"


def _bracketed(tree: TargetTree, text: str) -> str:
    return f"({text})" if isinstance(tree, Linear | Product) or (isinstance(tree, Constant) and tree.value < 0) else text
