"""What a failure says: the exact exchange, a curl line that repeats it, its place, and nothing that GitHub obeys."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from e2e.small_project import SmallProject, case
from testbed.recording_server import Answer

EVIL = "\n::add-mask::passed\n  ::set-env name=PATH::/evil\n##[add-path]/evil\n::stop-commands::\n"


@pytest.fixture
def failing(small: SmallProject) -> SmallProject:
    small.project()
    small.suite(
        {
            "operation": "make",
            "method": "POST",
            "path": "/things",
            "cases": [
                case(
                    "makes",
                    201,
                    input={"query": {"a b": "c&d'"}, "headers": {"X-T": "it's"}, "body": {"n": "é'"}},
                )
            ],
        }
    )
    small.server.answers["/things"] = Answer({"n": 1}, 200, {"X-Back": "yes"})
    return small


def test_a_failure_shows_the_exact_exchange(failing: SmallProject) -> None:
    result = failing.run("--json", str(failing.path("report.json")))
    (outcome,) = failing.report()["outcomes"]
    exchange, curl = outcome["attachments"]
    assert (exchange["name"], exchange["mediaType"]) == ("exchange", "message/http")
    for part in (
        "POST",
        "/things?a+b=c%26d%27",
        "X-T: it's",
        '"n": "é\'"',
        "200 OK",
        "x-back: yes",
        '"n": 1',
    ):
        assert part.lower() in exchange["text"].lower(), part
        assert part.lower() in result.out.lower(), part
    assert curl["name"] == "curl"
    assert curl["text"].strip() in result.out
    assert outcome["failures"][0]["location"]["file"] == "suite.json"
    assert (outcome["failures"][0]["expected"], outcome["failures"][0]["actual"]) == (201, 200)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_line_sends_the_same_request_again(failing: SmallProject) -> None:
    failing.run("--json", str(failing.path("report.json")))
    line = failing.report()["outcomes"][0]["attachments"][1]["text"]
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=30, check=True)
    assert "200 OK" in done.stdout
    first, second = failing.server.seen
    assert (first.method, first.target, first.body) == (second.method, second.target, second.body)
    for name in ("x-t", "content-type", "user-agent"):
        assert first.headers[name] == second.headers[name]


def commands(printed: str) -> list[str]:
    """The lines that GitHub would obey: what looks like a command and is not between stop and resume."""
    obeyed: list[str] = []
    token = ""
    for line in printed.splitlines():
        text = line.strip()
        if token:
            token = "" if text == f"::{token}::" else token
        elif text.startswith("::stop-commands::"):
            token = text.removeprefix("::stop-commands::")
        elif text.startswith("::") or "##[" in text:
            obeyed.append(text)
    assert not token, "commands were never resumed"
    return obeyed


@pytest.mark.parametrize("github", [["--github"], []])
def test_a_response_cannot_command_github(
    failing: SmallProject, github: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not github:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
    failing.server.answers["/things"] = Answer(EVIL, 500)
    failing.project(testbed='scripts = ["more.yaml"]')
    failing.write(
        "more.yaml",
        "http:\n  - {operation: make, name: s, expect: {status: 500, headers: {content-type: x}, "
        'bodyContains: ["::error::mine"]}}\n',
    )
    result = failing.run(*github, "--update", "--yes", "-v")
    assert result.code == 1
    assert "add-mask::passed" in result.out
    assert [re.split(r"[ :]", line)[2] for line in commands(result.out)] == ["error", "notice"]
    tokens = re.findall(r"^::stop-commands::(\w+)$", result.out, re.M)
    assert len(set(tokens)) == len(tokens) == 2
    assert all(len(token) == 32 for token in tokens)


def test_a_merged_report_cannot_command_github_either(
    failing: SmallProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing.server.answers["/things"] = Answer(EVIL, 500)
    files = [str(failing.path(f"shard{index}.json")) for index in (1, 2)]
    for index, file in enumerate(files, start=1):
        failing.run("--shard", f"{index}/2", "--json", file)
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(failing.path("summary.md")))
    merged = failing.command("merge", *files)
    assert merged.code == 1
    assert "add-mask::passed" in merged.out
    assert [re.split(r"[ :]", line)[2] for line in commands(merged.out)] == ["error", "notice"]
    assert "http/make/makes" in failing.read("summary.md")


@pytest.mark.parametrize("workspace", ["..", "."])
def test_an_annotation_names_the_file_as_the_repository_does(
    failing: SmallProject, workspace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(failing.folder / workspace))
    result = failing.run("--github")
    file = "project/suite.json" if workspace == ".." else "suite.json"
    assert f"::error file={file},line=" in result.out
    assert "at suite.json:" in result.out


def test_without_github_nothing_is_wrapped(failing: SmallProject) -> None:
    assert "stop-commands" not in failing.run().out


def test_a_report_that_cannot_be_written_costs_no_other_report(failing: SmallProject) -> None:
    """What is wrong from the start is told at once; that a disk is full shows only at the end."""
    result = failing.run("--json", "/dev/full", "--html", str(failing.path("report.html")))
    assert result.code == 2
    assert "/dev/full: cannot be written: No space left on device" in result.err
    assert "1 failed" in result.out
    assert "http/make/makes" in failing.read("report.html")
    failing.server.seen.clear()
    assert failing.run("--rerun-failed").code == 1
    assert failing.asked == ["things"]
