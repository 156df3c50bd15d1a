"""What a person reads while a run goes on and at its end."""

from __future__ import annotations

import io
import os
import pty
import re
import select
from collections.abc import Iterable

import pytest

from reporting.sample_reports import failed, full_report, hostile_report, outcome, report_of
from understudy.core.events import CaseFinished, CaseStarted, Evidence, RunFinished, RunStarted
from understudy.core.outcome import Attachment, Failure, Known, Location, Outcome, Status
from understudy.core.report import Report
from understudy.reporting.terminal import TerminalReporter


def shown(report: Report, *, verbose: int = 0, color: bool | None = None) -> str:
    out = io.StringIO()
    play(TerminalReporter(out, verbose=verbose, color=color), report)
    return out.getvalue()


def play(reporter: TerminalReporter, report: Report) -> None:
    reporter.handle(RunStarted(report.plan, report.started_at))
    for position, each in enumerate(report.outcomes):
        reporter.handle(CaseStarted(each.id))
        reporter.handle(CaseFinished(each, position))
        reporter.handle(Evidence({"a": 1}))
    reporter.handle(RunFinished(report))


def green(names: Iterable[str]) -> list[Outcome]:
    return [outcome(name) for name in names]


def test_a_log_has_one_line_per_file_and_a_closing_line() -> None:
    report = report_of([*green("abc"), failed("d", file="two.json", known=Known("x"))], duration_ms=812)
    assert shown(report) == (
        "testbed::shop.json: 3 passed\n"
        "testbed::two.json: 1 known failure\n"
        "\n"
        "Known failures\n"
        "  testbed::two.json::d: x\n"
        "\n"
        "3 passed, 1 known failure in 0.8 s\n"
    )


def test_files_whose_cases_run_side_by_side_still_have_one_line_each() -> None:
    report = report_of([outcome(str(number), file=f"{number % 4}.json") for number in range(40)])
    assert [line for line in shown(report).splitlines() if "json" in line] == [
        f"testbed::{number}.json: 10 passed" for number in range(4)
    ]


def test_a_long_file_keeps_its_one_line_while_short_ones_come_and_go() -> None:
    outcomes = []
    for number in range(20):
        outcomes += [outcome(f"long {number}"), outcome("short", file=f"{number}.json")]
    lines = shown(report_of(outcomes)).splitlines()
    assert [line for line in lines if "shop.json" in line] == ["testbed::shop.json: 20 passed"]


def test_there_is_never_more_than_a_line_per_case() -> None:
    outcomes = [outcome(str(number), file=f"{number % 50}.json") for number in range(500)]
    for verbose in (0, 1):
        lines = shown(report_of(outcomes), verbose=verbose).split("Slowest")[0].splitlines()
        assert sum("json" in line for line in lines) <= 500


def test_verbose_has_one_line_per_case_and_the_three_slowest() -> None:
    cases = [
        outcome(name, duration_ms=duration) for name, duration in zip("abcd", (5, 300, 2, 300), strict=True)
    ]
    assert shown(report_of([*cases, failed("e")]), verbose=1).splitlines()[:5] == [
        "passed  testbed::shop.json::a (5.0 ms)",
        "passed  testbed::shop.json::b (300 ms)",
        "passed  testbed::shop.json::c (2.0 ms)",
        "passed  testbed::shop.json::d (300 ms)",
        "failed  testbed::shop.json::e (1.5 ms)",
    ]
    assert shown(report_of(cases), verbose=1).partition("Slowest\n")[2].splitlines()[:4] == [
        "  300 ms testbed::shop.json::b",
        "  300 ms testbed::shop.json::d",
        "  5.0 ms testbed::shop.json::a",
        "",
    ]
    assert "Slowest" not in shown(report_of(cases))


def test_a_failure_says_everything_at_once() -> None:
    case = failed(
        "new item",
        location=Location("items.yaml", 31, 5),
        failures=(
            Failure("status is 500", 201, 500, location=Location("items.yaml", 38, 7)),
            Failure("body differs", {"a": 1}, {"a": 2}, '- "a": 1\n+ "a": 2'),
            Failure("tags differ", ["x"], []),
        ),
        notes=("no status was expected",),
        attachments=(
            Attachment("exchange", "POST / HTTP/1.1\n\n" + "line\n" * 50),
            Attachment("curl", "curl /"),
        ),
        rerun="understudy run --case x",
    )
    lines = "\n".join("  " + line for line in ["line"] * 22)
    assert shown(report_of([case])).partition("Failures\n")[2] == (
        "FAILED testbed::shop.json::new item\n"
        "  at items.yaml:31:5\n"
        "  1) status is 500\n"
        "       at items.yaml:38:7\n"
        "       expected: 201\n"
        "       actual: 500\n"
        "  2) body differs\n"
        '       - "a": 1\n'
        '       + "a": 2\n'
        "  3) tags differ\n"
        "       expected:\n"
        "           [\n"
        '             "x"\n'
        "           ]\n"
        "       actual: []\n"
        "  note: no status was expected\n"
        "  exchange:\n"
        "      POST / HTTP/1.1\n"
        "      \n" + lines.replace("  line", "      line") + "\n"
        "      … (28 more lines)\n"
        "  curl:\n"
        "      curl /\n"
        "  rerun: understudy run --case x\n"
        "\n"
        "1 failed in 0.0 ms\n"
    )


