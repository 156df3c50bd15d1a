"""A report file is written when the run ends: whole, or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

import pytest

from reporting.sample_reports import full_report, outcome
from understudy.core.errors import InputError
from understudy.core.events import CaseFinished, RunFinished
from understudy.core.report import Report
from understudy.reporting.handlers import FORMATS, FileReport


def test_the_file_is_written_at_the_end_of_the_run_and_its_folder_made(tmp_path: Path) -> None:
    path = tmp_path / "out" / "deep" / "report.txt"
    handler = FileReport(path, lambda report, out: print(report.summary.total, file=out))
    handler.handle(CaseFinished(outcome()))
    assert not path.exists()
    handler.handle(RunFinished(full_report()))
    assert path.read_text() == "50\n"


def test_a_report_that_cannot_be_written_to_its_end_leaves_the_old_one(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")

    def write(report: Report, out: TextIO) -> None:
        out.write("half")
        raise RuntimeError("boom")

    with pytest.raises(RuntimeError):
        FileReport(path, write).handle(RunFinished(full_report()))
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["old"]


def test_a_folder_that_cannot_be_made_is_an_error_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/report\.json: the folder for the report cannot be made"):
        FileReport(tmp_path / "file" / "report.json", FORMATS["json"]).handle(RunFinished(full_report()))


@pytest.mark.parametrize(
    ("name", "start"), [("json", "{\n"), ("junit", "<?xml "), ("html", "<!DOCTYPE html>")]
)
def test_every_format_is_in_the_table(tmp_path: Path, name: str, start: str) -> None:
    FileReport(tmp_path / "report", FORMATS[name]).handle(RunFinished(full_report()))
    assert (tmp_path / "report").read_text().startswith(start)


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_report_gives_the_same_bytes(tmp_path: Path, name: str) -> None:
    for file in ("a", "b"):
        FileReport(tmp_path / file, FORMATS[name]).handle(RunFinished(full_report()))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
