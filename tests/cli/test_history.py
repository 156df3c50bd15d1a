"""`understudy history`: past runs, one of them again, one case over time, and what runs say of keeping themselves."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.command import Command, environment, suite_of, understudy
from store.test_runs import keep_series, outcome, report
from testbed.recording_server import Answer, RecordingServer
from understudy.project.history import VARIABLE
from understudy.reporting.json_report import load_report
from understudy.store.reach import reached
from understudy.store.runs import keep_run, kept_runs
from unmeasured import unmeasured

STORE = Path(".understudy/history.sqlite")
TOOK = re.compile(r"\d[\d.]* (?:ms|s|min)\b")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


@pytest.fixture(autouse=True)
def project(server: RecordingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project of two cases, of which b fails."""
    monkeypatch.delenv(VARIABLE, raising=False)
    server.answers.update({"/a": Answer({}), "/b": Answer({}, 500)})
    Path("shop.json").write_text(suite_of(("a", "/a", {"status": 200}), ("b", "/b", {"status": 200})))
    Path("understudy.toml").write_text(
        f'name = "shop"\n[environments.local]\nbase_url = "{server.url}"\n[testbed]\nsuites = ["shop.json"]\n'
    )


A, B = (f"testbed::shop.json::http/{name}/{name}" for name in "ab")


def data_of(command: Command, *arguments: str) -> Any:
    done = command("history", *arguments, "--json", "-")
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_a_run_is_listed_with_what_came_of_it(command: Command) -> None:
    assert command("run").code == 1
    assert command("run", "-k", "http/a/a").code == 0
    done = command("history")
    assert (done.code, done.err) == (0, "")
    head, newest, first = done.out.splitlines()
    assert head.split() == ["run", "started", "(UTC)", "took", "outcome"]
    assert newest.endswith("  1 passed (local; -k http/a/a)")
    assert first.endswith("  1 passed, 1 failed (local)")
    assert len(MOMENT.findall(done.out)) == 2


def test_a_listing_as_json_has_all_of_it(command: Command) -> None:
    command("run", "--seed", "7")
    data = data_of(command)
    (run,) = data["runs"]
    assert data["schema"] == "understudy.history.v1"
    assert data["flaky"] == []
    assert (run["project"], run["environment"], run["summary"]["failed"]) == ("shop", "local", 1)
    assert run["plan"]["seed"] == 7
    command("history", "--json", "h.json")
    assert json.loads(Path("h.json").read_text()) == data


def test_a_run_is_shown_again_as_it_was(command: Command) -> None:
    ran = command("run", "--json", "run.json")
    shown = command("history", "latest", "--json", "again.json", "--html", "again.html")
    assert shown.code == 0
    line, *rest = shown.out.splitlines()
    assert line.startswith("run ")
    assert line.endswith(" UTC (local)")
    # A duration may be rounded another way; all else comes in the same words.
    assert [TOOK.sub("", each) for each in rest] == [TOOK.sub("", each) for each in ran.out.splitlines()]
    assert any("status" in each for each in rest)
    then, now = load_report("run.json"), load_report("again.json")
    assert list(now.outcomes) == list(then.outcomes)
    assert (now.summary, now.plan, now.started_at) == (then.summary, then.plan, then.started_at)
    assert "<html" in Path("again.html").read_text()
    assert f"passed  {A}" in command("history", "latest", "-v").out


def test_a_run_is_found_by_the_beginning_of_its_id(command: Command) -> None:
    command("run")
    command("run", "-k", "http/a/a")
    first = data_of(command)["runs"][1]["id"]
    assert command("history", first[:10]).out.startswith(f"run {first}, ")
    done = command("history", "nothing-like-it")
    assert done.code == 2
    assert "no run that is kept has an id that begins with 'nothing-like-it'" in done.err
    assert "`understudy history` lists the runs that are kept" in done.err


def test_an_id_that_several_runs_begin_with_is_refused_with_all_of_them(command: Command) -> None:
    STORE.parent.mkdir()
    ids = iter(["abc", "abd"])
    with reached(STORE) as store:
        for hours in range(2):
            keep_run(store, report(outcome("a"), hours=hours), "shop", new_id=lambda: next(ids))
    done = command("history", "ab")
    said = "error: several have 'ab' in their id\n  give more of its id; there are\n    abd\n    abc\n"
    assert (done.code, done.err) == (2, said)


def test_a_case_is_shown_over_time(command: Command, server: RecordingServer) -> None:
    command("run")
    server.answers["/b"] = Answer({})
    command("run")
    done = command("history", "--case", B)
    assert done.code == 0
    name, marks, _, newest, first = done.out.splitlines()
    assert name == B
    assert marks.startswith("F.  (oldest first: . passed, F failed")
    assert newest.endswith("passed  local")
    assert "failed  local: " in first
    assert command("history", "--case", "HTTP/B").out == done.out
    data = data_of(command, "--case", B)
    assert [each["verdict"] for each in data["outcomes"]] == ["passed", "failed"]
    assert data["outcomes"][1]["failures"]


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("nothing", "no case that was run has 'nothing' in its id"),
        ("http/", f"several have 'http/' in their id\n  give all of one id; there are\n    {A}\n    {B}\n"),
    ],
)
def test_a_case_that_is_none_or_several_is_refused(command: Command, part: str, said: str) -> None:
    command("run")
    done = command("history", "--case", part)
    assert done.code == 2
    assert said in done.err


