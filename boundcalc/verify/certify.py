"""Certified errors: what the weights compute is matched with what can be proved about it, most special first.

Each method either proves a bound of |network − target| over the whole domain or says that it does not apply. None of them
looks at how the network was made, nor at the bound that was derived for it. A bound is only reported if it is finite; a
failure of any kind leads to no certificate, never to a smaller number.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import flint
from flint import fmpq

from ..formulas.enclosure import Undecided
from ..results.verification import Certified, NotCertified
from .balls import Progress, fraction, precision, rational
from .boxes import prove_boxes
from .curve import curve_of
from .extremes import prove_boltzmann, prove_tree
from .forms import ZERO, RationalForm, Value, terms_of
from .line import COARSE, FINE, prove_line
from .program import Grid, Program, forms_in
from .proof import Diverges, Domain, Proof
from .quadratic import prove_quadratic
from .ridge import along, back, interval
from .targets import ExtremumTarget, PiecewiseTarget, QuadraticTarget, ReciprocalTarget, RidgeTarget, Target
from .tilt import prove_tilt

WORK = 400_000      # boxes times atoms of the generic method
LEAST_BOXES = 400
ROUGH = 80          # bits, where a part in a thousand is enough


def certify(program: Program, targets: Sequence[Target], domain: Domain, shift: fmpq = ZERO, *,
            size: Fraction | None = None, progress: Progress | None = None) -> Certified | NotCertified:
    """All outputs: output i is compared with target i of its own inputs (copies side by side, or all inputs). `shift` is
    an error in every input, `size` what the error is expected to be: it only sets how much work is done."""
    if len(targets) != len(program.outputs):
        return NotCertified(f"the network has {len(program.outputs)} outputs, the target {len(targets)}")
    best: Certified | None = None
    known: dict[object, Certified | NotCertified] = {}
    start = 0
    for output, target in zip(program.outputs, targets, strict=True):
        own = list(range(start, start + target.inputs))
        start += target.inputs
        part = restricted(program, output, own)
        if part is None:
            return NotCertified("an output depends on the inputs of another one")
        key = (part, target, tuple(domain[k] for k in own))
        if key not in known:
            known[key] = _one(part, target, tuple(domain[k] for k in own), shift, size, progress)
        found = known[key]
        if isinstance(found, NotCertified):
            return found
        if best is None or found.error > best.error:
            best = found
    assert best is not None
    return best


def restricted(program: Program, output: Value, inputs: list[int]) -> Program | None:
    """The part of a program that one output needs, with those inputs only; None if it needs others."""
    needed: set[int] = set()
    todo = list(terms_of(output))
    while todo:
        k = todo.pop()
        if k not in needed:
            needed.add(k)
            if not program.is_input(k):
                todo += [j for f in forms_in(program.atom(k)) for j in terms_of(f)]
    if not {k for k in needed if program.is_input(k)} <= set(inputs):
        return None
    atoms = sorted(k for k in needed if not program.is_input(k))
    if len(inputs) == len(program.inputs) and len(atoms) == len(program.atoms) and len(program.outputs) == 1:
        return program
    number = {k: i for i, k in enumerate([*inputs, *atoms])}

    def renamed(x: Value) -> Value:
        return RationalForm(x.constant, {number[k]: c for k, c in x.terms.items()}) if isinstance(x, RationalForm) else x

    return Program(tuple(f"x{i}" for i in range(len(inputs))), (renamed(output),),
                   tuple(program.atom(k).renamed(renamed) for k in atoms))


def _one(program: Program, target: Target, domain: Domain, shift: fmpq, size: Fraction | None,
         progress: Progress | None) -> Certified | NotCertified:
    enlarged: Domain = tuple((None if low is None else low - shift, None if high is None else high + shift)
                             for low, high in domain)
    with precision(_bits(program, size)):
        try:
            moved = _modulus(target, domain, shift) if shift else fmpq(0)
            bound = None if size is None or moved is None else rational(size) - moved
            proof = _prove(program, target, enlarged, bound, progress)
        except Diverges as problem:
            return NotCertified(problem.problem.rstrip(".").lower())
        except Undecided as problem:
            return NotCertified(problem.problem.rstrip(".").lower())
    if proof is None or moved is None:
        return NotCertified("no method applies to this network and target")
    method = proof.method + ("; what the input error does to the target is added" if shift else "")
    return Certified(fraction(proof.upper + moved), method, proof.boxes, tuple(map(fraction, proof.point)))


def _prove(program: Program, target: Target, domain: Domain, bound: fmpq | None, progress: Progress | None) -> Proof | None:
    output = program.outputs[0]
    proof: Proof | None = None
    if isinstance(target, PiecewiseTarget | ReciprocalTarget):
        proof = _prove_line(program, target, domain, bound, progress)
    if isinstance(target, RidgeTarget):
        single = along(program, target)
        if single is not None:
            found = _prove(single, PiecewiseTarget(target.function), (interval(target, domain),), bound, progress)
            return None if found is None else back(found, target, domain)
    if isinstance(target, QuadraticTarget):
        proof = prove_quadratic(program, output, target, domain, progress) or prove_tilt(program, output, target, domain,
                                                                                         progress)
    if isinstance(target, ExtremumTarget):
        proof = prove_boltzmann(program, output, target, domain, progress) or prove_tree(program, output, target, domain,
                                                                                         progress)
    if proof is not None:
        return proof
    budget = max(LEAST_BOXES, WORK // (20 + len(program.atoms) * 20))
    return prove_boxes(program, output, target, domain, budget=budget, progress=progress)


def _prove_line(program: Program, target: PiecewiseTarget | ReciprocalTarget, domain: Domain, bound: fmpq | None,
                progress: Progress | None) -> Proof | None:
    """First roughly; with all digits where the bound that is to be confirmed is as sharp as that."""
    proof: Proof | None = None
    fine = flint.ctx.prec
    for bits, tolerance in ((min(fine, ROUGH), COARSE), (fine, FINE)):
        with precision(bits):
            curve = curve_of(program, program.outputs[0], 0)    # spans of gates depend on the precision
            if curve is None:
                return None
            again = prove_line(curve, target, domain[0], tolerance=tolerance, progress=progress)
        proof = again if proof is None or again.upper < proof.upper else proof
        if bound is None or proof.upper <= bound or not proof.lower <= bound or bits == fine:
            break
    return proof


def _bits(program: Program, size: Fraction | None) -> int:
    """More for deep programs, and for small errors, which may be differences of large numbers."""
    depth: dict[int, int] = {}
    n = len(program.inputs)
    for i, atom in enumerate(program.atoms):
        depth[n + i] = 1 + max((depth.get(k, 0) for f in forms_in(atom) for k in terms_of(f)), default=0)
    anchors = any(isinstance(a, Grid) for a in program.atoms)
    small = 0 if size is None or size <= 0 else max(0, size.denominator.bit_length() - size.numerator.bit_length())
    deepest = max(depth.values(), default=0)
    # anchors are certified to a relative 10^(−6), everything else to 10^(−40)
    return 44 + small if anchors else 192 + 4 * deepest + 2 * small


def _modulus(target: Target, domain: Domain, shift: fmpq) -> fmpq | None:
    """sup |target(x + s) − target(x)| over x in the domain and |s_i| ≤ shift; None if it is not known."""
    if isinstance(target, ExtremumTarget):
        return shift
    if isinstance(target, RidgeTarget):
        moved = shift * sum((abs(w) for w in target.weights), fmpq(0))
        return _modulus(PiecewiseTarget(target.function), ((None, None),), moved)
    if isinstance(target, PiecewiseTarget):
        f, slope, steepest = target.function, target.function.slope, abs(target.function.slope)
        for _, c in f.hinges:
            slope += c
            steepest = max(steepest, abs(slope))
        return steepest * shift
    if any(low is None or high is None for low, high in domain):
        return None
    if isinstance(target, QuadraticTarget):
        size = [max(abs(e) for e in ends if e is not None) for ends in domain]
        return sum((abs(c) * (shift * (size[i] + size[j]) + shift * shift) for i, j, c in target.coefficients), fmpq(0))
    low, high = domain[0]
    if low is None or high is None or low * high <= 0:
        return None
    least = min(abs(low), abs(high))
    return shift / (least * (least - shift)) if shift < least else None
