"""The progress bar of a run on a terminal: how far it is, what it came to, and what is running."""

from __future__ import annotations

from typing import IO, cast

from rich.console import Console, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from understudy.core.report import Summary
from understudy.reporting.escaping import visible
from understudy.reporting.paint import painted
from understudy.reporting.safe_output import SafeOutput
from understudy.reporting.wording import counts_of, shortened

_RUNNING_WIDTH = 60


class LiveProgress:
    """A bar that is drawn over itself and gone when it is closed.

    Cases may end by the ten thousand in a second: an event only changes figures, and they are drawn when the
    terminal is due.
    """

    def __init__(self, output: SafeOutput, total: int, color: bool) -> None:
        self._color = color
        self._total = total
        self._done = 0
        self._summary = Summary()
        self._running: dict[str, None] = {}
        self._latest = ""
        # Set apart so that no environment variable changes its mind: `color` is decided already.
        console = Console(
            file=cast("IO[str]", output),
            force_terminal=True,
            no_color=not color,
            highlight=False,
            markup=False,
        )
        self._live = Live(console=console, get_renderable=self._drawn, transient=True, refresh_per_second=8)
        self._live.start()

    def started(self, case_id: str) -> None:
        """A case is being run."""
        self._running[case_id] = None
        self._latest = case_id

    def finished(self, case_id: str, summary: Summary, done: int) -> None:
        """A case is over; `done` cases of the plan are."""
        self._running.pop(case_id, None)
        self._latest = next(reversed(self._running), "")
        self._summary, self._done = summary, done

    def close(self) -> None:
        """Take the bar off the terminal."""
        self._live.stop()

    def _drawn(self) -> RenderableType:
        counts = " ".join(
            painted(f"{count:,} {kind}", kind, self._color)
            for kind, count in counts_of(self._summary).items()
            if count
        )
        others = len(self._running) - 1
        running = visible(shortened(self._latest, _RUNNING_WIDTH)) + (
            f" and {others} more" if others > 0 else ""
        )
        line = Table.grid(padding=(0, 2), expand=True)
        line.add_column(width=24)
        line.add_column(no_wrap=True)
        line.add_column(no_wrap=True)
        line.add_column(no_wrap=True, overflow="ellipsis", ratio=1, style="dim")
        style = "green" if self._summary.is_green else "red"
        bar = ProgressBar(
            total=self._total or None,
            completed=min(self._done, self._total),
            pulse=not self._total,
            complete_style=style,
            finished_style=style,
        )
        line.add_row(bar, f"{self._done:,}/{self._total:,}", Text.from_ansi(counts), Text(running))
        return line
