"""Whether two programs are one: their outputs as forms in atoms that are named by what they are, not by their number.

An atom's name is the hash of what it computes. A softmax mean is named by its tokens after everything that does not matter
is taken out of it: what all scores have in common, what all values have in common, the scale and the sign of the values,
the order of the tokens. So layers may come in another order, values may be handed through ReLU layers, a part may stand
alone or in a network, where its arguments may coincide: equal forms prove that the functions are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import gcd
from typing import TypeAlias

from flint import fmpq

from .forms import ONE, ZERO, RationalForm, Value
from .program import Atom, Boltzmann, Exponent, Grid, Mean, Program, Rectified, SiluHead, Tilted

CONSTANT = ""                   # the name under which a form has its constant
NamedForm: TypeAlias = Mapping[str, fmpq]       # name → coefficient, none zero
FormReader: TypeAlias = Callable[[Value], NamedForm]


def input_form(name: str) -> NamedForm:
    return {_name("input", name): ONE}


def combined(parts: Sequence[tuple[fmpq, NamedForm]], constant: fmpq = ZERO) -> NamedForm:
    found: dict[str, fmpq] = {CONSTANT: constant}
    for factor, form in parts:
        for name, c in form.items():
            found[name] = found.get(name, ZERO) + factor * c
    return {name: c for name, c in found.items() if c != 0}


def outputs_of(program: Program, inputs: Sequence[NamedForm]) -> list[NamedForm]:
    """The outputs of a program that is fed with forms."""
    known: list[NamedForm] = list(inputs)

    def form(x: Value) -> NamedForm:
        if not isinstance(x, RationalForm):
            return combined((), x)
        return combined([(c, known[k]) for k, c in x.terms.items()], x.constant)

    for atom in program.atoms:
        known.append(_atom(atom, form))
    return [form(x) for x in program.outputs]


def _atom(atom: Atom, form: FormReader) -> NamedForm:
    match atom:
        case Rectified(z=z):
            return _rectified(form(z))
        case Grid(t=t, count=count, kappa=kappa, heads=heads):
            return _single(_name("grid", str(count), str(kappa), str(heads), _text(form(t))))
        case SiluHead(z=z, beta=beta):
            value = form(z)
            return _mean([NamedToken({}, {}), NamedToken(_scaled(beta, value), value)])
        case Tilted(s=s, y=y):
            score, value = form(s), form(y)
            return _mean([NamedToken(score, value), NamedToken(_scaled(-ONE, score), _scaled(-ONE, value))])
        case Boltzmann(scores=scores, beta=beta):
            return _mean([NamedToken(_scaled(beta, score), score) for score in map(form, scores)])
        case Mean(exponents=exponents, values=values, counts=counts):
            return _mean([NamedToken(form(x.form), form(v), _products(x, form), n)
                          for x, v, n in zip(exponents, values, counts, strict=True)])


def _rectified(z: NamedForm) -> NamedForm:
    """max(z, 0) = max(−z, 0) + z: written for that one of z and −z whose last named atom has a positive coefficient."""
    if not z.keys() - {CONSTANT}:
        return combined((), max(z.get(CONSTANT, ZERO), ZERO))
    if z[max(z)] > 0:
        return _single(_name("max", _text(z)))
    return combined([(ONE, _single(_name("max", _text(_scaled(-ONE, z))))), (ONE, z)])


@dataclass(frozen=True)
class NamedToken:
    """Weight e^score (the score is a form plus products of forms), value, and how often the token stands there."""

    score: NamedForm
    value: NamedForm
    products: str = ""
    count: int = 1


def _mean(tokens: Sequence[NamedToken]) -> NamedForm:
    """Σ n·v·e^s/Σ n·e^s: as base + scale·m or as top − scale·m, m being named by scores and values from which everything
    common is taken out; of the two the one whose name comes first."""
    lowest = _extreme(min, [t.score for t in tokens])
    scores = [_text(_difference(t.score, lowest)) + "+" + t.products for t in tokens]
    if len(set(scores)) == 1:
        return combined([(fmpq(t.count, sum(t.count for t in tokens)), t.value) for t in tokens])
    base, top = (_extreme(which, [t.value for t in tokens]) for which in (min, max))
    span = _difference(top, base)
    if not span:
        return base
    scale = span[min(span)]
    up, down = (_named_mean(scores, [_scaled(1 / scale, v) for v in values], [t.count for t in tokens])
                for values in ([_difference(t.value, base) for t in tokens], [_difference(top, t.value) for t in tokens]))
    return combined([(ONE, base), (scale, _single(up))] if up <= down else [(ONE, top), (-scale, _single(down))])


def _named_mean(scores: Sequence[str], values: Sequence[NamedForm], counts: Sequence[int]) -> str:
    found: dict[str, int] = {}
    for score, value, count in zip(scores, values, counts, strict=True):
        token = f"{score}@{_text(value)}"
        found[token] = found.get(token, 0) + count
    common = gcd(*found.values())
    return _name("mean", *(f"{token}*{count // common}" for token, count in sorted(found.items())))


def _extreme(which: Callable[[Iterable[fmpq]], fmpq], forms: Sequence[NamedForm]) -> NamedForm:
    """Least or greatest coefficients, name by name."""
    names = {name for form in forms for name in form}
    found = {name: which(form.get(name, ZERO) for form in forms) for name in names}
    return {name: c for name, c in found.items() if c != 0}


def _products(x: Exponent, form: FormReader) -> str:
    return "+".join(sorted(f"({_text(form(a))})*({_text(form(b))})" for a, b in x.products))


def _scaled(factor: fmpq, form: NamedForm) -> NamedForm:
    return combined([(factor, form)])


def _difference(a: NamedForm, b: NamedForm) -> NamedForm:
    return combined([(ONE, a), (-ONE, b)])


def _single(name: str) -> NamedForm:
    return {name: ONE}


def _text(form: NamedForm) -> str:
    return ";".join(f"{name}:{c}" for name, c in sorted(form.items()))


def _name(*parts: str) -> str:
    return sha256("|".join(parts).encode()).hexdigest()
