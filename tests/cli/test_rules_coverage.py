"""`understudy rules coverage`: what it shows and writes, and how it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from cli.command import Command, Done
from rules.coverage.sample_folder import BROKEN, TESTS, write_sample

ISSUES_FILE, UNTESTED_FILE, VISIBILITY_FILE = (
    "rules/issues.yaml",
    "rules/untested.rego",
    "rules/visibility.yaml",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return write_sample(tmp_path)


@pytest.fixture
def coverage(capsys: pytest.CaptureFixture[str]) -> Any:
    command = Command(capsys)

    def run(*arguments: str | Path) -> Done:
        return command("rules", "coverage", "--dir", "rules", *arguments)

    return run


def test_the_table_says_of_every_rule_what_is_missing(folder: Path, coverage: Any) -> None:
    done = coverage()
    assert done.code == 0
    table = done.out[done.out.index("rule file") :]
    assert table.splitlines() == [
        "rule file              lines   jq  reached  missing",
        "rules/issues.yaml          -  1/2      50%  jq at 12",
        "rules/untested.rego      0/1    -       0%  no test evaluates it; 9",
        "rules/visibility.yaml    5/6    -    83.3%  22",
        "total                    5/7  1/2    66.6%",
        "hint: rules/issues.yaml:10: this jq assertion always failed: no test shows that it can hold",
        "",
        "coverage: 6 of 9 lines and assertions of 3 rule files were reached (66.6%)",
    ]
    verbose = coverage("-v")
    assert "     22            count(input.ingested.topics) > 2" in verbose.out


def test_figures_are_written_as_json_lcov_and_a_page(folder: Path, coverage: Any) -> None:
    written = folder.parent / "written"
    done = coverage("--json", written / "c.json", "--lcov", written / "c.info", "--html", written / "c.html")
    assert done.code == 0
    data = json.loads((written / "c.json").read_text("utf-8"))
    assert data["schema"] == "understudy.coverage.v1"
    assert data["summary"] == {"reached": 6, "total": 9, "percent": 66.67}
    files = {file["file"]: file for file in data["files"]}
    assert files[VISIBILITY_FILE]["missedLines"] == [22]
    assert files[VISIBILITY_FILE]["reachedLines"] == [16, 18, 21, 24, 25]
    assert files[VISIBILITY_FILE]["evaluations"] == 2
    assert files[ISSUES_FILE]["assertions"] == [
        {"index": 0, "line": 10, "held": False, "failed": True},
        {"index": 1, "line": 12, "held": False, "failed": False},
    ]
    assert (files[UNTESTED_FILE]["evaluations"], files[UNTESTED_FILE]["missedLines"]) == (0, [9])
    records = (written / "c.info").read_text("utf-8").split("end_of_record\n")
    assert records[2].splitlines() == [
        "TN:",
        f"SF:{VISIBILITY_FILE}",
        *("DA:16,1", "DA:18,1", "DA:21,1", "DA:22,0", "DA:24,1", "DA:25,1"),
        "LF:6",
        "LH:5",
    ]
    page: Any = html.document_fromstring((written / "c.html").read_text("utf-8"))
    assert page.xpath("//h1//text()")[-1] == "66.6%"
    missed = page.xpath("//tr[@class='missed']")
    assert [row.xpath("string(td[@class='at'])") for row in missed] == ["12", "9", "22"]
    assert 'violations contains {"msg": "<none>"}' in missed[1].text_content()
    assert "never compared" in missed[0].text_content()
    assert "always failed" in page.text_content()
    links = page.xpath("//a[starts-with(@href, '#')]/@href")
    assert links
    assert all(page.xpath(f"//*[@id='{link[1:]}']") for link in links)


def test_the_same_run_writes_the_same_bytes(folder: Path, coverage: Any) -> None:
    pages = []
    for name in ("one", "two"):
        coverage("--json", f"{name}.json", "--html", f"{name}.html", "--concurrency", "2")
        pages.append(Path(f"{name}.json").read_bytes() + Path(f"{name}.html").read_bytes())
    assert pages[0] == pages[1]


@pytest.mark.parametrize(("threshold", "code"), [("66.6", 0), ("66.7", 1), ("100", 1)])
def test_a_threshold_that_is_missed_fails(folder: Path, coverage: Any, threshold: str, code: int) -> None:
    done = coverage("--threshold", threshold, "--json", "c.json")
    assert done.code == code
    assert json.loads(Path("c.json").read_text())["summary"]["wanted"] == float(threshold)
    assert ("FAILED rules::rules::coverage" in done.out) is bool(code)
    assert "warning" not in done.out


def test_a_test_that_fails_makes_the_figures_a_warning_and_the_command_fail(
    folder: Path, coverage: Any
) -> None:
    (folder / "a.star").write_text(TESTS.replace('"pass")', '"skip")'))
    done = coverage("--json", "c.json", "--html", "c.html")
    assert done.code == 1
    assert done.out.rstrip().endswith(
        "warning: some tests did not pass: what they would have reached may be missing"
    )
    assert "some tests did not pass" in json.loads(Path("c.json").read_text())["warning"]
    assert "some tests did not pass" in Path("c.html").read_text()


def test_a_rule_that_cannot_be_measured_is_named_and_fails(folder: Path, coverage: Any) -> None:
    (folder / "broken.rego").write_text(BROKEN)
    done = coverage("--json", "c.json")
    assert done.code == 1
    assert re.search(r"^rules/broken.rego .* cannot be measured: rules/broken.rego:9:29: ", done.out, re.M)
    assert "some rules cannot be measured" in done.err
    broken = json.loads(Path("c.json").read_text())["files"][0]
    assert (broken["file"], broken["total"]) == ("rules/broken.rego", 0)
    assert "is not valid Rego" in broken["broken"]


def test_a_file_that_is_named_itself_is_measured_by_the_rules_that_it_evaluates(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = Command(capsys)("rules", "coverage", "rules/a.star")
    assert done.code == 0
    assert UNTESTED_FILE not in done.out
    assert "coverage: 6 of 8 lines and assertions of 2 rule files" in done.out


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--dir", "nowhere"], 2, "no such file or folder"),
        (["--dir", "empty"], 5, "no case was found"),
        (["--dir", "rules", "--html", "."], 2, "is a directory"),
        (["--dir", "rules", "--threshold", "101"], 2, "101"),
        ([], 2, "no understudy.toml"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, words: str
) -> None:
    Path("empty").mkdir()
    done = Command(capsys)("rules", "coverage", *arguments)
    assert (done.code, words in done.err) == (code, True), done.err
