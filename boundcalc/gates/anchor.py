"""anchor: a ramp by one head over p anchor tokens (after arXiv 2504.15956, one head; the constants are certified here).

On exact inputs z ≤ b, ρ(z) = min(max(z, 0), b): anchors L_k = kΔ, k = 0 … p − 1, Δ = b/(p − 1). At the tuned temperature
β = (68/25)/Δ² the output is within Δ/16 of min(max(z, 0), b) for every real z (lemma A1): no logarithm, and about sixteen
times fewer anchors than a hard selection needs. β must not be rounded. Hard temperatures (A2, A3) are as published, with
anchors from end to end (linspace), at the left ends or at the midpoints of p cells.
"""

from __future__ import annotations

import sympy as sp

from ..errors import InvalidInput
from ..terms.anchors import Supply
from . import Options
from .anchor_grid import HALF, AnchorGate, leak_of, selection


def make(options: Options) -> AnchorGate:
    if options.sentinels:
        raise InvalidInput("--sentinels needs several heads.", "Use --gate anchors, or leave it out.", {"--sentinels": None})
    overlap = 1 if options.grid in (None, "linspace") else 0
    offset = HALF if options.grid == "midpoint" else sp.S.Zero
    return AnchorGate("anchor", Supply("p", None, overlap, 0, 2, selection(options, many=False)), offset=offset,
                      leak=leak_of(options))
