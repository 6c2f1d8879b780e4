"""What every command has: help in letters that the reader has, and no option twice."""

from __future__ import annotations

import click

from ..errors import InvalidInput
from ..letters import written


class HelpfulContext(click.Context):
    def get_help(self) -> str:
        return written(super().get_help())


class Command(click.Command):
    """A command that refuses an option given twice, where only the last would count."""

    context_class = HelpfulContext

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        values, _, order = self.make_parser(ctx).parse_args(list(args))
        seen: set[str | None] = set()
        for option in order:
            last = next((str(values[o]) for o in (option.name,) if o in values), None)
            if isinstance(option, click.Option) and not (option.multiple or option.is_flag or option.count):
                if option.name in seen:
                    raise InvalidInput(f"{_name(option)} is given twice.", "Give it once.", {_name(option): last})
                seen.add(option.name)
        return super().parse_args(ctx, args)


def _name(option: click.Option) -> str:
    return next((name for name in option.opts if name.startswith("--")), option.opts[0])
