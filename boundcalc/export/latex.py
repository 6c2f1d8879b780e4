"""LaTeX: a theorem with hypotheses, resource table and error terms. Needs amsmath, amssymb, amsthm and a `theorem`."""

from __future__ import annotations

from fractions import Fraction

from sympy import Expr, expand

from ..bounds import HUGE, Quantity
from ..exact import decimal_down, decimal_up, is_exact_decimal
from ..notation import to_latex
from ..report import RESOURCES, Report, Term, eta_meaning, shapes, way
from ..symbols import symbol
from ..verify.result import Verification
from . import Wishes

LABELS = {**RESOURCES, "width": "width $D$", "magnitude": r"largest $\lvert\text{weight}\rvert$", "beta": r"$\beta$",
          "logit": r"logit, $\beta\cdot(\max-\min\text{ score})$"}
SYMBOLS = {     # characters of maps, stage names and lemmas, in mathematical mode
    "↦": r"\mapsto ", "·": r"\cdot ", "²": "^2", "³": "^3", "⁻": "^-", "₊": "_+", "₋": "_-", "₁": "_1", "₂": "_2",
    "…": r"\dots ", "−": "-", "≤": r"\le ", "≥": r"\ge ", "⌈": r"\lceil ", "⌉": r"\rceil ", "β": r"\beta ", "ρ": r"\rho ",
    "σ": r"\sigma ", "ε": r"\varepsilon ", "η": r"\eta ", "∥": r"\parallel ", "|": r"\vert ", "Σ": r"\sum ", "→": r"\to ",
    "Δ": r"\Delta ", "κ": r"\kappa ", "γ": r"\gamma ",
    "λ": r"\lambda ", "ϱ": r"\varrho ", "ξ": r"\xi ", "ν": r"\nu ",
    "^": r"\hat{}", "_": r"\_", "±": r"\pm ", "∞": r"\infty ", "×": r"\times ",
}
DIGITS = 12


def render(report: Report, wishes: Wishes) -> str:
    parts = [_theorem(report), _table(report)]
    if wishes.proof:
        parts.append(_proof(report))
    if wishes.dimensions:
        parts.append(_dimensions(report))
    if report.verification:
        parts.append(_verified(report.verification))
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """Text with single mathematical characters in it; sub- and superscripts in parentheses become real ones."""
    out, k = "", 0
    while k < len(text):
        c = text[k]
        if c in "^_" and k + 1 < len(text):
            inner = _group(text, k + 1)
            body = "".join(SYMBOLS.get(x, x) for x in inner.strip("()").replace("_", "").replace("^", ""))
            out += f"${c}{{{body}}}$"
            k += 1 + len(inner)
            continue
        out += f"${SYMBOLS[c].strip()}$" if c in SYMBOLS else c.replace("—", "---")
        k += 1
    return out.replace("$$", "")


def _group(text: str, start: int) -> str:
    """The bracketed group or the word that begins there."""
    if text[start] == "(":
        depth = 0
        for end in range(start, len(text)):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            if depth == 0:
                return text[start:end + 1]
    end = start
    while end < len(text) and (text[end].isalnum()):
        end += 1
    return text[start:max(end, start + 1)]


def mathematics(text: str) -> str:
    """A map such as (x, y) ↦ x·y, as one formula."""
    for word in ("max", "min"):
        text = text.replace(word, rf"\{word}")
    return "".join(c if c in "_^" else SYMBOLS.get(c, c) for c in text)


# ---------------------------------------------------------------------------------------------------------------

def _theorem(r: Report) -> str:
    how = way(r)
    kind = "a ReLU network" if r.gate == "ffn" else "an attention-only softmax network"
    lines = [rf"\begin{{theorem}}[{plain(r.information.title)}, {how}]",
             rf"Let $f\colon {mathematics(r.information.map)}$ {_hypotheses(r)}.",
             f"There is {kind} $N$ with the resources of the table below"]
    point = r"\tilde x" if _input_error(r) else "x"
    if not r.terms:
        lines.append(f"and $N(x) = f(x)$ for every {_domain(r)}.")
    else:
        lines.append(f"such that for every {_domain(r)}" + (
            r" and every $\tilde x$ with $\lVert\tilde x - x\rVert_\infty \le \delta$" if _input_error(r) else ""))
        lines.append(r"\begin{align*}")
        value = "" if not r.has_values else rf" \\ &\le {_value(r.total)}{_eps(r)}"
        lines.append(rf"\lvert N({point}) - f(x)\rvert &\le {_bound(r)}{value}.")
        lines.append(r"\end{align*}")
        if r.has_values and not (r.total.exact is not None and is_exact_decimal(r.total.exact, DIGITS)):
            lines.append("Decimals are rounded up.")
        if any("C" in {s.name for s in t.size.symbolic.free_symbols} for t in r.terms):
            lines.append(r"Here $C = 4(v^2-1) = 1.75691\ldots$ with $v\tanh v = 1$.")
    lines.append(r"\end{theorem}")
    return "\n".join(lines)


def _bound(r: Report) -> str:
    """The sum of the terms; where the two sides of the error differ, the larger of the two sums."""
    def braced(e: Expr, name: str) -> str:
        return rf"\underbrace{{{to_latex(e)}}}_{{\text{{{name}}}}}"

    above = [braced(t.interval.hi, t.name) for t in r.terms if t.interval.hi != 0]
    below = [braced(-t.interval.lo, t.name) for t in r.terms if t.interval.lo != 0]
    if all(_symmetric(t) for t in r.terms) or not above or not below:
        return " + ".join(above or below)
    return rf"\max\Bigl\{{{' + '.join(above)},\; {' + '.join(below)}\Bigr\}}"


