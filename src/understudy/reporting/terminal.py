"""A run on a terminal or in a log: what is happening while it runs, and what came of it at the end."""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, TextIO

from understudy.core.events import CaseFinished, CaseStarted, Event, RunFinished, RunStarted
from understudy.core.outcome import Outcome, Status
from understudy.core.report import Report, Summary
from understudy.reporting.escaping import visible
from understudy.reporting.failure_text import attachment_lines, outcome_lines
from understudy.reporting.grouping import Group, kind_of, place_of
from understudy.reporting.paint import can_redraw, painted, wants_color
from understudy.reporting.safe_output import SafeOutput
from understudy.reporting.wording import (
    cases_in_words,
    counts_of,
    duration_in_words,
    in_words,
    kind_in_words,
    shard_in_words,
    shortened,
    stopped_in_words,
)

if TYPE_CHECKING:
    from understudy.reporting.progress import LiveProgress

# Cases of several files may run side by side; so many files are kept open to have one line each in the end.
_OPEN_GROUPS = 4
_IN_FULL = 200
_NAME_LIMIT = 300
_SLOWEST = 3


class TerminalReporter:
    """Follows a run: a bar on a terminal, else a line per file or (`verbose`) case; failures at the end.

    >>> import io
    >>> out = io.StringIO()
    >>> reporter = TerminalReporter(out)
    >>> reporter.handle(RunFinished(Report(Summary(), [])))
    >>> out.getvalue()
    'no cases in 0.0 ms\\n'
    """

    def __init__(
        self, out: TextIO, *, color: bool | None = None, progress: bool | None = None, verbose: int = 0
    ) -> None:
        self._out = SafeOutput(out)
        self._color = wants_color(self._out.isatty()) if color is None else color
        # With -v there is a line per case, which a bar would only get in the way of.
        self._wants_bar = (can_redraw(self._out.isatty()) and not verbose) if progress is None else progress
        self._verbose = verbose
        self._bar: LiveProgress | None = None
        self._summary = Summary()
        self._done = 0
        self._has_written = False
        self._open: OrderedDict[Group, Summary] = OrderedDict()

    def handle(self, event: Event) -> None:
        """Show one event."""
        match event:
            case RunStarted():
                self._start(event)
            case CaseStarted():
                if self._bar:
                    self._bar.started(event.case_id)
            case CaseFinished():
                self._finish(event.outcome)
            case RunFinished():
                self.close()
                self._conclude(event.report)
                self._out.flush()
            case _:
                pass

    def close(self) -> None:
        """Take the bar off and give the cursor back, however the run ended. May be called twice."""
        if self._bar:
            self._bar.close()
            self._bar = None

    def _start(self, event: RunStarted) -> None:
        if self._wants_bar and not self._out.is_gone:
            from understudy.reporting.progress import LiveProgress

            self._bar = LiveProgress(self._out, event.plan.cases, self._color)

    def _finish(self, outcome: Outcome) -> None:
        self._summary.add(outcome)
        self._done += not outcome.parent
        if self._bar:
            self._bar.finished(outcome.id, self._summary, self._done)
        elif self._verbose:
            name = visible(shortened(outcome.id, _NAME_LIMIT))
            status = self._paint(f"{kind_of(outcome):<7}", kind_of(outcome))
            self._line(f"{status} {name} ({duration_in_words(outcome.duration_ms)})")
            self._out.flush()  # whoever follows a log wants to see where it hangs
        elif not self._wants_bar:
            group = place_of(outcome).group
            self._open.setdefault(group, Summary()).add(outcome)
            self._open.move_to_end(group)
            if len(self._open) > _OPEN_GROUPS:
                self._group_line(*self._open.popitem(last=False))

    def _group_line(self, group: Group, summary: Summary) -> None:
        name = visible(shortened(str(group), _NAME_LIMIT))
        self._line(f"{name}: {self._counts(summary)}")
        self._out.flush()

    def _conclude(self, report: Report) -> None:
        while self._open:
            self._group_line(*self._open.popitem(last=False))
        bad = finished = 0
        known: list[str] = []
        skipped: Counter[str] = Counter()
        for outcome in report.outcomes:
            finished += not outcome.parent
            if outcome.is_bad:
                bad += 1
                self._failure(outcome, bad)
            elif outcome.known:
                until = f" (until {outcome.known.until})" if outcome.known.until else ""
                known.append(f"{outcome.id}: {outcome.known.reason}{until}")
            elif outcome.status is Status.SKIPPED:
                skipped[outcome.reason or "no reason given"] += 1
        self._run_output(report)
        if known:
            self._section("Known failures", "known")
            for text in known:
                self._line(f"  {visible(shortened(text, 1000))}")
        if skipped:
            self._section("Skipped", "skipped")
            for reason, number in sorted(skipped.items(), key=lambda entry: (-entry[1], entry[0])):
                self._line(f"  {cases_in_words(number)}: {visible(shortened(reason, 1000))}")
        if self._verbose:
            self._slowest(report)
        self._closing(report, finished)

    def _failure(self, outcome: Outcome, number: int) -> None:
        if number == 1:
            self._section("Failures", "title")
        kind = kind_of(outcome)
        title = self._paint(f"{kind.upper()} {visible(shortened(outcome.id, _NAME_LIMIT))}", kind)
        if number > _IN_FULL:
            if number == _IN_FULL + 1:
                self._line("")
                self._line(f"(more than {_IN_FULL} failures: the rest by name; --html FILE has all in full)")
            self._line(title)
            return
        self._line("" if number > 1 else None)
        self._line(title)
        for line in outcome_lines(outcome):
            self._line(self._paint(f"  {line.text}", line.style))

    def _run_output(self, report: Report) -> None:
        """What belongs to the whole run is of interest when something went wrong, or when the user asked."""
        if report.summary.is_green and not report.stopped and not self._verbose:
            return
        for attachment in report.attachments:
            self._line("")
            for line in attachment_lines(attachment):
                self._line(self._paint(line.text, line.style))

    def _slowest(self, report: Report) -> None:
        # The number breaks ties, so that equally slow cases come in the order of the plan.
        entries = ((o.duration_ms, -number, o.id) for number, o in enumerate(report.outcomes))
        slowest = heapq.nlargest(_SLOWEST, entries)
        if slowest:
            self._section("Slowest", "heading")
        for duration, _, case in slowest:
            self._line(f"  {duration_in_words(duration)} {visible(shortened(case, _NAME_LIMIT))}")

    def _closing(self, report: Report, finished: int) -> None:
        counts = self._counts(report.summary) if report.summary.total else in_words(report.summary)
        text = f"{counts} in {duration_in_words(report.duration_ms)}"
        if shard := shard_in_words(report):
            text += f", {shard}"
        if stopped := stopped_in_words(report, finished):
            text += f"; {visible(stopped)}"
        if self._has_written:
            self._line("")
        self._line(text)

    def _section(self, title: str, style: str) -> None:
        if self._has_written:
            self._line("")
        self._line(self._paint(title, style))

    def _counts(self, summary: Summary) -> str:
        return ", ".join(
            self._paint(kind_in_words(kind, count), kind)
            for kind, count in counts_of(summary).items()
            if count
        )

    def _paint(self, text: str, style: str) -> str:
        return painted(text, style, self._color)

    def _line(self, text: str | None) -> None:
        if text is not None:
            self._out.write(f"{text}\n")
            self._has_written = True