def test_skipped_cases_are_grouped_by_reason() -> None:
    cases = [
        outcome(name, Status.SKIPPED, reason="no runner" if name in "abc" else "not here") for name in "abdc"
    ]
    assert "Skipped\n  3 cases: no runner\n  1 case: not here\n" in shown(report_of(cases))


def test_the_closing_line_says_what_was_not_run() -> None:
    assert shown(full_report()).splitlines()[-1] == (
        "44 passed, 3 failed, 1 errored, 1 known failure, 1 skipped in 0.8 s, shard 2 of 3; "
        "stopped early (interrupted): 13 of 60 cases not run"
    )


def test_what_the_app_printed_is_shown_when_something_failed() -> None:
    app = (Attachment("output of the app", "listening\n"),)
    assert "output of the app:\n    listening\n" in shown(report_of([failed()], attachments=app))
    assert "listening" not in shown(report_of([outcome()], attachments=app))
    assert "listening" in shown(report_of([outcome()], attachments=app), verbose=1)


def test_beyond_two_hundred_failures_the_rest_is_named_only() -> None:
    text = shown(report_of([failed(str(number), f"message {number}.") for number in range(250)]))
    assert "message 199." in text
    assert "message 200." not in text
    assert "FAILED testbed::shop.json::249" in text


@pytest.mark.parametrize("verbose", [0, 1])
def test_control_characters_are_shown_and_never_sent(verbose: int) -> None:
    text = shown(hostile_report(), verbose=verbose)
    assert all(line.isprintable() for line in text.split("\n"))
    assert "\\x1b[31m\\x00" in text


def test_colour_is_for_those_who_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    report = report_of([failed(failures=(Failure("x", diff="- 1\n+ 2"),))])
    colored = shown(report, color=True)
    assert "\x1b[31m    - 1\x1b[0m\n\x1b[32m    + 2\x1b[0m\n" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == shown(report) == shown(report, color=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert shown(report) == colored
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(report)


def terminal_output(report: Report, *, cut: bool = False, **options: int) -> str:
    """What a terminal of 100 columns is sent."""
    master, slave = pty.openpty()
    with open(slave, "w", encoding="utf-8") as stream:
        reporter = TerminalReporter(stream, **options)  # type: ignore[arg-type] # only verbose is passed
        if cut:
            reporter.handle(RunStarted(report.plan, ""))
            reporter.close()
            reporter.close()
        else:
            play(reporter, report)
        stream.flush()
        chunks = []
        while select.select([master], [], [], 0)[0]:
            chunks.append(os.read(master, 65536))
    os.close(master)
    return b"".join(chunks).decode("utf-8", "replace")


def test_on_a_terminal_there_is_a_bar_that_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    sent = terminal_output(report_of(green("abc")))
    assert "0/3" in sent or "3/3" in sent
    assert sent.rfind("\x1b[?25h") > sent.rfind("\x1b[?25l"), "the cursor must come back"
    last = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", sent.replace("\r", "")).rstrip("\n").split("\n")[-1]
    assert last == "3 passed in 0.0 ms"
    assert "shop.json: 3 passed" not in sent


def test_verbose_on_a_terminal_has_lines_and_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    sent = terminal_output(report_of(green("abc")), verbose=1)
    assert "testbed::shop.json::a (1.5 ms)" in sent
    assert "3/3" not in sent


def test_a_run_that_breaks_off_gives_the_cursor_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    sent = terminal_output(report_of(green("abc")), cut=True)
    assert sent.rfind("\x1b[?25h") > sent.rfind("\x1b[?25l") >= 0


def test_a_terminal_report_to_a_closed_pipe_does_not_crash() -> None:
    stream = io.StringIO()
    reporter = TerminalReporter(stream)
    stream.close()
    play(reporter, full_report())


def test_a_terminal_report_in_a_poor_encoding_does_not_crash() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    play(TerminalReporter(stream), report_of([failed("naïve ✓")]))
    assert b"na\\xefve \\u2713" in raw.getvalue()
