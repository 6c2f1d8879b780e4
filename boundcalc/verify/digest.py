"""Whether two programs are one: their outputs as forms in atoms that are named by what they are, not by their number.

An atom's name is the hash of its kind, its numbers and the forms that it is about; max(z, 0) and z·σ(βz) are written for
that one of z and −z whose last named atom has a positive coefficient. So layers may come in another order, values may be
handed through ReLU layers, and a part may stand alone or in a network: equal forms prove that the functions are equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

from flint import fmpq

from .forms import ONE, ZERO, RationalForm, Value
from .program import Atom, Boltzmann, Exponent, Grid, Mean, Program, Rectified, SiluHead, Tilted

CONSTANT = ""                   # the name under which a form has its constant
NamedForm = Mapping[str, fmpq]      # name → coefficient, none zero


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


def _atom(atom: Atom, form: object) -> NamedForm:
    assert callable(form)
    match atom:
        case Rectified(z=z):
            inner = form(z)
            if _constant(inner):
                return combined((), max(inner.get(CONSTANT, ZERO), ZERO))
            return _either(inner, lambda f: _name("max", _text(f)))
        case SiluHead(z=z, beta=beta):
            inner = form(z)
            if _constant(inner):
                value = inner.get(CONSTANT, ZERO)
                return _sigmoid(beta * value, combined((), ZERO), combined((), value))
            return _either(inner, lambda f: _name("silu", str(beta), _text(f)))
        case Grid(t=t, count=count, kappa=kappa):
            return _single(_name("grid", str(count), str(kappa), _text(form(t))))
        case Tilted(s=s, y=y):
            return _single(_name("tilted", _text(form(s)), _text(form(y))))
        case Boltzmann(scores=scores, beta=beta):
            return _single(_name("boltzmann", str(beta), *(_text(form(s)) for s in scores)))
        case Mean(exponents=exponents, values=values, counts=counts):
            if len(values) == 2 and counts == (1, 1) and not any(x.products for x in exponents):
                first, second = (form(x.form) for x in exponents)
                if _constant(first) and _constant(second):
                    return _sigmoid(second.get(CONSTANT, ZERO) - first.get(CONSTANT, ZERO), *map(form, values))
            return _single(_name("mean", *(_exponent(x, form) for x in exponents), *(_text(form(v)) for v in values),
                                 *map(str, counts)))


def _sigmoid(s: fmpq, low: NamedForm, high: NamedForm) -> NamedForm:
    """low + (high − low)·σ(s) for a number s; σ(−s) = 1 − σ(s). Only a number can be multiplied by it."""
    if s < 0:
        return _sigmoid(-s, high, low)
    gap = combined([(ONE, high), (-ONE, low)])
    if not _constant(gap):
        return _single(_name("sigmoid", str(s), _text(low), _text(high)))
    return combined([(ONE, low), (gap.get(CONSTANT, ZERO), _single(_name("sigmoid", str(s))))])


def _either(z: NamedForm, name: object) -> NamedForm:
    """g(z) = g(−z) + z, for max(z, 0) and for z·σ(βz)."""
    assert callable(name)
    last = max(n for n in z if n != CONSTANT)
    if z[last] > 0:
        return _single(name(z))
    negative = combined([(-ONE, z)])
    return combined([(ONE, _single(name(negative))), (ONE, z)])


def _exponent(x: Exponent, form: object) -> str:
    assert callable(form)
    return _name(_text(form(x.form)), *(f"{_text(form(a))}*{_text(form(b))}" for a, b in x.products))


def _single(name: str) -> NamedForm:
    return {name: ONE}


def _constant(form: NamedForm) -> bool:
    return not form.keys() - {CONSTANT}


def _text(form: NamedForm) -> str:
    return ";".join(f"{name}:{c}" for name, c in sorted(form.items()))


def _name(*parts: str) -> str:
    return sha256("|".join(parts).encode()).hexdigest()
