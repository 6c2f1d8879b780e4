"""The goals that the checker meets while it checks an object: what is told of a proof, in words, is read from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp

from ..checker.domains import Domain
from ..checker.rules import Trace
from ..checker.statements import check
from ..checker.terms import MINUS, ONE, Reject, Term, Unreadable, num, read_term
from .language import claim_symbol
from .model import Reading

FUNCTIONS = {"abs": sp.Abs, "max": sp.Max, "floor": sp.floor, "exp": sp.exp, "log": sp.log, "erf": sp.erf, "W": sp.LambertW,
             "sin": sp.sin, "cos": sp.cos}


@dataclass(frozen=True)
class MetGoal:
    """A node of the object with its goal: on the domain, the term has this relation to 0."""

    node: dict[str, Any]
    domain: Domain
    goal: Term
    relation: str
    top: bool


class Steps:
    """All steps of one object, found by their nodes."""

    def __init__(self, data: dict[str, Any]) -> None:
        body = json.dumps({"verdict": data["verdict"], "proof": data["proof"]}).encode()
        Trace.met = []
        try:
            check(data["claim"], data["for"], body, data.get("axioms") or ())
            self.found = [MetGoal(p, g, f, rel, depth == 0) for p, g, f, rel, depth in Trace.met]
        except (Reject, Unreadable):
            self.found = []
        finally:
            Trace.met = None
        self.by_node = {id(s.node): s for s in self.found}

    def of(self, node: Any) -> MetGoal | None:
        """The step of a node of this very object."""
        return self.by_node.get(id(node))

    def root(self, node: Any, last: bool = False) -> MetGoal | None:
        """The step of a node of an equal object that was read elsewhere: the first that was met, or the last."""
        return next((s for s in (reversed(self.found) if last else self.found) if s.top and s.node == node), None)


C_SILU = sp.Symbol("C_silu", positive=True)       # our constant, apart from a C of the claim


def formula(t: Term | str) -> sp.Expr:
    """A term of the checker as it is printed; ValueError if there is no notation for it."""
    if isinstance(t, str):
        try:
            t = read_term(t)
        except Reject as problem:
            raise ValueError(str(problem)) from None
    return _formula(t)


def _formula(t: Term) -> sp.Expr:
    match t[0]:
        case "n":
            return sp.Rational(int(t[1].p), int(t[1].q))
        case "s":
            name = t[1].lstrip("$")
            return sp.Symbol(name, real=True) if "." in name or "[" in name else claim_symbol(name or "t")
        case "+":
            hyperbolic = _tanh(t)
            return sp.tanh(_formula(hyperbolic)) if hyperbolic is not None else sp.Add(*map(_formula, t[1]))
        case "*":
            return sp.Mul(*map(_formula, t[1]))
        case "^":
            return sp.Pow(_formula(t[1]), _formula(t[2]))
        case "S":
            return sp.Sum(_formula(t[1]), (claim_symbol("k"), _formula(t[3]), _formula(t[4])))
    if t[1] in FUNCTIONS:
        return FUNCTIONS[t[1]](*map(_formula, t[2]))
    if t[1] in ("pi", "inf", "C_silu"):
        return {"pi": sp.pi, "inf": sp.oo, "C_silu": C_SILU}[t[1]]
    raise ValueError(f"there is no notation for {t[1]}")


def _tanh(t: Term) -> Term | None:
    """The u of 1 − 2/(1 + e^(2u)), as the reader writes tanh u."""
    if len(t[1]) == 2 and t[1][0] == ONE and t[1][1][0] == "*" and len(t[1][1][1]) == 2 and t[1][1][1][0] == num(-2):
        inner = t[1][1][1][1]
        if inner[0] == "^" and inner[2] == MINUS and inner[1][0] == "+" and len(inner[1][1]) == 2:
            e = inner[1][1][1]
            if e[:2] == ("f", "exp") and e[2][0][0] == "*" and len(e[2][0][1]) == 2 and e[2][0][1][0] == num(2):
                found: Term = e[2][0][1][1]
                return found
    return None


def typed_labels(reading: Reading) -> dict[str, str]:
    """Quantities as the claim writes them, by the names that the checker has for them."""
    found = {}
    for q in reading.quantities:
        inside = f"[{', '.join(f'{k}={v}' for k, v in sorted(q.options))}]" if q.options else ""
        _, _, behind = q.text.partition(f".{q.quantity}")
        found[f"{q.name}{inside}.{q.quantity}{behind}"] = q.text
    return found


def deciding(body: dict[str, Any]) -> list[str]:
    """The ids of the rows by which it is decided, without those that only show that the domain has a point."""
    found: list[str] = []

    def walk(part: Any, key: str = "") -> Iterator[str]:
        if isinstance(part, list):
            for x in part:
                yield from walk(x, key)
        elif isinstance(part, dict):
            use = part.get("use")
            if isinstance(use, dict):
                for ids in use.get("rows", {}).values():
                    yield from ids
            for name, x in part.items():
                if name not in ("inhabited", "in", "out", "approach", "use"):
                    yield from walk(x, name)
    found += walk(body)
    return list(dict.fromkeys(found))


