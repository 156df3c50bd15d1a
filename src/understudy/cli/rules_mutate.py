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
from understudy.core.errors import InputError, Problem
from understudy.core.files import atomic_write
from understudy.core.nearness import closest_name
from understudy.rules.mutation.ledger import Ledger
from understudy.rules.mutation.mutant import KINDS
from understudy.rules.mutation.report import json_report, list_report, text_report
from understudy.rules.mutation.score import total
from understudy.rules.mutation.session import MutationSession, Wanted

ACT = "rules"
NO_MUTANT = (
    "no mutant was found: no rule in these folders has a policy, a jq assertion or a default to change"
)


@click.command("mutate")
@click.argument("paths", nargs=-1)
@click.option("--dir", "dirs", multiple=True, metavar="DIR", help="Search this folder; may be repeated.")
@click.option(
    "--root", default="", metavar="DIR", help="What files may reach; default: the project's folder."
)
@click.option("--project", "path", default=None, metavar="PATH", help="The project, if no folder is given.")
@click.option("--rule", "rules", multiple=True, metavar="NAME", help="Only this rule; may be repeated.")
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
@click.option("--json", "json_file", default="", metavar="FILE", help="Write the report as JSON.")
@click.option("--list", "list_only", is_flag=True, help="List the mutants and try none.")
@click.option("--fresh", is_flag=True, help="Try all again, whatever is known from earlier runs.")
def command(
    paths: tuple[str, ...],
    dirs: tuple[str, ...],
    root: str,
    path: str | None,
    rules: tuple[str, ...],
    skip: tuple[str, ...],
    threshold: float | None,
    budget: float | None,
    test_timeout: float | None,
    json_file: str,
    list_only: bool,
    fresh: bool,
) -> int:
    """Change each rule in small ways, run its tests, and list the changes that no test notices.

    What was found out is kept in .understudy/mutation.json until the rule, its tests or a file that they read changes.
    """
    from understudy.cli.rules import rules_project

    if list_only and (json_file or budget or threshold is not None):
        raise click.UsageError(
            "--list tries nothing, so --json, --budget and --threshold have no meaning beside it"
        )
    changes = {} if test_timeout is None else {"test_timeout": test_timeout}
    project = rules_project([*paths, *dirs], root, path, RunArguments(), changes)
    settings = project.act_settings[ACT]
    wanted = Wanted(rules, tuple(sorted(set(skip))), budget or 0.0)
    session = MutationSession(
        project.root, settings, wanted, Ledger(project.root, is_fresh=fresh), _progress()
    )
    interrupted = _ended_early(session.list_mutants() if list_only else session.run())
    if not interrupted:
        _refuse_unknown(rules, session.known_rules)
    if list_only:
        click.echo("\n".join([*list_report(session.rules), *(f"problem: {p}" for p in session.problems)]))
    else:
        _report(
            session, "interrupted" if interrupted else f"the budget of {budget or 0:g} s is spent", json_file
        )
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
    if threshold is not None and not score.reaches(threshold):
        click.echo(f"error: fewer than the {threshold:g}% wanted were noticed", err=True)
        return ExitCode.FAILED
    return ExitCode.PASSED


def _refuse_unknown(wanted: tuple[str, ...], known: list[str]) -> None:
    problems = []
    for name in wanted:
        if name not in known:
            near = closest_name(name, known)
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(sorted(set(known))[:20])}"
            problems.append(Problem(f"no rule is called {name!r}", hint=hint))
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
