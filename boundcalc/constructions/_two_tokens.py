"""A head with two tokens (S8): w + (v − w)·σ(β(s − t)) for scores s, t and values v, w."""

from __future__ import annotations

import sympy as sp
from sympy import Expr

from ..terms.linear import AffineMap, Block, Form, Rows, as_form, var
from ..terms.term import Attention, HeadFamily


def two_tokens(label: str, inputs: tuple[str, ...], output: str, scores: tuple[Form | int, Form | int],
               values: tuple[Form | int, Form | int], beta: Expr) -> Attention:
    """Token 0 has the score, the value and a 1 that asks; token 1 the other score and value. What is 0 is left out."""
    two, coords = sp.Integer(2), (Block("score"), Block("value"), Block("1"))
    rows = [Rows(name, as_form(form), (sp.Integer(t),)) for name, pair in (("score", scores), ("value", values))
            for t, form in enumerate(pair) if not isinstance(form, int) or form]
    embed = AffineMap(tuple(map(Block, inputs)), tuple(Block(b.name, (two,)) for b in coords),
                      (*rows, Rows("1", as_form(1), (sp.Integer(0),))))
    score, out = (Block("s"),), (Block(output),)
    head = HeadFamily(AffineMap(coords, score, (Rows("s", var("1")),)), AffineMap(coords, score, (Rows("s", var("score")),)),
                      AffineMap(coords, out, (Rows(output, var("value")),)), beta)
    constants = ("1",) if any(as_form(v).terms for v in values) else ("value", "1")
    return Attention(label, two, coords, constants, embed, (head,), None, out)
