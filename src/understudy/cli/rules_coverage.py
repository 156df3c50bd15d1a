"""`understudy rules coverage`: runs the rule tests and shows what they reach of every rule."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from understudy.cli.exits import ExitCode
from understudy.cli.options import RunArguments
from understudy.cli.rehearse import rehearse
from understudy.cli.rules_project import rules_project
from understudy.core.brief import visible
from understudy.core.errors import InputError
from understudy.core.events import CaseFinished, Event, RunFinished
from understudy.core.files import atomic_write, read_text
from understudy.project.rules_project import ACT
from understudy.reporting.handlers import check_report_files
from understudy.reporting.paint import painted, wants_color
from understudy.reporting.safe_output import SafeOutput
from understudy.rules.coverage.figures import Coverage, coverage_of
from understudy.rules.coverage.json_file import coverage_data
from understudy.rules.coverage.lcov import lcov_lines
from understudy.rules.coverage.page import coverage_page
from understudy.rules.coverage.table import coverage_table, total_line
from understudy.rules.rule_files import RULE_LIMIT

BAD = "some tests did not pass: what they would have reached may be missing"
PARTIAL = "interrupted: what the other tests reach is missing"


@dataclass(slots=True)
class _Heard:
    """What a run says while it goes on; its outcomes are gone when it is over."""

    evidence: Mapping[str, Any] | None = None
    has_bad_tests: bool = False

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunFinished):
            self.evidence = event.report.evidence.get(ACT, {})
        elif isinstance(event, CaseFinished) and event.outcome.location is not None:
            # What is judged of the whole stands nowhere: a threshold that is missed says nothing of the tests.
            self.has_bad_tests = self.has_bad_tests or event.outcome.is_bad


@click.command("coverage")
@click.argument("paths", nargs=-1)
@click.option("--dir", "dirs", multiple=True, metavar="DIR", help="Search this folder; may be repeated.")
@click.option(
    "--root", default="", metavar="DIR", help="What files may reach; default: the project's folder."
)
@click.option("--project", "path", default=None, metavar="PATH", help="The project, if no folder is given.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 100),
    default=None,
    metavar="PERCENT",
    help="Fail if less is reached; default: what the project file demands.",
)
@click.option(
    "--test-timeout",
    type=click.FloatRange(0, 3600, min_open=True),
    default=None,
    metavar="SECONDS",
    help="Stop a test that runs longer.",
)
@click.option(
    "--concurrency", type=click.IntRange(1, 256), default=1, metavar="N", help="Run N tests side by side."
)
@click.option("--json", "json_file", default="", metavar="FILE", help="Write the figures as JSON.")
@click.option("--lcov", "lcov_file", default="", metavar="FILE", help="Write an lcov tracefile.")
@click.option("--html", "html_file", default="", metavar="FILE", help="Write a page with the marked sources.")
@click.option("-v", "--verbose", count=True, help="Show the lines that are not reached as they are written.")
def command(
    paths: tuple[str, ...],
    dirs: tuple[str, ...],
    root: str,
    path: str | None,
    threshold: float | None,
    test_timeout: float | None,
    concurrency: int,
    json_file: str,
    lcov_file: str,
    html_file: str,
    verbose: int,
) -> int:
    """Run the rule tests in PATHS, in --dir, or of the project, and show which lines and assertions they reach."""
    check_report_files({"--json": json_file, "--lcov": lcov_file, "--html": html_file})
    changes: dict[str, Any] = {"tests": True, "check": None, "mutation": 0.0, "measure_coverage": True}
    words = ["understudy", "rules", "test", *paths, *(word for name in dirs for word in ("--dir", name))]
    words += ["--root", root] if root else []
    words += ["--project", path] if path else []
    if threshold is not None:
        changes["coverage"] = threshold
    if test_timeout is not None:
        changes["test_timeout"] = test_timeout
        words += ["--test-timeout", f"{test_timeout:g}"]
    arguments = RunArguments(concurrency=concurrency)
    project = rules_project([*paths, *dirs], root, path, arguments, changes)
    heard = _Heard()
    code = rehearse(project, arguments, words, listeners=[heard])
    if heard.evidence is None:
        return code
    coverage = coverage_of(heard.evidence)
    if coverage.broken:
        click.echo("error: some rules cannot be measured; the table says why", err=True)
    warning = PARTIAL if code == ExitCode.INTERRUPTED else BAD if heard.has_bad_tests else ""
    sources = _sources(coverage, project.root)
    _show(coverage, sources if verbose else None, warning)
    wanted = project.act_settings[ACT].coverage
    if json_file:
        data = {**coverage_data(coverage, wanted), **({"warning": warning} if warning else {})}
        atomic_write(json_file, json.dumps(data, indent=2, ensure_ascii=False) + "\n")
    if lcov_file:
        lines = lcov_lines(coverage, lambda file: Path(os.path.relpath(project.root / file)).as_posix())
        atomic_write(lcov_file, "".join(f"{line}\n" for line in lines))
    if html_file:
        atomic_write(html_file, coverage_page(coverage, sources, wanted=wanted, warning=warning))
    return ExitCode.FAILED if code == ExitCode.PASSED and coverage.broken else code


def _show(coverage: Coverage, sources: Mapping[str, Sequence[str]] | None, warning: str) -> None:
    out = SafeOutput(sys.stdout)
    color = wants_color(out.isatty())
    out.write("\n")
    for line in coverage_table(coverage, sources):
        out.write(f"{painted(visible(line.text.expandtabs(4)), line.style, color)}\n")
    out.write(f"\n{total_line(coverage)}\n")
    if warning:
        out.write(f"{painted(f'warning: {warning}', 'known', color)}\n")
    out.flush()


def _sources(coverage: Coverage, root: Path) -> dict[str, list[str]]:
    """The lines of every rule file that can be read."""
    found: dict[str, list[str]] = {}
    for rule in coverage.rules:
        try:
            found[rule.file] = read_text(root / rule.file, limit=RULE_LIMIT).split("\n")
        except InputError:
            continue
    return found
