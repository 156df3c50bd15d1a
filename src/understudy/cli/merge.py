"""`understudy merge`: the reports of shards, joined and concluded."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import click

from understudy.cli.exits import ExitCode
from understudy.core.events import RunFinished
from understudy.project.acts import installed_acts, load_act
from understudy.reporting.handlers import FORMATS, FileReport


@click.command("merge")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...")
@click.option("--json", default="", metavar="FILE", help="Write the joined report as JSON.")
@click.option("--junit", default="", metavar="FILE", help="Write it as JUnit XML.")
@click.option("--html", default="", metavar="FILE", help="Write it as one HTML page.")
@click.option("--partial", is_flag=True, help="Join although shards are missing; nothing is concluded then.")
def command(reports: tuple[str, ...], partial: bool, **files: Any) -> int:
    """Join the JSON reports of all shards of one plan, and judge what only the whole can tell."""
    from understudy.reporting.conclude import concluded
    from understudy.reporting.json_report import load_report
    from understudy.reporting.merge import merge_reports
    from understudy.reporting.terminal import TerminalReporter

    whole = merge_reports([load_report(path) for path in reports], reports, partial=partial)
    if whole.plan.is_whole and not whole.stopped:
        installed = installed_acts()
        acts = [load_act(installed[name]) for name in whole.evidence if name in installed]
        whole = concluded(whole, acts)
    finished = RunFinished(replace(whole))
    TerminalReporter(sys.stdout, progress=False).handle(finished)
    for name, write in FORMATS.items():
        if files[name]:
            FileReport(files[name], write).handle(finished)
    if not whole.summary.total:
        return ExitCode.NO_CASE
    return ExitCode.PASSED if whole.summary.is_green else ExitCode.FAILED
