"""All that a failed outcome has to say, as lines of plain text with a style each, for terminals and CI."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from understudy.core.outcome import Attachment, Failure, Outcome
from understudy.reporting.escaping import visible
from understudy.reporting.wording import value_text

_LINE_WIDTH = 240
_COMMAND_WIDTH = 8_000
_VALUE_LINES = 40
_ATTACHMENT_LINES = 24
# The head of a diff says which side is which, and is no line of either.
_SIDES = ("--- expected", "+++ actual")


class Line(NamedTuple):
    """One line, safe to print. `style` is one of plain, message, minus, plus, hunk, faint, command."""

    style: str
    text: str


def outcome_lines(outcome: Outcome, *, attachments: bool = True) -> Iterator[Line]:
    """The location, every failure, notes, attachments (shortened) and the rerun command of one outcome."""
    if outcome.location:
        yield Line("faint", f"at {visible(str(outcome.location))}")
    if outcome.reason:
        for text in _cut(outcome.reason, _VALUE_LINES):
            yield Line("message", text)
    for number, failure in enumerate(outcome.failures, start=1):
        mark = f"{number}) " if len(outcome.failures) > 1 else ""
        yield from _failure_lines(failure, mark, outcome)
    for note in outcome.notes:
        yield from _labelled("note", note)
    if attachments:
        for attachment in outcome.attachments:
            yield from attachment_lines(attachment)
    if outcome.rerun:
        yield Line("command", f"rerun: {visible(outcome.rerun)}")


def attachment_lines(attachment: Attachment) -> Iterator[Line]:
    """An attachment, indented under its name and shortened in both directions."""
    yield Line("faint", f"{visible(attachment.name)}:")
    # A command is there to be copied, so that its one line is never cut where it is not absurdly long.
    width = _COMMAND_WIDTH if attachment.media_type == "text/x-shellscript" else _LINE_WIDTH
    for text in _cut(attachment.text, _ATTACHMENT_LINES, width):
        yield Line("plain", f"    {text}")


def diff_style(line: str) -> str:
    """How a line of a diff is coloured.

    >>> [diff_style(line) for line in ("--- expected", "- 1", "+ 2", "@@ -1 +1 @@", " 3")]
    ['hunk', 'minus', 'plus', 'hunk', 'plain']
    """
    if line in _SIDES:
        return "hunk"
    return {"-": "minus", "+": "plus", "@": "hunk"}.get(line[:1], "plain")


def _failure_lines(failure: Failure, mark: str, outcome: Outcome) -> Iterator[Line]:
    messages = _cut(failure.message, _VALUE_LINES) or ["(no message)"]
    for index, text in enumerate(messages):
        yield Line("message", (mark if index == 0 else " " * len(mark)) + text)
    indent = " " * len(mark) + "  "
    if failure.location and failure.location != outcome.location:
        yield Line("faint", f"{indent}at {visible(str(failure.location))}")
    if failure.diff:
        for text in _cut(failure.diff, _VALUE_LINES):
            yield Line(diff_style(text), indent + text)
    elif failure.expected is not None or failure.actual is not None:
        for label, style, value in (
            ("expected", "minus", failure.expected),
            ("actual", "plus", failure.actual),
        ):
            lines = _cut(value_text(value), _VALUE_LINES) or ['""']
            if len(lines) == 1:
                yield Line(style, f"{indent}{label}: {lines[0]}")
            else:
                yield Line(style, f"{indent}{label}:")
                yield from (Line(style, f"{indent}    {text}") for text in lines)


def _labelled(label: str, text: str) -> Iterator[Line]:
    lines = _cut(text, _VALUE_LINES) or [""]
    yield Line("plain", f"{label}: {lines[0]}")
    for line in lines[1:]:
        yield Line("plain", " " * (len(label) + 2) + line)


def _cut(text: str, limit: int, width: int = _LINE_WIDTH) -> list[str]:
    """The first lines of a text. The rest is not looked at: there may be thousands of failures."""
    *lines, rest = text.split("\n", limit)
    if len(lines) < limit and rest:
        lines, rest = [*lines, rest], ""
    shown = [
        visible(line[:width].removesuffix("\r"), keep="\t")
        + (f"… ({len(line) - width:,} more)" if len(line) > width else "")
        for line in lines
    ]
    if rest:
        more = rest.count("\n") + (not rest.endswith("\n"))
        shown.append(f"… ({more:,} more line{'s' if more != 1 else ''})")
    return shown
