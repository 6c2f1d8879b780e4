"""What the algebra and the flattening of networks need to know of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from ..errors import NotDerivable
from ..records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..formulas.interval import Interval
    from ..formulas.parameter import Parameter
    from ..lemmas.record import Lemma
    from .anchors import Supply
    from .term import Flat, Ramps, Unit


@dataclass(frozen=True)
class Behaviour:
    """What one unit does on inputs whose exact values lie in a known range."""

    error: Interval             # gate − ideal, for every real input
    beta: sp.Expr               # inverse temperature of its heads; 0 where there is none
    lipschitz: sp.Expr          # its own Lipschitz constant as S2 gives it (the naive route)
    spread: sp.Expr             # how far apart exact scores can be
    spread_gain: sp.Expr        # how much that grows with an input error
    leak: sp.Expr               # what the other tokens of a sequence add to the error, in terms of ξ (see Leak)


@dataclass(frozen=True)
class Leak:
    """How the data tokens of a sequence disturb a gate (rule R10): others take at most x/(1 + x) of the attention,
    x = (L + others)·e^(−lead·gap), and a gate errs by at most ξ = x/(1 + x), times twice the reach of its values where
    those are its inputs."""

    others: int
    by_code: bool               # whether position codes keep others out, or K, which ignores all data
    of_inputs: bool             # whether the values are inputs of the gate


class Gate:
    """The algebra needs the behaviour on a range; flattening needs the realisation."""

    name: str
    rectifies: bool = False                 # it is ρ itself: a ReLU network stays what it is
    needs_bounded_input: bool = False       # computes ρ on a bounded range only, whose positive end it must know
    supply: Supply | None = None            # how anchors are counted and how hard they select
    leak: Leak | None = None                # what the other tokens of a sequence do to it

    @property
    def lemma(self) -> Lemma | None:
        """What is trusted about the error; None where ramps are computed exactly."""
        return None

    @property
    def eta(self) -> sp.Expr:
        """What the symbol η of its errors stands for; 0 if they do not use it."""
        return sp.S.Zero

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that a user may give for it."""
        return ()

    @property
    def slopes(self) -> tuple[sp.Expr, sp.Expr]:
        """Between which its reference, the ramp, has all its slopes."""
        return sp.S.Zero, sp.S.One

    @property
    def meaning(self) -> Mapping[str, sp.Expr]:
        """Internal symbols of its terms in the user's own parameters."""
        return {}

    def on(self, unit: Unit, z: Interval) -> Behaviour:
        """The unit for exact inputs in z. The error must hold at every real input."""
        raise NotImplementedError

    def realise(self, layer: Ramps) -> tuple[Flat, ...]:
        """The layer as attention (or ReLU) layers of the exported network."""
        raise NotImplementedError

    def without_leaks(self) -> Gate:
        """The same gate measured against itself: the leaks of a sequence are its only error."""
        raise NotDerivable("R10", f"gate {self.name}", "its own slopes are not known")
