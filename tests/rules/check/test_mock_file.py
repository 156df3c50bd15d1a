"""A file of mocks: what is an answer, what several of them are, and what is a body."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.check.checked import write
from understudy.core.errors import InputError
from understudy.rules.check.mock_file import MockFile, load_mock_file


def mocks(folder: Path, text: str) -> MockFile:
    return load_mock_file(write(folder, {"m.yaml": text}) / "m.yaml", "m.yaml")


@pytest.mark.parametrize(
    ("value", "answers"),
    [
        ("text", [(200, b"text")]),
        ("{a: 1}", [(200, b'{"a":1}')]),
        ("{}", [(200, b"{}")]),
        ("[]", [(200, b"[]")]),
        ("[{a: 1}]", [(200, b'[{"a":1}]')]),
        ("7", [(200, b"7")]),
        ("", [(200, b"null")]),
        ("{status: 204}", [(204, b"")]),
        ("{body: null}", [(200, b"null")]),
        ("{body: [1], status: 201}", [(201, b"[1]")]),
        ("[{status: 503}, {body: ok}]", [(503, b""), (200, b"ok"), (200, b"ok")]),
        ("{id: 7, name: x, body: y}", [(200, b'{"id":7,"name":"x","body":"y"}')]),
    ],
)
def test_every_value_answers(tmp_path: Path, value: str, answers: list[tuple[int, bytes]]) -> None:
    table = mocks(tmp_path, f"/a: {value}\n").table()
    for status, body in answers:
        answer = table.answer("GET", "https://x.test/a")
        assert (answer.status, answer.body) == (status, body)


def test_headers_are_sent_and_lines_are_known(tmp_path: Path) -> None:
    file = mocks(tmp_path, "# first\n/a: {headers: {Link: next}}\n/b: {optional: true}\n")
    assert file.lines == {"/a": 2, "/b": 3}
    assert file.table().answer("GET", "https://x.test/a").header("link") == "next"
    assert file.table().optional == {"/b"}


def test_every_rule_begins_with_the_first_answer(tmp_path: Path) -> None:
    file = mocks(tmp_path, "/a: [{body: one}, {body: two}]\n")
    assert [file.table().answer("GET", "https://x.test/a").body for _ in range(2)] == [b"one", b"one"]


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        mocks(tmp_path, "/a: {status: no}\n/b: {heders: {}}\n/c: {body: x, headers: 7}\n")
    assert [problem.line for problem in caught.value.problems] == [1, 2, 3]


def test_an_empty_file_has_no_mocks(tmp_path: Path) -> None:
    assert mocks(tmp_path, "").answers == {}
