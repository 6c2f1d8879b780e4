"""The rows that the checker believes are true: at numbers they agree with the exported network and its derived error.

A row is attached to one point, as the checker does it. Where its conditions hold there, the network that the command line
makes from the same numbers must have what the row says. Few points by default, several hundred with --whole.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache

import pytest
from flint import fmpq

from boundcalc.checker.domains import Domain, Extent, point
from boundcalc.checker.forms import Interned
from boundcalc.checker.networks import COUNT, attach
from boundcalc.checker.statements import stated_of
from boundcalc.checker.terms import Reject, Work, num
from boundcalc.claims.axioms import table_for
from boundcalc.errors import BoundcalcError
from boundcalc.networks.file import to_json
from boundcalc.results.bound import bound
from tests.selection import whole

ROUNDED = Fraction(1, 10 ** 6)          # real parameters that follow from eps have seven digits
Values = Mapping[str, Fraction]
Variant = tuple[str, tuple[tuple[str, str], ...]]

SILU, FFN, ANCHOR, ANCHORS = ((("gate", g),) for g in ("silu", "ffn", "anchor", "anchors"))
DIRECT = (("route", "direct"),)
HARD = (("gate", "anchor"), ("temperature", "hard"))


def of(name: str, options: tuple[tuple[str, str], ...], quantities: str, **values: object) -> tuple[Variant, str, Values]:
    routed = options if options == DIRECT else (("route", "tree" if name in ("max", "min") else "recipe"), *options)
    return (name, routed), quantities, {k: Fraction(str(v)) for k, v in values.items()}


FEW = [
    of("mult", SILU, "heads beta", eps="1"),            # no level: propagation asks for the least β
    of("mult", SILU, "layers width beta", eps="1/5"),                    # one level, and still less by propagation
    of("mult", SILU, "heads beta logit", eps="1/300"),                   # lemma Q3 with its least β
    of("mult", SILU, "beta error", eps="1/3000", M="2"),
    of("mult", SILU, "parameters magnitude error", m="0", beta="7"),
    of("square", SILU, "heads beta", eps="3/4"),
    of("square", SILU, "beta parameters", eps="1"),                      # no heads at all
    of("square", FFN, "parameters neurons relu_layers", m="0"),
    of("square", FFN, "parameters neurons error", m="1", M="3/2"),
    of("max", DIRECT, "beta logit error parameters", n="2", eps="1/10"),
    of("max", SILU, "heads heads_per_layer logit error", n="2", beta="3"),
    of("max", SILU, "parameters tokens beta", n="5", eps="1/7"),
    of("relu", ANCHOR, "tokens beta logit error", eps="1/100"),
    of("relu", HARD, "tokens error", eps="1/10", p="9"),
    of("relu", ANCHORS, "parameters magnitude error", n="3", H="2", d="2"),
    of("abs", SILU, "error beta width", eps="1/9"),
]


@cache
def made(variant: Variant, given: tuple[tuple[str, Fraction], ...]) -> tuple[dict[str, Fraction], Fraction | None] | None:
    """What the exported network has, and the derived bound of its error; None if there is no such network."""
    values: dict[str, object] = dict(given)
    if "a" in values:
        values["range"] = (values.pop("a"), values.pop("b"))
    try:
        found = bound(variant[0], **dict(variant[1]), **values)  # type: ignore[arg-type]
    except (BoundcalcError, TypeError):
        return None
    layers = json.loads(to_json(found.network))["layers"]
    heads = any(x["kind"] == "attention" for x in layers)
    counted = {q: Fraction(str(COUNT[q](layers))) for q in COUNT if q != "beta" or heads}
    logit = found.resources["logit"].upper
    return counted | ({"logit": logit} if logit is not None and heads else {}), found.total.upper


def believed(variant: Variant, quantity: str, values: Values) -> Iterator[tuple[str, Extent]]:
    """What each row leaves to the quantity at this point, where its conditions hold."""
    label = f"{variant[0]}[{', '.join(f'{k}={v}' for k, v in variant[1])}].{quantity}"
    conditions = ", ".join(f"{k} == {v}" for k, v in values.items())
    rows = table_for(stated_of(f"{label} <= 0", conditions)).rows
    stated = stated_of(f"{label} <= 0", conditions, rows)
    (name,) = stated.quantities
    table = {k: num(fmpq(v.numerator, v.denominator)) for k, v in values.items()}
    for row in rows:
        if "label" not in row or row["constant"]:
            continue
        Work.begin()
        Interned.begin()
        at = Domain({k: point(v[1]) for k, v in table.items()}, stated.cases[0].ints)
        try:
            found = attach(at, stated, {row["id"]: row}, {"rows": {name: [row["id"]]}}, values=table).domain.box[name]
        except Reject:
            continue
        assert isinstance(found, Extent)
        yield row["kind"], found


def contradictions(variant: Variant, quantity: str, values: Values) -> Iterator[str]:
    network = made(variant, tuple(sorted(values.items())))
    for kind, r in believed(variant, quantity, values):
        low, high = (None if x is None else Fraction(str(x)) for x in (r.lo, r.hi))
        if network is None:
            yield f"{quantity} {kind}, but there is no network"
        elif quantity == "error":
            if network[1] is not None and kind != "upper" and low is not None and low > network[1]:
                yield f"error at least {float(low)}, but at most {float(network[1])} is derived"
            if network[1] is not None and kind != "lower" and high is not None and high < network[1] * (1 - ROUNDED):
                yield f"error at most {float(high)}, but {float(network[1])} is derived"
        elif quantity not in network[0]:
            yield f"{quantity} {kind}, but the network has none"
        else:
            true = network[0][quantity]
            slack = abs(true) * ROUNDED if quantity in ("beta", "magnitude", "logit") else 0
            if (low is not None and low > true + slack) or (high is not None and high < true - slack):
                yield f"{quantity} between {low} and {high}, but {true}"


@pytest.mark.parametrize("case", FEW if whole() else FEW[:3] + FEW[4:], ids=lambda c: f"{c[0][0]} {dict(c[0][1])} {c[2]}")
def test_rows_agree_with_the_network(case: tuple[Variant, str, Values]) -> None:
    variant, quantities, values = case
    assert not [x for q in quantities.split() for x in contradictions(variant, q, values)]


def test_rows_speak() -> None:
    """At a point that has rows, the comparison above is not empty."""
    for variant, quantities, values in FEW[4::3]:
        assert [kind for q in quantities.split() for kind, _ in believed(variant, q, values)], variant


def chosen(seed: int) -> tuple[Variant, str, Values]:
    """A network at random numbers: parameters that follow from eps, or all of its own."""
    dice = random.Random(f"rows {seed}")
    name = dice.choice(["abs", "relu", "max", "min", "mult", "square"])
    gate = dice.choice(["silu", "ffn", "anchor", "anchors"])
    direct = name in ("max", "min", "mult") and dice.random() < 0.3
    options: tuple[tuple[str, str], ...] = DIRECT if direct else (("gate", gate),)
    values: dict[str, object] = {"n": dice.randint(2, 7)} if name in ("max", "min") else {}
    if dice.random() < 0.4:
        values["M"] = dice.choice(["1/2", "3/2", "2", "1/12"])
    if dice.random() < 0.6:
        values["eps"] = dice.choice(["3", "1", "1/3", "1/12", "1/13", "1/48", "1/150", f"{dice.randint(1, 99)}/500"])
    else:
        if name in ("mult", "square") and options != DIRECT:
            values["m"] = dice.randint(0, 4)
        if options == DIRECT or gate == "silu":
            values["beta"] = dice.choice(["1/3", "2", "35", "400"])
        elif gate == "anchor":
            values["p"] = dice.choice([2, 3, 9])
        elif gate == "anchors":
            values |= {"H": dice.randint(1, 3), "p" if name in ("max", "min") else "n": dice.randint(2, 5)}
    quantities = ["heads", "layers", "parameters", "width", "tokens", "heads_per_layer", "magnitude", "logit", "beta",
                  "error"]
    if options == FFN:
        quantities = ["neurons", "relu_layers", "parameters", "magnitude", "error"]
    return of(name, options, " ".join(dice.sample(quantities, 4)), **values)


@pytest.mark.parametrize("seed", range(200 if whole() else 3))
def test_rows_agree_with_random_networks(seed: int) -> None:
    variant, quantities, values = chosen(seed)
    assert not [x for q in quantities.split() for x in contradictions(variant, q, values)], (variant, values)


def test_no_constant_is_compared_with_a_network_on_the_whole_line() -> None:
    """There the error of a network that returns 0 is infinite; on [−M, M] it is not."""
    def constants(claim: str, conditions: str) -> list[bool]:
        return [r["constant"] for r in table_for(stated_of(claim, conditions)).rows if r.get("constant")]
    assert not constants("exists K: relu[gate=silu].error <= K", "beta >= 1")
    assert constants("exists K: relu[gate=silu].error <= K", "beta >= 1, M > 0")


@pytest.mark.parametrize(("claim", "conditions"), [
    ("max.heads >= 1", "n >= 1, eps == 1/10"), ("max[route=direct].error <= 1", "n >= 1, eps > 0, delta >= 0")])
def test_rows_ask_for_the_network_to_exist(claim: str, conditions: str) -> None:
    for row in table_for(stated_of(claim, conditions)).rows:
        assert "label" not in row or "n >= 2" in row["exists"], row["id"]


def test_an_accuracy_says_nothing_about_a_network_whose_parameters_are_given() -> None:
    rows = table_for(stated_of("max[route=direct].error <= 1", "n == 2, eps > 0, delta >= 0, beta == 1/1000")).rows
    assert not [r["id"] for r in rows if "eps" in r["formula"]]
