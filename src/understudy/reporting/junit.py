"""A report as JUnit XML, in the form that CI servers read: one test suite per file of an act."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TextIO

from understudy.core.outcome import Attachment, Outcome
from understudy.core.report import Report, Summary
from understudy.reporting.escaping import xml_attribute, xml_text
from understudy.reporting.failure_text import outcome_lines
from understudy.reporting.fragments import FragmentFile
from understudy.reporting.grouping import Group, kind_of, place_of
from understudy.reporting.wording import shard_in_words, shortened, stopped_in_words

_ATTACHMENT_LIMIT = 100_000


@dataclass(slots=True)
class _Suite:
    summary: Summary = field(default_factory=Summary)
    duration_ms: float = 0.0
    cases: array[int] = field(default_factory=lambda: array("Q"))


def write_junit(report: Report, out: TextIO) -> None:
    """Write a report as JUnit XML. Known failures count as skipped, with their reason.

    >>> import io
    >>> out = io.StringIO()
    >>> write_junit(Report(Summary(), []), out)
    >>> out.getvalue().splitlines()[1]
    '<testsuites name="understudy" tests="0" failures="0" errors="0" time="0.000">'
    """
    suites: dict[Group, _Suite] = {}
    finished = 0
    # The counts of a suite stand before its cases, and a file's cases need not follow one another.
    with FragmentFile() as fragments:
        for outcome in report.outcomes:
            place = place_of(outcome)
            suite = suites.setdefault(place.group, _Suite())
            suite.summary.add(outcome)
            suite.duration_ms += outcome.duration_ms
            suite.cases.append(fragments.add("".join(_case(outcome, str(place.group), place.name))))
            finished += not outcome.parent
        total = report.summary
        out.write('<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="understudy"')
        out.write(f' tests="{total.total}" failures="{total.failed}" errors="{total.errored}"')
        out.write(f' time="{_seconds(report.duration_ms)}">\n')
        about = _about(report, finished)
        for group, suite in suites.items():
            out.write(_suite_start(str(group), suite, report))
            out.write(about)
            fragments.copy(suite.cases, out)
            out.write("  </testsuite>\n")
        out.write("</testsuites>\n")


def _suite_start(name: str, suite: _Suite, report: Report) -> str:
    counts = suite.summary
    stamp = _timestamp(report.started_at)
    return (
        f'  <testsuite name={xml_attribute(name)} tests="{counts.total}" failures="{counts.failed}"'
        f' errors="{counts.errored}" skipped="{counts.skipped + counts.known}"'
        f' time="{_seconds(suite.duration_ms)}"{stamp}>\n'
    )


def _about(report: Report, finished: int) -> str:
    facts = {
        "seed": str(report.plan.seed),
        "plan": report.plan.fingerprint,
        "selection": report.plan.selection,
        "shard": shard_in_words(report),
        "stopped": stopped_in_words(report, finished),
    }
    lines = [
        f"      <property name={xml_attribute(name)} value={xml_attribute(value)}/>\n"
        for name, value in facts.items()
        if value
    ]
    return "".join(["    <properties>\n", *lines, "    </properties>\n"])


def _case(outcome: Outcome, suite: str, name: str) -> Iterator[str]:
    yield (
        f"    <testcase classname={xml_attribute(suite)} name={xml_attribute(name)}"
        f' time="{_seconds(outcome.duration_ms)}"'
    )
    inside = [*_judgement(outcome), *_output(outcome)]
    if not inside:
        yield "/>\n"
        return
    yield ">\n"
    yield from inside
    yield "    </testcase>\n"


def _judgement(outcome: Outcome) -> Iterator[str]:
    kind = kind_of(outcome)
    if kind == "passed":
        return
    if outcome.known is not None:
        until = f" (until {outcome.known.until})" if outcome.known.until else ""
        yield f"      <skipped message={xml_attribute(f'known failure: {outcome.known.reason}{until}')}/>\n"
    elif kind == "skipped":
        yield f"      <skipped message={xml_attribute(outcome.reason)}/>\n"
    else:
        element = "failure" if kind == "failed" else "error"
        body = "\n".join(line.text for line in outcome_lines(outcome, attachments=False))
        yield f"      <{element} message={xml_attribute(_headline(outcome))} type={xml_attribute(kind)}>"
        yield f"{xml_text(body)}</{element}>\n"


def _headline(outcome: Outcome) -> str:
    messages = [text for text in (outcome.reason, *(failure.message for failure in outcome.failures)) if text]
    if not messages:
        return outcome.status.value
    more = f" (and {len(messages) - 1} more)" if len(messages) > 1 else ""
    return shortened(messages[0], 1000) + more


def _output(outcome: Outcome) -> Iterator[str]:
    notes = [Attachment("note", note) for note in outcome.notes]
    texts = [
        f"{entry.name}:\n{shortened(entry.text, _ATTACHMENT_LIMIT)}"
        for entry in (*notes, *outcome.attachments)
    ]
    if texts:
        joined = "\n\n".join(texts)
        yield f"      <system-out>{xml_text(joined)}</system-out>\n"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:.3f}"


def _timestamp(started_at: str) -> str:
    """The attribute, in the form that schemas ask for: to the second, in UTC, without saying so."""
    try:
        moment = datetime.fromisoformat(started_at)
    except ValueError:
        return ""
    if moment.tzinfo is not None:
        moment = moment.astimezone(UTC)
    return f' timestamp="{moment:%Y-%m-%dT%H:%M:%S}"'
