"""Symbolic profile at a case == profile of the unrolled term, exactly.

How equality is decided: both sides get the same rational numbers for every parameter; each W(…), each e^(…) and the
constant C is then replaced by an indeterminate, one for each argument, and the difference must be 0. Rational functions
that agree in indeterminates agree at every value of them, so this cannot call two different numbers equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import pytest
import sympy as sp

from boundcalc.derivation import fold as derive_module
from boundcalc.derivation import profile as algebra
from boundcalc.derivation.analysis import INPUTS, Analysis
from boundcalc.derivation.fold import derive, logit
from boundcalc.derivation.profile import Errors, Profile, sealed, then, total
from boundcalc.formulas.comparison import Regime
from boundcalc.formulas.enclosure import upper
from boundcalc.formulas.interval import Interval
from boundcalc.formulas.symbols import INTERNAL, PARAMETERS, C, exchange, symbol
from boundcalc.results.bound import Bound, closed_forms
from boundcalc.terms.flat import flatten, resources
from boundcalc.terms.term import AlongSequence, Approx, Copies, Repeat, Term, inputs_of, outputs_of, substitute, unroll
from boundcalc.tune import numbers

from .cases import CASES, CHOSEN, Case, built, examples, level_of, routes
from .table import TABLE

LEAVES = [c for c in CHOSEN if built(c).analysis.term is not None]       # plans have no term: tests/compositions
every_case = pytest.mark.parametrize("case", LEAVES, ids=str)
WITH_REPEAT = [c for c in LEAVES if level_of(c)]


def rationals(values: Mapping[sp.Symbol, Fraction]) -> dict[sp.Symbol, sp.Rational]:
    return {s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}


def normal(expr: sp.Expr, b: Bound) -> sp.Expr:
    """The expression at the numbers of the bound, with W(…), e^(…) and C as indeterminates."""
    number = exchange(b.analysis.evaluable(b.analysis.with_eta(sp.S(expr))), rationals(numbers(b.values)))
    marks = {w: sp.Symbol(f"{type(w).__name__}[{w.args[0]}]", positive=True) for w in number.atoms(sp.LambertW, sp.exp)
             if w != sp.exp(-1)}
    number = number.xreplace(marks).xreplace({C: sp.Symbol("C[]", positive=True)})
    assert not number.free_symbols & (set(map(symbol, PARAMETERS)) | set(INTERNAL.values()))
    return sp.expand(number)


def same(a: sp.Expr, b: sp.Expr, bound: Bound) -> bool:
    x, y = normal(a, bound), normal(b, bound)
    return x == y or sp.expand(x - y) == 0 or sp.cancel(x - y) == 0


def value(expr: sp.Expr, b: Bound) -> Fraction:
    """An upper bound within 10^(−60), to compare numbers of which one may be smaller."""
    return upper(b.analysis.evaluable(b.analysis.with_eta(sp.S(expr))), numbers(b.values), 60)


def concrete(term: Term, b: Bound) -> Term:
    return substitute(term, rationals(numbers(b.values)))


def domain_of(term: Term, analysis: Analysis) -> dict[str, Interval]:
    """The range of every input block, in symbols."""
    return {x.name: analysis.frame.boxes[x.name].interval for x in inputs_of(term)}


def frame_at(term: Term, b: Bound) -> tuple[dict[str, Interval], Errors]:
    at = rationals(numbers(b.values))
    delta = at[symbol("delta")]
    incoming: Errors = {} if delta == 0 else {x.name: {INPUTS: Interval.symmetric(delta)} for x in inputs_of(term)}
    return {x: substitute(i, at) for x, i in domain_of(term, b.analysis).items()}, incoming


def folded_repeat(term: Repeat, domain: Mapping[str, Interval]) -> Profile:
    """What the closed form of a repeat stands for: body after body, each sealed, on the ranges as they come."""
    profile = Profile(inputs_of(term), outputs_of(term), domain, domain, ())
    for v in term.index.values():
        body = derive(substitute(term.body, {term.index.symbol: sp.Integer(v)}), profile.range)
        profile = then(profile, sealed(body))
    return profile


def signed(errors: Mapping[str, Interval]) -> dict[str, Interval]:
    return {s: i for s, i in errors.items() if i.lo != 0 or i.hi != 0}


def assert_same_errors(symbolic: Mapping[str, Interval], number: Mapping[str, Interval], b: Bound) -> None:
    assert {s for s, i in symbolic.items() if normal(i.radius, b) != 0} == set(signed(number))
    for source, i in signed(number).items():
        assert same(symbolic[source].lo, i.lo, b), source
        assert same(symbolic[source].hi, i.hi, b), source


def test_table_covers_the_package() -> None:
    """What is bundled has rows, or declares cases of its own."""
    assert set(TABLE) <= set(routes())
    assert {(c.name, c.route, c.gate) for c in CASES} == {*routes(), *routes(tuple(examples()))}
    assert len({str(c) for c in CASES}) == len(CASES)


@every_case
def test_errors_of_the_unrolled_term(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signed errors by source, with every repeat and tree written out and derived level by level."""
    b = built(case)
    term = unroll(concrete(b.analysis.term, b))
    domain, incoming = frame_at(term, b)
    (errors,) = derive(term, domain).error(incoming).values()
    if case.gate == "silu" and case in WITH_REPEAT and not any(x.label == "Q2" for x in b.analysis.lemmas):
        # plain propagation, where that is less than the lemma: a repeat keeps radii, level by level signs survive
        assert all(value(i.radius, b) <= value(b.analysis.error[s].radius, b) for s, i in errors.items())
        monkeypatch.setattr(derive_module, "_repeat", folded_repeat)
        (errors,) = derive(concrete(b.analysis.term, b), domain).error(incoming).values()
    assert_same_errors(b.analysis.error, errors, b)
    assert same(b.analysis.total.lo, total(errors).lo, b)
    assert same(b.analysis.total.hi, total(errors).hi, b)


