"""Product of n numbers.

map: $x ↦ x₁·…·x_n$
routes: tree
gates: silu, anchor, anchors, ffn
source: products in pairs, put together by the composition theorem (R11)
standing: recipe a reconstruction, bound derived

tree.  A plan: products in pairs, level by level.
"""

from boundcalc.constructions import Case, Construction, Frame, Input, Kind, Output, Parameter, Plan, Route, Use, var


def tree(frame: Frame) -> Plan:
    level = [f"x{k + 1}" for k in range(int(frame["n"]))]
    uses: list[Use] = []
    while len(level) > 1:
        pairs = list(zip(level[::2], level[1::2], strict=False))
        made = [Use(f"p{len(uses) + k + 1}", "mult", {"x": var(x), "y": var(y)}) for k, (x, y) in enumerate(pairs)]
        uses += made
        level = [u.result for u in made] + level[2 * len(pairs):]
    return Plan(tuple(uses), {"product": var(level[0])})


CONSTRUCTION = Construction(
    inputs=(Input("x", size="n"),), outputs=(Output("product", "product(x)"),),
    parameters=(Parameter("n", Kind.INTEGER, "number of factors", least=2, most=64, example="4"),),
    routes=(Route("tree", tree, composed=True),), copies=False, cases=(Case({"eps": "1/10", "n": "3"}),))
