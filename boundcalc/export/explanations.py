"""What a report on claims ends with: the meaning of every symbol and quantity that occurs in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass

import sympy as sp

from ..claims import words as glossary
from ..claims.model import Exists, Finding, QuantityCall, Reading
from ..formulas.symbols import MEANINGS
from .document import Code, Heading, Line, Math, Piece, Table, words
from .statements import OUR_C, short_names

Section = tuple[Finding, Reading, tuple[Piece, ...]]


def explanations(sections: Sequence[Section]) -> list[Piece]:
    """The tables, each only where it has rows."""
    found: list[Piece] = []
    for title, make in (("Symbols", _symbols), ("Quantities", _quantities)):
        table = make(sections)
        if table.rows:
            found += [Heading((title,)), table]
    return found


def formulas(content: object) -> Iterator[Math]:
    """Every formula of a document, or of a part of it."""
    if isinstance(content, Math):
        yield content
    elif isinstance(content, tuple):
        for part in content:
            yield from formulas(part)
    elif is_dataclass(content):
        for f in fields(content):
            yield from formulas(getattr(content, f.name))


def expressions(content: object) -> Iterator[sp.Expr]:
    return (part for formula in formulas(content) for part in formula.parts if isinstance(part, sp.Basic))


# --- symbols ----------------------------------------------------------------------------------------------------------

def _symbols(sections: Sequence[Section]) -> Table:
    """A row for every symbol and every meaning that it has; what is meant in few claims only names them."""
    meanings: dict[tuple[str, str], tuple[sp.Symbol, list[str]]] = {}
    for f, reading, blocks in sections:
        names = {q.text for q in reading.quantities} | set(short_names(reading).values())
        for s in sorted({s for e in expressions(blocks) for s in e.free_symbols}, key=lambda s: str(s.name)):
            if s.name not in names:
                key = (s.name, _meaning(s, reading))
                meanings.setdefault(key, (s, []))[1].append(f.claim.id)
    rows, seen = [], set[str]()
    for name, meaning in sorted(meanings, key=lambda key: (key[0].casefold(), key[0], -len(meanings[key][1]), key[1])):
        s, claims = meanings[name, meaning]
        where: Line = (" (in ", *_listed(claims), ")") if name in seen else ()     # the first is the most frequent one
        seen.add(name)
        rows.append(((Math((s,)),), (Code(name),) if s != OUR_C else (Code("C"),), (*words(meaning), *where), (_values(s),)))
    return Table((), "llww", (("symbol",), ("typed",), ("meaning",), ("values, unless a claim says otherwise",)),
                 (*rows, *_functions(sections)))


def _listed(claims: Sequence[str]) -> Line:
    return tuple(span for k, name in enumerate(claims) for span in ((", ", Code(name)) if k else (Code(name),)))


def _meaning(s: sp.Symbol, reading: Reading) -> str:
    if s == OUR_C:
        return MEANINGS["C"] + ", where the claim has a $C$ of its own"
    if isinstance(reading.statement, Exists) and s == reading.statement.constant:
        return "the constant that the claim asks for"
    return glossary.parameter(s, reading)


def _values(s: sp.Symbol) -> str:
    if s == OUR_C or s.name in glossary.ROUNDED:
        return ""
    default = glossary.default(s)
    return glossary.ranges_over(s) + (f"; {default} where a claim does not mention it" if default else "")


def _functions(sections: Sequence[Section]) -> list[tuple[Line, ...]]:
    """Functions that not every reader knows by this name."""
    shown = [e for _, _, blocks in sections for e in expressions(blocks)]
    known = ((sp.LambertW, "W_0", "W", MEANINGS["W"]), (sp.log, "log", "log", "natural logarithm"),
             (sp.erf, "erf", "erf", "error function"))
    return [((Math((symbol,)),), (Code(typed),), words(meaning), ("",))
            for kind, symbol, typed, meaning in known if any(e.has(kind) for e in shown)]


# --- quantities -------------------------------------------------------------------------------------------------------

def _quantities(sections: Sequence[Section]) -> Table:
    calls = {q.text: q for _, reading, _ in sections for q in reading.quantities}
    rows = tuple(((Code(text),), _quantity(calls[text])) for text in sorted(calls))
    chosen = {option for call in calls.values() for option in call.options}
    note = "; ".join(f"{key} {value}: {meaning}" for key, known in glossary.OPTIONS.items()
                     for value, meaning in known.items() if (key, value) in chosen)
    return Table((), "lw", (("quantity",), ("meaning",)), rows, words(f"{note[:1].upper()}{note[1:]}.") if note else ())


def _quantity(call: QuantityCall) -> Line:
    """The meaning, with the arguments of the call as formulas."""
    given = glossary.arguments(call)
    parts = re.split(r"\{(\w+)\}", glossary.quantity(call))
    return tuple(span for k, part in enumerate(parts)
                 for span in ((Math((given[part],)),) if k % 2 else words(part)))
