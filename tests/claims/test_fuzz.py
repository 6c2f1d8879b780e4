"""Claim text is untrusted: whatever it is, it runs nothing, takes less than a second, and is answered with a position and
a reason, or understood."""

from __future__ import annotations

import builtins
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
import sympy.assumptions.wrapper  # noqa: F401  sympy loads it late, which is no code of a claim
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boundcalc.claims.check import read_all
from boundcalc.claims.language import read_claim, read_conditions
from boundcalc.claims.load import read_text
from boundcalc.claims.model import Claim
from boundcalc.errors import InvalidInput
from tests.claims import hostile
from tests.selection import examples

SECOND = 1.0        # of processor time, so that a busy machine does not matter
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


def many(count: int = 5000) -> settings:
    return examples(count, database=None, suppress_health_check=SLOW)


NAMES = ["x", "y", "n", "beta", "eps", "delta", "m", "M", "s", "C", "e", "pi", "inf", "max", "min", "abs", "exp", "log", "W",
         "sqrt", "tanh", "sigma", "relu", "erf", "floor", "ceil", "sum", "sin", "cos", "k", "mult", "softmax", "lipschitz",
         "heads", "error", "route", "gate", "tree", "silu", "direct", "exists", "independent", "for", "as", "in", "O",
         "Theta", "__class__", "__import__", "os", "system", "lambda", "eval", "self", "import", "gd", "step"]
SIGNS = ["+", "-", "*", "/", "**", "(", ")", "[", "]", "{", "}", ",", ".", ":", "<=", "<", ">=", ">", "==", "=", "->", " ",
         "^", "_", "'", '"', ";", "\n", "#", "$", "%", "@", "!", "|", "\\"]
NUMBERS = ["0", "1", "2", "9", "10", "1/2", "0.1", "1e5", "1e-300", "9" * 40, "1e99999", ".5", "3.", "99999999999999999999"]
COMMANDS = [r"\frac", r"\sqrt", r"\log", r"\ln", r"\exp", r"\max", r"\beta", r"\varepsilon", r"\left", r"\right", r"\lceil",
            r"\rceil", r"\le", r"\ge", r"\cdot", r"\sum", r"\infty", r"\to", r"\text", r"\mathcal", r"\{", r"\}", r"\tanh",
            r"\input", r"\write18", r"\def", r"\sigma", r"\lvert", r"\rvert", r"\in", r"\Theta", "^", "_", "{", "}", "|"]

soup = st.lists(st.sampled_from(NAMES + SIGNS + NUMBERS), min_size=1, max_size=25).map("".join)
spaced = st.lists(st.sampled_from(NAMES + SIGNS + NUMBERS), min_size=1, max_size=25).map(" ".join)
latex = st.lists(st.sampled_from(COMMANDS + SIGNS[:24] + NUMBERS[:6] + ["x", "n", "e"]), min_size=1,
                 max_size=20).map("".join)
expression = st.recursive(
    st.sampled_from(["x", "y", "n", "beta", "eps", "m", "2", "1/3", "e", "pi"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
        st.tuples(st.sampled_from(["exp", "log", "W", "abs", "tanh", "sqrt", "floor"]), inner).map("{0[0]}({0[1]})".format),
        st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]})")),
    max_leaves=12)
claim = st.tuples(expression, st.sampled_from(["<=", "<", ">=", ">", "=="]), expression).map(" ".join)

HOSTILE = [
    "9**9**9 <= 1", "9**9**9**9 >= x", "(9**9**9)**(9**9) <= 1", "2**(2**(2**(2**(2**2)))) <= 1", "x**99999999999 <= 1",
    "exp(exp(exp(exp(exp(9))))) <= 1", "1e99999 <= x", "1e-99999 <= x", "0.1**(10**10) <= 1", "x" * 10**6 + " <= 1",
    "(" * 10**5 + "x" + ")" * 10**5 + " <= 1", "-" * 10**5 + "x <= 1", "x" + "+x" * 10**5 + " <= 1",
    "x" + "**2" * 5000 + " <= 1",
    "sum(" * 500 + "k", "max(" + ", ".join(["x"] * 5000) + ") <= 1", "().__class__.__bases__[0].__subclasses__() <= 1",
    "__import__('os').system('true') <= 1", "x.__class__ <= 1", "x.real <= 1", "[].append(1) <= 1", "lambda: 0 <= 1",
    "exec('1') <= 1", "open('/etc/passwd') <= 1", "{x: 1} <= 1", "x if x else y <= 1", "x; y <= 1", "x := 1 <= 1",
    "\u0000 <= 1", "\ud800 <= 1", "𝑥 <= 1", "x ≤ 1", "٣ <= 4", "x\u200b <= 1", "\N{RIGHT-TO-LEFT OVERRIDE}x <= 1",
    "ℯ**x <= 1",
    "max.__init__ <= 1", "max[route=__class__].heads <= 1", "max[route=tree].heads.real <= 1", "max[].heads <= 1",
    "max[route=tree, route=tree].heads <= 1", "max[" + "route=tree," * 5000 + "].heads <= 1", "softmax.lipschitz(0, 0) <= 1",
    "softmax.lipschitz() <= 1", "exists exists: exists <= 1", "exists C: 1 <= 1", "exists pi: pi <= 1", "independent(x, 2)",
    "x = O(x) as x -> y", "x = Q(x) as x -> 0", "x = O(x)", "for x <= 1", "x <= 1 for", "x <= 1 for x", "x <= 1 for x in",
    "x <= 1 for x in [", "x <= 1 for x in {}", "x <= 1 for x in {" + ",".join(map(str, range(1000))) + "}", "", " ", "\n",
    r"\input{/etc/passwd} \le 1", r"\def\x{\x\x}\x \le 1", "\\" * 10**5, r"\frac" * 10**4, "{" * 10**5 + "\\", r"x^{" * 1000,
    r"\sqrt[0]{2} \le 1", r"\log_0 x \le 1", r"\log_1 x \le 1", "1/0 <= 1", "log(0) <= 1", "0**-1 <= 1", "W(-1) <= 1",
    "(-1)**(1/2) <= 1", "inf - inf <= 1", "inf <= inf", "log(-1) <= 1", "sum(k, k, 1, inf) <= 1", "sum(k, k, 1, 9**9) <= 1",
    "floor(10**5000) <= 1", "x**(1/999999999) <= 1", "gamma(9**9) <= 1", "1 <= 1 <= 1", "n <= 1 for n in {1/2}",
]


