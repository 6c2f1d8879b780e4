"""LaTeX: a theorem with hypotheses, resource table and error terms. Needs amsmath, amssymb and a `theorem` environment."""

from __future__ import annotations

from fractions import Fraction

from ..bounds import Quantity
from ..exact import decimal_up, is_exact_decimal
from ..interval import Interval
from ..notation import to_latex
from ..report import RESOURCES, Report, shapes
from ..symbols import symbol
from . import Wishes

LABELS = {key: label.replace("β·(max − min score)", r"$\beta\cdot(\max-\min\text{ score})$").replace("β", r"$\beta$")
          .replace("|weight|", r"$\lvert\text{weight}\rvert$").replace("width D", "width $D$")
          for key, label in RESOURCES.items()}
SHORT = {   # plain text that occurs in maps and stage names
    "↦": r"$\mapsto$", "·": r"$\cdot$", "²": r"$^2$", "₊": r"$_+$", "₋": r"$_-$", "₁": r"$_1$", "…": r"\dots{}",
    "−": "$-$", "≤": r"$\le$", "≥": r"$\ge$", "⌈": r"$\lceil$", "⌉": r"$\rceil$", "β": r"$\beta$", "ρ": r"$\rho$",
    "σ": r"$\sigma$", "∥": r"$\parallel$", "₂": "$_2$", "|": r"$\vert$", "_": r"\_", "^": r"\^{}", "—": "---",
}


def render(report: Report, wishes: Wishes) -> str:
    parts = [_theorem(report), _table(report)]
    if wishes.proof:
        parts.append(_proof(report))
    if wishes.dimensions:
        parts.append(_dimensions(report))
    return "\n\n".join(parts) + "\n"


def plain(text: str) -> str:
    """Text with the few special characters that names and maps use."""
    return "".join(SHORT.get(c, c) for c in text)


def _theorem(r: Report) -> str:
    name = r.information.title
    how = f"route {r.route}" + (f", gate {r.gate}" if r.gate else "")
    kind = "a ReLU network" if r.gate == "ffn" else "an attention-only softmax network"
    lines = [rf"\begin{{theorem}}[{plain(name)}, {how}]", f"Let {_hypotheses(r)}.",
             f"There is {kind} with the resources of the table below whose output $N(x)$ approximates "
             f"{plain(r.information.map)}"]
    if not r.terms:
        lines.append("exactly.")
    else:
        lines.append("with")
        lines.append(r"\begin{align*}")
        parts = [rf"\underbrace{{{to_latex(t.size.symbolic)}}}_{{\text{{{t.name}}}}}" for t in r.terms]
        body = r"\max\Bigl\{" + r",\; ".join(parts) + r"\Bigr\}" if _opposite(r) else " + ".join(parts)
        value = "" if not r.has_values else rf"\\ &\le {_number(r.total)}" + _eps(r)
        lines.append(rf"\sup\,\lvert N(x) - f(x)\rvert &\le {body}{value}.")
        lines.append(r"\end{align*}")
        if r.has_values:
            lines.append("Decimals are rounded up.")
        if any("C" in {s.name for s in t.size.symbolic.free_symbols} for t in r.terms):
            lines.append(r"Here $C = 4(v^2-1) = 1.75691\ldots$ with $v\tanh v = 1$.")
    lines.append(r"\end{theorem}")
    return "\n".join(lines)


def _opposite(r: Report) -> bool:
    """Whether the terms are one-sided with opposite signs, so that the larger one counts."""
    def side(i: Interval) -> int:
        return 1 if i.lo == 0 else -1 if i.hi == 0 else 0
    return len(r.terms) == 2 and {side(t.interval) for t in r.terms} == {1, -1}


def _eps(r: Report) -> str:
    return rf" \le \varepsilon = {_fraction(r.parameters['eps'])}" if "eps" in r.parameters else ""


def _hypotheses(r: Report) -> str:
    lo, hi = (to_latex(e) for e in r.domain)
    domain = r"x \in \mathbb{R}" if "infty" in hi else rf"x \in [{lo}, {hi}]^{{{to_latex(r.inputs)}}}"
    values = ", ".join(f"${to_latex(symbol(k))} = {_fraction(v)}$" for k, v in r.parameters.items()
                       if not (k == "delta" and v == 0))
    return f"${domain}$" + (f" and {values}" if values else "")


def _table(r: Report) -> str:
    columns = "lll" if r.has_values else "ll"
    rows = []
    for key, q in r.resources.items():
        if q.exact == 0 or (not r.has_values and q.symbolic == 0):
            continue
        formula = "" if key == "bits" else f"${to_latex(q.symbolic)}$"
        value = [f"${_number(q)}$"] if r.has_values else []
        rows.append(" & ".join([LABELS[key], formula, *value]) + r" \\")
    heading = " & ".join(["resource", "closed form", *(["value"] if r.has_values else [])]) + r" \\ \hline"
    return _centred(columns, heading, rows)


def _proof(r: Report) -> str:
    lines = [r"\begin{proof}", r"Stage by stage, with the rule in brackets.", r"\begin{enumerate}"]
    for s in r.stages:
        lines.append(rf"\item {plain(s.stage)} [{s.rule}]: incoming ${to_latex(s.incoming.symbolic)}$, "
                     rf"gain ${to_latex(s.gain.symbolic)}$, added ${to_latex(s.added.symbolic)}$, "
                     rf"outgoing ${to_latex(s.outgoing.symbolic)}$.")
    lines.append(r"\end{enumerate}")
    if r.eta is not None:
        lines.append(rf"Here $\eta = {to_latex(r.eta.symbolic)}$ is the error of one gate.")
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


def _centred(columns: str, heading: str, rows: list[str]) -> str:
    return "\n".join([r"\begin{center}", rf"\begin{{tabular}}{{{columns}}}", heading, *rows, r"\end{tabular}",
                      r"\end{center}"])


def _factor(q: Quantity) -> str:
    return f"({to_latex(q.symbolic)})" if q.symbolic.is_Add else to_latex(q.symbolic)


def _number(q: Quantity) -> str:
    if q.upper is None:
        return r"\infty"
    return _fraction(q.exact) if q.exact is not None and is_exact_decimal(q.exact, 12) else decimal_up(q.upper, 12)


def _fraction(x: Fraction) -> str:
    if is_exact_decimal(x, 12):
        mantissa, _, exponent = decimal_up(x, 12).partition("e")
        return rf"{mantissa}\cdot 10^{{{exponent}}}" if exponent else mantissa
    if max(abs(x.numerator), x.denominator) < 10 ** 12:
        return rf"\tfrac{{{x.numerator}}}{{{x.denominator}}}"
    return decimal_up(x, 12)
