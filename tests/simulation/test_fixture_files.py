"""Fixture files: JSON as a whole, JSONL by the line, and what is broken is told with file and line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector, fixture_files, load_fixtures

ONE = {"type": "tool", "id": "tool--1", "name": "é"}
TWO = {"type": "tool", "id": "tool--2"}


def problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_fixtures(path)
    return [str(problem).removeprefix(str(path)) for problem in caught.value.problems]


@pytest.mark.parametrize("name", ["a.json", "a.stix", "A.STIX2", "a.taxii", "a.jsonl", "a.ndjson"])
def test_files_are_read_by_what_their_name_says(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    by_line = name.endswith(("l", "ndjson"))
    text = "\n".join(map(json.dumps, (ONE, TWO))) if by_line else json.dumps([ONE, TWO])
    file.write_text(text, encoding="utf-8")
    assert load_fixtures(file) == load_fixtures(str(file)) == [ONE, TWO]


def test_a_line_may_be_empty_end_in_any_way_and_hold_a_bundle(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    bundle = {"type": "bundle", "objects": [TWO]}
    lines = ["\ufeff" + json.dumps(ONE, ensure_ascii=False), "", "  ", json.dumps(bundle)]
    file.write_bytes("\r\n".join(lines).encode())
    assert load_fixtures(file) == [ONE, TWO]


def test_the_broken_line_of_a_long_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "feed.jsonl"
    lines = [f'{{"type": "tool", "id": "tool--{number}"}}' for number in range(50_000)]
    lines[39_999] = '{"type": "tool", "id": "tool--39999"'
    file.write_text("\n".join(lines))
    [problem] = problems(file)
    assert problem.startswith(":40000:37: is not valid JSON: a ',' is missing, or a bracket that closes")
    connector = SimulationConnector()
    with pytest.raises(InputError, match=":40000:37:"):
        connector.add_fixture(file)
    assert connector.list_objects() == []


def test_the_broken_line_of_a_json_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "feed.json"
    lines = [f'{{"type": "tool", "id": "tool--{number}"}},' for number in range(50_000)]
    lines[39_998] = '{"type": "tool", "id": tool--39999},'
    file.write_text("[\n" + "\n".join(lines) + "\n{}]")
    [problem] = problems(file)
    assert problem.startswith(":40000:24: is not valid JSON: a value is missing")


def test_all_broken_lines_are_told(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a": 1}\n{"a": }\n5\n{"a": NaN}\n{"a": 1, "a": 2}\n"\xff"\n[{"b": 1}, 7]\n')
    found = problems(file)
    assert [problem.split(" ")[0] for problem in found] == [":2:7:", ":3", ":4:7:", ":5:10:", ":6:", ":7[1]"]
    assert found[1] == ":3 is 5, and no object " + found[1].partition("no object ")[2]
    assert found[4] == ":6: byte 2 of the line is no UTF-8 (save the file as UTF-8)"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.json", b"", ":1:1: is empty"),
        ("a.json", b"[" * 200_000, "is nested more than 100 levels deep"),
        ("a.jsonl", b'{"a": ' + b"[" * 200_000, ":1:106: is nested more than 100 levels deep"),
        ("a.json", b"\xff\xfe[", "UTF-8"),
        ("a.csv", b"type,id", ": this is no file of fixtures by its name (it has to end in .json"),
        ("a.jsonl.gz", b"\x1f\x8b", ": this is no file of fixtures by its name"),
    ],
)
def test_what_is_no_fixture_file_is_refused(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    assert message in "\n".join(problems(file))


@pytest.mark.parametrize(
    "name", ["x" * 5000 + ".json", "x" * 5000 + ".jsonl", "a\0b.json", "a\0b.jsonl", "a\0b"]
)
def test_what_cannot_be_a_path_is_told(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        load_fixtures(tmp_path / name)
    assert "File name too long" in str(caught.value) or "is no usable path: embedded null byte" in str(
        caught.value
    )
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("name", ["gone.json", "gone.jsonl", "gone.csv", "gone"])
def test_a_file_that_is_not_there_is_told(tmp_path: Path, name: str) -> None:
    [problem] = problems(tmp_path / name)
    assert "No such file" in problem or "does not exist" in problem


def test_a_folder_is_no_fixture(tmp_path: Path) -> None:
    assert problems(tmp_path) == [": a folder is no fixture (give the files in it)"]


def test_a_line_without_end_is_refused_before_it_is_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixture_files, "LINE_LIMIT", 1000)
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps(ONE) + "\n" + " " * 5000 + json.dumps(TWO))
    assert problems(file) == [
        ":2: the line has more than 1,000 bytes (every object stands on a line of its own)"
    ]


def test_an_invalid_object_of_a_file_is_named_by_its_line(tmp_path: Path) -> None:
    valid: dict[str, Any] = {
        "type": "tool", "spec_version": "2.1", "id": "tool--00000000-0000-4000-8000-000000000001", "name": "nmap",
        "created": "2026-01-01T00:00:00.000Z", "modified": "2026-01-01T00:00:00.000Z",
    }  # fmt: skip
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, [valid, {**valid, "name": 5}, valid, {**valid, "nmae": "x"}])))
    with pytest.raises(InputError) as caught:
        SimulationConnector(file, validate="strict")
    assert [str(problem).removeprefix(str(file)) for problem in caught.value.problems] == [
        f":2 ({valid['id']}): $.name is 5, and has to be a text",
        f":4 ({valid['id']}): $.nmae is no property of tool",
    ]