@every_case
def test_resources_of_the_unrolled_term(case: Case) -> None:
    """Counts are written out; other parameters stay symbols. (A network lists an entry also where it happens to be 0, and
    a neuron for a sign that numbers would show to be impossible: it is the one that the closed forms describe.)"""
    b = built(case)
    counts = {s: v for s, v in rationals(numbers(b.values)).items() if s.is_integer}
    term = unroll(substitute(b.analysis.term, counts))
    counted = resources(flatten(term), Regime(()))
    assert set(counted) == set(b.analysis.resources) - {"logit"}
    for name, number in counted.items():
        assert same(b.analysis.resources[name], number, b), name


@every_case
def test_logit_and_naive_total_of_the_folded_term(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are propagated inside repeats, so the fold of sealed bodies is what the closed form must equal."""
    b = built(case)
    term = concrete(b.analysis.term, b)
    domain, incoming = frame_at(term, b)
    monkeypatch.setattr(derive_module, "_repeat", folded_repeat)
    profile = derive(term, domain)
    leaks = case.sequence and case.gate != "ffn"            # then scores get a lead besides, from −ν/β on the circle
    lead = symbol("nu") * (2 if case.given.get("codes") == "circle" else 1) if leaks else sp.S.Zero
    assert same(b.analysis.resources["logit"], logit(profile.flow(incoming), by_lemma=not leaks) + lead, b)
    assert same(b.analysis.naive_total, sp.Max(*profile.flow(incoming)[-1].naive_outgoing.values()), b)


def inner(term: Term) -> Term:
    if isinstance(term, AlongSequence):
        term = term.body
    if isinstance(term, Copies):
        term = term.body
    return term.body if isinstance(term, Approx) else term


@pytest.mark.parametrize("case", WITH_REPEAT, ids=str)
def test_propagated_errors_of_repeats(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """The generic gate bound (what propagation gives inside a lemma): the closed form in m is the fold of sealed
    bodies, and following slope vectors and signs level by level gives no more."""
    b = built(case)
    body = inner(b.analysis.term)
    domain, deltas = domain_of(body, b.analysis), b.analysis.frame.deltas
    symbolic_incoming: Errors = {x.name: {INPUTS: Interval.symmetric(deltas[x.name])} for x in inputs_of(body)
                                 if deltas[x.name] != 0}
    (symbolic,) = derive(body, domain).error(symbolic_incoming).values()
    assert ("gates" in symbolic) == bool(b.network.heads)

    number = concrete(body, b)
    number_domain, incoming = frame_at(number, b)
    (plain,) = derive(unroll(number), number_domain).error(incoming).values()
    for source, i in plain.items():
        assert value(i.radius, b) <= value(symbolic[source].radius, b), source
    monkeypatch.setattr(derive_module, "_repeat", folded_repeat)
    (folded,) = derive(number, number_domain).error(incoming).values()
    assert_same_errors(symbolic, folded, b)


def test_an_off_by_one_in_a_repeat_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself can fail: a closed form with one level too few is another number."""
    exact = algebra.repeat
    case = Case("mult", "recipe", "silu", {"beta": 16, "m": 3})
    b = built(case)
    body = inner(b.analysis.term)
    domain = domain_of(body, b.analysis)
    (right,) = derive(body, domain).error().values()
    monkeypatch.setattr(derive_module, "repeat", lambda p, index: exact(
        p, type(index)(index.symbol, index.first, index.last - 1)))
    (wrong,) = derive(body, domain).error().values()
    assert not same(right["gates"].hi, wrong["gates"].hi, b)


# ---------------------------------------------------------------------------------------------------------------
# closed forms that theory.md states, in free symbols

m, n, d, M, beta, delta = (symbol(x) for x in ("m", "n", "d", "M", "beta", "delta"))
W1 = sp.LambertW(sp.exp(-1))


def test_mult_silu_closed_form() -> None:
    a = closed_forms("mult")
    stated = M**2 * (4 ** (-m - 1) + (sp.Rational(7, 3) - sp.Rational(4, 3) * 4**-m) * C / beta**2)
    assert sp.expand(a.total.hi - stated) == 0
    assert sp.expand(a.total.lo + stated) == 0
    assert a.resources["layers"] == m + 1
    assert sp.expand(a.resources["heads"] - 2 * d * (m + 1)) == 0
    assert a.resources["heads_per_layer"] == 2 * d
    assert a.resources["tokens"] == 2
    assert sp.expand(a.resources["width"] - 3 * d - 1) == 0
    assert a.resources["relu_layers"] == a.resources["neurons"] == 0


def test_generic_gate_bounds_are_derived() -> None:
    """Any gate with |error| ≤ η: the algebra's own bound, without lemma Q2. For square it is c_1·η of theory.md."""
    eta = symbol("eta")
    teeth = sp.Rational(4, 3) * (2 - 3 * 2**-m + 4**-m)
    for name, stated in (("square", 4 * M**2 * teeth * eta), ("mult", M**2 * (10 - 12 * 2**-m + 4 * 4**-m) * eta)):
        a = closed_forms(name)
        body = inner(a.term)
        (errors,) = derive(body, domain_of(body, a)).error().values()
        assert sp.expand(errors["gates"].hi - stated) == 0, name
        assert sp.expand(errors["gates"].lo + stated) == 0, name


def test_mult_other_routes() -> None:
    ffn, direct = closed_forms("mult", gate="ffn"), closed_forms("mult", route="direct")
    assert sp.expand(ffn.total.hi - M**2 * 4 ** (-m - 1)) == 0
    assert ffn.resources["relu_layers"] == m + 1
    assert ffn.resources["layers"] == ffn.resources["heads"] == ffn.resources["beta"] == 0
    assert sp.expand(direct.total.hi - beta**2 * M**4 / 3) == 0
    assert (direct.resources["layers"], direct.resources["heads"], direct.resources["tokens"]) == (1, d, 2)


def test_square_closed_form() -> None:
    a = closed_forms("square")
    assert sp.expand(a.total.hi - M**2 * 4**-m) == 0
    assert sp.expand(a.total.lo + 4 * M**2 * sp.Rational(4, 3) * (1 - 4**-m) * C / beta**2) == 0
    assert a.resources["layers"] == m


@pytest.mark.parametrize(("name", "sign"), [("max", -1), ("min", 1)])
def test_extremum_closed_forms(name: str, sign: int) -> None:
    from boundcalc.formulas.symbols import CeilLog

    direct, tree = closed_forms(name, route="direct"), closed_forms(name, route="tree")
    levels = CeilLog(n, sp.Integer(2))
    worst, other = (direct.total.lo, direct.total.hi) if sign < 0 else (direct.total.hi, direct.total.lo)
    assert sp.expand(worst - sign * sp.LambertW((n - 1) / sp.E) / beta) == 0
    assert other == 0
    worst, other = (tree.total.lo, tree.total.hi) if sign < 0 else (tree.total.hi, tree.total.lo)
    assert sp.expand(worst - sign * levels * W1 / beta) == 0
    assert other == 0
    assert (direct.resources["layers"], direct.resources["heads"], direct.resources["tokens"]) == (1, 1, n)
    assert (tree.resources["layers"], tree.resources["heads"], tree.resources["tokens"]) == (levels, n - 1, 2)


@pytest.mark.parametrize(("name", "factor"), [("relu", 1), ("abs", 2)])
def test_gate_closed_forms(name: str, factor: int) -> None:
    a = closed_forms(name)
    assert sp.expand(a.total.lo + factor * W1 / beta) == 0
    assert a.total.hi == 0
    assert (a.resources["layers"], a.resources["heads"], a.resources["tokens"]) == (1, d, 2)