def _symmetric(t: Term) -> bool:
    return bool(expand(t.interval.lo + t.interval.hi) == 0)


def _input_error(r: Report) -> bool:
    return r.parameters.get("delta", 0) != 0


def _eps(r: Report) -> str:
    return rf" \le \varepsilon {_equals(r.parameters['eps'])}" if "eps" in r.parameters else ""


def _hypotheses(r: Report) -> str:
    values = ", ".join(f"${to_latex(symbol(k))} {_equals(v)}$" for k, v in r.parameters.items()
                       if not (k == "delta" and v == 0))
    copies = " on $d$ copies of its arguments" if not r.information.map.startswith("(x₁") else ""
    return (copies + (f" and let {values}" if values else "")).strip()


def _domain(r: Report) -> str:
    lo, hi = (to_latex(e) for e in r.domain)
    copied = r.inputs if r.inputs.free_symbols else r.inputs * symbol("d")
    power = rf"^{{{to_latex(copied)}}}"
    return rf"$x \in \mathbb{{R}}{power}$" if "infty" in hi else rf"$x \in [{lo}, {hi}]{power}$"


def _table(r: Report) -> str:
    rows = []
    for key, q in r.shown_resources().items():
        formula = "" if key == "bits" else f"${to_latex(q.symbolic)}$"
        value = [f"${_value(q)}$"] if r.has_values else []
        rows.append(" & ".join([LABELS[key], formula, *value]) + r" \\")
    heading = " & ".join(["resource", "closed form", *(["value"] if r.has_values else [])]) + r" \\ \hline"
    return _centred("lll" if r.has_values else "ll", heading, rows)


def _proof(r: Report) -> str:
    lines = [r"\begin{proof}", "Stage by stage, with the rule in brackets.", r"\begin{enumerate}"]
    for s in r.stages:
        lines.append(rf"\item {plain(s.stage)} [{s.rule}]: incoming ${to_latex(s.incoming.symbolic)}$, "
                     rf"gain ${to_latex(s.gain.symbolic)}$, added ${to_latex(s.added.symbolic)}$, "
                     rf"outgoing ${to_latex(s.outgoing.symbolic)}$.")
    lines.append(r"\end{enumerate}")
    if r.eta is not None:
        lines.append(rf"Here $\eta = {to_latex(r.eta.symbolic)}$ is {eta_meaning(r)}.")
    lines += [f"{x.label}: {plain(x.statement)}." for x in r.lemmas]
    lines.append(r"\end{proof}")
    return "\n".join(lines)


def _dimensions(r: Report) -> str:
    rows = []
    for s in shapes(r):
        shape = rf"${_factor(s.rows)} \times {_factor(s.columns)}$"
        rows.append(" & ".join([plain(s.layer), plain(s.matrix), shape, f"${to_latex(s.count.symbolic)}$",
                                f"${to_latex(s.entries.symbolic)}$"]) + r" \\")
    return _centred("lllll", r"layer & matrix & shape & how many & entries each \\ \hline", rows)


def _verified(v: Verification) -> str:
    o, proved = v.observed, v.proved
    seen = (rf"Among {o.points} evaluations of $N$ the largest error observed is "
            rf"${_scientific(decimal_down(o.error, DIGITS))}$ (rounded down): a lower bound, not a proof.")
    if proved is None:
        return rf"\medskip\noindent\textit{{Observed.}} {seen}"
    return (rf"\medskip\noindent\textit{{Certified.}} Ball arithmetic proves, for the exported weights and over the whole "
            rf"domain, an error of at most ${_scientific(decimal_up(proved.error, DIGITS))}$ (rounded up; "
            rf"{plain(proved.method)}). {seen}")


def _centred(columns: str, heading: str, rows: list[str]) -> str:
    return "\n".join([r"\begin{center}", rf"\begin{{tabular}}{{{columns}}}", heading, *rows, r"\end{tabular}",
                      r"\end{center}"])


def _factor(q: Quantity) -> str:
    return f"({to_latex(q.symbolic)})" if q.symbolic.is_Add else to_latex(q.symbolic)


# ---------------------------------------------------------------------------------------------------------------
# numbers

def _value(q: Quantity) -> str:
    """A value, rounded up where it must be rounded."""
    if q.upper is None:
        return r"\infty" if "infty" in to_latex(q.symbolic) else rf"> 10^{{{HUGE}}}"
    return _scientific(decimal_up(q.upper, DIGITS))


def _equals(x: Fraction) -> str:
    """= x where it can be written exactly, ≈ x where not."""
    if is_exact_decimal(x, DIGITS):
        return f"= {_scientific(decimal_up(x, DIGITS))}"
    if max(abs(x.numerator), x.denominator) < 10 ** 20:
        return rf"= \tfrac{{{x.numerator}}}{{{x.denominator}}}"
    return rf"\approx {_scientific(decimal_up(x, DIGITS))}"


def _scientific(text: str) -> str:
    mantissa, _, exponent = text.partition("e")
    return rf"{mantissa}\cdot 10^{{{exponent}}}" if exponent else mantissa
