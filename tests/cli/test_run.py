"""`understudy run` and `understudy testbed run`: what is listed, run and remembered, and how they exit."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from cli.command import UNDERSTUDY, Command, environment, suite_of, understudy
from testbed.recording_server import Answer, RecordingServer

WELL, UNWELL = {"status": 200}, {"status": 418}
NAMES = ["a", "b", "c", "d"]
IDS = [f"testbed::shop.json::http/{name}/{name}" for name in NAMES]


@pytest.fixture(autouse=True)
def project(server: RecordingServer) -> None:
    """A project of four cases, of which b and d fail."""
    server.answers.update({f"/{name}": Answer({"name": name}) for name in NAMES})
    cases = [(name, f"/{name}", WELL if name in "ac" else UNWELL) for name in NAMES]
    Path("shop.json").write_text(suite_of(*cases))
    Path("understudy.toml").write_text(
        f'[environments.local]\nbase_url = "{server.url}"\n[testbed]\nsuites = ["shop.json"]\n'
    )


def test_a_list_is_the_ids_in_order_and_sends_nothing(command: Command, server: RecordingServer) -> None:
    done = command("run", "--list")
    assert (done.code, done.out, done.err) == (0, "".join(f"{each}\n" for each in IDS), "")
    assert server.seen == []
    assert not Path(".understudy").exists()


@pytest.mark.parametrize("place", [".", "understudy.toml"])
def test_the_testbed_runs_a_project_that_stands_where_a_suite_could(command: Command, place: str) -> None:
    done = command("testbed", "run", place, "--list")
    assert (done.code, done.out, done.err) == (0, "".join(f"{each}\n" for each in IDS), "")
    assert f"understudy testbed run --project {place} --case" in command("testbed", "run", place).out


@pytest.mark.parametrize(
    ("arguments", "listed"),
    [
        (["-k", "http/a/a or http/d/d"], "ad"),
        (["--case", IDS[2]], "c"),
        (["--shard", "1/1"], "abcd"),
        (["--seed", "7"], "abcd"),
    ],
    ids=str,
)
def test_a_list_shows_what_would_run(command: Command, arguments: list[str], listed: str) -> None:
    listing = command("run", "--list", *arguments).out.splitlines()
    assert [each[-1] for each in listing] == list(listed)
    ran = command("run", "--json", "r.json", *arguments)
    assert ran.code in (0, 1)
    assert [each["id"] for each in json.loads(Path("r.json").read_text())["outcomes"]] == listing


def test_shuffled_runs_are_the_same_for_the_same_seed(command: Command) -> None:
    orders = {seed: command("run", "--list", "--shuffle", "--seed", seed).out for seed in "0123456"}
    assert len(set(orders.values())) > 1
    for seed, order in orders.items():
        assert command("run", "--list", "--shuffle", "--seed", seed).out == order
        assert sorted(order.splitlines()) == IDS


def test_the_seed_is_in_the_report(command: Command) -> None:
    command("run", "--seed", "42", "--json", "r.json")
    assert json.loads(Path("r.json").read_text())["plan"]["seed"] == 42


def test_what_failed_is_remembered_and_run_again(command: Command, server: RecordingServer) -> None:
    assert command("run").code == 1
    assert [each[-1] for each in command("run", "--rerun-failed", "--list").out.splitlines()] == ["b", "d"]
    server.answers["/b"] = Answer(status=418)
    assert command("run", "--rerun-failed").code == 1
    assert [each[-1] for each in command("run", "--rerun-failed", "--list").out.splitlines()] == ["d"]
    server.answers["/d"] = Answer(status=418)
    assert command("run", "--rerun-failed").code == 0
    done = command("run", "--rerun-failed")
    assert (done.code, done.out) == (5, "")
    assert "there is nothing to rerun" in done.err


def test_a_damaged_memory_is_told_and_the_run_goes_on(command: Command) -> None:
    Path(".understudy").mkdir()
    Path(".understudy/memory.sqlite").write_bytes(b"garbage, " * 1000)
    done = command("run")
    assert done.code == 1
    assert "2 passed" in done.out
    assert len(done.err.splitlines()) == 1
    assert "put aside as memory.damaged and begun again" in done.err
    assert command("run").err == ""


def test_a_memory_that_cannot_be_kept_is_told_and_the_run_is_as_good(command: Command) -> None:
    Path(".understudy").write_text("in the way")
    done = command("run", "-k", "http/a/a")
    assert done.code == 0
    kept, remembered = done.err.splitlines()
    assert "this run is not kept in the history" in kept
    assert "this run is not remembered for --rerun-failed" in remembered


def test_two_runs_at_once_share_the_memory(here: Path) -> None:
    runs = [
        subprocess.Popen(
            [UNDERSTUDY, "run", "-k", f"http/{name}/{name}"],
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
            stdout=subprocess.DEVNULL,
        )
        for name in NAMES
    ]
    assert [(run.communicate()[1], run.returncode) for run in runs] == [("", 0), ("", 1), ("", 0), ("", 1)]
    failed = understudy(["run", "--rerun-failed", "--list"], here).out
    assert [each[-1] for each in failed.splitlines()] == ["b", "d"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["run", "-k", "http/a/a or http/c/c"], 0),
        (["run", "-k", "http/b/b"], 1),
        (["run", "-k", "nothing-at-all"], 5),
        (["run", "gone"], 2),
        (["run", "--nope"], 2),
        (["nope"], 2),
        (["--version"], 0),
        (["--help"], 0),
    ],
    ids=str,
)
def test_exit_codes(here: Path, arguments: list[str], code: int) -> None:
    assert understudy(arguments, here).code == code


def test_a_defect_of_ours_is_exit_code_3_and_asks_to_be_reported(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> int:
        raise RuntimeError("planted")

    monkeypatch.setattr("understudy.cli.run.rehearse", broken)
    done = command("run")
    assert done.code == 3
    assert "RuntimeError: planted" in done.err
    assert done.err.endswith("This is a defect of understudy; please report it with the lines above.\n")


def test_the_rerun_command_runs_just_that_case(command: Command, here: Path) -> None:
    out = command("run").out
    reruns = [line.partition("rerun: ")[2] for line in out.splitlines() if "rerun: " in line]
    assert reruns == [f"understudy run --case {IDS[1]}", f"understudy run --case {IDS[3]}"]
    done = understudy(reruns[0].split()[1:], here)
    assert (done.code, done.out.splitlines()[-1][:8]) == (1, "1 failed")


def test_suites_run_without_a_project_and_leave_nothing_behind(
    here: Path, server: RecordingServer, command: Command
) -> None:
    Path("understudy.toml").unlink()
    Path("more.yaml").write_text("http:\n  - {operation: a, name: more, expect: {json: {$.name: a}}}\n")
    before = sorted(os.listdir(here))
    done = command(
        "testbed", "run", "shop.json", "--base-url", server.url, "--script", "more.yaml", "-k", "http/a"
    )
    assert (done.code, done.err) == (0, "")
    assert "testbed::more.yaml: 1 passed" in done.out
    assert sorted(os.listdir(here)) == before


@pytest.mark.parametrize("executor", [("--concurrency", "4"), ("--workers", "2")], ids=" ".join)
def test_suites_without_a_project_run_with_every_executor(
    command: Command, server: RecordingServer, executor: tuple[str, ...]
) -> None:
    done = command("testbed", "run", "shop.json", "--base-url", server.url, *executor)
    assert done.code == 1
    assert done.out.splitlines()[-1].startswith("2 passed, 2 failed in ")


def test_names_of_files_are_no_patterns(command: Command, server: RecordingServer) -> None:
    Path("shop.json").rename("shop [1]*?.json")
    done = command("testbed", "run", "shop [1]*?.json", "--base-url", server.url, "-k", "http/a")
    assert done.code == 0


def test_suites_in_several_folders_run_together(
    command: Command, server: RecordingServer, here: Path
) -> None:
    for name in ("one", "two"):
        Path(name).mkdir()
        Path(name, "shop.json").write_text(suite_of(("a", "/a", WELL)))
    done = command("testbed", "run", "one/shop.json", here / "two" / "shop.json", "--base-url", server.url)
    assert done.code == 0
    assert "testbed::one/shop.json: 1 passed" in done.out
    assert "testbed::two/shop.json: 1 passed" in done.out


def test_the_v1_report_is_written(command: Command, server: RecordingServer) -> None:
    command("testbed", "run", "shop.json", "--base-url", server.url, "--report", "v1.json")
    report = json.loads(Path("v1.json").read_text())
    assert report["schema"] == "anvil.testbed.report.v1"
    assert [case["passed"] for case in report["http"]] == [True, False, True, False]


@pytest.mark.parametrize(
    "arguments", [["run", "-v"], ["run", "--list"], ["schema", "project"], ["--help"]], ids=str
)
def test_a_pipe_that_nobody_reads_any_more_is_no_defect(here: Path, arguments: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [UNDERSTUDY, *arguments], env=environment(), stdout=writing, stderr=subprocess.PIPE, timeout=60
        )
    finally:
        os.close(writing)
    assert done.stderr == b""
    assert done.returncode == (1 if arguments == ["run", "-v"] else 130)  # the run itself goes on to its end


def test_a_closed_output_is_no_defect(here: Path) -> None:
    done = subprocess.run(
        f"{UNDERSTUDY} run >&-; echo $?",
        shell=True,
        cwd=here,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "Traceback" not in done.stderr, done.stderr
    assert done.stdout in ("1\n", "130\n")


@pytest.mark.parametrize("arguments", ["run", "run --list", "schema project", "--help"])
def test_a_full_disk_is_no_defect(here: Path, arguments: str) -> None:
    done = subprocess.run(
        f"{UNDERSTUDY} {arguments} > /dev/full",
        shell=True,
        cwd=here,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (
        2,
        "error: writing failed: No space left on device (free some space, and run again)\n",
    )


def test_an_output_of_another_encoding_is_no_defect(here: Path, server: RecordingServer) -> None:
    server.answers["/b"] = Answer("caf\u00e9 \u2026 \u4f60\u597d")
    done = understudy(["run", "-v"], here, {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"})
    assert (done.code, done.err) == (1, "")
    assert "2 passed, 2 failed" in done.out


def skipped_suite(*names: str) -> str:
    """Cases that nobody can judge: they need a runner of WebSockets."""
    routes = [
        {"operation": name, "method": "GET", "path": f"/{name}", "websocket": True, "cases": [{"name": name}]}
        for name in names
    ]
    return json.dumps({"schema": "anvil.testbed.v1", "http": {"routes": routes}})


def test_a_run_in_which_every_case_is_skipped_checked_nothing_and_is_not_green(command: Command) -> None:
    Path("shop.json").write_text(skipped_suite("a", "b"))
    done = command("run", "--json", "r.json", "--html", "r.html")
    assert (done.code, done.err) == (
        5,
        "error: every case was skipped, so nothing was checked; each says why\n",
    )
    assert json.loads(Path("r.json").read_text())["summary"]["skipped"] == 2
    assert '<span class="verdict failed">' in Path("r.html").read_text()


def test_a_shard_may_skip_all_it_has_and_the_whole_may_not(command: Command) -> None:
    Path("shop.json").write_text(skipped_suite("a", "b"))
    for shard in ("1", "2"):
        assert command("run", "--shard", f"{shard}/2", "--json", f"{shard}.json").code == 0
    done = command("merge", "1.json", "2.json")
    assert done.code == 5
    assert "every case was skipped" in done.err
