"""One run, from a loaded project to the exit code: plan, run, report, remember, keep, update."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import click

from understudy.cli.exits import ExitCode, verdict
from understudy.cli.interrupts import cancelling
from understudy.cli.options import RunArguments
from understudy.core.errors import InputError, Problem
from understudy.core.events import Event
from understudy.core.matching import compile_expression
from understudy.core.outcome import Attachment, Outcome
from understudy.core.redact import Numbered, Redactor
from understudy.core.report import Report
from understudy.engine.act import Unit
from understudy.engine.executors import Limits, open_executor
from understudy.engine.plan import Planned, PlanRequest, discover, make_plan
from understudy.engine.run import INTERRUPTED, RunRequest, run
from understudy.engine.selection import Selection
from understudy.engine.shards import Shard
from understudy.engine.spool import Spool
from understudy.project.history import History, Shelf, shelf_of
from understudy.project.memory import Memory
from understudy.project.project import Project
from understudy.project.workers import workshop
from understudy.reporting.handlers import FORMATS, FileReport, check_report_files

if TYPE_CHECKING:
    from understudy.cli.workflow_commands import CommandsStopped
    from understudy.reporting.terminal import TerminalReporter

RERUN_FAILED = "--rerun-failed"


def rehearse(
    project: Project,
    arguments: RunArguments,
    command: Sequence[str],
    *,
    v1_report: str = "",
    listeners: Sequence[Callable[[Event], None]] = (),
) -> int:
    """Run what the arguments select of a project; the exit code. Listeners hear every event, as reports do."""
    memory = Memory(project.root)
    units = discover(project.acts.values(), project)
    planned = _plan(units, project, arguments, memory)
    if arguments.list_only:
        for unit in planned.units:
            for case in unit.cases:
                click.echo(case.id)
    silent = [name for name in project.acts if not any(unit.act == name for unit in units)]
    if not planned.selected or silent:
        return _nothing(units, project, planned, silent)
    if arguments.list_only:
        return ExitCode.PASSED
    check_report_files({f"--{name}": getattr(arguments, name) for name in FORMATS} | {"--report": v1_report})
    project.resolve()
    history = History(lambda: _shelf(project), project.environment)
    project.secrets += history.secrets
    if any(getattr(project.acts[unit.act], "needs_app", False) for unit in planned.units):
        project.require_app()
    with Spool(lambda: Numbered().outcome) as spool, _printing(arguments) as stopped:
        try:
            report = _run(
                project, planned, arguments, command, spool, v1_report, stopped, [history.handle, *listeners]
            )
        finally:
            if project.file and len(spool):
                memory.remember(spool)
        if report.stopped == INTERRUPTED:
            return ExitCode.INTERRUPTED
        if arguments.update:
            _update(project, spool, arguments)
    return verdict(report)


def _shelf(project: Project) -> Shelf:
    config = project.config
    return shelf_of(project.root, project.file, config.name, config.store, project.document)


def _printing(arguments: RunArguments) -> AbstractContextManager[CommandsStopped | None]:
    """What a response says must not command GitHub."""
    if not arguments.github:
        return nullcontext()
    from understudy.cli.workflow_commands import commands_stopped

    return commands_stopped(sys.stdout)


def _plan(units: list[Unit], project: Project, arguments: RunArguments, memory: Memory) -> Planned:
    words = [f"--case {case}" for case in arguments.cases]
    ids = set(arguments.cases)
    if arguments.rerun_failed:
        words.append(RERUN_FAILED)
        ids |= {case.id for unit in units for case in unit.cases}.intersection(memory.failed())
    keyword = compile_expression(arguments.keyword) if arguments.keyword else None
    tags = compile_expression(arguments.tags) if arguments.tags else None
    chosen = frozenset(ids) if words else None
    words += [f"-k {arguments.keyword}"] if keyword else []
    words += [f"-m {arguments.tags}"] if tags else []
    selection = Selection(keyword, tags, chosen, " ".join(words))
    request = PlanRequest(
        selection,
        Shard.parse(arguments.shard) if arguments.shard else Shard(),
        _durations(arguments.durations) if arguments.durations else None,
        project.known,
        project.known_places,
        arguments.seed,
        arguments.shuffle,
    )
    return make_plan(units, request)


def _durations(path: str) -> Mapping[str, float]:
    from understudy.reporting.json_report import load_report

    return {outcome.id: outcome.duration_ms for outcome in load_report(path).outcomes}


def _nothing(units: list[Unit], project: Project, planned: Planned, silent: Sequence[str]) -> int:
    """A run, or an act in it, that checks nothing must not look like one that passed."""
    if units and silent and planned.selected:
        message = f"no case was found by {', '.join(silent)}, which the project declares"
    elif units and planned.plan.selection == RERUN_FAILED:
        message = "no case that is still there failed when it last ran; there is nothing to rerun"
    elif units:
        message = f"no case is selected by {planned.plan.selection}; `--list` shows what there is"
    elif not project.acts:
        message = f"{project.file} has no table of an act, such as [testbed]; there is nothing to run"
    else:
        message = f"no case was found by {', '.join(project.acts)}"
    click.echo(f"error: {message}", err=True)
    return ExitCode.NO_CASE


def _run(
    project: Project,
    planned: Planned,
    arguments: RunArguments,
    command: Sequence[str],
    spool: Spool,
    v1_report: str,
    stopped: CommandsStopped | None,
    listeners: Sequence[Callable[[Event], None]],
) -> Report:
    from understudy.reporting.terminal import TerminalReporter

    redactor = Redactor(project.secrets)
    terminal = TerminalReporter(sys.stdout, verbose=arguments.verbose)
    handlers: list[Callable[[Event], None]] = [terminal.handle, *listeners]
    for name, write in FORMATS.items():
        if path := getattr(arguments, name):
            handlers.append(FileReport(path, write).handle)
    if v1_report:
        handlers.append(FileReport(v1_report, _write_v1).handle)
    if stopped is not None:
        from understudy.reporting.github import GitHubReporter

        summary = os.environ.get("GITHUB_STEP_SUMMARY", "")
        folder = os.path.relpath(project.root, os.environ.get("GITHUB_WORKSPACE") or os.getcwd())
        handlers.append(stopped.except_for(GitHubReporter(sys.stdout, summary, folder).handle))
    request = RunRequest(
        executor=open_executor(_executor(arguments)),
        limits=Limits(arguments.workers or arguments.concurrency, arguments.unit_timeout, arguments.memory),
        stop_on_failure=arguments.stop_on_failure,
        redact=redactor.outcome,
        redact_text=redactor.text,
        rerun=lambda case_id: shlex.join([*command, *_circumstances(arguments), "--case", case_id]),
        workshop=workshop(project, next(iter(project.acts)) if len(project.acts) == 1 else ""),
        shared=project.shared,
        final_notes=lambda failed: _app_output(project) if failed else (),
    )
    with asyncio.Runner() as runner:
        return runner.run(_cancellable(run(project.acts, planned, request, spool, handlers), terminal))


async def _cancellable(work: Any, terminal: TerminalReporter) -> Report:
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - a coroutine runs in a task
    with cancelling(task):
        try:
            report: Report = await work
            return report
        finally:
            terminal.close()


def _executor(arguments: RunArguments) -> str:
    if arguments.executor:
        return arguments.executor
    if arguments.workers or arguments.memory:
        return "processes"
    if arguments.concurrency > 1:
        return "concurrent"
    # What never lets go, such as a regular expression that tries too many ways, can only be killed.
    return "processes" if arguments.unit_timeout else "serial"


def _circumstances(arguments: RunArguments) -> list[str]:
    """The options without which a case would not be the same case again."""
    environment = ["--env", arguments.environment] if arguments.environment else []
    return [*environment, *(["--seed", str(arguments.seed)] if arguments.seed else [])]


def _app_output(project: Project) -> Iterable[Attachment]:
    if output := project.app_log.tail():
        yield Attachment("output of the app under test", output)


def _write_v1(report: Report, out: Any) -> None:
    from understudy.testbed.v1_report import write_v1_report

    write_v1_report(report.outcomes, out)


def _update(project: Project, outcomes: Iterable[Outcome], arguments: RunArguments) -> None:
    from understudy.cli.updates import offer_changes
    from understudy.engine.act import UpdatingAct

    able = [act for act in project.acts.values() if isinstance(act, UpdatingAct)]
    if not able:
        raise InputError([Problem("--update: no act of this project can rewrite expectations", project.file)])
    # What a known failure gives is wrong, and must not become what is expected.
    wanted = [outcome for outcome in outcomes if outcome.is_bad]
    changes = [change for act in able for change in act.changes(wanted)]
    offer_changes(changes, project.root, ask=not arguments.yes)
