"""Why a verification failed, as far as its worst point tells: what the heads do there."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from .balls import precision, rational
from .curve import kernel_of
from .enclose import evaluate
from .forms import RationalForm, Value, constant_of, terms_of
from .kernels import SiluKernel, StairKernel
from .program import Boltzmann, Program
from .proof import Domain

BITS = 128
NEAR = 5                # |β·z| below which a gate is neither on nor off
CROWDED = Fraction(9, 10)


def signature(program: Program, domain: Domain, point: Sequence[Fraction], error: Fraction, goal: Fraction) -> str | None:
    """One sentence, or None where nothing stands out."""
    with precision(BITS):
        values = _variables(program, point)
        drift, outside = _anchors(program, values)
        if outside:
            return "inputs beyond the anchors: at the worst point a head is asked for more than its last anchor."
        if drift and drift * 2 > arb(rational(error)):
            return ("drift between anchors: at the worst point the heads miss the line between two anchors; "
                    "βΔ² = 68/25 keeps this below Δ/16.")
        if _diffuse(program, values):
            factor = error / goal if goal else None
            more = f", a β about {_rounded(factor)} times as large would do" if factor is not None and factor < 10**6 else ""
            return f"diffuse weights: at the worst point heads are undecided between tokens (β too small{more})."
    if any(x in (None if e is None else Fraction(int(e.p), int(e.q)) for e in ends)
           for x, ends in zip(point, domain, strict=True)):
        return "errors at the ends of the domain: the worst point is on its boundary."
    return None


def _rounded(x: Fraction) -> str:
    return str(-(-x.numerator // x.denominator)) if x > 10 else f"{float(x):.2g}"


def _variables(program: Program, point: Sequence[Fraction]) -> list[arb]:
    inputs = [arb(rational(x)) for x in point]
    everything = Program(program.inputs, tuple(RationalForm(rational(0), {k: rational(1)})
                                               for k in range(len(inputs) + len(program.atoms))), program.atoms)
    return [b.value for b in evaluate(everything, inputs)]


def _value(form: Value, values: list[arb]) -> arb:
    return sum((c * values[k] for k, c in terms_of(form).items()), arb(constant_of(form)))


def _anchors(program: Program, values: list[arb]) -> tuple[arb, bool]:
    """How much of the output's error is deviations of anchor heads that it reads directly; whether one is overrun."""
    total, outside = arb(0), False
    for k, atom in enumerate(program.atoms, len(program.inputs)):
        found = kernel_of(atom)
        if found is None or not isinstance(found[1], StairKernel):
            continue
        t = _value(found[0], values)
        outside = outside or bool(t > found[1].length + 1)
        ideal = t.max(arb(0)).min(arb(found[1].length))
        share = max((abs(terms_of(y).get(k, rational(0))) for y in program.outputs), default=rational(0))
        total = total + share * abs(values[k] - ideal)
    return total, outside and _overrun_matters(program)


def _overrun_matters(program: Program) -> bool:
    """Only a single head a gate is overrun; in a staircase the next head goes on."""
    return sum(isinstance(k[1], StairKernel) for a in program.atoms if (k := kernel_of(a)) is not None) == 1


def _diffuse(program: Program, values: list[arb]) -> bool:
    for atom in program.atoms:
        if isinstance(atom, Boltzmann):
            scores = [_value(s, values) * atom.beta for s in atom.scores]
            top = scores[0]
            for s in scores[1:]:
                top = top.max(s)
            if 1 / sum(((s - top).exp() for s in scores), arb(0)) < rational(CROWDED):
                return True
        else:
            found = kernel_of(atom)
            if found is None or not isinstance(found[1], SiluKernel):
                continue
            if abs(_value(found[0], values)) * found[1].beta < NEAR:
                return True
    return False
