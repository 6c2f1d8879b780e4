"""Certified errors: what the weights compute is matched with what can be proved about it, most special first.

Each method either proves a bound of |network − target| over the whole domain or says that it does not apply. None of them
looks at how the network was made, nor at the bound that was derived for it. A bound is only reported if it is finite; a
failure of any kind leads to no certificate, never to a smaller number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import flint
from flint import fmpq

from ..formulas.enclosure import Undecided
from ..formulas.shapes import Largest, Quadratic, Reciprocal, Ridge
from ..formulas.target import AnyTarget, Ends, starts, target_of
from ..networks.function import NetworkFunction
from ..results.verification import Certified, NotCertified
from .balls import Progress, fraction, precision, rational
from .boxes import prove_boxes
from .cells import Smooth, prove_cells
from .curve import bends_of, curve_of
from .extremes import prove_boltzmann, prove_tree
from .forms import ZERO, RationalForm, Value, made, subtract, terms_of
from .layers import applies as layers_apply
from .layers import prove_layers
from .line import COARSE, FINE, prove_line
from .periods import prove_periods
from .program import Grid, Program, forms_in
from .proof import Domain, Proof
from .quadratic import prove_quadratic
from .ridge import along, back, interval
from .smooth import smooth
from .soft import SoftSum, chain_of, has_long_sums
from .tilt import prove_tilt
from .unequal import prove_unequal

WORK = 400_000      # boxes times atoms of the generic method
LEAST_BOXES = 400
ROUGH = 80          # bits, where a part in a thousand is enough
CELLS = 96          # bits beyond those of the size of an error, in whose first digits many cells may agree


def certify(program: Program, targets: Sequence[AnyTarget], domain: Domain, shift: fmpq | tuple[fmpq, ...] = ZERO, *,
            size: Fraction | None = None, progress: Progress | None = None) -> Certified | NotCertified:
    """All outputs: output i is compared with target i of its own inputs (copies side by side, or all inputs). `shift` is
    an error in every input, or one for each, `size` what the error is expected to be: it only sets how much work is done."""
    if len(targets) != len(program.outputs):
        return NotCertified(f"the network has {len(program.outputs)} outputs, the target {len(targets)}")
    best: Certified | None = None
    known: dict[object, Certified | NotCertified] = {}
    for output, target, start in zip(program.outputs, targets, starts(targets), strict=True):
        own = list(range(start, start + target.inputs))
        part = restricted(program, output, own)
        if part is None:
            return NotCertified("an output depends on the inputs of another one")
        moved = tuple(shift[k] for k in own) if isinstance(shift, tuple) else (shift,) * len(own)
        key = (part, id(target), tuple(domain[k] for k in own), moved)
        if key not in known:
            known[key] = _one(part, target, tuple(domain[k] for k in own), moved, size, progress)
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


def _one(program: Program, target: AnyTarget, domain: Domain, shift: tuple[fmpq, ...], size: Fraction | None,
         progress: Progress | None) -> Certified | NotCertified:
    enlarged: Domain = tuple((None if low is None else low - s, None if high is None else high + s)
                             for (low, high), s in zip(domain, shift, strict=True))
    with precision(_bits(program, size)):
        try:
            target.image(_fractions(enlarged))      # Undecided where the target may not be defined
            moved = _moved(target, domain, shift) if any(shift) else ZERO
            bound = None if size is None or moved is None else rational(size) - moved
            proof = _prove(Task(program, target, enlarged, bound, progress))
        except Undecided as problem:
            return NotCertified(problem.problem.rstrip(".").lower())
    if proof is None or moved is None:
        return NotCertified(f"no method applies to this network and target{_many(domain)}"
                            + ("; the derived bound is the proof" if isinstance(target, NetworkFunction) else ""))
    method = proof.method + ("; what the input error does to the target is added" if any(shift) else "")
    return Certified(fraction(proof.upper + moved), method, proof.boxes, tuple(map(fraction, proof.point)))


def _many(domain: Domain) -> str:
    return "" if len(domain) <= 2 else f": with {len(domain)} inputs only special forms are certified"


def _moved(target: AnyTarget, domain: Domain, shift: tuple[fmpq, ...]) -> fmpq | None:
    """sup |target(x + s) − target(x)| over x in the domain and |s_i| ≤ shift_i; None if no bound is known."""
    found = target.modulus(_fractions(domain), fraction(shift[0]) if len(set(shift)) == 1 else tuple(map(fraction, shift)))
    return None if found is None else rational(found)


def _fractions(domain: Domain) -> list[Ends]:
    return [(None if low is None else fraction(low), None if high is None else fraction(high)) for low, high in domain]


# --- methods, most special first --------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Task:
    """|network − target| is to be bounded on the domain. `bound` is what would be welcome: it only sets the precision."""

    program: Program
    target: AnyTarget
    domain: Domain
    bound: fmpq | None = None
    progress: Progress | None = None

    @property
    def output(self) -> Value:
        return self.program.outputs[0]


@dataclass(frozen=True)
class Method:
    """`applies` looks at what program and target are; `prove` may still find that the weights do not fit, which is None.
    Where a method that is not `last` ends above the bound, others are tried too: derivatives of an awkward expression may
    be enclosed poorly."""

    applies: Callable[[Program, AnyTarget], bool]
    prove: Callable[[Task], Proof | None]
    last: bool = True


def _prove(task: Task) -> Proof | None:
    best: Proof | None = None
    for method in METHODS:
        if not method.applies(task.program, task.target):
            continue
        proof = method.prove(task)
        if proof is not None and (best is None or proof.upper < best.upper):
            best = proof
        if proof is not None and (method.last or task.bound is None or proof.upper <= task.bound):
            break
    return best


def _shaped(*kinds: type, inputs: int | None = None) -> Callable[[Program, AnyTarget], bool]:
    return lambda program, target: isinstance(target.shape, kinds) and inputs in (None, len(program.inputs))


def _with_one_input(program: Program, target: AnyTarget) -> bool:
    return len(program.inputs) == 1


def _curved(program: Program, target: AnyTarget) -> bool:
    """One input, and a target that is not piecewise linear."""
    return len(program.inputs) == 1 and not isinstance(target.shape, Ridge)


def _ridge(task: Task) -> Proof | None:
    """A function of one combination of the inputs, in the target and in the network."""
    shape = task.target.shape
    assert isinstance(shape, Ridge)
    single = None if shape.plain else along(task.program, shape)
    if single is None:
        return None
    target = target_of(shape.function)
    found = _prove(Task(single, target, (interval(shape, task.domain),), task.bound, task.progress))
    return None if found is None else back(found, shape, task.domain)


def _by_quadratic(prove: Callable[..., Proof | None], task: Task) -> Proof | None:
    """The affine part of the target is taken off the network."""
    shape = task.target.shape
    assert isinstance(shape, Quadratic)
    affine = made(shape.constant, dict(shape.linear))
    output = subtract(task.output, affine) if affine != 0 else task.output
    return prove(task.program, output, shape, task.domain, task.progress)


def _by_extremum(prove: Callable[..., Proof | None], task: Task) -> Proof | None:
    return prove(task.program, task.output, task.target.shape, task.domain, task.progress)


def _by_boxes(task: Task) -> Proof | None:
    budget = max(LEAST_BOXES, WORK // (20 + len(task.program.atoms) * 20))
    return prove_boxes(task.program, task.output, task.target, task.domain, budget=budget, progress=task.progress)


def _by_cells(task: Task) -> Proof | None:
    """ReLUs and heads over two tokens, any number of them. Chords of 1/x have an exact method of their own."""
    chain = chain_of(task.program, task.output, 0)
    if chain is None or (isinstance(task.target.shape, Reciprocal) and not any(g.rate for g in chain.gates)):
        return None
    return _cells(task, chain)


def _by_long_chords(task: Task) -> Proof | None:
    """Chords of somebody's weights, whose exact sums would have as many digits as there are chords: in balls."""
    chain = chain_of(task.program, task.output, 0)
    if chain is None or any(g.rate for g in chain.gates) or not has_long_sums(chain):
        return None
    return _cells(task, chain)


