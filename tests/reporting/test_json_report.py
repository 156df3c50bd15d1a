"""The report on disk is whole, the same bytes every time, and believed only after it was checked."""

from __future__ import annotations

import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import pytest

from reporting.sample_reports import failed, full_report, hostile_report, large_report, outcome, report_of
from understudy.core.errors import InputError
from understudy.core.outcome import Failure
from understudy.core.report import Report
from understudy.reporting.handlers import FORMATS, write_report
from understudy.reporting.json_report import load_report, write_json


def text_of(report: Report) -> str:
    out = io.StringIO()
    write_json(report, out, "1.2.3")
    return out.getvalue()


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Callable[[Any], object]], Path]:
    """A real report in which something was changed."""

    def change(edit: Callable[[Any], object]) -> Path:
        record = json.loads(text_of(full_report()))
        edit(record)
        path = tmp_path / "report.json"
        path.write_text(json.dumps(record))
        return path

    return change


def message_of(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_report(path)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return str(caught.value)


def test_a_report_is_read_back_as_it_was(tmp_path: Path) -> None:
    write_report(full_report(), tmp_path / "r.json", FORMATS["json"])
    assert load_report(tmp_path / "r.json") == full_report()


def test_the_head_comes_first_then_the_outcomes_indented_by_two() -> None:
    text = text_of(full_report())
    assert json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n" == text
    keys = list(json.loads(text))
    assert keys[0] == "schema"
    assert keys[-1] == "outcomes"
    assert json.loads(text)["tool"] == {"name": "understudy", "version": "1.2.3"}


def test_the_order_in_which_evidence_came_does_not_show() -> None:
    one = report_of([], evidence={"a": {"x": 1, "y": 2}, "b": 1})
    other = report_of([], evidence={"b": 1, "a": {"y": 2, "x": 1}})
    assert text_of(one) == text_of(other)


def test_positions_are_written_and_read_back(tmp_path: Path) -> None:
    report = report_of([outcome("a"), outcome("b")], positions=[3, 8])
    write_report(report, tmp_path / "r.json", FORMATS["json"])
    assert [entry["position"] for entry in json.loads((tmp_path / "r.json").read_text())["outcomes"]] == [
        3,
        8,
    ]
    assert load_report(tmp_path / "r.json").positions == [3, 8]


def test_hostile_text_survives_the_way_to_disk_and_back(tmp_path: Path) -> None:
    write_report(hostile_report(), tmp_path / "r.json", FORMATS["json"])
    read, given = list(load_report(tmp_path / "r.json").outcomes), list(hostile_report().outcomes)
    assert [each.id for each in read] == [each.id for each in given]
    assert read[0].notes == given[0].notes


def test_values_that_json_lacks_are_written_as_text() -> None:
    loop: list[Any] = []
    loop.append(loop)
    case = failed(failures=(Failure("x", float("inf"), {"at": Path("a"), "loop": loop, 1: {"one"}}),))
    (failure,) = json.loads(text_of(report_of([case])))["outcomes"][0]["failures"]
    assert failure["expected"] == "inf"
    assert failure["actual"]["at"] == repr(Path("a"))
    assert failure["actual"]["1"] == ["'one'"]


class Nowhere(io.StringIO):
    """Takes every text and keeps none."""

    def write(self, text: str) -> int:
        return len(text)


@pytest.mark.parametrize("name", FORMATS)
def test_memory_stays_flat_whatever_the_number_of_outcomes(name: str) -> None:
    def peak(count: int, out: TextIO) -> int:
        tracemalloc.start()
        try:
            FORMATS[name](large_report(count), out)
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1000, Nowhere())  # so that what is loaded once does not count
    few, many = peak(2000, Nowhere()), peak(12_000, Nowhere())
    assert many - few < 10_000 * 100, f"{(many - few) / 10_000:.0f} bytes were held for each outcome"


@pytest.mark.parametrize(
    ("edit", "problem"),
    [
        (lambda r: r.pop("summary"), 'at /: "summary" is a required property'),
        (lambda r: r["outcomes"][2].update(status="green"), "at /outcomes/2/status: "),
        (lambda r: r["outcomes"][2]["failures"][1].pop("message"), "at /outcomes/2/failures/1: "),
        (lambda r: r["plan"].update(shards="3"), "at /plan/shards: "),
        (lambda r: r["summary"].update(passed=True), "at /summary/passed: "),
        (lambda r: r["outcomes"][0].update(surprise=1), "at /outcomes/0: "),
        (lambda r: r.update(schema="other"), "is no understudy.report.v1 report: its schema is 'other'"),
        (lambda r: r["outcomes"].pop(0), "at /summary: it says 44 passed"),
    ],
)
def test_a_wrong_report_is_refused_with_file_and_path(
    changed: Callable[[Callable[[Any], object]], Path], edit: Callable[[Any], object], problem: str
) -> None:
    assert problem in message_of(changed(edit))


def test_all_that_is_wrong_is_told_together(changed: Callable[[Callable[[Any], object]], Path]) -> None:
    def edit(record: Any) -> None:
        for entry in record["outcomes"]:
            entry["durationMs"] = -1

    assert message_of(changed(edit)).count("durationMs") == 20


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is not JSON"),
        (b"[]", "its schema is 'list'"),
        (b"\x00\x01", "is binary"),
        (b"\xff{}", "is not UTF-8"),
        (b'{"schema": "understudy.report.v1",', "is not JSON"),
        (b"[" * 100_000, "is nested more than 100 levels deep"),
        (
            b'{"schema": "understudy.report.v1", "evidence": ' + b'{"a":' * 200 + b"1" + b"}" * 201,
            "is nested more",
        ),
        (b'{"durationMs": 1e999}', "is too large"),
        (b'{"durationMs": NaN}', "NaN is no JSON number"),
        (b'{"durationMs": ' + b"9" * 5000 + b"}", "is not JSON that we read"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "r.json").write_bytes(content)
    assert problem in message_of(tmp_path / "r.json")


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    assert "does not exist" in message_of(tmp_path / "none.json")
    assert "is a directory" in message_of(tmp_path)
