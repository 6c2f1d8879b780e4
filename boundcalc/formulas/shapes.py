"""What a target is, for methods of proof that are good for one kind of function: read off its tree, never off a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from flint import fmpq

from .piecewise import Piecewise, larger
from .target_tree import Apply, Coordinate, Linear, MaxOrMin, TargetTree, affine_of, parts_of, polynomial_of


@dataclass(frozen=True)
class Ridge:
    """A piecewise linear function of one combination Σ weight·x_i + shift of the inputs."""

    function: Piecewise
    weights: tuple[fmpq, ...]
    shift: fmpq

    @property
    def plain(self) -> bool:
        """Whether it is a function of the one input itself."""
        return self.weights == (1,) and self.shift == 0


@dataclass(frozen=True)
class Quadratic:
    """Σ coefficient·x_i·x_j over pairs i ≤ j, plus an affine function: a constant and coefficients by input."""

    coefficients: tuple[tuple[int, int, fmpq], ...]
    constant: fmpq
    linear: tuple[tuple[int, fmpq], ...]


@dataclass(frozen=True)
class Largest:
    """The largest (sign +1) or the least (−1) of all inputs."""

    sign: int


@dataclass(frozen=True)
class Reciprocal:
    """1/x of the one input."""


Shape: TypeAlias = Ridge | Quadratic | Largest | Reciprocal | None


def kinks_of(tree: TargetTree) -> set[fmpq]:
    """Of one input: where a piecewise linear part of the tree has a kink."""
    whole = _along(tree, fmpq(0), {0: fmpq(1)})
    if whole is not None:
        return set(whole.kinks)
    found = set().union(*map(kinks_of, parts_of(tree))) if parts_of(tree) else set()
    if isinstance(tree, MaxOrMin):
        known = [f for f in (_along(p, fmpq(0), {0: fmpq(1)}) for p in tree.parts) if f is not None]
        found |= set(larger(known, tree.sign).kinks) if known else set()
    return found


# --- shapes -----------------------------------------------------------------------------------------------------------

def shape_of(tree: TargetTree, inputs: int) -> Shape:
    if isinstance(tree, MaxOrMin) and len(tree.parts) == inputs > 1 and {
            t.index for t in tree.parts if isinstance(t, Coordinate)} == set(range(inputs)):
        return Largest(tree.sign)
    if isinstance(tree, Apply) and tree.function.exponent == -1 and isinstance(tree.argument, Coordinate) and inputs == 1:
        return Reciprocal()
    ridge = _ridge(tree, inputs)
    if ridge is not None:
        return ridge
    polynomial = polynomial_of(tree, 2)
    if polynomial is None:
        return None
    return Quadratic(tuple((k[0], k[1], c) for k, c in sorted(polynomial.items()) if len(k) == 2),
                     polynomial.get((), fmpq(0)), tuple((k[0], c) for k, c in sorted(polynomial.items()) if len(k) == 1))


def _ridge(tree: TargetTree, inputs: int) -> Ridge | None:
    direction = (fmpq(0), {0: fmpq(1)}) if inputs == 1 else _first_affine(tree)
    if direction is None or not direction[1]:
        return None
    shift, weights = direction
    function = _along(tree, shift, weights)
    return None if function is None else Ridge(function, tuple(weights.get(k, fmpq(0)) for k in range(inputs)), shift)


def _first_affine(tree: TargetTree) -> tuple[fmpq, dict[int, fmpq]] | None:
    affine = affine_of(tree)
    if affine is not None:
        return affine if affine[1] else None
    return next((a for a in map(_first_affine, parts_of(tree)) if a is not None), None)


def _along(tree: TargetTree, shift: fmpq, weights: Mapping[int, fmpq]) -> Piecewise | None:
    """The tree as a piecewise linear function of z = Σ weight·x + shift; None if it is none."""
    affine = affine_of(tree)
    if affine is not None:
        constant, own = affine
        if not own:
            return Piecewise(constant)
        k = next(iter(weights))
        rate = own.get(k, fmpq(0)) / weights[k]
        if own != {j: rate * w for j, w in weights.items()}:
            return None
        return Piecewise(constant - rate * shift, rate)
    match tree:
        case Linear(constant=constant, terms=terms):
            whole = Piecewise(constant)
            for c, t in terms:
                part = _along(t, shift, weights)
                if part is None:
                    return None
                whole = whole.plus(part, c)
            return whole
        case MaxOrMin(sign=sign, parts=parts):
            found = [_along(p, shift, weights) for p in parts]
            known = [f for f in found if f is not None]
            return larger(known, sign) if len(known) == len(found) else None
        case Apply(function=f, argument=argument) if f.name == "abs":
            inner = _along(argument, shift, weights)
            return None if inner is None else larger((inner, Piecewise().plus(inner, fmpq(-1))), 1)
    return None
