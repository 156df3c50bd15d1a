"""A report for GitHub Actions: annotations beside the code, and a summary in Markdown on the run's page."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import TextIO

from understudy.core.errors import InputError, Problem
from understudy.core.events import Event, RunFinished
from understudy.core.outcome import Location, Outcome
from understudy.core.report import Report
from understudy.reporting.escaping import visible
from understudy.reporting.failure_text import outcome_lines
from understudy.reporting.grouping import kind_of
from understudy.reporting.wording import (
    counts_of,
    duration_in_words,
    in_words,
    kind_in_words,
    shard_in_words,
    shortened,
    stopped_in_words,
)

# GitHub shows ten annotations of a level per step and drops the others without a word.
_ANNOTATIONS = 10
_MESSAGE_LIMIT = 4000
# GitHub refuses a step summary of more than 1 MiB as a whole.
_SUMMARY_LIMIT = 900_000
_EXPIRES_SOON = timedelta(days=14)
_BACKTICKS = re.compile("`+")


class GitHubReporter:
    """Tells GitHub at the end of a run: annotations on `out`, and a section in the step's summary file, if any.

    `folder` is where the project stands in the repository, whose root GitHub looks for files from.
    """

    def __init__(self, out: TextIO, summary_path: str = "", folder: str = "") -> None:
        self._out = out
        self._summary_path = summary_path
        self._folder = folder

    def handle(self, event: Event) -> None:
        """Write if this is the end of the run; what other steps' tools wrote to the summary stays."""
        if not isinstance(event, RunFinished):
            return
        write_annotations(event.report, self._out, self._folder)
        if self._summary_path:
            try:
                with open(self._summary_path, "a", encoding="utf-8", errors="backslashreplace") as file:
                    write_step_summary(event.report, file)
            except OSError as error:
                message = f"the step summary cannot be written: {error.strerror or error}"
                hint = "is GITHUB_STEP_SUMMARY right?"
                raise InputError([Problem(message, self._summary_path, hint=hint)]) from None


def write_annotations(report: Report, out: TextIO, folder: str = "") -> None:
    """Write workflow commands: an error for a failure, a warning for a known one that soon expires, a notice.

    >>> import io
    >>> from understudy.core.report import Summary
    >>> out = io.StringIO()
    >>> write_annotations(Report(Summary(total=2, passed=2), []), out)
    >>> out.getvalue()
    '::notice title=Understudy::2 passed in 0.0 ms\\n'
    """
    errors = warnings = finished = 0
    today = _day(report.started_at)
    for outcome in report.outcomes:
        finished += not outcome.parent
        if outcome.is_bad:
            errors += 1
            if errors <= _ANNOTATIONS:
                message = "\n".join(line.text for line in outcome_lines(outcome, attachments=False))
                out.write(_command("error", outcome.id, message, _location(outcome, folder)))
        elif outcome.known and (left := _days_left(outcome.known.until, today)) is not None:
            warnings += 1
            if warnings <= _ANNOTATIONS:
                message = (
                    f"known failure, tolerated until {outcome.known.until} ({left}): {outcome.known.reason}"
                )
                out.write(_command("warning", outcome.id, message, _location(outcome, folder)))
    parts = [f"{in_words(report.summary)} in {duration_in_words(report.duration_ms)}"]
    parts += filter(None, (shard_in_words(report), stopped_in_words(report, finished)))
    if errors > _ANNOTATIONS:
        parts.append(f"only the first {_ANNOTATIONS} of {errors:,} failures are annotated")
    out.write(_command("notice", "Understudy", "; ".join(parts), None))


def write_step_summary(report: Report, out: TextIO) -> None:
    """Write Markdown for the file that `$GITHUB_STEP_SUMMARY` names; it is kept below what GitHub takes.

    >>> import io
    >>> from understudy.core.report import Summary
    >>> out = io.StringIO()
    >>> write_step_summary(Report(Summary(total=2, passed=2), []), out)
    >>> out.getvalue().splitlines()[0]
    '## Understudy: passed'
    """
    verdict = "passed" if report.summary.is_green and report.summary.has_checked else "failed"
    if report.stopped:
        verdict = "stopped early"
    out.write(f"## Understudy: {verdict}\n\n")
    counts = {kind: count for kind, count in counts_of(report.summary).items() if count}
    out.write(f"**{in_words(report.summary)}** in {duration_in_words(report.duration_ms)}\n")
    if counts:
        out.write(f"\n| {' | '.join(counts)} | total |\n|{' ---: |' * (len(counts) + 1)}\n")
        figures = [f"{count:,}" for count in (*counts.values(), report.summary.total)]
        out.write(f"| {' | '.join(figures)} |\n")
    finished, left, omitted = 0, _SUMMARY_LIMIT, 0
    for outcome in report.outcomes:
        finished += not outcome.parent
        if not outcome.is_bad and outcome.known is None:
            continue
        text = "".join(_section(outcome))
        size = len(text.encode("utf-8", "replace"))
        if size > left:
            omitted += 1
            continue
        left -= size
        out.write(text)
    if omitted:
        out.write(f"\n…and {omitted:,} more, for which there is no room here; see the HTML or JSON report.\n")
    for fact in filter(None, (shard_in_words(report), stopped_in_words(report, finished))):
        out.write(f"\n<blockquote>{html.escape(visible(fact))}</blockquote>\n")


def _section(outcome: Outcome) -> Iterator[str]:
    # Raw HTML, so that nothing in a name is read as Markdown; the fence outlasts every backtick in the text.
    kind = kind_in_words("known", 1)[2:] if kind_of(outcome) == "known" else kind_of(outcome)
    name = html.escape(visible(shortened(outcome.id, 500)))
    yield f"\n<details><summary>{kind}: <code>{name}</code></summary>\n\n"
    if outcome.known:
        until = f", tolerated until {outcome.known.until}" if outcome.known.until else ""
        yield f"<p>{html.escape(visible(shortened(outcome.known.reason + until, 2000)))}</p>\n\n"
    lines = [line.text for line in outcome_lines(outcome)]
    text = shortened("\n".join(lines), 20_000)
    fence = "`" * max(3, 1 + max((len(run) for run in _BACKTICKS.findall(text)), default=0))
    yield f"{fence}diff\n{text}\n{fence}\n\n</details>\n"


def _command(level: str, title: str, message: str, location: Location | None) -> str:
    properties = {"file": "", "line": "", "col": "", "title": title}
    if location:
        properties["file"] = location.file
        properties["line"] = str(location.line or "")
        properties["col"] = str(location.column or "")
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value)
    return f"::{level} {written}::{_data(shortened(message, _MESSAGE_LIMIT))}\n"


def _data(text: str) -> str:
    return visible(text, keep="\n\r").replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _location(outcome: Outcome, folder: str) -> Location | None:
    places = (outcome.location, *(failure.location for failure in outcome.failures))
    place = next((place for place in places if place), None)
    return replace(place, file=posixpath.normpath(posixpath.join(folder, place.file))) if place else None


def _day(moment: str) -> date | None:
    try:
        return datetime.fromisoformat(moment).date()
    except ValueError:
        return None


def _days_left(until: str, today: date | None) -> str | None:
    """How long a known failure is still tolerated, in words; None if that is long or for ever."""
    last = _day(until)
    if last is None or today is None or last - today > _EXPIRES_SOON:
        return None
    days = (last - today).days
    if days < 0:
        return "expired"
    return {0: "the last day", 1: "1 day left"}.get(days, f"{days} days left")
