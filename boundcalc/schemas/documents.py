"""The records behind everything that boundcalc writes as JSON: which keys there are, and what stands under them.

Writers are typed by these records; that the JSON Schemas beside them have the same keys, types and words is a test.
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict

ChoiceKind = Literal["closed", "searched", "given"]
Rounded = Literal["up", "down"]


class QuantityJson(TypedDict):
    symbolic: str
    latex: str
    exact: str | None
    upper: str | None
    rounded: NotRequired[Rounded]


class ErrorTermJson(TypedDict):
    name: str
    symbolic: str
    latex: str
    exact: str | None
    upper: str | None


class ChoiceJson(TypedDict):
    name: str
    value: str | None
    kind: ChoiceKind
    rule: str | None
    why: str
    bound: NotRequired[str | None]


class ReluJson(TypedDict):
    layers: str
    width: str
    units: str
    parameters: str


class OverheadJson(TypedDict):
    layers: str | None
    heads: str | None
    parameters: str | None
    relu: NotRequired[ReluJson]


class StageJson(TypedDict):
    stage: str
    incoming: QuantityJson
    gain: QuantityJson
    added: QuantityJson
    outgoing: QuantityJson
    softmax_lipschitz: QuantityJson
    naive_outgoing: QuantityJson
    rule: str


class ErrorJson(TypedDict):
    terms: list[ErrorTermJson]
    total: QuantityJson
    propagation: list[StageJson]
    naive_total: QuantityJson


class ConditionJson(TypedDict):
    statement: str
    holds: bool


class AlternativeJson(TypedDict):
    change: str
    resources: dict[str, str]
    price: str | None


class LemmaJson(TypedDict):
    label: str
    statement: str
    source: str
    standing: str


class SequenceJson(TypedDict):
    codes: str
    dimension: QuantityJson
    gap: QuantityJson
    leak: QuantityJson | None
    scale: QuantityJson | None
    independent: bool
    answer: str


class ObservedJson(TypedDict):
    error: str
    at: dict[str, str]


class CertifiedJson(TypedDict):
    error: str
    method: str
    boxes: int
    of: str


class VerificationJson(TypedDict):
    observed: ObservedJson
    certified: CertifiedJson | None
    digits: int
    holds: bool | None
    reason: str | None
    signature: str | None


class DimensionJson(TypedDict):
    layer: str
    matrix: str
    rows: QuantityJson
    columns: QuantityJson
    count: QuantityJson
    entries: QuantityJson


class PartJson(TypedDict):
    name: str
    expression: str
    construction: str
    route: str
    gate: str | None
    domain: list[list[str]]
    accuracy: QuantityJson
    gain: QuantityJson
    count: int
    resources: dict[str, QuantityJson | None]


class OutputJson(TypedDict):
    name: str
    target: str
    error: QuantityJson


class AnchorsJson(TypedDict):
    temperature: str | None
    grid: NotRequired[str]
    sentinels: NotRequired[bool]


class RelativeJson(TypedDict):
    least: str


class AgainstJson(TypedDict):
    target: str
    accuracy: str
    how: str
    total: str


class BoundJson(AnchorsJson):
    schema: str
    construction: str
    route: str | None
    gate: str | None
    parameters: dict[str, str]
    choices: list[ChoiceJson]
    domain: list[list[str]]
    resources: dict[str, QuantityJson | None]
    overhead: OverheadJson | None
    error: ErrorJson | None
    conditions: list[ConditionJson]
    alternatives: list[AlternativeJson]
    notes: list[str]
    lemmas: list[LemmaJson]
    symbols: dict[str, str]
    sequence: SequenceJson | None
    verification: VerificationJson | None
    dimensions: NotRequired[list[DimensionJson]]
    own_words: NotRequired[bool]
    parts: NotRequired[list[PartJson]]
    relative: NotRequired[RelativeJson]
    outputs: NotRequired[list[OutputJson]]
    against: NotRequired[AgainstJson]


# --- findings -----------------------------------------------------------------------------------------------------------

class WitnessJson(TypedDict):
    parameters: dict[str, str]
    left: str
    relation: str
    right: str
    left_expression: str | None
    right_expression: str | None
    note: str | None


class AxiomJson(TypedDict):
    network: str
    quantity: str
    lemma: str
    sha256: str


FindingJson = TypedDict("FindingJson", {
    "id": str, "claim": str, "for": str | None, "states": str | None, "where": str | None, "source": str | None,
    "verdict": str, "assumed": list[str], "derived": str | None, "ratio": str | None, "condition": str | None,
    "holds": str | None, "witness": WitnessJson | None, "argument": str | None, "axioms": list[AxiomJson],
    "reason": str | None, "reproduce": str})


class UsedFileJson(TypedDict):
    path: str
    sha256: str


class FindingsJson(TypedDict):
    schema: str
    uses: list[UsedFileJson]
    findings: list[FindingJson]


# --- the list of constructions ------------------------------------------------------------------------------------------

class ConstructionJson(TypedDict):
    name: str
    title: str
    map: str
    routes: list[str]
    gates: list[str]
    source: str
    standing: str
