"""The rules of the bound algebra, in a sentence each, for proofs that are to be read without docs/rules.md.

The labels are those that steps carry; docs/rules.md has the same statements with their proofs.
"""

from __future__ import annotations

RULES: dict[str, tuple[str, str]] = {       # label → title as in docs/rules.md, statement as prose
    "R1": ("Affine maps", "an affine map $x ↦ Ax + b$ is exact, and an error $e$ becomes $A·e$, signs included"),
    "R2": ("Layers and slope vectors",
           "for a layer of ramps $min(max(z, c_1), c_2) − c_1$ between affine maps, the outgoing error lies in the hull of "
           "$Σ_j g_j·e_j$ over all slope vectors $g$ (every unit with slope 0 or 1), plus the errors of the gates, each "
           "times the coefficient of its unit"),
    "R3": ("Sequence", "what leaves a stage is the gain of its ideal map applied to what enters, plus the own error of the "
           "stage at the perturbed input"),
    "R4": ("Side by side", "parts on disjoint coordinates keep their own errors"),
    "R5": ("Repeat", "a repeated stage with gain matrix $Λ(s)$ and own error $a(s)$ obeys $r(s) = Λ(s)·r(s−1) + a(s)$, a "
           "triangular linear recurrence that is solved in closed form; a coordinate takes errors from several others, each "
           "with a gain of its own, of which the sum is shown"),
    "R6": ("Copies", "copies side by side have the errors of one copy"),
    "R7": ("Trees", "in a tree whose nodes have nonnegative slope vectors of sum 1, errors add up over the levels and not "
           "over the gates; otherwise every level multiplies them by the gain of a node"),
    "R8": ("Approximation lemma", "if a lemma bounds the network, with exact ramps where it has gates, against the "
           "target, the error is that of the lemma, plus the errors of the gates, propagated without an incoming error, "
           "plus the gain of the target times the error of the inputs"),
    "R9": ("Sharper lemma", "if a lemma bounds the network with its gates against the target, the error is that of the "
           "lemma, plus the gain of the target times the error of the inputs"),
    "R10": ("Sequences", "with $L$ data tokens every gate errs in addition by at most $ξ$, what the attention to other "
            "tokens leaks into it: $2Rx/(1 + x)$ with $x = (L − 1)e^(−νg)$ for silu gates whose inputs are at most $R$, "
            "$x/(1 + x)$ times the height of the ramp with $x = L·e^(−ν)$ for anchors; it is propagated like other errors "
            "of gates, but beside a lemma by R9 through the gates themselves, whose slopes lie in $[−1/10, 11/10]$"),
    "R11": ("Plans", "if every part of a plan keeps its accuracy on the box where its perturbed arguments can be, an error "
            "arrives at an output multiplied by the slopes of the later targets, along all paths together, and the error of "
            "the plan is at most $Σ_i G_i·e_i$, with $G_i$ the largest of these factors"),
    "R12": ("Relative error", "an error of at most $E$ is at most $E/f_min$ times the target, where $f_min > 0$ is the "
            "least absolute value of the target on the domain"),
    "R13": ("Networks of numbers",
            "if gates take the place of the ReLUs of a given network layer by layer, each layer adds at most $Σ g·r$ to an "
            "output, over the errors $r$ of its gates and the slopes $g$ of the exact rest of the network, each of which "
            "lies in an interval; units that cannot switch on the box are linear and exact"),
}
