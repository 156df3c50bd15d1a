"""A group of commands that are imported when they are used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

Modules = Mapping[str, tuple[str, str]]


class LazyGroup(click.Group):
    """Finds its commands in `modules`: by name, the module whose `command` it is, and what help says of it.

    Listing them imports none. Commands that are added to it as to any group come first.
    """

    def __init__(self, *arguments: Any, modules: Modules, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return [*self.commands, *self._modules]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in self._modules:
            return super().get_command(ctx, cmd_name)
        command: click.Command = import_module(self._modules[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        own = [(name, command.get_short_help_str(80)) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl([*own, *((name, text) for name, (_, text) in self._modules.items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the arguments begin with; a misspelt one is told the nearest."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            from understudy.core.nearness import closest_name

            near = closest_name(name, known)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"
            raise click.UsageError(f"no command is called {name!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)
