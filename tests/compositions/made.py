"""Plans made in tests: random compositions with the text of what they compute."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy as sp
from hypothesis import strategies as st

from boundcalc.constructions import Construction, Frame, Input, InputDomain, Output, Plan, Route, Use, var
from boundcalc.declarations.header import Information
from boundcalc.results.bound import Bound
from boundcalc.results.composed import composed_bound
from boundcalc.terms.linear import Form

NAMES = ("x", "y", "z")
COEFFICIENTS = (sp.Integer(1), sp.Integer(-1), sp.Rational(1, 2), sp.Rational(-3, 4))
CONSTANTS = (sp.Integer(0), sp.Rational(1, 2), sp.Integer(-1))


def construction(inputs: Mapping[str, tuple[Fraction, Fraction]], plan: Plan, target: str) -> Construction:
    def build(_: Frame) -> Plan:
        return plan
    return Construction(
        tuple(Input(name, InputDomain(default=(str(a), str(b)))) for name, (a, b) in inputs.items()),
        (Output("f", target),), (Route("plan", build, composed=True),), copies=False,
        information=Information("made", "Made", "made", ("plan",), ("silu",), "made", "made", ""))


def derived(inputs: Mapping[str, tuple[Fraction, Fraction]], plan: Plan, target: str, **said: object) -> Bound:
    return composed_bound(construction(inputs, plan, target), "plan", said, split=None, given=None)     # type: ignore[arg-type]


def text_of(form: Form, texts: Mapping[str, str]) -> str:
    parts = [f"({t.coefficient})*({texts[t.ref.block]})" for t in form.terms]
    return " + ".join([*parts, f"({form.const if form.const is not None else 0})"])


Made = tuple[dict[str, tuple[Fraction, Fraction]], Plan, str]


@st.composite
def plans(draw: st.DrawFn, gates: tuple[str, ...] = ("silu", "ffn")) -> Made:
    """Depth up to 4; a reciprocal is taken of what a clip keeps between two positive numbers."""
    quarters = st.integers(-8, 8).map(lambda k: Fraction(k, 4))
    inputs = {}
    for name in NAMES[:draw(st.integers(1, 3))]:
        low = draw(quarters)
        inputs[name] = low, low + Fraction(draw(st.integers(1, 8)), 4)
    texts = {name: name for name in inputs}
    uses: list[Use] = []

    def form() -> Form:
        known = list(texts)
        chosen = draw(st.lists(st.sampled_from(known[-4:]), min_size=1, max_size=2, unique=True))
        found = Form()
        for name in chosen:
            found = found + draw(st.sampled_from(COEFFICIENTS)) * var(name)
        return found + draw(st.sampled_from(CONSTANTS))

    def add(name: str, arguments: dict[str, Form], text: str, **said: object) -> None:
        result = f"p{len(uses)}"
        uses.append(Use(result, name, arguments, gate=draw(st.sampled_from(gates)) if name not in ("max", "min") else None,
                        given=said))
        texts[result] = text

    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["relu", "abs", "clip", "square", "mult", "max", "min", "recip"]))
        if kind in ("relu", "abs", "square"):
            f = form()
            t = text_of(f, texts)
            add(kind, {"x": f}, {"relu": f"relu({t})", "abs": f"abs({t})", "square": f"({t})**2"}[kind])
        elif kind in ("clip", "recip"):
            f = form()
            add("clip", {"x": f}, f"min(max({text_of(f, texts)}, 1/2), 3/2)", range=("1/2", "3/2"))
            if kind == "recip":
                clipped = f"p{len(uses) - 1}"
                add("recip", {"x": var(clipped)}, f"1/({texts[clipped]})")
        elif kind == "mult":
            f, g = form(), form()
            add(kind, {"x": f, "y": g}, f"({text_of(f, texts)})*({text_of(g, texts)})")
        else:
            several = [form() for _ in range(draw(st.integers(2, 3)))]
            add(kind, {f"x{k + 1}": f for k, f in enumerate(several)},
                f"{kind}({', '.join(text_of(f, texts) for f in several)})")
    output = form() + var(uses[-1].result)
    return inputs, Plan(tuple(uses), {"f": output}), text_of(output, texts)

