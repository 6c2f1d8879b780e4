"""Linear overhead as a proposition, with its proof: what `show network` prints."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr

from ..errors import InvalidInput, echo
from ..formulas.mathtext import plain
from ..formulas.notation import to_unicode
from ..layout import filled, row
from ..results.proposition import LayerCost
from . import Wishes, write
from .document import Document, Items, Paragraph, Piece, Statement, words

FORMATS = ("text", "markdown", "latex", "html")
SETTING = ("Let $f$ be a ReLU network with $L$ ReLU layers of $w_1, …, w_L$ units and $P$ listed entries of weights and "
           "biases, on a bounded box, and let each of its affine maps be followed by a ReLU, except the last.")
MERGED = ("The counts are attained where no unit is linear on the box and no two units have equal or opposite rows; such "
          "units make layers, heads and width smaller or leave them as they are, and entries too where weights are listed "
          "in full.")


def render(cost: LayerCost, form: str, wishes: Wishes) -> str:
    if form not in FORMATS:
        raise InvalidInput(f"There is no format '{echo(form)}' for a proposition.", f"Formats are {', '.join(FORMATS)}.")
    if form == "text":
        return _text(cost, wishes)
    return write(_document(cost, wishes), form, wishes.standalone)


def claims(cost: LayerCost) -> dict[str, str]:
    """Resource → closed form, as prose."""
    return {"layers": _sum(cost, cost.layers), "heads": _sum(cost, cost.heads), "tokens": f"${to_unicode(cost.tokens)}$",
            "width": _most(cost, cost.width), "parameters": _sum(cost, cost.entries, "P")}


def _sum(cost: LayerCost, of_a_layer: Expr, *first: str) -> str:
    """Σ over the layers of c₀ + c₁·w_l."""
    rest, slope = cost.summed(of_a_layer)
    terms = [*first, *([_times(slope, "Σ w_l")] if slope != 0 else []), *([_times(rest, "L")] if rest != 0 else [])]
    return f"${' + '.join(terms)}$"


def _most(cost: LayerCost, of_a_layer: Expr) -> str:
    rest, slope = cost.summed(of_a_layer)
    return f"${to_unicode(rest)} + {_times(slope, 'max w_l')}$"


def _times(factor: Expr, what: str) -> str:
    text = to_unicode(factor)
    return what if factor == 1 else f"{text}·{what}" if not factor.is_Add else f"({text})·{what}"


def _text(cost: LayerCost, wishes: Wishes) -> str:
    lines = filled("network   the recipe for any ReLU network: L layers with w_1, …, w_L units, P entries; "
                   f"{cost.gate} gates", indent=10)
    for label, form in claims(cost).items():
        exact = label == "tokens"
        lines += row(f"  {label}", [("" if exact else "at most ") + plain(form)], "")
    lines += row("  error", ["Σ over gates of |slope behind it|·error (R13)"], "")
    lines += filled(MERGED)
    if wishes.proof:
        lines += ["", "Proof", *(line for x in _argument(cost) for line in filled(plain(x), indent=2, start=2))]
    lines += filled("for one network: boundcalc show network FILE --range A,B     rule: explain R13")
    return "\n".join(lines) + "\n"


def _document(cost: LayerCost, wishes: Wishes) -> Document:
    items = tuple((Paragraph(words(f"{label}: {'' if label == 'tokens' else 'at most '}{form}")),)
                  for label, form in claims(cost).items())
    stated: tuple[Piece, ...] = (Paragraph(words(
        f"{SETTING} The recipe with {cost.gate} gates gives an attention-only network with")), Items(items),
        Paragraph(words(MERGED)))
    blocks: list[Piece] = [Statement("theorem", words("Linear overhead"), stated)]
    if wishes.proof:
        blocks.append(Statement("proof", (), tuple(Paragraph(words(x)) for x in _argument(cost))))
    return Document(words("The recipe for ReLU networks"), tuple(blocks))


def _argument(cost: LayerCost) -> Iterator[str]:
    """Layer by layer, with the counts of one layer."""
    rest, slope = cost.summed(cost.entries)
    yield ("Take a layer with weight $W$, bias $b$ and $w_l$ units. Its attention layer has the coordinates $z = Wv + b$ "
           "and the constant 1 on the token of the data, and what else its gates need: the width is "
           f"${to_unicode(cost.width)}$, over ${to_unicode(cost.tokens)}$ tokens.")
    yield (f"Its ${to_unicode(cost.heads)}$ heads each compute one unit from the coordinate $z_k$, and $V$ writes it as the "
           "coordinate $k$ of the output: nothing of the next weight goes into a head.")
    yield ("Beside the entries of $W$ and $b$, which the affine map before the layer lists, these heads and the constants "
           f"of the tokens have ${to_unicode(cost.entries)}$ entries, that is ${to_unicode(slope)}$ for every unit and "
           f"${to_unicode(rest)}$ for every layer.")
    yield ("The last affine map is that of $f$. Adding up over the layers gives the counts; they are those of the rules C1 "
           "to C4 for a layer of any size. A unit that is linear on the box is handed on by one entry of a skip, in place "
           "of a head; of two units with opposite rows one is $ρ(z)$ and the other $ρ(z) − z$, so one head and one entry of "
           "the skip do for both, and two columns of the next weight as before. A layer without a single head is left out, "
           "and the maps around it merge, if that makes no more entries; otherwise it keeps its skip. ∎")
