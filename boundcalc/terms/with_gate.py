"""The recipe: every ReLU layer of a term is computed by a gate. No construction knows about it."""

from __future__ import annotations

from dataclasses import replace

from .gate import Gate
from .given import GivenNetwork
from .term import AlongSequence, Approx, Copies, Par, Ramps, Repeat, Seq, Term, Tree


def lower(term: Term, gate: Gate) -> Term:
    match term:
        case Ramps():
            return replace(term, gate=gate)
        case GivenNetwork():
            return term.with_gate(gate)
        case Seq(parts=parts):
            return Seq(tuple(lower(p, gate) for p in parts))
        case Par(parts=parts):
            return Par(tuple(lower(p, gate) for p in parts))
        case Tree(body=body):
            return replace(term, body=replace(body, gate=gate))
        case Repeat(body=body) | Copies(body=body) | AlongSequence(body=body) | Approx(body=body):
            return replace(term, body=lower(body, gate))
        case _:
            return term