def test_flaky_cases_are_seen(command: Command) -> None:
    STORE.parent.mkdir()
    with reached(STORE) as store:
        keep_series(store, {"tiny::flaky": ".F.", "tiny::well": "..."}, "shop", "staging")
    lines = command("history").out.splitlines()
    assert lines[-2].startswith("1 flaky in the last 30 runs (oldest first: . passed, F failed")
    assert lines[-1] == "  .F.  tiny::flaky (bad in 1 of 3, staging)"
    assert data_of(command)["flaky"] == [
        {
            "case": "tiny::flaky",
            "environment": "staging",
            "bad": 1,
            "turns": 2,
            "verdicts": ["passed", "failed", "passed"],
        }
    ]


def test_names_cannot_command_the_terminal(command: Command) -> None:
    STORE.parent.mkdir()
    with reached(STORE) as store:
        nasty = "tiny::\x1b[31m\u202e\nname"
        keep_series(store, {nasty: ".F."}, "shop", "\x1b[1m")
    for arguments in ([], ["--case", "tiny::"], ["latest", "-v"]):
        out = command("history", *arguments).out
        assert "name" in out or not arguments
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_only_the_last_runs_are_listed(command: Command) -> None:
    STORE.parent.mkdir()
    with reached(STORE) as store:
        keep_series(store, {"a": "." * 25}, "shop")
    assert len(command("history").out.splitlines()) == 21
    assert len(command("history", "-n", "3").out.splitlines()) == 4


def test_looking_makes_nothing(command: Command) -> None:
    done = command("history")
    assert (done.code, done.out) == (5, "")
    assert "no run of this project is kept in" in done.err
    assert "`understudy run` keeps one" in done.err
    assert not Path(".understudy").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["latest", "--case", "a"], "contradict each other"),
        (["--html", "h.html"], "--html is the report of one run"),
        (["-n", "0"], "-n"),
        (["--project", "gone"], "no such file or folder"),
        (["--json", "."], "is a directory"),
    ],
    ids=str,
)
def test_what_cannot_be_shown_is_refused(command: Command, arguments: list[str], said: str) -> None:
    done = command("history", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_damaged_history_is_told_by_the_run_and_refused_by_history(command: Command) -> None:
    STORE.parent.mkdir()
    STORE.write_bytes(b"garbage, " * 1000)
    done = command("run", "-k", "http/a/a")
    assert (done.code, "1 passed" in done.out) == (0, True)
    (line,) = done.err.splitlines()
    assert line.startswith("warning: this run is not kept in the history: ")
    assert "is no SQLite database, or is damaged" in line
    assert command("history").code == 2
    assert STORE.read_bytes() == b"garbage, " * 1000


def test_a_run_that_ended_early_is_kept_as_one(command: Command) -> None:
    Path("shop.json").write_text(
        suite_of(("b", "/b", {"status": 200}), ("a", "/a", {"status": 200}), ("c", "/a", {"status": 200}))
    )
    assert command("run", "-x").code == 1
    (run,) = data_of(command)["runs"]
    assert (run["summary"]["total"], run["stopped"]) == (1, "stopped at the first failure (-x)")
    assert "2 of 3 cases not run" in command("history").out


def test_a_run_whose_report_cannot_be_written_is_kept(command: Command, here: Path) -> None:
    (here / "r.json").mkdir()
    assert command("run", "--json", "r.json").code == 2
    assert not STORE.exists()  # it was refused before it began
    (here / "r.json").rmdir()
    (here / "folder").mkdir()
    os.symlink("/dev/full", here / "full")
    assert command("run", "--json", "full").code == 2
    assert len(data_of(command)["runs"]) == 1


def test_the_environment_names_a_store_for_cases_outside_of_a_project(
    server: RecordingServer, tmp_path_factory: pytest.TempPathFactory, here: Path
) -> None:
    folder = tmp_path_factory.mktemp("outside")
    os.rename(here / "shop.json", folder / "shop.json")
    arguments = ["testbed", "run", "shop.json", "--base-url", server.url]
    assert understudy(arguments, folder).code == 1
    assert os.listdir(folder) == ["shop.json"]
    assert understudy(arguments, folder, {VARIABLE: "runs.sqlite"}).code == 1
    with reached(folder / "runs.sqlite") as store:
        assert [run.summary.failed for run in kept_runs(store)] == [1]
    done = understudy(["history"], folder, {VARIABLE: "runs.sqlite"})
    assert done.out.splitlines()[1].endswith("1 passed, 1 failed")


def test_secrets_are_kept_as_little_as_they_are_shown(
    command: Command, server: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "hunter2hunter2")
    server.answers["/b"] = Answer({"token": "hunter2hunter2"}, 500)
    with Path("understudy.toml").open("a") as file:
        file.write('[environments.local.headers]\nAuthorization = {env = "SHOP_TOKEN"}\n')
    command("run")
    assert b"hunter2" not in b"".join(path.read_bytes() for path in STORE.parent.iterdir())
    assert "<secret 1>" in command("history", "latest").out


def test_a_run_imports_no_library_for_its_history(here: Path) -> None:
    program = (
        "import sys\nfrom understudy.cli.main import invoke\ncode = invoke(sys.argv[1:])\n"
        "print(code, *sorted({'sqlalchemy', 'alembic', 'psycopg'} & set(sys.modules)))"
    )
    for arguments in (["run", "-k", "http/a/a"], ["history"], ["history", "latest"]):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            env=unmeasured(**environment()),
            capture_output=True,
            text=True,
            cwd=here,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == "0"
    assert STORE.exists()
