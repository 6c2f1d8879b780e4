"""Whether two targets are one function: polynomials and quotients in inputs and in what other functions give.

Other functions (max, exp, …) are the same where their arguments are. True is a proof; False only says that none was found.
"""

from __future__ import annotations

import sympy as sp
from sympy import Expr

from .target_tree import Apply, Constant, Coordinate, Linear, MaxOrMin, Product, Special, TargetTree, plus, times


def same(a: TargetTree, b: TargetTree) -> bool:
    return a == b or sp.cancel(sp.together(_written(a) - _written(b))) == 0


def put(tree: TargetTree, arguments: tuple[TargetTree, ...]) -> TargetTree:
    """The tree with other trees in place of its inputs."""
    match tree:
        case Coordinate(index=k):
            return arguments[k]
        case Linear(constant=constant, terms=terms):
            return plus([(c, put(t, arguments)) for c, t in terms], constant)
        case Product(factors=factors):
            return times(put(f, arguments) for f in factors)
        case Apply(function=f, argument=inner):
            return Apply(f, put(inner, arguments))
        case MaxOrMin(sign=sign, parts=parts):
            return MaxOrMin(sign, tuple(put(p, arguments) for p in parts))
        case _:
            return tree


def _written(tree: TargetTree) -> Expr:
    """As a rational function; everything else is a function symbol of arguments in one form each."""
    match tree:
        case Constant(value=x):
            return sp.Rational(int(x.p), int(x.q))
        case Special(name=name):
            return sp.Symbol(f"_{name}")
        case Coordinate(index=k):
            return sp.Symbol(f"x{k}")
        case Linear(constant=constant, terms=terms):
            return sp.Rational(int(constant.p), int(constant.q)) + sp.Add(
                *(sp.Rational(int(c.p), int(c.q)) * _written(t) for c, t in terms))
        case Product(factors=factors):
            return sp.Mul(*map(_written, factors))
        case MaxOrMin(sign=sign, parts=parts):
            found = {_normal(p) for part in parts for p in _alike(part, sign)}
            constants = [p for p in found if p.is_Rational]
            if len(constants) > 1:
                found = {p for p in found if not p.is_Rational} | {(max if sign > 0 else min)(constants)}
            if len(found) == 1:
                return found.pop()
            return sp.Function("max" if sign > 0 else "min")(*sorted(found, key=sp.default_sort_key))
        case Apply(function=f, argument=inner):
            p = f.exponent
            if p is not None and p.q == 1:
                return _written(inner) ** int(p.p)
            return sp.Function(f"{f.name}_{p}" if p is not None else f.name)(_normal(inner))


def _alike(part: TargetTree, sign: int) -> list[TargetTree]:
    """max(a, max(b, c)) is max(a, b, c)."""
    if isinstance(part, MaxOrMin) and part.sign == sign:
        return [q for p in part.parts for q in _alike(p, sign)]
    return [part]


def _normal(tree: TargetTree) -> Expr:
    return sp.cancel(sp.together(_written(tree)))
