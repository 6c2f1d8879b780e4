"""anchors: a ramp by H heads over the same n anchor tokens each.

A ramp from a to b is the sum of H ramps of width w = (b − a)/H, and head h takes the h-th: its anchors are a + hw + kΔ with
values kΔ, k = 0 … n − 1, Δ = (b − a)/((n − 1)H). So the heads telescope, no head knows of the others, and the error depends
on Δ alone, inside and outside [a, b] (lemmas A4 and A2). The tokens are the same for all heads, which differ in Q only.

With sentinels, as published: head h owns n − 2 of the (n − 2)H anchors, the two neighbouring ones carry value 0 in it, and
values are absolute, so the outputs add up. Heads normalise separately, which leaves an error of size max(|a|, |b|)·e^(−2κ)
that more anchors do not lower (lemma A5). The outermost sentinels carry a and b: with 0 the error outside [a, b] would be
|a| or |b|.
"""

from __future__ import annotations

from ..terms.anchors import Supply
from . import Options
from .anchor_grid import AnchorGate, leak_of, selection


def make(options: Options) -> AnchorGate:
    overlap, ends = (2, 1) if options.sentinels else (1, 0)
    tuned = options.temperature != "hard"
    least = 3 if options.sentinels or (tuned and not options.pairs) else 2       # A4 has another constant for n = 2
    return AnchorGate("anchors", Supply(options.tokens, "H", overlap, ends, least, selection(options, many=True)),
                      leak=leak_of(options))
