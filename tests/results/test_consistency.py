"""A construction from outside the package whose term is not its target is refused, with a point."""

from __future__ import annotations

from pathlib import Path

import pytest

from boundcalc.errors import InvalidInput
from boundcalc.results.bound import bound
from boundcalc.results.consistency import check_term

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


@pytest.mark.parametrize(("name", "old", "new"), [
    ("hinge", '"relu(1 - x)"', '"relu(2 - x)"'), ("hinge", '1 - var("x")', '2 - var("x")'),
    ("hinge", '"relu(1 - x)"', '"relu(1 - x) + relu(x - 9)"'), ("distance", '"abs(x - y)"', '"x - y"'),
    ("distance", "2 * var(\"r\") - var(\"z\")", "2 * var(\"r\") + var(\"z\")")])
@pytest.mark.parametrize("gate", ["silu", "ffn"])
def test_a_term_that_is_not_its_target_is_refused(tmp_path: Path, name: str, old: str, new: str, gate: str) -> None:
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    assert bound(str(path), eps="1/10", gate=gate).values["eps"] > 0
    wrong = tmp_path / f"wrong_{name}.py"
    wrong.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"does not compute its target: at x = "):
        bound(str(wrong), eps="1/10", gate=gate)


@pytest.mark.parametrize(("name", "given"), [
    ("mult", {}), ("mult", {"range": {"x": (0, 2), "y": (-3, 1)}}), ("square", {"gate": "anchor"}), ("clip", {"w": (1, -2)}),
    ("recip", {"range": ("1/10", 1)}), ("max", {"n": 5, "route": "tree"}), ("hat", {"gate": "anchors"})])
def test_bundled_terms_compute_their_targets(name: str, given: dict[str, object]) -> None:
    check_term(bound(name, eps="1/10", **given))  # type: ignore[arg-type]
