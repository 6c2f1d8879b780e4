"""Certified constants of the anchor gates and of the absorption lemma: each function proves its statement when called.

Units of the grid spacing Δ; κ = βΔ², q = e^(−κ). One head over anchors 0…p−1 returns the mean F_p(t) of k under the
weights w_k = e^(−κ(t−k)²); F_∞ has anchors 0, 1, 2, …. What the proofs rest on (docs/anchor-constants.md has them):

Order. A mean falls when an anchor below all others is added and rises when one above all others is. So F_p ≤ F_(p+1),
   and G = F_p − t satisfies G(t+1) ≤ G(t): shifted by one, there is one more anchor below and one less above.
Monotone. F' = 2κ·Var ≥ 0: on [u, v] an error F − t is at most F(v) − u, and beyond an end it only falls.
Mirror. F_p(p−1−t) = p−1−F_p(t): errors below the target are errors above it elsewhere.
   Hence sup |F_p − clip| = sup over [0, 1] of F_p − t, it grows with p, and for all p it is sup over [0, 1] of F_∞ − t.
Tail. With m the anchor nearest to t, w_(m+j)/w_m ≤ q^(j(j−1)) for j ≥ 1, so that what lies beyond m+J adds to the
   i-th moment at most T_i = (J+1)^i q^(J(J+1))/(1−ρ_i), ρ_i = ((J+2)/(J+1))^i q^(2(J+1)).
Beyond the end. For x ≥ 0, F_n(−x) ≤ C·q^(2x) with C = Σ j·q^(j²); and F_n(−x) ≤ q^(1+2x) if q² ≤ 1/2, for every
   real x: compare j·q^(j²+2jx) with q^(1+2x) times the weight of anchor j−1, which needs j·q^(2j−2) ≤ 1.
Telescoping. Out = Σ_(h<H) F_n(t−hM), M = n−1, is increasing and mirror symmetric; a head more on the right raises
   it, a head on the left has at most the value M that it stands for. So the supremum over all H and t is that of
   Σ_(h≥0) F_n(s−hM) − s over s in [0, M].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

from flint import arb, fmpq

from ..errors import InvalidInput
from ..formulas.enclosure import Undecided
from .balls import (
    Box,
    Certificate,
    Point,
    Refuted,
    decimal_above,
    decimal_below,
    fraction,
    maximise,
    negative,
    precision,
    proved,
    rational,
)

TUNED = Fraction(68, 25)
LEAST_KAPPA = Fraction(1, 10**6)             # below it windows hold thousands of anchors
LEAST_KAPPA_EVERY_N = Fraction(1, 10)        # below it too many head lengths are to be done one by one
TOLERANCE = fmpq(1, 200)                     # relative distance of a certified supremum from an attained value
_PRECISION = 96
_HALF = fmpq(1, 2)
_NEGLIGIBLE = Fraction(16)                   # tails begin at about e^(−16)


# --- one head ---------------------------------------------------------------------------------------------------------

class AnchorHead:
    """Bounds of F_p at points: a window of `reach` anchors on each side of the nearest one, then the tail."""

    def __init__(self, kappa: Fraction, reach: int | None = None) -> None:
        self.kappa = rational(kappa)
        self.reach = isqrt(ceil(_NEGLIGIBLE / kappa)) + 1 if reach is None else reach
        self.square = self.power(2)
        self.tails = self._tail(0), self._tail(1)
        self.first = sum((j * self.power(j * j) for j in range(1, self.reach + 1)), self.tails[1])   # C of "beyond the end"

    def power(self, exponent: fmpq | int) -> arb:
        """q^exponent."""
        return arb(-self.kappa * exponent).exp()

    def _tail(self, i: int) -> arb:
        j = self.reach
        ratio = fmpq(j + 2, j + 1) ** i * self.power(2 * j + 2)
        proved(ratio < 1, "That the tail falls geometrically")
        return (j + 1) ** i * self.power(j * (j + 1)) / (1 - ratio)

    def upper(self, t: fmpq, p: int | None) -> arb:
        """A ball whose upper end is ≥ F_p(t). Anchors below the window are left out, which raises the mean (order)."""
        nearest, rest = self._split(t, p)
        return nearest + rest

    def lower(self, t: fmpq, p: int) -> arb:
        """A ball whose lower end is ≤ F_p(t), by the mirror."""
        nearest, rest = self._split(p - 1 - t, p)
        return p - 1 - nearest - rest   # integers first: p may be longer than the precision

    def _split(self, t: fmpq, p: int | None) -> tuple[int, arb]:
        """The anchor nearest to t, and F_p(t) less this anchor."""
        nearest = max(0, int((t + _HALF).floor()))
        if p is not None:
            nearest = min(nearest, p - 1)
        right = self.reach if p is None else min(self.reach, p - 1 - nearest)
        moment, mass = self._window(t - nearest, min(self.reach, nearest), right)
        if p is None or nearest + right < p - 1:
            moment, mass = moment.union(moment + self.tails[1]), mass.union(mass + self.tails[0])
        return nearest, moment / mass

    def _window(self, theta: fmpq, left: int, right: int) -> tuple[arb, arb]:
        """Σ j·w_j and Σ w_j over −left ≤ j ≤ right, w_j = q^(j²−2jθ), by the ratios q^(1∓2θ), q^(3∓2θ), … of weights."""
        moment, mass = arb(0), arb(1)
        for sign, count in ((1, right), (-1, left)):
            weight, ratio = arb(1), self.power(1 - 2 * sign * theta)
            for j in range(1, count + 1):
                weight *= ratio
                ratio *= self.square
                mass += weight
                moment += sign * j * weight
        return moment, mass

    def far(self, gap: int, period: int) -> arb:
        """Σ_(i≥0) C·q^(2(gap + i·period)): all heads that begin `gap`, `gap` + `period`, … further right."""
        return self.first * self.power(2 * gap) / (1 - self.power(2 * period))


def single_head(kappa: Fraction, p: int | None = None, bound: Fraction | None = None) -> Certificate:
    """sup over all real t of |F_p(t) − clip(t)|, for p anchors or for every p ≥ 2; at most `bound` if one is given."""
    _check(kappa, p, "p")
    with precision(_bits(kappa)):
        head = AnchorHead(kappa)
        return _certificate(f"one head, linspace grid, κ = {kappa}, {_every('p', p, 2)}", _inside(head, p, bound), bound)


def left_grid(kappa: Fraction | None = None, p: int | None = None, bound: Fraction | None = None) -> Certificate:
    """Anchors a + kΔ, Δ = (b−a)/p, as `single_head`. Without κ: error ≤ Δ(1 + c·e^(−3κ)), all κ ≥ 1 and p ≥ 2, c = 1."""
    return _hard_ends("left", 1) if kappa is None else _ends("left", fmpq(1), kappa, p, bound)


def midpoint_grid(kappa: Fraction | None = None, p: int | None = None, bound: Fraction | None = None) -> Certificate:
    """Anchors a + (k+½)Δ, Δ = (b−a)/p, likewise. Without κ: error ≤ Δ(½ + c·e^(−2κ)), all κ ≥ 1 and p ≥ 2, c = 1."""
    return _hard_ends("midpoint", 2) if kappa is None else _ends("midpoint", _HALF, kappa, p, bound)


def _ends(grid: str, reach: fmpq, kappa: Fraction, p: int | None, bound: Fraction | None) -> Certificate:
    """The target goes on for `reach` beyond an end anchor: there the error is x + F_p(−x), farther out it falls."""
    _check(kappa, p, "p")
    with precision(_bits(kappa)):
        head = AnchorHead(kappa)
        sample = _enough(head, p)
        found = _sweep(lambda u, v: v + head.upper(-u, p), lambda x: x + head.lower(-x, sample), reach,
                       lambda x: {"p": Fraction(sample), "at": sample - 1 + x}, bound, _inside(head, p, bound))
        return _certificate(f"one head, {grid} grid, κ = {kappa}, {_every('p', p, 2)}", found, bound)


def _inside(head: AnchorHead, p: int | None, bound: Fraction | None, known: _Found | None = None) -> _Found:
    """F_p − t over [0, 1]."""
    sample = _enough(head, p)
    return _sweep(lambda u, v: head.upper(v, p) - u, lambda t: head.lower(t, sample) - t, fmpq(1),
                  lambda t: {"p": Fraction(sample), "at": t}, bound, known)


def _enough(head: AnchorHead, p: int | None) -> int:
    """So many anchors that more of them make hardly a difference near the first."""
    return head.reach + 2 if p is None else p


# --- telescoping heads ------------------------------------------------------------------------------------------------

def telescoping(kappa: Fraction, n: int | None = None, bound: Fraction | None = None) -> Certificate:
    """sup over t and over every H ≥ 1 of |Σ_h F_n(t − h(n−1)) − clip(t)|, for n tokens or for every n ≥ 3 (telescoping)."""
    _check(kappa, n, "n")
    if n is None and kappa < LEAST_KAPPA_EVERY_N:
        raise InvalidInput(f"Every n at once is proved for κ ≥ {LEAST_KAPPA_EVERY_N} only.", "Give n, or a larger κ.")
    with precision(_bits(kappa)):
        head = AnchorHead(kappa)
        reach = ceil(_NEGLIGIBLE / 2 / kappa)
        common = reach + head.reach + 1
        found: _Found | None = None
        for length in range(3 if n is None else n, common if n is None else min(n + 1, common)):
            found = _short_heads(head, length, bound, found)
        if n is None or n >= common:
            found = _long_heads(head, common if n is None else n, common, reach, bound, found)
        assert found is not None
        return _certificate(f"telescoping heads, κ = {kappa}, {_every('n', n, 3)}, every H ≥ 1", found, bound)


def _short_heads(head: AnchorHead, n: int, bound: Fraction | None, known: _Found | None) -> _Found:
    """The first heads as they are, the others by what holds beyond the end."""
    period = n - 1
    later = ceil(_NEGLIGIBLE / 2 / (fraction(head.kappa) * period))
    rest = head.far(later * period, period)   # s ≤ period
    offsets = [h * period for h in range(later + 1)]
    return _sweep(lambda u, v: sum((head.upper(v - a, n) for a in offsets), rest) - u,
                  lambda s: sum((head.lower(s - a, n) for a in offsets), arb(0)) - s, fmpq(period),
                  lambda s: {"n": Fraction(n), "H": Fraction(later + 1), "at": s}, bound, known)


def _long_heads(head: AnchorHead, n: int, common: int, reach: int, bound: Fraction | None, known: _Found | None) -> _Found:
    """All lengths from `common` on at once (values are attained with n). Let x = M − s be the distance to the joint.

    x ≥ reach: F_n ≤ F_∞, and the later heads add at most far(reach, M). So G ≤ F_∞(s) − s + far, s in [0, 1] by the order.
    x ≤ reach: F_n(s) − s = x − F_n(x) ≤ x − F_common(x) by mirror and order; then F_n(−x) ≤ F_∞(−x), and `far`.
    """
    period = common - 1
    rest = head.far(reach, period)
    known = _sweep(lambda u, v: head.upper(v, None) - u + rest, lambda t: head.lower(t, n) - t, fmpq(1),
                   lambda t: {"n": Fraction(n), "H": Fraction(1), "at": t}, bound, known)
    others = head.far(period, period)
    return _sweep(lambda u, v: v - head.lower(u, common) + head.upper(-u, None) + others,
                  lambda x: x - head.upper(x, n) + head.lower(-x, n), fmpq(reach),
                  lambda x: {"n": Fraction(n), "H": Fraction(2), "at": n - 1 - x}, bound, known)


# --- every κ ≥ 1 ------------------------------------------------------------------------------------------------------

def hard_linspace() -> Certificate:
    """Error ≤ Δ/2 for linspace anchors, one head (H = 1) or telescoping heads, every κ ≥ 1, n ≥ 2 and H ≥ 1.

    By telescoping, with what holds beyond the end, it is to be shown that F_n(s) − s + ε ≤ 1/2 on [0, M], where
    ε = q^(1+2x)/(1−q²), x = M − s. With m the nearest anchor, θ = s − m, w_j = q^(j²−2jθ): Σ_j (j − 1/2 − θ + ε)·w_j ≤ 0.
    Anchors left out below have negative terms.
    - `_rising`, m < M, θ ≥ 0: ε ≤ q^(3−2θ)/(1−q²); every term with j ≥ 1 rises with q, so that κ = 1 decides.
    - `_falling`, m < M, φ = −θ ≥ 0: then m ≥ 1, and already the term j = −1 outweighs ε and all terms with j ≥ 1: divided
      by q^(1−2φ), those rise with q, so that again κ = 1 decides. Without ε the term j = 0 is −1/2 + φ ≤ 0.
    - `_joint`, m = M, 0 ≤ x ≤ 1/2: F_n(s) − s = x − F_n(x) ≤ x − w/(1+w) with w = q^(1−2x), see there.
    """
    with precision(_PRECISION):
        head = AnchorHead(Fraction(1), reach=8)
        _check_beyond(head)
        box = [((fmpq(0), _HALF),)]
        boxes = negative(lambda b: _rising(head, *b[0]), box) + negative(lambda b: _falling(head, *b[0]), box)
        _joint(head)
        sample = single_head(Fraction(1024))
        return Certificate("linspace grid, one head or telescoping heads, every κ ≥ 1, n ≥ 2, H ≥ 1: error/Δ ≤ 1/2",
                           Fraction(1, 2), Fraction(1, 2), sample.lower, {"κ": Fraction(1024), **sample.witness}, boxes)


def _check_beyond(head: AnchorHead) -> None:
    """j·q^(2j−2) ≤ 1 for all j ≥ 2 and all κ from that of the head on (beyond the end): at j = 2, and it falls with j."""
    proved(2 * head.square < 1 and fmpq(3, 2) * head.square < 1, "The bound of a head beyond its end")


def _rising(head: AnchorHead, u: fmpq, v: fmpq) -> arb:
    """Σ_(j≥1) (j − 1/2 − θ + ε)·q^(j²−2jθ) + ε − (1/2 + θ) for u ≤ θ ≤ v; the tail has coefficients ≤ j."""
    epsilon = head.power(3 - 2 * v) / (1 - head.square)
    terms = ((j - _HALF - u + epsilon) * head.power(j * j - 2 * j * v) for j in range(1, head.reach + 1))
    return sum(terms, head.tails[1]) + epsilon - _HALF - u


def _falling(head: AnchorHead, u: fmpq, v: fmpq) -> arb:
    """ε·q^(2φ−1) + Σ_(j≥1) (j − 1/2 + φ + ε)·q^(j²−1+2(j+1)φ) − (3/2 − φ − ε), ε = q^(3+2φ)/(1−q²), for u ≤ φ ≤ v.

    The coefficients of the tail are ≤ 2j, its exponents ≥ j(j−1)."""
    epsilon = head.power(3 + 2 * u) / (1 - head.square)
    terms = ((j - _HALF + v + epsilon) * head.power(j * j - 1 + 2 * (j + 1) * u) for j in range(1, head.reach + 1))
    return sum(terms, 2 * head.tails[1]) + head.power(2 + 4 * u) / (1 - head.square) - (fmpq(3, 2) - v - epsilon)


def _joint(head: AnchorHead) -> None:
    """ψ(w) = (q²/w)/(1−q²) − w/(1+w) ≤ y where y = 1/2 − x in [0, 1/2] and w = q^(2y) ≥ q; ψ falls with w.

    y ≥ 1/5: ψ(w) ≤ ψ(q) = q²/(1−q²) ≤ 1/5. y ≤ 1/5: ψ(w) ≤ ψ(q^(2/5)) ≤ q^(2/5)·(q^(6/5)/(1−q²) − 1/2) ≤ 0."""
    proved(head.square / (1 - head.square) < fmpq(1, 5), "The error at a joint, far from the middle")
    proved(head.power(fmpq(6, 5)) / (1 - head.square) < _HALF, "The error at a joint, near the middle")


def _hard_ends(grid: str, part: int) -> Certificate:
    """Inside the grid `hard_linspace`; at x beyond an end anchor, 0 ≤ x ≤ r = 1/part, the error is x + F_p(−x), at
    most x + q^(1+2x), which is convex in x, hence at most max(q, r + q^(1+2r)), and q ≤ r. Farther out it falls."""
    reach = fmpq(1, part)
    inside = hard_linspace()
    with precision(_PRECISION):
        head = AnchorHead(Fraction(1))
        _check_beyond(head)
        proved(head.power(1) < reach, "That the end of the range is worse than the end anchor")
        proved(inside.certified <= fraction(reach), "The bound inside the grid")
        sample = AnchorHead(Fraction(4))
        excess = sample.lower(-reach, 3) / sample.power(1 + 2 * reach)
        witness = {"κ": Fraction(4), "p": Fraction(3), "at": 2 + fraction(reach)}
        return Certificate(f"one head, {grid} grid, every κ ≥ 1 and p ≥ 2: "
                           f"(error/Δ − {fraction(reach)})·e^({fraction(1 + 2 * reach)}κ) ≤ 1",
                           Fraction(1), Fraction(1), decimal_below(excess), witness, inside.boxes)


# --- sentinels and absorption -----------------------------------------------------------------------------------------

def sentinel() -> Certificate:
    """Σ_h W_h/D_h − 1 ≤ 3q² for every κ ≥ 1, n ≥ 3, H ≥ 1, real t: W_h is the mass of the anchors that head h owns, D_h
    also counts its neighbouring anchors, where there are any. It bounds |sentinel form − single head|/max(|a|, |b|).

    The sum is Σ_h (W_h/D_h)(D−D_h)/D. Let m be nearest to t, θ = t − m ≥ 0 (else mirror), x = w_(m+1) = q^(1−2θ) and
    y = w_(m−1) = q^(1+2θ) relative to w_m = 1: xy = q², q ≤ x ≤ 1, w_(m±j) = q^(j(j−1))·(x or y)^j. See `_sentinel`.
    Beyond the last anchor there is no x, y ≤ q, and the same sum with x = 0 in it is more than what is there.
    """
    with precision(_PRECISION):
        largest = fmpq(36788, 100000)
        proved(arb(-1).exp() < largest, "1/e < 0.36788")
        found = maximise(_sentinel, [((fmpq(0), largest), (fmpq(0), fmpq(1)))], bound=fmpq(3))
        beyond = _sentinel(((fmpq(0), largest), (fmpq(0), fmpq(0))))
        proved(beyond < 3, "The bound beyond the last anchor")
        sample = AnchorHead(Fraction(8))
        weights = [sample.power(j * j) for j in range(-4, 5)]   # n = 3, H = 9, at the middle anchor
        value = sum((w / sum(weights[max(0, h - 1):h + 2], arb(0)) for h, w in enumerate(weights)), arb(-1))
        return Certificate("sentinel form, every κ ≥ 1, n ≥ 3, H ≥ 1: |out − single head|·e^(2κ)/max(|a|, |b|) ≤ 3",
                           Fraction(3), decimal_above(found.upper.max(beyond)), decimal_below(value / sample.power(2)),
                           {"κ": Fraction(8), "n": Fraction(3), "H": Fraction(9), "at": Fraction(4)}, found.boxes)


def _sentinel(box: Box) -> arb:
    """A bound of Σ_h (W_h/D_h)(D−D_h)/D / q² over a box of (q, x). The heads, with R_i = Σ_(j≥i) w_j/w_i:

    own: (D−D_h)/D ≤ Σ_(j≥2) (w_j + w_(−j))/(1+x);
    right, next to m: W_h ≤ x·R_1(x), D−D_h ≤ y·R_1(y) + q⁶x³·R_3(x), D and D_h ≥ 1+x; left: the same with x and y changed,
    D ≥ 1+x; others, whose first anchor is m+i, i ≥ 2: W_h/D_h ≤ Σ_(j≥i) w_j/w_(i−1) ≤ q^(2i−2)·x·R_2(x), each i once."""
    (q_least, q), (x_least, x) = box
    if x < q_least:
        return arb(0)   # no such point
    y = q if q * q >= x_least * q else q * q / x_least
    q2, low = arb(q * q), 1 + arb(x_least)
    rx, ry = ([_series(q2, arb(z), i) for i in (1, 2, 3)] for z in (x, y))
    own = (x * x * rx[1] + y * y * ry[1]) / low
    right = (rx[0] * ry[0] + q2 * q2 * arb(x) ** 4 * rx[0] * rx[2]) / (low * low)
    left = (rx[0] * ry[0] + q2 * q2 * arb(y) ** 4 * ry[0] * ry[2]) / low
    return own + right + left + (x * rx[1] + y * ry[1]) / (1 - q2)


def _series(q2: arb, z: arb, i: int) -> arb:
    """R_i(z) = Σ_k q^(k(k−1)+2ik)·z^k; for z ≤ 1 and k ≥ 6 the exponents are 42 or more, 12 or more apart."""
    terms = (q2 ** (k * (k - 1) // 2 + i * k) * z**k for k in range(1, 6))
    return sum(terms, arb(1)) + q2**21 / (1 - q2**6)


def absorption() -> Certificate:
    """B = φ(1−φ) − 2φ/(1+e^(γφ)) − 2(1−φ)/(1+e^(γ(1−φ))) ≥ −3e^(−γ) for every γ ≥ 4 and 0 ≤ φ ≤ 1.

    B is symmetric: φ ≤ 1/2. With ψ = γφ, B = φ(tanh(ψ/2) − φ) − 2(1−φ)/(1+e^(γ−ψ)). γ ≤ 8: by boxes. γ ≥ 8: tanh is
    concave, so tanh(ψ/2) − φ ≥ aφ with a = 2·tanh(γ/4) − 1 > 0, and e^γ·B + 3 ≥ a·e^γ·φ² + 3 − 2(1−φ)e^ψ, which is ≥ 0
    for e^ψ ≤ 3/2; for larger ψ ≤ γ/2 it is if a·e^γ·γ^(−2)·ψ²e^(−ψ) ≥ 2: ψ²e^(−ψ) is least at an end, and both are checked.
    """
    with precision(_PRECISION):
        found = maximise(_absorbed, [((fmpq(4), fmpq(8)), (fmpq(0), _HALF))], _absorbed_at, bound=fmpq(3),
                         tolerance=fmpq(1, 4))
        slope, psi = 2 * arb(2).tanh() - 1, arb(fmpq(3, 2)).log()   # a and e^γ/γ² grow from γ = 8 on
        proved(slope * arb(8).exp() / 64 * psi * psi * fmpq(2, 3) > 2, "The bound for large γ and small φ")
        proved(slope * arb(4).exp() / 4 > 2, "The bound for large γ and φ near 1/2")
        assert found.lower is not None
        return Certificate("every γ ≥ 4, 0 ≤ φ ≤ 1: −B(φ; γ)·e^γ ≤ 3", Fraction(3), Fraction(3), decimal_below(found.lower),
                           dict(zip("γφ", map(fraction, found.point), strict=True)), found.boxes)


def _absorbed(box: Box) -> arb:
    """−B·e^γ over a box: tanh rises with γ and φ; u/(1+e^u) falls for u ≥ 2, and γ(1−φ) is."""
    (low, high), (u, v) = box
    rest = v * v - u * arb(low * u / 2).tanh() + 2 * (1 - v) / (1 + arb(low * (1 - v)).exp())
    return rest.max(arb(0)) * arb(high).exp()


def _absorbed_at(point: Point) -> arb:
    gamma, phi = point
    gates = sum((2 * z / (1 + arb(gamma * z).exp()) for z in (phi, 1 - phi)), arb(0))
    return (gates - phi * (1 - phi)) * arb(gamma).exp()


# --- from suprema to certificates -------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Found:
    upper: arb
    lower: arb
    witness: Mapping[str, Fraction]
    boxes: int


def _sweep(over: Callable[[fmpq, fmpq], arb], at: Callable[[fmpq], arb], end: fmpq,
           describe: Callable[[Fraction], dict[str, Fraction]], bound: Fraction | None, known: _Found | None) -> _Found:
    """The supremum over [0, end], and the larger of it and what was known before."""
    found = maximise(lambda box: over(*box[0]), [((fmpq(0), end),)], lambda point: at(point[0]), tolerance=TOLERANCE,
                     bound=None if bound is None else rational(bound), known=known.lower if known else None)
    assert found.lower is not None
    witness = describe(fraction(found.point[0])) if found.point or known is None else known.witness
    upper = found.upper if known is None else found.upper.max(known.upper)
    return _Found(upper, found.lower, witness, found.boxes + (known.boxes if known else 0))


def _certificate(setting: str, found: _Found, bound: Fraction | None) -> Certificate:
    certified, lower = decimal_above(found.upper), decimal_below(found.lower)
    statement = f"{setting}: error/Δ ≤ {certified if bound is None else bound}"
    if bound is not None and lower > bound:
        raise Refuted(statement, lower, found.witness)
    if bound is not None and certified > bound:   # only if it is within 10^(−12) of the supremum
        raise Undecided(f"Not decided: {statement}.", "Claim a slightly larger bound.")
    return Certificate(statement, certified if bound is None else bound, certified, lower, found.witness, found.boxes)


def _check(kappa: Fraction, count: int | None, name: str) -> None:
    if kappa < LEAST_KAPPA:
        raise InvalidInput(f"κ = {kappa} is out of range.", f"Give κ ≥ {LEAST_KAPPA}; {TUNED} is the best choice.")
    if count is not None and count < 2:
        raise InvalidInput(f"{name} = {count} is too small.", f"Give {name} ≥ 2.")


def _bits(kappa: Fraction) -> int:
    """More for a large κ, whose product with t is to be known absolutely."""
    return _PRECISION + ceil(kappa).bit_length()


def _every(name: str, count: int | None, least: int) -> str:
    return f"every {name} ≥ {least}" if count is None else f"{name} = {count}"
