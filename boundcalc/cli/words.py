"""What the words of the reports mean, for `boundcalc explain`. Needs nothing heavy."""

from __future__ import annotations

from collections.abc import Callable

from ..lemmas.pages import page

GATES = {
    "silu": "one head over two tokens per ReLU",
    "anchor": "one head over p tokens",
    "anchors": "H heads over n tokens each",
    "ffn": "the ReLU network itself, for comparison",
}


def _gates() -> str:
    return f"""\
A gate is what computes one ReLU, max(z, 0), in a network.

  silu      {GATES['silu']}; it returns z·σ(βz), which errs
            by at most W(1/e)/β, downwards only (S6)
  anchor    {GATES['anchor']}, the anchors, which averages their values;
            for inputs in an interval (A1 to A3)
  anchors   {GATES['anchors']}, one after the other (A4, A5)
  ffn       {GATES['ffn']}

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


def _output() -> str:
    return """\
  -f text       the first screen, 80 columns and 40 lines (default)
  --full        with text: all there is: lemmas, symbols, the whole propagation
  -q, --quiet   with text: the first line only
  -f latex      a theorem; --standalone: a whole document; --proof: with a proof
  -f markdown   the same as Markdown, -f html as a page
  -f json       everything, exact; boundcalc schema has its schema
  -f bibtex     the sources
  --only NAME   one formula: error, a term of it, or a resource such as heads
  --proof       the derivation, step by step
  --dimensions  the shape of every matrix
  --verify      observe and certify the error of the network itself
                (--digits, --timeout)
  -o FILE       write to a file; its ending must be that of the format

The width is that of the terminal, or COLUMNS, or 80 in a pipe. Results go to
stdout, notes and errors to stderr; exit codes: boundcalc explain exit-codes.
"""


def _words_of_errors() -> str:
    return """\
An error is network − target, in the sup norm over the domain, and has terms:

  inputs          what the error δ of the inputs becomes
  interpolation   the network with exact ReLUs against the target
  gates           the attention gates against the ReLUs that they stand for
  tilt            the tilted head against the product
  leak            what the other tokens of a sequence add to the gates

Gate errors pass through the network stage by stage: what leaves a stage is at
most gain·in + added. The gain is the Lipschitz constant of the ideal stage;
"by β/2 alone" is what the Lipschitz constant of softmax itself would give.
Where a lemma bounds all gates at once (Q2, Q3, P2) it replaces these lines.
"""


def _resources() -> str:
    return """\
  layers           attention layers
  heads            all heads of all layers
  tokens           columns of the state that a head looks at
  width            coordinates of a token
  parameters       listed entries of all matrices and biases, β apart
  β                inverse temperature of the softmax
  logit            largest β·(largest − smallest score) of a head
  largest weight   largest absolute value of an entry
  bits             longest numerator or denominator of an entry or of β

In claims they are called layers, heads, tokens, width, parameters, beta, logit,
magnitude and bits.
"""


def _chosen() -> str:
    return """\
What is not given is chosen: integers (levels m, pieces N, anchors p, heads H)
are the least that leave the gates at least a quarter of what the inputs leave of
ε, and β is the least with which the total error is at most ε, rounded up to
seven digits. --minimize layers (heads, tokens, parameters, beta) makes that
resource least instead; an option such as --m or --beta fixes a value.

"cheaper" shows what another route or one level more or less would save, and
what it costs: a comparison, rounded to the nearest, on which nothing rests.
"""


def _verdicts() -> str:
    return """\
  proved        the bound follows from the weights by the rules and lemmas named
  certified     |network − target| ≤ the number over the whole domain, from the
                written weights, by ball arithmetic
  observed      the largest error that was seen: a lower bound of the true one
  derived       the closed form at these numbers
  worst point   where the observed error is

  of claims:    proved, refuted, conditional, vacuous, supported, undecided;
                see explain claims
"""


WORDS: dict[str, Callable[[], str]] = {
    "gate": _gates, "route": _routes, "recipe": _recipe, "claims": _claims, "model": _model, "numbers": _numbers,
    "exit-codes": _exit_codes, "output": _output, "error": _words_of_errors, "costs": _resources, "chosen": _chosen,
    "verdict": _verdicts,
}
MEANT = {       # another word of the reports → the one that explains it
    **dict.fromkeys(("interpolation", "gain", "added", "stage", "propagation", "leak", "tilt", "inputs", "gate error"),
                    "error"),
    **dict.fromkeys(("layer", "head", "token", "width", "parameter", "beta", "β", "logit", "largest weight", "magnitude",
                     "weight", "bits", "resource"), "costs"),
    **dict.fromkeys(("cheaper", "minimize", "balanced", "m", "n", "p", "h", "level", "pieces", "anchor tokens"), "chosen"),
    **dict.fromkeys(("proved", "certified", "observed", "derived", "worst point", "witness", "refuted", "conditional",
                     "vacuous", "supported", "undecided", "verdicts"), "verdict"),
    **dict.fromkeys(("silu", "anchor", "anchors", "ffn", "sentinels", "temperature"), "gate"),
    **dict.fromkeys(("direct", "tree"), "route"), **dict.fromkeys(("↑", "↓", "exact", "rounded"), "numbers"),
    **dict.fromkeys(("claim", "quantity", "for"), "claims"), "exit code": "exit-codes", "exit": "exit-codes",
    **dict.fromkeys(("format", "full", "quiet"), "output"), "transformer": "model",
}
