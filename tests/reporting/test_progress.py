"""The bar shows how far a run is, what it came to, and what is running."""

from __future__ import annotations

import io
import re

import pytest

from understudy.core.report import Summary
from understudy.reporting.progress import LiveProgress
from understudy.reporting.safe_output import SafeOutput


def test_the_bar_shows_counts_and_what_is_running(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    stream = io.StringIO()
    bar = LiveProgress(SafeOutput(stream), 20, color=False)
    bar.started("testbed::a.json::one")
    bar.started("testbed::a.json::two\x1b[31m")
    bar.finished("testbed::a.json::one", Summary(total=1, failed=1), 1)
    bar.started("testbed::a.json::three")
    bar.close()
    drawn = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", stream.getvalue())
    assert "1/20" in drawn
    assert "1 failed" in drawn
    assert "testbed::a.json::three and 1 more" in drawn
    assert "\x1b[31m" not in stream.getvalue()