def _cells(task: Task, chain: SoftSum) -> Proof | None:
    return _on_interval(task, lambda curve, low, high: prove_cells(
        chain, curve, low, high, bound=task.bound, bits=CELLS + _small(task.bound), progress=task.progress))


def _by_anchors(prove: Callable[..., Proof | None], task: Task) -> Proof | None:
    """Nothing but anchor heads."""
    bends = bends_of(task.program, task.output, 0)
    if bends is None:
        return None
    with precision(CELLS + _small(task.bound)):
        return _on_interval(task, lambda curve, low, high: prove(
            *bends, curve, low, high, bound=task.bound, progress=task.progress))


def _by_layers(task: Task) -> Proof | None:
    return prove_layers(task.program, task.output, task.target, task.domain, bound=task.bound, progress=task.progress)


def _on_interval(task: Task, prove: Callable[[Smooth, fmpq, fmpq], Proof | None]) -> Proof | None:
    """Where the target has two derivatives on the whole domain, which is bounded; otherwise other methods may do."""
    low, high = task.domain[0]
    if low is None or high is None or not low < high:
        return None
    curve = smooth(task.target, low, high)
    if curve is None:
        return None
    try:
        return prove(curve, low, high)
    except Undecided:
        return None


# lambdas, so that each method is looked up when it is used
METHODS = (
    Method(layers_apply, lambda task: _by_layers(task), last=False),
    Method(_shaped(Ridge, inputs=1), lambda task: _prove_line(task)),
    Method(_shaped(Ridge), _ridge),
    Method(_shaped(Quadratic), lambda task: _by_quadratic(prove_quadratic, task)),
    Method(_shaped(Quadratic), lambda task: _by_quadratic(prove_tilt, task)),
    Method(_shaped(Largest), lambda task: _by_extremum(prove_boltzmann, task)),
    Method(_shaped(Largest), lambda task: _by_extremum(prove_tree, task)),
    Method(_shaped(Reciprocal, inputs=1), lambda task: _by_long_chords(task)),
    Method(_curved, lambda task: _by_cells(task), last=False),
    Method(_curved, lambda task: _by_anchors(prove_periods, task), last=False),
    Method(_curved, lambda task: _by_anchors(prove_unequal, task), last=False),
    Method(_with_one_input, lambda task: _prove_line(task)),
    Method(lambda program, target: len(program.inputs) <= 2, _by_boxes),
)


def _prove_line(task: Task) -> Proof | None:
    """First roughly; with all digits where the bound that is to be confirmed is as sharp as that."""
    proof: Proof | None = None
    fine, bound = flint.ctx.prec, task.bound
    for bits, tolerance in ((min(fine, ROUGH), COARSE), (fine, FINE)):
        with precision(bits):
            curve = curve_of(task.program, task.output, 0)      # spans of gates depend on the precision
            if curve is None:
                return None
            again = prove_line(curve, task.target, task.domain[0], tolerance=tolerance, progress=task.progress)
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
    small = _small(None if size is None else rational(size))
    deepest = max(depth.values(), default=0)
    # anchors are certified to a relative 10^(−6), everything else to 10^(−40)
    return 44 + small if anchors else 192 + 4 * deepest + 2 * small


def _small(size: fmpq | None) -> int:
    """−log₂ of a size below 1, about."""
    return 0 if size is None or size <= 0 else max(0, int(size.q).bit_length() - int(size.p).bit_length())
