"""Ctrl-C and a polite kill in the middle of a run, and a worker process that dies: nothing is lost, nothing stays."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.small_project import SmallProject, case, route
from testbed.recording_server import Answer, Seen
from waiting import wait_for

PATIENCE = 30
FIRST, TIDY = "http/first/one", "http/tidy/tidies"
APP = """
import http.server, os, pathlib, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path("pids").write_text(f"{os.getpid()} {child.pid}")
print("the app has a word to say", flush=True)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


class Gate:
    """An answer that does not come until the gate is opened; `reached` says that it was asked for."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self._open = threading.Event()

    def __call__(self, seen: Seen) -> Answer:
        self.reached.set()
        self._open.wait(PATIENCE)
        return Answer()

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gates() -> Iterator[list[Gate]]:
    gates = [Gate(), Gate()]
    yield gates
    for gate in gates:
        gate.open()


@pytest.fixture
def slow(small: SmallProject, gates: list[Gate]) -> SmallProject:
    """One case that passes, two whose answers never come, two that are not reached, one that runs last."""
    small.project(testbed="timeout = 600")
    small.suite(
        route("first", case("one")),
        route("hang", case("hangs")),
        *(route(f"never{number}", case("is not run", needs=["hangs"])) for number in range(2)),
        route("after", case("hangs too")),
        route("tidy", case("tidies", **{"finally": True})),
    )
    small.answers(first=200, tidy=200, never0=200, never1=200)
    small.server.answers.update({"/hang": gates[0], "/after": gates[1]})
    return small


def finished(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        pytest.fail(f"it did not end:\n{out}\n{err}")
    return process.returncode, out, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("way", "at_once"),
    [([], 1), (["--concurrency", "2"], 2), (["--workers", "1"], 1), (["--workers", "2"], 2)],
)
def test_an_interrupted_run_tidies_up_and_reports_what_it_has(
    slow: SmallProject, gates: list[Gate], number: signal.Signals, way: list[str], at_once: int
) -> None:
    """Of two at once, one hangs; the other begins the second that hangs only when the first case is done."""
    files = {kind: slow.path(f"report.{kind}") for kind in ("json", "junit", "html")}
    process = slow.start(*way, *(word for kind, file in files.items() for word in (f"--{kind}", str(file))))
    assert all(gate.reached.wait(PATIENCE) for gate in gates[:at_once])
    process.send_signal(number)
    code, out, err = finished(process)
    assert code == 130
    assert "Traceback" not in out + err
    assert "stopped early (interrupted)" in out
    assert slow.report()["stopped"] == "interrupted"
    assert slow.outcomes() == {FIRST: "passed", TIDY: "passed"}
    assert "never0" not in slow.asked
    assert slow.asked[-1] == "tidy"
    assert "interrupted" in slow.read("report.junit")
    assert "interrupted" in slow.read("report.html")


def test_a_log_tells_every_case_at_once_when_it_is_asked_for_all(
    slow: SmallProject, gates: list[Gate]
) -> None:
    process = slow.start("-v", PYTHONUNBUFFERED="")
    assert gates[0].reached.wait(PATIENCE)
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], PATIENCE)
    process.send_signal(signal.SIGINT)
    out = finished(process)[1]
    assert ready, "nothing was told while the second case hung"
    assert out.startswith("passed  testbed::suite.json::http/first/one (")


def test_a_second_ctrl_c_does_not_wait_for_the_last_cases(slow: SmallProject, gates: list[Gate]) -> None:
    slow.server.answers["/tidy"] = gates[1]
    process = slow.start("--json", str(slow.path("report.json")))
    assert gates[0].reached.wait(PATIENCE)
    process.send_signal(signal.SIGINT)
    assert gates[1].reached.wait(PATIENCE)
    process.send_signal(signal.SIGINT)
    code, out, err = finished(process)
    assert code == 130
    assert "Traceback" not in out + err
    assert slow.outcomes() == {FIRST: "passed"}
    assert slow.report()["stopped"] == "interrupted"


@pytest.mark.usefixtures("tiny_is_installed")
@pytest.mark.parametrize("way", [[], ["--concurrency", "1"], ["--executor", "concurrent"]])
@pytest.mark.parametrize("times", [1, 2])
def test_a_case_that_lets_nobody_else_run_is_stopped_by_a_second_ctrl_c(
    small: SmallProject, way: list[str], times: int
) -> None:
    """The act of the test presses the keys itself, so that both arrive before anyone can have heard of the first."""
    names = ["pass-1", f"interrupts-{times}"]
    small.write("understudy.toml", f"[tiny]\nunits = {[[name] for name in [*names, 'hang-1', 'last-1']]}\n")
    code, out, err = finished(small.start(*way, "--json", str(small.path("report.json"))))
    assert code == 130
    assert "Traceback" not in out + err
    assert small.report()["stopped"] == "interrupted"
    done = names if times == 1 else names[:1]
    assert small.outcomes() == dict.fromkeys([*done, "last-1"], "passed")


@pytest.mark.parametrize("way", [[], ["--concurrency", "2"], ["--workers", "1"]])
def test_tied_cases_that_run_last_run_when_their_group_is_interrupted(
    slow: SmallProject, gates: list[Gate], way: list[str]
) -> None:
    slow.suite(
        route("first", case("one")),
        route("hang", case("hangs", needs=["one"])),
        route("tidy", case("tidies", needs=["one"], **{"finally": True})),
    )
    process = slow.start(*way, "--json", str(slow.path("report.json")))
    assert gates[0].reached.wait(PATIENCE)
    process.send_signal(signal.SIGINT)
    assert finished(process)[0] == 130
    assert slow.asked == ["first", "hang", "tidy"]


def with_app(slow: SmallProject, command: str = "") -> None:
    slow.write("app.py", APP)
    command = command or f"{sys.executable} app.py {{port}}"
    rest = (
        f'[app]\nstart = "{command}"\nstop_timeout = 1\n[testbed]\nsuites = ["suite.json"]\ntimeout = 600\n'
    )
    slow.write("understudy.toml", rest)


def is_alive(pid: int) -> bool:
    """True if the process runs; one that has ended and is not yet waited for does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("way", [[], ["--workers", "2"]])