@contextmanager
def nothing_runs() -> Iterator[None]:
    """Code must not run while claim text is read (hypothesis itself uses exec, so this is undone at once)."""
    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("claim text was run as code")
    watched = [(builtins, "eval"), (builtins, "exec"), (builtins, "open"), (os, "system"), (os, "popen"),
               (subprocess, "Popen")]
    before = [getattr(module, name) for module, name in watched]
    for module, name in watched:
        setattr(module, name, refuse)
    try:
        yield
    finally:
        for (module, name), function in zip(watched, before, strict=True):
            setattr(module, name, function)


def answer(read: Callable[[str], object], text: str) -> InvalidInput | None:
    """What is wrong with the text, if it cannot be read, within a second."""
    start = time.process_time()
    problem = None
    try:
        with nothing_runs():
            read(text)
    except InvalidInput as found:
        problem = found
    assert time.process_time() - start < SECOND
    return problem


def answered(text: str) -> None:
    """Understood, or refused with a column and a reason."""
    problem = answer(read_claim, text)
    if problem is not None:
        assert re.search(r"at column \d+, .+\.", problem.problem), problem.problem
        assert problem.remedy
        assert len(str(problem)) < 1000
        assert "\n" not in str(problem)


def test_hostile_claims_are_refused_at_a_place() -> None:
    """A sample; tests/claims/hostile.py reads as many as one likes."""
    with nothing_runs():
        assert [said for seed in range(1500) if (said := hostile.problem(seed))] == []


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_strings(text: str) -> None:
    answered(text)


@given(st.text(max_size=200))
@many()
def test_any_text(text: str) -> None:
    answered(text)


@given(soup)
@many()
def test_pieces_of_claims(text: str) -> None:
    answered(text)


@given(spaced)
@many()
def test_pieces_of_claims_with_spaces(text: str) -> None:
    answered(text)


@given(latex)
@many()
def test_pieces_of_latex(text: str) -> None:
    answered(text)


@pytest.mark.dear
@given(claim)
@many(2000)
def test_claims_that_are_nearly_right(text: str) -> None:
    answered(text)


@given(soup)
@many(2000)
def test_conditions(text: str) -> None:
    problem = answer(read_conditions, text)
    assert problem is None or re.search(r"at column \d+, ", problem.problem)


FILE_LINES = ["[[claim]]", "[source]", 'claim = "x <= 1"', "claim = 1", 'claim = "', "id = 'a'", "for = 'x > 0'",
              "standing = 'no'", "x = [", "]", '"""', "'''", "#", "=", "[[", "claim", "title = 'T'"]


@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(FILE_LINES), max_size=15).map("\n".join)))
@many(3000)
def test_files(text: str) -> None:
    start = time.process_time()
    for markdown in (False, True):
        reading = read_text(text, markdown=markdown)
        assert reading.claims or reading.problems
        assert all(re.match(r"claims, line \d+: .+", p) for p in reading.problems)
    assert time.process_time() - start < SECOND


@pytest.mark.parametrize("text", [
    "nothing.heads <= 1", "max.nothing <= 1", "max[route=none].heads <= 1", "max[gate=none].heads <= 1",
    "max[speed=1].heads <= 1", "max.heads(3) <= 1", "softmax.lipschitz(1/2, 2) <= 1", "softmax.lipschitz(1) <= 1",
    "anchor[grid=left].error <= 1", "max[route=direct, gate=silu].heads <= 1", "softmax[gate=silu].offmass <= 1"])
def test_quantities_that_do_not_exist(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_all([Claim(text, "c")])
    assert caught.value.problem
    assert caught.value.remedy
