"""What declared targets give to the table of axioms: their text in the grammar of claims, and how large they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import sympy as sp

from ..declarations.record import Construction
from ..declarations.registry import construction as construction_named
from ..formulas.parser import parse
from ..formulas.symbols import symbol
from ..formulas.target import Target
from ..formulas.target_tree import Apply, Constant, Coordinate, Linear, MaxOrMin, Product, TargetTree
from ..networks.network import AffineLayer, Matrix, Network, Vector
from ..results.bound import Bound


def target_texts(made: Bound, output: int | None = None) -> list[str]:
    """The declared target of every output, or of this one in every copy, in the names of the network's inputs; none where
    the grammar cannot say one of them."""
    construction, inputs = made.construction, made.network.inputs
    targets = construction.targets_at(made.values)
    trees = [t.tree for t in targets if isinstance(t, Target)]
    if len(trees) < len(targets):           # networks of numbers, which no text says
        return []
    one = sum(construction.sizes(made.values))
    texts = [_text(tree, inputs[k:k + one]) for k in range(0, len(inputs), one)
             for tree in (trees if output is None else [trees[output]])]
    return [] if None in texts else [t for t in texts if t is not None]


def with_output(network: Network, outputs: int, output: int | None) -> Network:
    """The network with this output of every copy alone; `outputs` is how many a copy has."""
    if output is None:
        return network
    kept = range(output, len(network.outputs), outputs)
    picked = Matrix(len(kept), len(network.outputs), tuple((i, k, Fraction(1)) for i, k in enumerate(kept)))
    return replace(network, outputs=tuple(network.outputs[k] for k in kept),
                   layers=(*network.layers, AffineLayer(picked, Vector(len(kept)))))


def _text(tree: TargetTree, names: Sequence[str]) -> str | None:
    match tree:
        case Constant(value=x):
            return f"({x})"
        case Coordinate(index=k):
            return names[k]
        case Linear(constant=constant, terms=terms):
            parts = [(c, _text(t, names)) for c, t in terms]
            if any(t is None for _, t in parts):
                return None
            return "(" + " + ".join([f"({constant})", *(f"({c})*{t}" for c, t in parts)]) + ")"
        case Product(factors=inner) | MaxOrMin(parts=inner):
            texts = [_text(t, names) for t in inner]
            if None in texts:
                return None
            shown = [t for t in texts if t is not None]
            if isinstance(tree, Product):
                return "(" + "*".join(shown) + ")"
            return f"{'max' if tree.sign > 0 else 'min'}({', '.join(shown)})"
        case Apply(function=function, argument=argument):
            inside = _text(argument, names)
            if inside is None:
                return None
            if function.exponent is not None:
                return f"({inside})**({function.exponent})"
            return f"{function.name}({inside})" if function.name in SAID else None
        case _:
            return None


SAID = ("abs", "relu", "exp", "log", "tanh", "erf", "sin", "cos")        # functions that mean the same in claims


@dataclass(frozen=True)
class OnTheCube:
    """For inputs in [−M, M]: bounds of |target| and of how far it moves when inputs move by δ; whether it moves so far."""

    largest: sp.Expr
    moved: sp.Expr
    attained: bool


@cache
def on_the_cube(name: str) -> OnTheCube | None:
    """None where the target is no product of inputs or maximum of them, or has parameters."""
    construction = construction_named(name)
    if construction.own_interval is not None or len(construction.outputs) != 1 or construction.condition or (
            construction.numeric):
        return None
    tree = _example(construction)
    size = None if tree is None else _size(tree)
    if tree is None or size is None:
        return None
    largest, moved = size
    ones = [symbol("M")] * 9
    there = [symbol("M") + symbol("delta")] * 9
    gap = sp.expand(_value(tree, there) - _value(tree, ones))
    return OnTheCube(largest, sp.factor(moved), bool(sp.expand(gap - moved) == 0))


def _example(construction: Construction) -> TargetTree | None:
    """The target of two arguments where their number is free: bounds of |max| and its moves do not depend on it."""
    sizes = {i.size: Fraction(2) for i in construction.inputs if i.size}
    others = [p for p in construction.parameters if p.name not in sizes and p.name in construction.outputs[0].target]
    if others:
        return None
    tree = construction.target_at(sizes).tree
    return None if sizes and not isinstance(tree, MaxOrMin) else tree


def _size(tree: TargetTree) -> tuple[sp.Expr, sp.Expr] | None:
    """Bounds of |t| and of |t(u) − t(v)|, |u_i| ≤ M, |u_i − v_i| ≤ δ."""
    m, delta = symbol("M"), symbol("delta")
    match tree:
        case Constant(value=x):
            return abs(sp.Rational(int(x.p), int(x.q))), sp.S.Zero
        case Coordinate():
            return m, delta
        case Product(factors=inner):
            found = [_size(t) for t in inner]
            if None in found:
                return None
            sizes = [s for s in found if s is not None]
            whole = sp.Mul(*(a for a, _ in sizes))
            return whole, sp.expand(sp.Mul(*(a + b for a, b in sizes)) - whole)
        case MaxOrMin(parts=inner):
            found = [_size(t) for t in inner]
            if None in found:
                return None
            return sp.Max(*(s[0] for s in found if s)), sp.Max(*(s[1] for s in found if s))
        case Apply(function=function, argument=argument):
            inside = _size(argument)
            if inside is None:
                return None
            if function.exponent is not None and function.exponent.q == 1 and function.exponent > 0:
                k = int(function.exponent)
                return inside[0] ** k, sp.expand((inside[0] + inside[1]) ** k - inside[0] ** k)
            return inside if function.name in ("abs", "relu") else None
        case _:
            return None


def _value(tree: TargetTree, at: Sequence[sp.Expr]) -> sp.Expr:
    text = _text(tree, [f"x{k + 1}" for k in range(len(at))])
    assert text is not None
    return parse(text).xreplace({symbol(f"x{k + 1}"): v for k, v in enumerate(at)}).doit()
