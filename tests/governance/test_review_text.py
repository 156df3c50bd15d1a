"""What a reviewer reads: everything, on lines of its own, and nothing that looks like something else."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from understudy.governance import ReviewItem, ReviewStatus, display

ITEM = ReviewItem(
    id="review-1",
    item_type="agent_action",
    payload={
        "agent_id": "triage-bot",
        "target_ref": "bundle--1",
        "arguments": {"to": ["ann", {"as": "csv"}], "all": True, "none": {}, "few": []},
    },
    submitter="triage-bot",
    status=ReviewStatus.REJECTED,
    submitted_at=datetime(2026, 1, 1, tzinfo=UTC),
    reviewed_by="ann",
    reason="unknown partner",
    priority="high",
    expires_at=datetime(2026, 1, 1, 1, tzinfo=UTC),
)
SHOWN = """\
review review-1 (agent_action), rejected, priority high
submitter: triage-bot
expires: 2026-01-01T01:00:00.000000+00:00
reviewed by: ann
reason: unknown partner
agent_id: "triage-bot"
target_ref: "bundle--1"
arguments.to[0]: "ann"
arguments.to[1].as: "csv"
arguments.all: true
arguments.none: {}
arguments.few: []"""
HOSTILE = {
    "escapes of a terminal": "\x1b[2K\x1b[1A\x1b]0;owned\x07",
    "control characters": "a\x00\x08\x7f\x9b31m",
    "turned direction": "gpj.\u202eexe\u2066\u2069\u200f",
    "hidden": "ad\u200bmin\ufeff\u2060\u00ad",
    "line breaks": "fine\r\nstatus: approved\u2028approved\u2029\x85\x0b\x0c",
    "half a character": "\ud800",
    "tags": "ok\U000e0041\U000e0042",
    "HTML": "<script>alert(1)</script><!-- ",
}


def test_everything_that_was_asked_and_answered_is_shown() -> None:
    assert display(ITEM) == SHOWN


def test_what_is_not_there_is_not_shown() -> None:
    assert display(ReviewItem("review-1", "export", {}, "bot")) == (
        "review review-1 (export), pending, priority normal\nsubmitter: bot\npayload: {}"
    )


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("field", [field.name for field in fields(ReviewItem) if field.type == "str"])
def test_hostile_text_in_any_field_is_shown_as_escapes_on_its_own_line(field: str, text: str) -> None:
    said: dict[str, Any] = {field: text}
    shown = display(replace(ITEM, **said))

    assert all(line.isprintable() for line in shown.split("\n"))
    assert len(shown.split("\n")) == len(SHOWN.split("\n"))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize(
    "payload",
    [
        lambda text: {text: 1},
        lambda text: {"target_ref": text},
        lambda text: {"arguments": {"deep": [{"deeper": [text, {text: text}]}]}},
    ],
    ids=["key", "value", "deep inside"],
)
def test_hostile_text_anywhere_in_a_payload_is_shown_as_escapes(payload: Any, text: str) -> None:
    shown = display(ReviewItem("review-1", "export", payload(text), "bot"))

    assert all(line.isprintable() for line in shown.split("\n"))


def test_a_key_cannot_pass_for_a_path() -> None:
    shown = display(ReviewItem("r", "export", {"a.b": 1, "a": {"b": 2, 'c": 3': 4, "": 5}}, "bot"))

    assert shown.splitlines()[2:] == ['"a.b": 1', "a.b: 2", 'a."c\\": 3": 4', 'a."": 5']


def test_what_is_cut_says_so() -> None:
    many = {f"argument_{number}": number for number in range(100)}
    long = ReviewItem("r" * 400, "export", {"text": "x" * 400, "many": many}, "bot", reason="y" * 400)
    shown = display(long)

    assert f"{'r' * 300}… (400 characters)" in shown
    assert f"reason: {'y' * 300}… (400 characters)" in shown
    assert f'text: "{"x" * 300}…" (400 characters)' in shown
    assert shown.endswith("many.argument_58: 58\n… and more, which is not shown: look at the payload")


def test_what_is_just_short_enough_is_not_cut() -> None:
    payload = {f"argument_{number}": number for number in range(60)}
    shown = display(ReviewItem("r" * 300, "export", payload, "bot"))

    assert "argument_59: 59" in shown
    assert "…" not in shown


def test_an_enormous_payload_is_shown_in_a_few_lines() -> None:
    payload: dict[str, Any] = {"wide": [list(range(1000))] * 1000}
    deep: Any = "end"
    for _ in range(40):
        deep = {"d": [deep]}
    payload["deep"] = deep

    assert len(display(ReviewItem("r", "export", payload, "bot")).splitlines()) <= 70
    assert "d: [" in display(ReviewItem("r", "export", {"deep": deep}, "bot"))
