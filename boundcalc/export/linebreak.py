r"""Long formulas, broken over lines as a mathematician would: before a sign, behind a comma, inside large brackets.

A formula is broken along its expression, never its text: a sum between terms; a product whose longest factor is a sum as
rest·\Bigl( … \Bigr); max and min between arguments. Widths are those of Computer Modern at 10 points, estimated from
above; that nothing is overfull is tested with a real LaTeX.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import sympy as sp
from sympy import Expr

from ..formulas.notation import argument_order, in_order, starts_with_minus, to_latex

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[A-Za-z]|[0-9.]|\S")
_WIDTHS = {             # points; signs with the space around them
    "+": 12.3, "-": 12.3, "=": 13.4, "<": 13.4, ">": 13.4, r"\le": 13.4, r"\ge": 13.4, r"\in": 12.3, r"\cdot": 7.3,
    r"\times": 12.3, r"\to": 15.6, r"\mapsto": 15.6, ",": 4.5, "(": 4.0, ")": 4.0, "[": 2.9, "]": 2.9, "|": 2.9, "/": 5.0,
    r"\log": 14.5, r"\exp": 18.0, r"\max": 21.0, r"\min": 19.5, r"\tanh": 23.0, r"\sin": 14.0, r"\cos": 15.5, r"\ln": 9.0,
    r"\Bigl": 3.0, r"\Bigr": 3.0, r"\left": 2.0, r"\right": 2.0, r"\,": 1.7, r"\;": 2.8, r"\quad": 10.0, r"\ ": 3.4,
    r"\infty": 10.0, r"\uparrow": 5.0, r"\downarrow": 5.0, r"\sum": 14.5, r"\dots": 12.0, r"\mathrm": 0.0, r"\text": 0.0,
    r"\operatorname": 1.7, r"\mathbb": 0.0, ".": 2.8, "m": 8.8, "w": 7.2, "i": 3.5, "l": 3.1, "j": 4.5, "I": 4.5,
    r"\lfloor": 4.5, r"\rfloor": 4.5, r"\lceil": 4.5, r"\rceil": 4.5, r"\lvert": 2.9, r"\rvert": 2.9,
}
_SCALE = (1.0, 1.0, 0.76, 0.6)      # display, text, script, scriptscript style, against text


def measure(latex: str, display: bool = False) -> float:
    """The width of a formula in points, rather too large than too small."""
    return _measure(_TOKEN.findall(latex), 0 if display else 1)


def _measure(tokens: list[str], style: int) -> float:
    width, scale = 0.0, _SCALE[style]
    smaller = min(style + 1, 3)
    while tokens:
        token = tokens.pop(0)
        if token in (r"\frac", r"\tfrac"):
            inside = smaller if token == r"\frac" else max(smaller, 2)
            width += 3.0 + max(_measure(_group(tokens), inside), _measure(_group(tokens), inside))
        elif token == r"\sqrt":
            width += 9.0 + _measure(_group(tokens), style)
        elif token in ("^", "_"):
            width += 0.5 + _measure(_group(tokens), max(smaller, 2))
        elif token not in "{}&":
            width += scale * _WIDTHS.get(token, 8.5 if token.isupper() else 5.2 if token.isdigit() else 6.3)
    return width


def _group(tokens: list[str]) -> list[str]:
    """The braced group, or the single token, that begins here; it is taken away."""
    if not tokens or tokens[0] != "{":
        return [tokens.pop(0)] if tokens else []
    depth = 0
    for k, token in enumerate(tokens):
        depth += (token == "{") - (token == "}")
        if depth == 0:
            group = tokens[1:k]
            del tokens[:k + 1]
            return group
    raise ValueError("braces do not match")


def broken(expr: Expr, width: float, first: float | None = None, display: bool = False) -> list[str]:
    """The formula as lines of at most that width where it can be broken; `first` is what the first line has."""
    return _Breaker(width, display).lines(expr, width if first is None else first)


@dataclass(frozen=True)
class _Breaker:
    width: float
    display: bool

    def measure(self, latex: str) -> float:
        return measure(latex, self.display)

    def lines(self, expr: Expr, room: float, last: float = 0.0) -> list[str]:
        """`room` is what the first line has, `last` what must stay free behind the last one."""
        text = to_latex(expr)
        if self.measure(text) <= room - last:
            return [text]
        if expr.is_Add:
            return self.sum(expr, room, last)
        if isinstance(expr, (sp.Max, sp.Min)):
            return self.arguments("", expr, room, last)
        if isinstance(expr, sp.exp):
            return self.fenced(r"\exp\Bigl(", expr.args[0], r"\Bigr)", room, last)
        if isinstance(expr, (sp.floor, sp.ceiling)):
            name = "floor" if isinstance(expr, sp.floor) else "ceil"
            return self.fenced(rf"\Bigl\l{name} ", expr.args[0], rf"\Bigr\r{name}", room, last)
        if starts_with_minus(expr) and not expr.is_Atom:
            parts = self.lines(-expr, room - self.measure("-"), last)
            return ["-" + parts[0], *parts[1:]]
        inner = _longest_sum(expr)
        if inner is None:
            return self.product(expr, room, last)
        power = inner.as_base_exp()[1]
        rest = _without(expr, inner)
        before = "" if rest == 1 else (rf"\left({to_latex(rest)}\right)" if rest.is_Add else to_latex(rest)) + " "
        if rest != 1 and (power.is_negative or self.measure(before) > 0.6 * room):
            # what is long stands below the line, or much stands before it: as a factor of its own
            dot = r"\cdot "
            *above, used = self.factor("", rest, room, 0.0) if rest.is_Add else self.lines(rest, room)
            first, *more = self.factor("", inner, self.width - self.measure(dot), last)
            limit = (self.width if above else room) - (0.0 if more else last)
            if self.measure(f"{used} {dot}{first}") <= limit:
                return [*above, f"{used} {dot}{first}", *more]
            return [*above, used, dot + first, *more]
        return self.factor(before, inner, room, last)

    def product(self, expr: Expr, room: float, last: float) -> list[str]:
        """Factors without a sum among them, the longest on a line of its own."""
        factors = sp.Mul.make_args(expr)
        if len(factors) == 1:
            return [to_latex(expr)]
        longest = max(factors, key=lambda f: measure(to_latex(f)))
        first, *more = self.lines(longest, self.width - self.measure(r"\cdot "), last)
        rest = _without(expr, longest)      # no factor is a sum here
        return [*self.lines(rest, room), rf"\cdot {first}", *more]

    def factor(self, before: str, inner: Expr, room: float, last: float) -> list[str]:
        """before·inner, where inner is a power of a sum or of a maximum."""
        base, power = inner.as_base_exp()
        text = to_latex(inner) if inner is not base or not base.is_Add else rf"\left({to_latex(base)}\right)"
        if power.is_negative or self.measure(before + text) <= room - last:
            return [before + text]
        after = "" if power == 1 else f"^{{{to_latex(power)}}}"
        if not base.is_Add and power == 1:
            return self.arguments(before, base, room, last)
        return self.fenced(before + r"\Bigl(", base, r"\Bigr)" + after, room, last)

    def sum(self, expr: Expr, room: float, last: float) -> list[str]:
        """Terms one by one, as many on a line as fit."""
        terms = in_order(expr)
        lines = [""]
        for position, term in enumerate(terms):
            negative = starts_with_minus(term)
            term = -term if negative else term
            sign = ("-" if negative else "") if not position else ("- " if negative else "+ ")
            free = last if position + 1 == len(terms) else 0.0
            used = self.measure(lines[-1])
            limit = (room if len(lines) == 1 else self.width) - free
            if used + self.measure(sign + to_latex(term)) <= limit:
                lines[-1] = f"{lines[-1]} {sign}{to_latex(term)}".strip()
                continue
            if lines != [""] or room < self.width:
                lines.append("")
                limit = self.width - free
            parts = self.lines(term, limit + free - self.measure(sign), free)
            lines[-1] = sign + parts[0]
            lines += parts[1:]
        return lines

    def arguments(self, before: str, expr: Expr, room: float, last: float) -> list[str]:
        name = "max" if isinstance(expr, sp.Max) else "min"
        lines = [rf"{before}\{name}\Bigl\{{"]
        shown = argument_order(expr.args)
        for position, argument in enumerate(shown):
            ends = position + 1 == len(shown)
            end = r"\Bigr\}" if ends else ","
            free = self.measure(end) + (last if ends else 0.0)
            text = to_latex(argument)
            limit = (room if len(lines) == 1 else self.width) - free
            if self.measure(lines[-1]) + self.measure(text) + 3.0 <= limit:
                lines[-1] += f" {text}{end}" if position else text + end
                continue
            parts = self.lines(argument, self.width, free)
            lines += parts
            lines[-1] += end
        return lines

    def fenced(self, left: str, body: Expr, right: str, room: float, last: float) -> list[str]:
        lines = self.lines(body, room - self.measure(left), self.measure(right) + last)
        return [*(left + x if not k else x for k, x in enumerate(lines[:-1])),
                (left if len(lines) == 1 else "") + lines[-1] + right]


def _without(expr: Expr, factor: Expr) -> Expr:
    """The product of the other factors. (A quotient may come out with more factors than it had.)"""
    factors = list(sp.Mul.make_args(expr))
    factors.remove(factor)
    return sp.Mul(*factors)


def _longest_sum(expr: Expr) -> Expr | None:
    """The factor that is a sum, or max, or a power of one, and longest; None without any."""
    factors = [f for f in sp.Mul.make_args(expr) if isinstance(f.as_base_exp()[0], (sp.Add, sp.Max, sp.Min))]
    above = [f for f in factors if not f.as_base_exp()[1].is_negative]
    return max(above or factors, key=lambda f: measure(to_latex(f)), default=None)
