"""The text of a target, parsed: the claim grammar with the names of blocks as the only argument of sum and product.

What a tree at concrete sizes (target_tree.py) and closed slopes at symbolic ones (closed_slopes.py) both begin with.
"""

from __future__ import annotations

from .build import ARITY, Node
from .parser import Parser

OVER_BLOCKS = ("max", "min", "sum", "product")


class DeclaredParser(Parser):
    """The grammar with sum and product of one argument."""

    def name(self) -> Node:
        token = self.peek()
        if token.text not in ("sum", "product"):
            return super().name()
        self.take()
        self.expect("(")
        node = Node("call", token.column, [self.expression()], token.text)
        while self.accept(","):
            node.parts.append(self.expression())
        self.expect(")")
        if len(node.parts) != 1 and (token.text == "product" or len(node.parts) != ARITY["sum"][0]):
            self.fail(token.column, f"{token.text} takes one argument that names a block"
                      + (", or four" if token.text == "sum" else ""))
        return node


def declared(text: str) -> tuple[Node, DeclaredParser]:
    """The text as parsed, blocks not expanded, and the parser, which knows the text for its complaints."""
    parser = DeclaredParser(text)
    node = parser.expression()
    parser.expect_end()
    return node, parser


def names_in(node: Node) -> set[str]:
    own = {str(node.value)} if node.kind == "name" else set()
    return own.union(*map(names_in, node.parts)) if node.parts else own
