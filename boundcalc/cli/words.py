"""What the words of the reports mean, for `boundcalc explain`. Needs nothing heavy."""

from __future__ import annotations

from collections.abc import Callable

from ..lemmas.pages import page


def _gates() -> str:
    return """\
A gate is what computes one ReLU, max(z, 0), in a network.

  silu      one head over two tokens; it returns z·σ(βz), which errs by at most
            W(1/e)/β, downwards only (S6)
  anchor    one head over p tokens, the anchors, which averages their values;
            for inputs in an interval (A1 to A3)
  anchors   H heads over n tokens each, one after the other (A4, A5)
  ffn       the ReLU itself: the network that the recipe started from, for
            comparison

--gate chooses one. A route without ReLUs, such as direct, has no gates.
"""


def _routes() -> str:
    from ..declarations.registry import information, names
    lines = ["A route is a way to build the network of a target; --route chooses one, the first is the default.", ""]
    lines += [f"  {name:<10}{', '.join(information(name).routes)}" for name in names()]
    lines += ["", "recipe and tree have gates (boundcalc explain gate), direct is a head made for this very target."]
    return "\n".join(lines) + "\n"


def _recipe() -> str:
    return """\
The recipe: take a ReLU network that approximates the target, and replace every
ReLU by softmax attention, a gate.

The error is that of the ReLU network (interpolation) plus what its gates add,
propagated by the rules R1 to R10 or bounded as a whole by a lemma (R9). The
counts are those of the gates. The idea follows Transformer Approximations from
ReLUs (arXiv 2604.24878); layouts, counts and constants here are our own, and
proved here.
"""


def _claims() -> str:
    return """\
A claim is an inequality about networks, or about formulas, with the place where
it is to hold:

  boundcalc check --claim 'max.heads <= 3' --for 'n >= 2, eps > 0'

NAME.QUANTITY is what is needed, the least over all networks; NAME[route=…,
gate=…].QUANTITY is that of one network. Quantities are layers, heads, tokens,
width, parameters, beta, logit, magnitude, error and others. Other claims: LEFT
= O(EXPR) as eps -> 0, independent(LEFT, n), exists C: LEFT <= RIGHT.

Verdicts: proved; refuted (with a point); conditional (true exactly if …);
vacuous (true for a worthless reason); supported (no counterexample, no proof);
undecided (and why).
"""


def _model() -> str:
    return page("model")


def _numbers() -> str:
    return """\
Numbers are exact: 1e-3, 0.001, 1/1000, 10^-3 and 2**-10 are rationals, and no
float enters a derivation. A minus may be - or −, an interval a,b or [a,b].

In output an arrow says that a decimal was rounded: ↑ up, ↓ down; without an
arrow it is exact. Bounds are rounded up, and as far as it takes for them to
stay at most ε; observed errors are rounded down.

  derived     a closed form, proved for symbols; it holds on the whole domain
  observed    the largest error that was seen: a lower bound of the true one
  certified   proved over the whole domain for the written weights, by ball
              arithmetic
"""


def _exit_codes() -> str:
    return """\
  0    done; a verification certified; every claim proved
  1    refuted: a point above ε was found, or a claim is false
  2    wrong usage, bad input, or a request that no network of this kind can
       meet
  3    not decided: neither certified nor failed; a claim that is neither proved
       nor refuted
  4    a defect in boundcalc
  130  interrupted (Ctrl-C), 143 terminated (SIGTERM): no half-written file is
       left
"""


WORDS: dict[str, Callable[[], str]] = {
    "gate": _gates, "route": _routes, "recipe": _recipe, "claims": _claims, "model": _model, "numbers": _numbers,
    "exit-codes": _exit_codes,
}
