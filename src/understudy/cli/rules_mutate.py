"""`understudy rules mutate`: changes rules in small ways and lists the changes that no test notices."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import click

from understudy.cli.exits import ExitCode
from understudy.cli.interrupts import cancelling
from understudy.cli.options import RunArguments
from understudy.cli.rules_project import rules_project
from understudy.core.errors import InputError, Problem
from understudy.core.files import atomic_write
from understudy.core.nearness import closest_name
from understudy.reporting.handlers import check_report_files
from understudy.rules.mutation.ledger import Ledger
from understudy.rules.mutation.mutant import KINDS
from understudy.rules.mutation.report import json_report, list_report, text_report
from understudy.rules.mutation.score import total
from understudy.rules.mutation.session import MutationSession, Wanted

ACT = "rules"
NO_MUTANT = (
    "no mutant was found: no rule in these folders has a policy, a jq assertion or a default to change"
)
NO_TEST = (
    "no test evaluates any of these rules, so nothing can notice a change; write NAME.star beside NAME.yaml"
)


@click.command("mutate")
@click.argument("paths", nargs=-1)
@click.option("--dir", "dirs", multiple=True, metavar="DIR", help="Search this folder; may be repeated.")
@click.option(
    "--root", default="", metavar="DIR", help="What files may reach; default: the project's folder."
)
@click.option("--project", "path", default=None, metavar="PATH", help="The project, if no folder is given.")
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="Only this rule; may be repeated.")
@click.option("--mutant", "ids", multiple=True, metavar="ID", help="Only this mutant; may be repeated.")
@click.option(
    "--skip",
    multiple=True,
    type=click.Choice(list(KINDS)),
    metavar="KIND",
    help=f"Leave out this kind of change; may be repeated. There are {', '.join(KINDS)}.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 100),
    default=None,
    metavar="PERCENT",
    help="Fail if fewer of the mutants are noticed; without it survivors are only listed.",
)
@click.option(
    "--budget",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="SECONDS",
    help="Stop trying after this time; the next run goes on from there.",
)
@click.option(
    "--test-timeout",
    type=click.FloatRange(0, 3600, min_open=True),
    default=None,
    metavar="SECONDS",
    help="Stop a test that runs longer.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    default=None,
    metavar="N",
    help="Try so many mutants side by side; default: one per processor.",
)
@click.option("--json", "json_file", default="", metavar="FILE", help="Write the report as JSON.")
@click.option("--list", "list_only", is_flag=True, help="List the mutants and try none.")
@click.option("--fresh", is_flag=True, help="Try all again, whatever is known from earlier runs.")
def command(
    paths: tuple[str, ...],
    dirs: tuple[str, ...],
    root: str,
    path: str | None,
    rules: tuple[str, ...],
    ids: tuple[str, ...],
    skip: tuple[str, ...],
    threshold: float | None,
    budget: float | None,
    test_timeout: float | None,
    workers: int | None,
    json_file: str,
    list_only: bool,
    fresh: bool,
) -> int:
    """Change each rule in small ways, run its tests, and list the changes that no test notices.

    What was found out is kept in .understudy/mutation.json until the rule, its tests or a file that they read changes.
    """
    if list_only and (json_file or budget or threshold is not None):
        raise click.UsageError(
            "--list tries nothing, so --json, --budget and --threshold have no meaning beside it"
        )
    check_report_files({"--json": json_file})
    changes = {} if test_timeout is None else {"test_timeout": test_timeout}
    project = rules_project([*paths, *dirs], root, path, RunArguments(), changes)
    settings = project.act_settings[ACT]
    wanted = Wanted(rules, ids, tuple(sorted(set(skip))), budget or 0.0, workers or 0)
    ledger = Ledger(project.root, is_fresh=fresh)
    session = MutationSession(project.root, settings, wanted, ledger, _progress())
    interrupted = _ended_early(session.list_mutants() if list_only else session.run())
    if not interrupted:
        _refuse_unknown("rule", rules, session.names)
        if not session.problems:
            _refuse_unknown("mutant", ids, session.ids)
    if list_only:
        click.echo("\n".join([*list_report(session.rules), *(f"problem: {p}" for p in session.problems)]))
    else:
        why_left = "interrupted" if interrupted else f"the budget of {budget or 0:g} s is spent"
        _report(session, why_left, json_file)
    if interrupted:
        return ExitCode.INTERRUPTED
    return _exit_code(session, threshold)


def _ended_early(work: Coroutine[Any, Any, None]) -> bool:
    """Whether the user ended the work before its end."""

    async def cancellable() -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine runs in a task
        with cancelling(task):
            await work

    try:
        with asyncio.Runner() as runner:
            runner.run(cancellable())
    except (asyncio.CancelledError, KeyboardInterrupt):
        return True
    return False


def _report(session: MutationSession, why_left: str, json_file: str) -> None:
    for line in text_report(session.rules, session.problems, why_left):
        click.echo(line)
    if json_file:
        data = json_report(session.rules, session.problems, why_left)
        atomic_write(json_file, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def _exit_code(session: MutationSession, threshold: float | None) -> int:
    score = total(session.rules)
    if session.problems or any(rule.problem for rule in session.rules):
        return ExitCode.FAILED
    if not score.mutants:
        click.echo(f"error: {NO_MUTANT}", err=True)
        return ExitCode.NO_CASE
    if not any(rule.plan.tests for rule in session.rules):
        click.echo(f"error: {NO_TEST}", err=True)
        return ExitCode.NO_CASE
    if threshold is not None and not score.reaches(threshold):
        click.echo(f"error: fewer than the {threshold:g}% wanted were noticed", err=True)
        return ExitCode.FAILED
    return ExitCode.PASSED


def _refuse_unknown(what: str, wanted: tuple[str, ...], known: set[str]) -> None:
    problems = []
    for name in wanted:
        if name not in known:
            near = closest_name(name, sorted(known))
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(sorted(known)[:20])}"
            problems.append(Problem(f"no {what} is called {name!r}", hint=hint if known else "there is none"))
    if problems:
        raise InputError(problems)


def _progress() -> Callable[[int, int], None]:
    """Tells how far it is, to somebody who looks."""

    def show(done: int, total: int) -> None:
        if sys.stderr.isatty():
            end = "\r\033[K" if done == total else ""
            sys.stderr.write(f"\r{done} of {total} mutants tried{end}")
            sys.stderr.flush()

    return show
