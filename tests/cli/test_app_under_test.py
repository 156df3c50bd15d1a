"""The app under test from the command line: stopped whatever ends the run, its output kept if something failed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from cli.command import UNDERSTUDY, Command, environment, suite_of, understudy
from project.processes import is_alive, pid_in, wait_until, write_app
from testbed.recording_server import Answer, RecordingServer

APP = '[app]\nstart = "python app.py {port} child daemon"\nhealth = "/health"\n'
TESTBED = '[testbed]\nsuites = ["shop.json"]\n'
WELL, UNWELL = {"status": 200}, {"status": 418}
PIDS = ("app.pid", "child.pid", "daemon.pid")


@pytest.fixture(autouse=True)
def project(here: Path) -> None:
    write_app(here)
    Path("shop.json").write_text(suite_of(("a", "/a", WELL), ("b", "/b", WELL)))
    Path("understudy.toml").write_text(APP + TESTBED)


def assert_all_stopped() -> None:
    for name in PIDS:
        pid = pid_in(Path(name))
        wait_until(lambda pid=pid: not is_alive(pid), f"{name} is alive")  # type: ignore[misc]  # default of a lambda


def test_a_green_run_is_short_and_leaves_nothing_running(command: Command) -> None:
    done = command("run")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].startswith("2 passed in ")
    assert "asked for" not in done.out
    assert_all_stopped()


def test_if_something_failed_the_output_of_the_app_is_in_terminal_and_reports(command: Command) -> None:
    Path("shop.json").write_text(suite_of(("a", "/a", UNWELL), ("b", "/b", WELL)))
    done = command("run", "--json", "r.json", "--html", "r.html", "--junit", "r.xml")
    assert done.code == 1
    assert "output of the app under test" in done.out
    assert done.out.count("asked for /b") == 1
    (attachment,) = json.loads(Path("r.json").read_text())["attachments"]
    assert attachment["name"] == "output of the app under test"
    assert attachment["text"].splitlines()[-2:] == ["asked for /a", "asked for /b"]
    assert "asked for /b" in Path("r.html").read_text()
    assert_all_stopped()


@pytest.mark.parametrize("executor", [(), ("--concurrency", "4"), ("--workers", "2")], ids=" ".join)
def test_an_app_that_cannot_start_is_told_once_a_case_with_its_output_once(
    command: Command, executor: tuple[str, ...]
) -> None:
    program = "print('first line'); print('second line'); raise SystemExit(9)"
    Path("dies.py").write_text(program)
    Path("understudy.toml").write_text('[app]\nstart = "python dies.py {port}"\n' + TESTBED)
    done = command("run", *executor)
    assert done.code == 1
    assert done.out.count("ended with exit code 9 before it was ready") == 2
    assert "2 errored" in done.out
    assert "Traceback" not in done.text
    assert "output of the app under test" in done.out


def test_the_app_is_not_started_if_the_environment_has_a_base_url(
    command: Command, server: RecordingServer
) -> None:
    server.answers.update({"/a": Answer(), "/b": Answer()})
    Path("understudy.toml").write_text(
        f'{APP}{TESTBED}[environments.there]\nbase_url = "{server.url}"\n[environments.here]\n'
    )
    assert command("run", "--env", "there").code == 0
    assert not Path("app.pid").exists()
    assert [seen.path for seen in server.seen] == ["/a", "/b"]
    assert command("testbed", "run", "--base-url", server.url).code == 0
    assert not Path("app.pid").exists()
    assert command("run", "--env", "here").code == 0
    assert Path("app.pid").exists()


def hanging() -> None:
    """A project of which the last case never ends."""
    text = (
        Path("app.py")
        .read_text()
        .replace(
            '"asked for", self.path, flush=True)',
            '"asked for", self.path, flush=True)\n'
            '        if self.path == "/hang":\n            note("hangs", os.getpid())\n            signal.pause()',
        )
    )
    Path("app.py").write_text(text)
    Path("shop.json").write_text(suite_of(("a", "/a", WELL), ("h", "/hang", WELL)))


@pytest.mark.parametrize("executor", [(), ("--workers", "2")], ids=" ".join)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP], ids=str)
def test_everything_is_stopped_however_the_run_ends(
    here: Path, number: signal.Signals, executor: tuple[str, ...]
) -> None:
    hanging()
    run = subprocess.Popen(
        [UNDERSTUDY, "run", "--json", "r.json", *executor],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with run:
        pid_in(Path("hangs"))
        os.killpg(run.pid, number)  # as a terminal does, to all that it started
        out, err = run.communicate(timeout=30)
    assert_all_stopped()
    assert "Traceback" not in out + err
    if number in (signal.SIGINT, signal.SIGTERM):
        assert run.returncode == 130
        report = json.loads(Path("r.json").read_text())
        assert report["stopped"] == "interrupted"
        if not executor:  # with workers, the two are side by side
            assert [(each["name"], each["status"]) for each in report["outcomes"]] == [("http/a/a", "passed")]
        assert "interrupted" in out


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=str)
def test_an_app_that_is_still_waited_for_is_stopped_too(here: Path, number: signal.Signals) -> None:
    Path("understudy.toml").write_text(APP.replace("daemon", "daemon sick") + TESTBED)
    run = subprocess.Popen(
        [UNDERSTUDY, "run"], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with run:
        for name in PIDS:
            assert is_alive(pid_in(Path(name)))
        os.kill(run.pid, number)
        out, err = run.communicate(timeout=30)
    assert_all_stopped()
    assert run.returncode == (-9 if number is signal.SIGKILL else 130)
    assert b"Traceback" not in out + err


def test_a_second_run_at_the_same_time_has_an_app_and_a_port_of_its_own(here: Path) -> None:
    runs = [
        subprocess.Popen(
            [UNDERSTUDY, "run", "--json", f"{n}.json"], env=environment(), stdout=subprocess.PIPE, text=True
        )
        for n in range(3)
    ]
    for run in runs:
        out, _ = run.communicate(timeout=60)
        assert run.returncode == 0, out
    assert_all_stopped()


def test_python_means_ours_without_an_activated_environment(here: Path) -> None:
    program = "import sys, pydantic, click; print(sys.prefix); raise SystemExit(1)"
    Path("which.py").write_text(program)
    Path("understudy.toml").write_text('[app]\nstart = "python which.py {port}"\n' + TESTBED)
    done = understudy(["run"], here, {"PATH": "/usr/bin:/bin", "VIRTUAL_ENV": "", "PYTHONHOME": ""})
    assert str(Path(UNDERSTUDY).parents[1]) in done.out
    assert "No module" not in done.text


def test_megabytes_of_output_do_not_fill_the_terminal_or_the_report(command: Command) -> None:
    Path("understudy.toml").write_text(APP.replace("child daemon", "loud") + TESTBED)
    Path("shop.json").write_text(suite_of(("a", "/a", UNWELL)))
    done = command("run", "--json", "r.json")
    assert done.code == 1
    assert "bytes before this are left out" in Path("r.json").read_text()
    assert Path("r.json").stat().st_size < 100_000
    assert len(done.out) < 100_000
