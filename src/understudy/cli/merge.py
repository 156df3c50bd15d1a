"""`understudy merge`: the reports of shards, joined and concluded."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from understudy.cli.exits import ExitCode, verdict
from understudy.core.errors import InputError, Problem
from understudy.core.events import RunFinished
from understudy.core.report import Report
from understudy.engine.act import Act
from understudy.engine.run import INTERRUPTED
from understudy.engine.trouble import ENGINE
from understudy.reporting.handlers import FORMATS, check_report_files, write_report


@click.command("merge")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@click.option("--json", default="", metavar="FILE", help="Write the joined report as JSON.")
@click.option("--junit", default="", metavar="FILE", help="Write it as JUnit XML.")
@click.option("--html", default="", metavar="FILE", help="Write it as one HTML page.")
@click.option(
    "--github", is_flag=True, envvar="GITHUB_ACTIONS", help="Annotate for GitHub (on in GitHub Actions)."
)
@click.option("--partial", is_flag=True, help="Join although shards are missing; nothing is concluded then.")
def command(reports: tuple[str, ...], github: bool, partial: bool, **files: Any) -> int:
    """Join the JSON reports of all shards of one plan, and judge what only the whole can tell."""
    from understudy.reporting.conclude import concluded
    from understudy.reporting.json_report import load_report
    from understudy.reporting.merge import merge_reports

    check_report_files({f"--{name}": files[name] for name in FORMATS})
    parts = [load_report(path) for path in reports]
    whole = merge_reports(parts, reports, partial=partial)
    # A report of an unsharded run has been concluded already.
    if whole.plan.is_whole and not whole.stopped and parts[0].plan.shards > 1:
        whole = concluded(whole, _acts_of(whole))
    _show(whole, github)
    for name, write in FORMATS.items():
        if files[name]:
            write_report(whole, files[name], write)
    if INTERRUPTED in whole.stopped:
        return ExitCode.INTERRUPTED
    return verdict(whole)


def _show(report: Report, github: bool) -> None:
    from understudy.reporting.terminal import TerminalReporter

    finished = RunFinished(report)
    terminal = TerminalReporter(sys.stdout, progress=False)
    if not github:
        terminal.handle(finished)
        return
    from understudy.cli.workflow_commands import commands_stopped
    from understudy.reporting.github import GitHubReporter

    with commands_stopped(sys.stdout):
        terminal.handle(finished)
    GitHubReporter(sys.stdout, os.environ.get("GITHUB_STEP_SUMMARY", "")).handle(finished)


def _acts_of(report: Report) -> dict[str, Act]:
    """The acts that took part, in the order in which a run asks them."""
    from understudy.project.acts import installed_acts, load_act

    names = {*report.evidence, *(outcome.act for outcome in report.outcomes)} - {ENGINE}
    installed = installed_acts()
    problems = [
        Problem(
            f"the act {name!r} of these reports is not installed, so nobody can judge the whole of it",
            hint="install the package that brings it, or run `understudy merge` where it is installed",
        )
        for name in sorted(names.difference(installed))
    ]
    if problems:
        raise InputError(problems)
    return {name: load_act(entry) for name, entry in installed.items() if name in names}
