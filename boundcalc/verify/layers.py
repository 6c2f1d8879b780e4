"""Certificates for the recipe applied to a ReLU network, with one or two inputs: cell by cell, with the slopes of each cell.

Replace every silu head of the network by ρ: what is left must be the target, as a function, and this is proved first, by
writing both in one normal form on the domain (units that cannot switch are linear, ρ(−z) = ρ(z) − z, equal units are one).
Then the error is that of the heads alone. A head errs by −h(β|z̃|)/β, h(y) = y/(1 + e^y), at the value z̃ that it sees, and

    error of unit = −h(β|z̃|)/β + d·(error of its input),

d in [0, 1], and 0 or 1 where neither the exact nor the perturbed input changes its sign on the cell. So on a cell the error
of an output is Σ g·e over all heads, each g and e in an interval: cells in which most units are decided have exact slopes,
and heads far from their kinks have errors near 0. Cells are halved until the bound is near to a value that is attained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, product

from flint import arb, arb_mat, fmpq

from ..formulas.enclosure import Undecided
from ..formulas.target import AnyTarget
from ..networks.function import Layers, NetworkFunction
from .balls import Box, Point, Progress, exact, maximise, precision
from .forms import ONE, ZERO, Value, combine, constant_of, scale, subtract, terms_of, variable
from .patience import check_time
from .program import Atom, Program, Rectified, SiluHead
from .proof import Domain, Proof, consistent

BITS = 96
TOLERANCE = fmpq(1, 3)      # certified/observed − 1, where that is enough for the bound that is asked for
WORK = 1_500_000            # cells times units
FEWEST = 2_000
PARTS = {1: 64, 2: 8}       # of the domain along each input, on which it is looked at which units can switch
BINS = 32                   # of a unit of y in the table of h
LAST = 48                   # beyond, h is bounded by its value there


class Normal:
    """ReLU networks on one box in one normal form: variables are the inputs and the units, numbered as they come."""

    def __init__(self, inputs: int, box: Sequence[tuple[fmpq, fmpq]]) -> None:
        self.inputs, self.box = inputs, list(box)
        self.units: list[Value] = []            # the input of every unit, …
        self.ranges: list[tuple[fmpq, fmpq]] = []               # … and where it lies, 0 inside
        self._known: dict[Value, int] = {}
        self._decided: dict[Value, int] = {}

    def read(self, program: Program) -> list[Value]:
        """The outputs of a program, every atom of which is taken as a ReLU unit."""
        found: list[Value] = []
        for atom in program.atoms:
            check_time()
            assert isinstance(atom, Rectified | SiluHead)
            found.append(self._rectified(self._written(atom.z, found)))
        return [self._written(y, found) for y in program.outputs]

    def read_target(self, layers: Layers) -> list[Value]:
        """The outputs of the target. Which of its units cannot switch is looked at on parts of the domain, too; what was
        decided of a form holds for every network in which it occurs."""
        parts = [layers.ranges(part) for part in _parts(self.box)]
        state: list[Value] = [variable(k) for k in range(self.inputs)]
        for depth, (weight, bias) in enumerate(layers.maps):
            check_time()
            rows = [combine(((weight[i, j], state[j]) for j in range(weight.ncols()) if weight[i, j]), bias[i, 0])
                    for i in range(weight.nrows())]
            if depth == len(layers.maps) - 1:
                return rows
            for i, z in enumerate(rows):
                if min(p[depth][i][0] for p in parts) >= 0:
                    self._decided[z] = 1
                elif max(p[depth][i][1] for p in parts) <= 0:
                    self._decided[z] = -1
            state = [self._rectified(z) for z in rows]
        return state

    def _written(self, form: Value, atoms: Sequence[Value]) -> Value:
        own = [(c, variable(k)) if k < self.inputs else (c, atoms[k - self.inputs]) for k, c in terms_of(form).items()]
        return combine(own, constant_of(form))

    def _rectified(self, z: Value) -> Value:
        sign = self._decided.get(z) or -self._decided.get(scale(-ONE, z), 0)
        low, high = self._range(z)
        if sign > 0 or low >= 0:
            return z
        if sign < 0 or high <= 0:
            return ZERO
        if (number := self._known.get(z)) is not None:
            return variable(self.inputs + number)
        if (number := self._known.get(scale(-ONE, z))) is not None:         # ρ(z) = ρ(−z) + z
            return combine(((ONE, variable(self.inputs + number)), (ONE, z)))
        self._known[z] = len(self.units)
        self.units.append(z)
        self.ranges.append((low, high))
        return variable(self.inputs + len(self.units) - 1)

    def _range(self, z: Value) -> tuple[fmpq, fmpq]:
        """Around the values of a form: c·ρ(u) may also be read as c·ρ(−u) + c·u, and is, where that is narrower; later units
        first, since u mentions earlier ones. What is not seen to be decided here is a unit, in both networks alike."""
        turned: frozenset[int] = frozenset()
        low, high = width = self._plain_range(z, turned)
        for k in sorted((k for k in terms_of(z) if k >= self.inputs), reverse=True):
            c = terms_of(z).get(k)
            if c is None or not low < 0 < high:
                continue
            other = combine(((ONE, z), (c, self.units[k - self.inputs])))
            found = self._plain_range(other, turned | {k})
            low, high = max(low, found[0]), min(high, found[1])
            if found[1] - found[0] < width[1] - width[0]:
                z, turned, width = other, turned | {k}, found
        return low, high

    def _plain_range(self, z: Value, turned: frozenset[int]) -> tuple[fmpq, fmpq]:
        """Variable by variable; those in `turned` stand for ρ(−u)."""
        low = high = constant_of(z)
        for k, c in terms_of(z).items():
            if k < self.inputs:
                a, b = self.box[k]
            else:
                bottom, top = self.ranges[k - self.inputs]
                a, b = ZERO, -bottom if k in turned else top
            low, high = low + (c * a if c > 0 else c * b), high + (c * b if c > 0 else c * a)
        return low, high


def _parts(box: Sequence[tuple[fmpq, fmpq]]) -> Iterator[list[tuple[fmpq, fmpq]]]:
    """The box in equal parts."""
    count = PARTS[len(box)]
    cuts = [[a + (b - a) * fmpq(k, count) for k in range(count + 1)] for a, b in box]
    return map(list, product(*map(pairwise, cuts)))


def applies(program: Program, target: AnyTarget) -> bool:
    return isinstance(target, NetworkFunction) and len(program.inputs) <= 2 and all(
        isinstance(a, Rectified | SiluHead) for a in program.atoms)


def prove_layers(program: Program, output: Value, target: AnyTarget, domain: Domain, *, bound: fmpq | None = None,
                 progress: Progress | None = None) -> Proof | None:
    """None where the network without its gates is not seen to be the target."""
    assert isinstance(target, NetworkFunction)
    box = tuple((low, high) for low, high in domain if low is not None and high is not None)
    if len(box) < len(domain):
        return None
    normal = Normal(len(box), box)
    wanted = normal.read_target(target.layers)[target.output]
    (own,) = normal.read(Program(program.inputs, (output,), program.atoms))
    if subtract(own, wanted) != ZERO:
        return None
    if not any(isinstance(a, SiluHead) for a in program.atoms):
        middle = tuple((low + high) / 2 for low, high in box)
        return Proof(ZERO, arb(0), middle, 1, "the network is the ReLU network itself, in one normal form")
    with precision(BITS):
        cells = _Cells(program, output)
        enough = None if bound is None else arb(bound)
        budget = max(FEWEST, WORK // (8 + len(program.atoms)))
        found = maximise(cells.over, [box], cells.at, tolerance=TOLERANCE, budget=budget, partial=True, progress=progress)
        if enough is not None and found.upper > enough and found.lower is not None and found.lower <= enough:
            finer = maximise(cells.over, [box], cells.at, tolerance=fmpq(1, 50), floor=enough, budget=4 * budget,
                             partial=True, progress=progress)
            found = finer if finer.upper < found.upper else found
        if not found.upper.is_finite() or found.lower is None:
            raise Undecided("Cells gave no finite bound.")
        return consistent(exact(found.upper), found.lower, found.point, found.boxes,
                          "the exact part is the ReLU network; errors of gates cell by cell, with the slopes of each cell")


# ---------------------------------------------------------------------------------------------------------------

class _Level:
    """Atoms that mention earlier ones only: rows of their inputs, over the inputs and over all atoms."""

    def __init__(self, members: list[int], forms: list[Value], inputs: int, atoms: int) -> None:
        self.members = members
        self.of_inputs, self.of_atoms, self.constant = _matrices(forms, inputs, atoms)
        self.size = arb_mat(self.of_atoms.nrows(), self.of_atoms.ncols(), [abs(x) for x in self.of_atoms.entries()])


def _matrices(forms: Sequence[Value], inputs: int, others: int) -> tuple[arb_mat, arb_mat, arb_mat]:
    x, u = [arb(0)] * (len(forms) * inputs), [arb(0)] * (len(forms) * others)
    for i, form in enumerate(forms):
        for k, c in terms_of(form).items():
            if k < inputs:
                x[i * inputs + k] = arb(c)
            else:
                u[i * others + k - inputs] = arb(c)
    return (arb_mat(len(forms), inputs, x), arb_mat(len(forms), others, u),
            arb_mat(len(forms), 1, [arb(constant_of(f)) for f in forms]))


class _Cells:
    def __init__(self, program: Program, output: Value) -> None:
        self.inputs, self.count = len(program.inputs), len(program.atoms)
        self.rates = [arb(a.beta) if isinstance(a, SiluHead) else None for a in program.atoms]
        depth: list[int] = []
        for atom in program.atoms:
            before = [depth[k - self.inputs] for k in terms_of(_input(atom)) if k >= self.inputs]
            depth.append(1 + max(before, default=-1))
        self.levels = []
        for level in range(max(depth, default=-1) + 1):
            members = [k for k, d in enumerate(depth) if d == level]
            self.levels.append(_Level(members, [_input(program.atoms[k]) for k in members], self.inputs, self.count))
        self.out = _matrices([output], self.inputs, self.count)[1]

    def over(self, box: Box) -> arb:
        """The largest |error| of the output on a cell, or more."""
        n, inputs = self.count, self.inputs
        middle = arb_mat(inputs, 1, [arb((a + b) / 2) for a, b in box])
        half = arb_mat(inputs, 1, [arb((b - a) / 2) for a, b in box])
        values = arb_mat(n, 1)                  # of ρ at the middle
        jacobian = arb_mat(n, inputs)           # of ρ, on the cell
        worst = arb_mat(n, 1)                   # |error| of every atom
        own: list[arb] = [arb(0)] * n           # what the head itself errs by, as a ball
        decided: list[arb] = [arb(0)] * n
        for level in self.levels:
            centres = level.of_inputs * middle + level.of_atoms * values + level.constant
            slopes = level.of_inputs + level.of_atoms * jacobian
            sizes = arb_mat(slopes.nrows(), inputs, [abs(x) for x in slopes.entries()])
            reach = sizes * half
            moved = level.size * worst
            for i, k in enumerate(level.members):
                z, r, e = centres[i, 0], reach[i, 0].upper(), moved[i, 0].upper()
                low, high = (z - r).lower(), (z + r).upper()
                values[k, 0] = z.max(arb(0))
                slope = _slope(low, high)
                for j in range(inputs):
                    jacobian[k, j] = slope * slopes[i, j]
                rate = self.rates[k]
                seen = (low - e).lower(), (high + e).upper()
                own[k] = arb(0) if rate is None else -_gate(seen[0], seen[1], rate)
                decided[k] = _slope(*seen)
                worst[k, 0] = (abs(own[k]) + abs(decided[k]) * e).upper()
        return abs(self._through(own, decided)).upper()

    def _through(self, own: Sequence[arb], decided: Sequence[arb]) -> arb:
        """Σ g·e, from the output back."""
        gains = [self.out[0, k] for k in range(self.count)]
        total = arb(0)
        for level in reversed(self.levels):
            back = arb_mat(1, len(level.members), [gains[k] * decided[k] for k in level.members]) * level.of_atoms
            for k in level.members:
                total = total + gains[k] * own[k]
            gains = [g + back[0, k] for k, g in enumerate(gains)]
        return total

    def at(self, point: Point) -> arb:
        """|error| of the output at a point."""
        x = arb_mat(self.inputs, 1, [arb(v) for v in point])
        there, here = arb_mat(self.count, 1), arb_mat(self.count, 1)
        for level in self.levels:
            known = level.of_inputs * x + level.constant
            exact_z, seen_z = known + level.of_atoms * there, known + level.of_atoms * here
            for i, k in enumerate(level.members):
                there[k, 0] = exact_z[i, 0].max(arb(0))
                rate = self.rates[k]
                here[k, 0] = seen_z[i, 0].max(arb(0)) if rate is None else seen_z[i, 0] / (1 + (-rate * seen_z[i, 0]).exp())
        return abs((self.out * (here - there))[0, 0])


def _input(atom: Atom) -> Value:
    assert isinstance(atom, Rectified | SiluHead)
    return atom.z


def _slope(low: arb, high: arb) -> arb:
    """Of ρ between two values."""
    if low >= 0:
        return arb(1)
    return arb(0) if high <= 0 else arb(0.5, 0.5)


def _gate(low: arb, high: arb, rate: arb) -> arb:
    """h(β|z|)/β for z between two values, as a ball."""
    near = arb(0) if low <= 0 <= high else low if low > 0 else -high
    far = (-low).max(high)
    a, b = _bin((rate * near).lower()), _bin((rate * far).upper())
    table = _table()
    least = table[a][0].min(table[b][0])
    most = max(x for _, x in table[a:b + 1]) if b - a < 8 else _largest(a, b)
    return least.union(most) / rate


def _bin(y: arb) -> int:
    """The bin of h in which an exact value lies; one above all is in the last."""
    return LAST * BINS if y >= LAST else max(0, int((exact(y) * BINS).floor()))


@cache
def _table() -> list[tuple[arb, arb]]:
    """By bin [k, k + 1]/BINS: bounds of h on it. h rises up to y* = 1 + W(1/e) = 1.27846…, where it is W(1/e) (lemma S6),
    and falls from there on."""
    def h(y: arb) -> arb:
        return y / (1 + y.exp())

    found = []
    top = fmpq(12784, 10000), fmpq(12785, 10000)        # around y*
    for k in range(LAST * BINS):
        u, v = fmpq(k, BINS), fmpq(k + 1, BINS)
        ends = [h(arb(u)), h(arb(v))]
        most = ends[0].max(ends[1]) if v <= top[0] or u >= top[1] else (1 / arb(1).exp()).lambertw()
        found.append((ends[0].min(ends[1]).lower(), most.upper()))
    found.append((arb(0), h(arb(LAST)).upper()))
    return found


def _largest(a: int, b: int) -> arb:
    """The largest of h over the bins from a to b: h has one hill."""
    table = _table()
    peak = max(range(2 * BINS), key=lambda k: float(table[k][1]))
    return table[peak][1] if a <= peak <= b else table[a][1].max(table[b][1])

