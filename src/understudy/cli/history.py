"""`understudy history`: past runs, one of them again, or one case over time."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.exits import ExitCode
from understudy.core.errors import InputError, Problem
from understudy.core.events import CaseFinished, RunFinished
from understudy.core.files import atomic_write
from understudy.project.history import Shelf, find_shelf
from understudy.reporting.escaping import visible
from understudy.reporting.handlers import FORMATS, check_report_files, write_report
from understudy.store.address import parse_address

if TYPE_CHECKING:
    from understudy.store.reach import Reach
    from understudy.store.runs import KeptRun

_LATEST = "latest"
_FLAKY_RUNS = 30
_LISTED = 9


@click.command("history")
@click.argument("run", required=False)
@click.option(
    "--case", "case", default="", metavar="ID", help="One case over time; a part of its id is enough."
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 100_000),
    default=20,
    metavar="N",
    help="Show the last N runs (20); flaky cases are looked for in these, and in 30 at least.",
)
@click.option(
    "--project", "path", default=None, metavar="PATH", help="The project; default: the one around here."
)
@click.option(
    "--json", "json_file", default="", metavar="FILE", help="Write it as JSON; - is standard output."
)
@click.option(
    "--html", "html_file", default="", metavar="FILE", help="Write the report of RUN as one HTML page."
)
@click.option("-v", "--verbose", count=True, help="One line per case of RUN.")
def command(
    run: str | None, case: str, limit: int, path: str | None, json_file: str, html_file: str, verbose: int
) -> int:
    """Show past runs and the cases that are flaky; RUN (the beginning of an id, or `latest`) again; or one case."""
    if run and case:
        raise click.UsageError("a run and --case contradict each other; give one of them")
    if html_file and not run:
        raise click.UsageError("--html is the report of one run; name the run, such as `latest`")
    check_report_files({"--json": "" if json_file == "-" else json_file, "--html": html_file})
    shelf = find_shelf(path)
    if not _is_there(shelf):
        return _nothing(shelf)
    with shelf.opened() as store:
        if run:
            return _one_run(store, shelf, run, json_file, html_file, verbose)
        return (
            _one_case(store, shelf, case, limit, json_file) if case else _all(store, shelf, limit, json_file)
        )


def _all(store: Reach, shelf: Shelf, limit: int, json_file: str) -> int:
    from understudy.reporting.history import history_data, history_lines
    from understudy.store.case_history import flaky_cases
    from understudy.store.runs import kept_runs

    runs = kept_runs(store, shelf.project, limit)
    if not runs:
        return _nothing(shelf)
    searched = max(limit, _FLAKY_RUNS)
    flaky = flaky_cases(store, shelf.project, searched)
    _show(history_lines(runs, flaky, searched), history_data(runs, flaky), json_file)
    return ExitCode.PASSED


def _one_run(store: Reach, shelf: Shelf, name: str, json_file: str, html_file: str, verbose: int) -> int:
    from understudy.reporting.history import run_line
    from understudy.reporting.terminal import TerminalReporter
    from understudy.store.runs import report_of

    run = _run_called(store, shelf, name)
    report = report_of(store, run)
    for name, file in (("json", json_file), ("html", html_file)):
        if file == "-":
            FORMATS[name](report, sys.stdout)
        elif file:
            write_report(report, file, FORMATS[name])
    if json_file != "-":
        click.echo(run_line(run))
        terminal = TerminalReporter(sys.stdout, progress=False, verbose=verbose)
        for position, outcome in enumerate(report.outcomes):
            terminal.handle(CaseFinished(outcome, position))
        terminal.handle(RunFinished(report))
    return ExitCode.PASSED


def _one_case(store: Reach, shelf: Shelf, part: str, limit: int, json_file: str) -> int:
    from understudy.reporting.history import case_data, case_lines
    from understudy.store.case_history import case_over_time, cases_like

    case = part
    moments = case_over_time(store, case, shelf.project, limit)
    if not moments:
        found = cases_like(store, part, shelf.project)
        if not found:
            hint = "`understudy run --list` shows all cases"
            raise InputError([Problem(f"no case that was run has {part!r} in its id", "--case", hint=hint)])
        if len(found) > 1:
            raise _several(part, found, "give all of one id")
        case = found[0]
        moments = case_over_time(store, case, shelf.project, limit)
    _show(case_lines(case, moments), case_data(case, moments), json_file)
    return ExitCode.PASSED


def _run_called(store: Reach, shelf: Shelf, name: str) -> KeptRun:
    from understudy.store.runs import find_runs, kept_runs

    found = kept_runs(store, shelf.project, 1) if name == _LATEST else find_runs(store, name, shelf.project)
    if len(found) == 1:
        return found[0]
    if not found:
        hint = "`understudy history` lists the runs that are kept"
        raise InputError([Problem(f"no run that is kept has an id that begins with {name!r}", hint=hint)])
    raise _several(name, [run.id for run in found], "give more of its id")


def _several(name: str, found: Sequence[str], advice: str) -> InputError:
    listed = [*map(visible, found[:_LISTED]), *(["…"] if len(found) > _LISTED else [])]
    hint = "\n".join([f"{advice}; there are", *(f"  {each}" for each in listed)])
    return InputError([Problem(f"several have {name!r} in their id", hint=hint)])


def _show(lines: Iterable[str], data: dict[str, Any], json_file: str) -> None:
    text = json.dumps(data, indent=2) + "\n"
    if json_file == "-":
        click.echo(text, nl=False)
        return
    if json_file:
        atomic_write(json_file, text)
    for line in lines:
        click.echo(line)


def _is_there(shelf: Shelf) -> bool:
    """Looking at what was kept must not make a place to keep it in."""
    path = parse_address(shelf.place).path
    return not path or os.path.lexists(path)


def _nothing(shelf: Shelf) -> int:
    off = "; [store] keep_runs = 0 keeps none" if not shelf.retention.runs else "; `understudy run` keeps one"
    click.echo(f"error: no run of this project is kept in {parse_address(shelf.place).shown}{off}", err=True)
    return ExitCode.NO_CASE
