"""The vocabulary of a construction: everything that a construction's file needs, in one place.

Files outside the package import from here (`from boundcalc.constructions import …`); these names are kept, and listed in
docs/api.md. The files beside this one are the bundled constructions, one each.
"""

from ..declarations.chords import Chords
from ..declarations.record import (
    ANYWHERE,
    POSITIVE,
    UNIT,
    Box,
    Case,
    Construction,
    Family,
    Frame,
    Input,
    InputDomain,
    Output,
    Region,
    Route,
    StandIn,
    copies,
)
from ..formulas.index import Index, upto
from ..formulas.interval import Interval
from ..formulas.parameter import Kind, Levels, Parameter, PieceRule, Pieces
from ..formulas.symbols import index, stand_in, symbol
from ..lemmas.knots import equal_errors, equal_lengths
from ..lemmas.record import Lemma, Reference
from ..lemmas.tables import ChordTable, chord_table
from ..lemmas.witness import worst_boltzmann_gap, worst_silu_gap, worst_silu_input
from ..terms.linear import AffineMap, Block, Form, Rows, affine, identity, total, var
from ..terms.plan import Plan, Use
from ..terms.term import Affine, Approx, Attention, HeadFamily, Par, Ramps, Repeat, Seq, Term, Tree, Unit

__all__ = [
    "ANYWHERE",
    "POSITIVE",
    "UNIT",
    "Affine",
    "AffineMap",
    "Approx",
    "Attention",
    "Block",
    "Box",
    "Case",
    "ChordTable",
    "Chords",
    "Construction",
    "Family",
    "Form",
    "Frame",
    "HeadFamily",
    "Index",
    "Input",
    "InputDomain",
    "Interval",
    "Kind",
    "Lemma",
    "Levels",
    "Output",
    "Par",
    "Parameter",
    "PieceRule",
    "Pieces",
    "Plan",
    "Ramps",
    "Reference",
    "Region",
    "Repeat",
    "Route",
    "Rows",
    "Seq",
    "StandIn",
    "Term",
    "Tree",
    "Unit",
    "Use",
    "affine",
    "chord_table",
    "copies",
    "equal_errors",
    "equal_lengths",
    "identity",
    "index",
    "stand_in",
    "symbol",
    "total",
    "upto",
    "var",
    "worst_boltzmann_gap",
    "worst_silu_gap",
    "worst_silu_input",
]
