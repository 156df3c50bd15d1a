"""Suite files as a project runs them: where a case stands is known for every case, at the cost of one reading."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from understudy.core.outcome import Location
from understudy.testbed.suite_file import SuiteFile, read_suite_file

SUITE = """\
{"schema": "anvil.testbed.v1",
 "http": {"routes": [
   {"operation": "a", "path": "/a", "cases": [
     {"name": "one"},
     {"name": "two"}]},
   {"operation": "b", "path": "/b"},
   {"operation": "c", "path": "/c", "cases": [{"name": "three"},   {"name": "four"}]}]},
 "graphql": {"endpoints": [{"name": "shop", "path": "/graphql", "cases": [
     {"name": "five", "input": {"query": "{a}"}}]}]}}
"""
PLACES = {"one": (4, 6), "two": (5, 6), "three": (7, 47), "four": (7, 68), "five": (9, 6)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "suite.json"
    path.write_text(SUITE)
    return path


def locations(file: SuiteFile) -> dict[str, Location]:
    return {slot.name: file.location(slot, "s.json") for holder in file.holders for slot in holder.slots}


def test_every_case_knows_its_line_and_column(path: Path) -> None:
    expected = {name: Location("s.json", line, column) for name, (line, column) in PLACES.items()}
    assert locations(read_suite_file(path)) == expected


def test_the_places_of_all_cases_are_found_by_one_reading(path: Path) -> None:
    # A file read once for every failure takes hours when all of a large suite fails.
    file = read_suite_file(path)
    first = file.holders[0].slots[0]
    assert file.location(first, "s.json").line == 4
    path.unlink()
    assert [location.line for location in locations(file).values()] == [4, 5, 7, 7, 9]


@pytest.mark.parametrize("text", ["{", "", SUITE.replace('"one"', '"another"'), json.dumps({"http": {}})])
def test_a_file_that_was_changed_since_it_was_checked_gives_no_wrong_lines(path: Path, text: str) -> None:
    file = read_suite_file(path)
    path.write_text(text)
    assert set(locations(file).values()) == {Location("s.json")}


def test_a_file_that_is_gone_gives_its_name_alone(path: Path) -> None:
    file = read_suite_file(path)
    path.unlink()
    assert set(locations(file).values()) == {Location("s.json")}


@pytest.mark.parametrize("name", ["half \ud800 of a pair", "9" * 4000])
def test_every_case_that_was_checked_can_be_read_again(path: Path, name: str) -> None:
    body = '{"n": ' + "9" * 4000 + "}"
    path.write_text(SUITE.replace('"one"', json.dumps(name) + ', "input": {"body": ' + body + "}"))
    slot = read_suite_file(path).holders[0].slots[0]
    case = slot.item().case
    assert (case.name, case.input.body) == (name, {"n": int("9" * 4000)})
