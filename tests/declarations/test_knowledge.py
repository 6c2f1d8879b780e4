"""Other rooms ask the declaration: none of them knows a construction by name, or by a parameter that only one has."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import boundcalc
from boundcalc.declarations.registry import construction, names
from boundcalc.formulas.notation import FUNCTIONS

ROOT = Path(boundcalc.__file__).parent
TYPED = {"n", "m", "k", "N", "H", "d", "p", "L"}            # the claim language itself gives these a type
FILE_MODES = {"w"}
LEAVING = {"claims/words.py"}       # the names of tactics are theirs
PROOF_WORDS = {"square", "t"}       # the language of proof objects: a rule's name, and the field that holds a term
GRAMMAR_WORDS = {"relu", "abs", "exp", "log", "sqrt"}       # functions
SPEAKING = {"checker/rules.py", "checker/statements.py", "claims/search_growth.py", "claims/search_proofs.py",
            "export/arguments.py"}  # the modules that write or read proof objects


def modules() -> dict[str, str]:
    return {str(p.relative_to(ROOT)): p.read_text(encoding="utf-8") for p in sorted(ROOT.rglob("*.py"))
            if p.relative_to(ROOT).parts[0] != "constructions" and str(p.relative_to(ROOT)) not in LEAVING}


def telling_names() -> set[str]:
    """Names of constructions that are not words of the claim grammar."""
    return set(names()) - {*FUNCTIONS.values(), *GRAMMAR_WORDS}


def rare_parameters() -> set[str]:
    count = Counter(p.name for name in names() for p in construction(name).parameters)
    return {name for name, times in count.items() if times == 1} - TYPED


def quoted(tree: ast.AST) -> Iterator[tuple[str, int]]:
    yield from ((node.value, node.lineno) for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str))


def keys(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Strings that something is compared with, looked up by, or kept under, and symbols asked for by name."""
    for node in ast.walk(tree):
        found: list[ast.expr | None] = []
        match node:
            case ast.Compare():
                found = [node.left, *node.comparators]
                found += [e for c in node.comparators if isinstance(c, (ast.Tuple, ast.List, ast.Set)) for e in c.elts]
            case ast.Subscript():
                found = [node.slice]
            case ast.Dict():
                found = list(node.keys)
            case ast.Set():
                found = list(node.elts)
            case ast.Call(func=ast.Name(id="symbol")) | ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault")):
                found = node.args[:1]
        yield from ((e.value, e.lineno) for e in found if isinstance(e, ast.Constant) and isinstance(e.value, str))


def mentions(text: str, wanted: set[str], found: Iterator[tuple[str, int]]) -> list[str]:
    return [f"line {line}: {word}" for word, line in found if word in wanted]


@pytest.mark.parametrize("module", modules())
def test_no_room_knows_a_construction(module: str) -> None:
    text = modules()[module]
    tree = ast.parse(text)
    own = PROOF_WORDS if module in SPEAKING else set()
    assert mentions(text, telling_names() - own, quoted(tree)) == []
    assert mentions(text, rare_parameters() - FILE_MODES - own, keys(tree)) == []


@pytest.mark.parametrize("module", sorted(SPEAKING))
def test_modules_with_words_of_their_own_use_them(module: str) -> None:
    tree = ast.parse(modules()[module])
    assert PROOF_WORDS & {word for word, _ in (*quoted(tree), *keys(tree))}


@pytest.mark.parametrize("line", [
    'if c.name == "mult": pass', 'TABLE = {"recip": 1}', 'x = values["t"]', 'if name in ("t", "x"): pass', 's = symbol("h")',
    'y = given.get("t")', 'OPTIONS = {"t": "what is added"}'])
def test_knowledge_is_seen(line: str) -> None:
    tree = ast.parse(line)
    assert mentions(line, telling_names(), quoted(tree)) or mentions(line, rare_parameters() - FILE_MODES, keys(tree))


def test_both_lists_say_something() -> None:
    assert {"mult", "recip", "clip"} <= telling_names()
    assert {"t", "w", "h"} <= rare_parameters()
