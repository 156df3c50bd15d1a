"""What the exit code of a command says."""

from __future__ import annotations

from enum import IntEnum

import click

from understudy.core.report import Report


class ExitCode(IntEnum):
    """One meaning each; scripts and CI rely on them."""

    PASSED = 0
    FAILED = 1
    WRONG_INPUT = 2
    DEFECT = 3
    NO_CASE = 5
    INTERRUPTED = 130


def verdict(report: Report) -> ExitCode:
    """The exit code of a run that came to its end; one that checked nothing must not look like one that passed.

    A shard alone may have nothing but skipped cases: what that means, `understudy merge` says of the whole.
    """
    summary = report.summary
    if not summary.has_checked and report.plan.shards == 1:
        nothing = (
            "every case was skipped, so nothing was checked; each says why"
            if summary.total
            else "no case was found"
        )
        click.echo(f"error: {nothing}", err=True)
        return ExitCode.NO_CASE
    return ExitCode.PASSED if summary.is_green else ExitCode.FAILED
