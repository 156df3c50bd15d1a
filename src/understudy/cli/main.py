"""The `understudy` command: finds the subcommand, and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import sys
from importlib import import_module

import click

from understudy import __version__
from understudy.cli.exits import ExitCode
from understudy.core.errors import InputError, UnderstudyError

COMMANDS = {
    "run": ("understudy.cli.run", "Run everything that the project declares."),
    "testbed": ("understudy.cli.testbed", "Run suites against a server."),
    "merge": ("understudy.cli.merge", "Join the reports of shards."),
    "schema": ("understudy.cli.schema", "Write the JSON Schemas of our files."),
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are used; listing them imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="understudy")
def command() -> None:
    """Rehearse every integration offline, with stand-ins proven to match the real thing."""


def main() -> None:
    """The entry point: exits with one of the codes of `ExitCode`."""
    sys.exit(invoke(sys.argv[1:]))


def invoke(arguments: list[str]) -> int:
    """Run a command line; the exit code."""
    try:
        result = command.main(arguments, prog_name="understudy", standalone_mode=False)
    except click.exceptions.Exit as leave:
        return leave.exit_code
    except click.ClickException as error:
        error.show()
        return ExitCode.WRONG_INPUT
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    except InputError as error:
        for problem in error.problems:
            click.echo(f"error: {problem}", err=True)
        return ExitCode.WRONG_INPUT
    except UnderstudyError as error:
        click.echo(f"error: {error}", err=True)
        return ExitCode.WRONG_INPUT
    except BrokenPipeError:
        # Who read our output has gone; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.INTERRUPTED
    except Exception as error:
        return _defect(error)
    return result if isinstance(result, int) else ExitCode.PASSED


def _defect(error: Exception) -> int:
    import traceback

    click.echo("".join(traceback.format_exception(error)), err=True)
    click.echo("This is a defect of understudy; please report it with the lines above.", err=True)
    return ExitCode.DEFECT