def test_the_app_is_stopped_with_all_that_it_started(
    slow: SmallProject, gates: list[Gate], way: list[str]
) -> None:
    with_app(slow)
    slow.suite(route("first", case("one", followRedirects=True)), route("outside", case("hangs")))
    # The app sends this request on to the server whose answer does not come.
    slow.write(
        "app.py",
        APP.replace(
            "self.send_response(200)",
            f'self.send_response(307); self.send_header("Location", "{slow.server.url}/hang") '
            'if self.path == "/outside" else None',
        ),
    )
    process = slow.start(*way, "--json", str(slow.path("report.json")))
    assert gates[0].reached.wait(PATIENCE)
    pids = [int(pid) for pid in slow.read("pids").split()]
    assert all(map(is_alive, pids))
    process.send_signal(signal.SIGINT)
    assert finished(process)[0] == 130
    assert not any(map(is_alive, pids))


def test_the_apps_output_is_in_the_report_when_something_failed(slow: SmallProject) -> None:
    with_app(slow)
    slow.suite(route("first", case("one", 404)))
    result = slow.run(
        *(w for kind in ("json", "html") for w in (f"--{kind}", str(slow.path(f"report.{kind}"))))
    )
    assert result.code == 1
    (attached,) = slow.report()["attachments"]
    assert attached["name"] == "output of the app under test"
    assert "the app has a word to say" in attached["text"]
    assert "the app has a word to say" in result.out
    assert "the app has a word to say" in slow.read("report.html")


def test_the_apps_output_is_left_out_of_a_green_report(slow: SmallProject) -> None:
    with_app(slow)
    slow.suite(route("first", case("one")))
    result = slow.run("--json", str(slow.path("report.json")))
    assert result.code == 0
    assert "word to say" not in slow.read("report.json") + result.out


