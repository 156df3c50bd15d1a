"""The `understudy` command: finds the subcommand, and turns errors into messages and exit codes."""

from __future__ import annotations

import errno
import gc
import os
import signal
import sys
from dataclasses import replace
from types import FrameType

import click

from understudy import __version__
from understudy.cli.exits import ExitCode
from understudy.cli.lazy_group import LazyGroup
from understudy.core.errors import ActDefect, InputError, Problem, UnderstudyError

COMMANDS = {
    "init": ("understudy.cli.init", "Write a first project: an example to run, and a CI workflow."),
    "run": ("understudy.cli.run", "Run everything that the project declares."),
    "testbed": ("understudy.cli.testbed", "Run suites against a server."),
    "rules": ("understudy.cli.rules", "Test policy rules offline."),
    "replay": ("understudy.cli.replay", "Run pipelines again, and name what differs and why."),
    "merge": ("understudy.cli.merge", "Join the reports of shards."),
    "history": ("understudy.cli.history", "Show past runs, and the cases that are flaky."),
    "schema": ("understudy.cli.schema", "Write the JSON Schemas of our files."),
}

# What importing makes is here to stay, so that looking for garbage in it every 700 objects is time lost.
_GC_THRESHOLD = 10_000
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@click.group(
    cls=LazyGroup,
    modules=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="understudy")
def command() -> None:
    """Rehearse every integration offline, with stand-ins proven to match the real thing."""


def main() -> None:
    """The entry point: exits with one of the codes of `ExitCode`."""
    # Python gives None for an output that was closed before we began.
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until we end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until we end
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _interrupt)
    gc.set_threshold(_GC_THRESHOLD, 10, 10)
    code = invoke(sys.argv[1:])
    gc.freeze()  # all that is left ends with the process; looking through it would take longer than a small run
    sys.exit(code)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """A polite kill does what Ctrl-C does, so that what we have started is stopped."""
    raise KeyboardInterrupt


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
            _show(problem)
        return ExitCode.WRONG_INPUT
    except UnderstudyError as error:
        click.echo(f"error: {error}", err=True)
        return ExitCode.WRONG_INPUT
    except (BrokenPipeError, SystemExit):
        # Who read our output has gone, for which click ends with exit code 1, as if something had failed.
        _drop_output()
        return ExitCode.INTERRUPTED
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            _drop_output()
            click.echo(f"error: writing failed: {error.strerror} (free some space, and run again)", err=True)
            return ExitCode.WRONG_INPUT
        return _defect(error)
    return result if isinstance(result, int) else ExitCode.PASSED


def _drop_output() -> None:
    """Let what is still in the buffers go nowhere, or Python would fail again when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show(problem: Problem) -> None:
    """One problem; a hint of several lines, such as a place marked by a caret, stands below it."""
    if "\n" not in problem.hint:
        click.echo(f"error: {problem}", err=True)
        return
    click.echo(f"error: {replace(problem, hint='')}", err=True)
    for line in problem.hint.rstrip("\n").splitlines():
        click.echo(f"  {line}".rstrip(), err=True)


def _defect(error: Exception) -> int:
    import traceback

    click.echo("".join(traceback.format_exception(error)), err=True)
    whose = f"the act {error.act!r}" if isinstance(error, ActDefect) else "understudy"
    click.echo(f"This is a defect of {whose}; please report it with the lines above.", err=True)
    return ExitCode.DEFECT