@pytest.mark.parametrize("way", [[], ["--workers", "2"]])
def test_an_app_that_is_not_ready_yet_is_stopped_as_well(slow: SmallProject, way: list[str]) -> None:
    with_app(slow)
    slow.write("app.py", APP.partition("class Handler")[0] + "import time; time.sleep(600)\n")
    slow.write("understudy.toml", slow.read("understudy.toml").replace("[app]", "[app]\nready_timeout = 600"))
    process = slow.start(*way, "--json", str(slow.path("report.json")))
    wait_for(lambda: slow.path("pids").exists() and " " in slow.read("pids"))
    pids = [int(pid) for pid in slow.read("pids").split()]
    process.send_signal(signal.SIGINT)
    code, out, err = finished(process)
    assert code == 130
    assert "Traceback" not in out + err
    assert not any(map(is_alive, pids))
    assert slow.report()["stopped"] == "interrupted"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_fetches_a_secret_is_stopped_before_the_run_has_begun(
    slow: SmallProject, number: signal.Signals
) -> None:
    slow.write("fetch.sh", "echo $$ > pids; exec sleep 600\n")
    slow.project(environment='variables = {token = {command = "sh fetch.sh"}}')
    process = slow.start()
    wait_for(lambda: slow.path("pids").exists() and "\n" in slow.read("pids"))
    pid = int(slow.read("pids"))
    process.send_signal(number)
    code, out, err = finished(process)
    assert (code, out, err.split()) == (130, "", ["interrupted"])
    assert not is_alive(pid)


def test_nothing_is_left_when_the_command_itself_is_killed(slow: SmallProject, gates: list[Gate]) -> None:
    with_app(slow)
    slow.suite(route("outside", case("hangs")))
    slow.write(
        "app.py",
        APP.replace(
            "self.send_response(200)",
            f'self.send_response(307); self.send_header("Location", "{slow.server.url}/hang") '
            'if self.path == "/outside" else None',
        ),
    )
    process = slow.start("--workers", "1")
    assert gates[0].reached.wait(PATIENCE)
    pids = [*(int(pid) for pid in slow.read("pids").split()), *children_of(process.pid)]
    assert len(pids) == 4
    process.kill()
    process.communicate(timeout=PATIENCE)
    wait_for(lambda: not any(map(is_alive, pids)))


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_worker_process_that_is_killed_costs_one_case(slow: SmallProject, gates: list[Gate]) -> None:
    slow.suite(route("first", case("one")), route("hang", case("hangs")), route("never0", case("runs")))
    process = slow.start("--workers", "1", "--json", str(slow.path("report.json")))
    assert gates[0].reached.wait(PATIENCE)
    (worker,) = children_of(process.pid)
    os.kill(worker, signal.SIGKILL)
    code, out, err = finished(process)
    assert code == 1
    assert "Traceback" not in out + err
    assert slow.outcomes() == {FIRST: "passed", "http/hang/hangs": "errored", "http/never0/runs": "passed"}
    (lost,) = [outcome for outcome in slow.report()["outcomes"] if outcome["status"] == "errored"]
    assert lost["reason"] == "its worker process was killed by SIGKILL (out of memory?)"


@pytest.mark.parametrize("way", [[], ["--executor", "serial"], ["--workers", "1"]])
def test_a_unit_that_takes_too_long_is_stopped(slow: SmallProject, way: list[str]) -> None:
    slow.suite(route("first", case("one")), route("hang", case("hangs")), route("never0", case("runs")))
    result = slow.run("--unit-timeout", "0.7", *way, "--json", str(slow.path("report.json")))
    assert result.code == 1
    assert slow.outcomes() == {FIRST: "passed", "http/hang/hangs": "errored", "http/never0/runs": "passed"}
    assert "ran longer than the 0.7 s allowed" in result.out


def test_a_unit_that_never_lets_go_is_stopped_too(slow: SmallProject) -> None:
    slow.server.answers["/endless"] = Answer({"a": "a" * 60 + "!"})
    endless = case("busy", expect={"json": {"a": {"matches": "(a+)+$"}}})
    slow.suite(route("first", case("one")), route("endless", endless), route("never0", case("runs")))
    result = slow.run("--unit-timeout", "2", "--json", str(slow.path("report.json")))
    assert result.code == 1
    assert slow.outcomes() == {FIRST: "passed", "http/endless/busy": "errored", "http/never0/runs": "passed"}
    assert "ran longer than the 2 s allowed" in result.out


def test_too_little_memory_for_a_worker_is_said_in_one_line(slow: SmallProject) -> None:
    result = slow.run("--memory", "64")
    assert result.code == 2
    (line,) = result.err.splitlines()
    assert "64 MiB of memory are not enough" in line
