"""`pytest --understudy`: units as items behind the normal tests, in a pytest of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.small_project import THIRD_PARTY, SmallProject, case, route
from testbed.recording_server import Answer, RecordingServer

APP = """
import http.server, os, pathlib, sys
with open("pids", "a") as pids:
    pids.write(f"{os.getpid()}\\n")
print("the app has a word to say", flush=True)
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *_): pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    server = RecordingServer()
    yield server
    server.close()


@pytest.fixture
def small(tmp_path: Path, server: RecordingServer, capsys: pytest.CaptureFixture[str]) -> SmallProject:
    """A project with two normal tests, and cases that pass, fail, are skipped, known to fail, and tied."""
    small = SmallProject(tmp_path, server, capsys)
    small.write("test_own.py", "def test_first(): pass\ndef test_second(): pass\n")
    small.project(
        environment='variables = {secret = {env = "SHOP_SECRET"}}',
        rest='[[known]]\ncase = "testbed::suite.json::http/broken/breaks"\nreason = "ticket 5"',
        testbed="route_coverage = 100",
    )
    small.suite(
        route("fine", case("works", tags=["smoke"]), case("works too")),
        route("bad", case("is wrong", 201, input={"query": {"q": "${secret}"}})),
        route("broken", case("breaks")),
        route("socket", case("waits"), websocket=True),
        route("tied", case("makes", capture={"id": "$.id"}), case("uses", input={"query": {"id": "${id}"}})),
    )
    small.answers(fine=200, bad=200, broken=500, tied=Answer({"id": 3}))
    return small


def run_pytest(small: SmallProject, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Without the other plugins that are installed here, which take long to load."""
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugins = ["-p", "understudy.pytest_plugin", *(["-p", "xdist.plugin"] if "-n" in arguments else [])]
    return any_pytest(small, *plugins, *arguments, **{**alone, **environment})


def any_pytest(small: SmallProject, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=small.folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "SHOP_SECRET": "correct-horse-battery", "COLUMNS": "200", **environment},
    )


def results(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Item to result, from `-v`, in the order of running."""
    found = re.findall(r"^(.+?) (PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)\b.*\[ *\d+%\]$", done.stdout, re.M)
    return {re.sub(r"^.*?understudy::| <-.*$", "", name): result for name, result in found}


def test_units_are_items_behind_the_normal_tests(small: SmallProject) -> None:
    done = run_pytest(small, "--understudy", "-v")
    assert done.returncode == 1, done.stdout + done.stderr
    assert results(done) == {
        "test_own.py::test_first": "PASSED",
        "test_own.py::test_second": "PASSED",
        "testbed::suite.json::http/fine/works": "PASSED",
        "testbed::suite.json::http/fine/works too": "PASSED",
        "testbed::suite.json::http/bad/is wrong": "FAILED",
        "testbed::suite.json::http/broken/breaks": "XFAIL",
        "testbed::suite.json::websocket/socket/waits": "SKIPPED",
        "testbed::suite.json::http/tied/makes": "PASSED",
        "testbed::conclude": "FAILED",
    }
    assert "collected 9 items" in done.stdout
    assert "4 of 5 routes were reached" in done.stdout


def test_a_failure_is_told_without_a_traceback_of_ours_and_without_secrets(small: SmallProject) -> None:
    done = run_pytest(small, "--understudy", "-k", "wrong")
    assert done.returncode == 1
    for part in (
        "status is 200 OK, expected 201 Created",
        "GET ",
        "/bad?q=<secret 1>",
        "curl -sS",
        "rerun: understudy run",
    ):
        assert part in done.stdout
    assert "src/understudy" not in done.stdout
    assert "Traceback" not in done.stdout
    assert "correct-horse" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("expression", "names"),
    [
        ("smoke", ["testbed::suite.json::http/fine/works"]),
        ("uses", ["testbed::suite.json::http/tied/makes"]),
        ("first or socket", ["test_own.py::test_first", "testbed::suite.json::websocket/socket/waits"]),
        ("not testbed and not second", ["test_own.py::test_first"]),
    ],
)
def test_k_selects_units_by_the_ids_names_and_tags_of_their_cases(
    small: SmallProject, expression: str, names: list[str]
) -> None:
    done = run_pytest(small, "--understudy", "-v", "-k", expression)
    assert list(results(done)) == names
    assert done.returncode == 0


def test_nothing_is_concluded_when_not_all_units_ran(small: SmallProject) -> None:
    done = run_pytest(small, "--understudy", "-v", "-rs", "-k", "fine or conclude")
    assert results(done)["testbed::conclude"] == "SKIPPED"
    assert "not all units of the act have run" in done.stdout
    assert done.returncode == 0


def test_skips_and_known_failures_say_why(small: SmallProject) -> None:
    done = run_pytest(small, "--understudy", "-rsx", "-k", "socket or broken")
    assert "websocket cases require a websocket runner" in done.stdout
    assert "ticket 5" in done.stdout


def test_a_known_failure_that_passes_fails(small: SmallProject) -> None:
    small.answers(broken=200)
    done = run_pytest(small, "--understudy", "-k", "broken")
    assert done.returncode == 1
    assert "listed as a known failure (ticket 5) but it passes" in done.stdout


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def with_app(small: SmallProject) -> None:
    small.write("app.py", APP)
    small.write(
        "understudy.toml", '[app]\nstart = "python app.py {port}"\n[testbed]\nsuites = ["suite.json"]\n'
    )
    small.suite(*(route(f"r{number}", case("a", 404 if number == 3 else 200)) for number in range(8)))


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_the_app_is_stopped_at_the_end_and_its_output_shown(small: SmallProject, workers: list[str]) -> None:
    with_app(small)
    done = run_pytest(small, "--understudy", *workers)
    assert done.returncode == 1
    assert "1 failed" in done.stdout.splitlines()[-1]
    pids = [int(pid) for pid in small.read("pids").split()]
    assert 1 <= len(pids) <= max(1, len(workers))
    assert not any(map(is_alive, pids))
    if not workers:
        assert "the app has a word to say" in done.stdout


def test_ctrl_c_stops_the_app_and_tells_what_there_is(small: SmallProject) -> None:
    with_app(small)
    small.write(
        "app.py", APP.replace("def do_GET(self):", "def do_GET(self):\n        import time; time.sleep(60)")
    )
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-p",
            "understudy.pytest_plugin",
            "--understudy",
        ],
        cwd=small.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )
    end = time.monotonic() + 30
    while not (small.path("pids").exists() and small.read("pids").endswith("\n")):
        assert time.monotonic() < end
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2
    assert "2 passed" in out.splitlines()[-1]
    assert not is_alive(int(small.read("pids")))


@pytest.mark.parametrize(("more", "code"), [([], 1), (["-k", "testbed"], 1)])
def test_xdist_runs_every_unit_once_and_concludes_when_all_workers_are_done(
    small: SmallProject, more: list[str], code: int
) -> None:
    small.suite(
        *(route(f"fine{number}", case("works")) for number in range(6)),
        route("tied", case("makes", capture={"id": "$.id"}), case("uses", input={"query": {"id": "${id}"}})),
        route("idle"),
    )
    small.project(testbed="route_coverage = 100")
    small.answers(**{f"fine{number}": 200 for number in range(6)}, tied=Answer({"id": 3}))
    done = run_pytest(small, "--understudy", "-n", "2", "-rs", *more)
    assert sorted(small.asked) == [*(f"fine{number}" for number in range(6)), "tied", "tied"]
    assert done.returncode == code, done.stdout
    assert "7 of 8 routes were reached" in done.stdout
    assert "failed" not in done.stdout.splitlines()[-1]


def test_xdist_concludes_nothing_when_units_were_left_out(small: SmallProject) -> None:
    done = run_pytest(small, "--understudy", "-n", "2", "-k", "fine")
    assert done.returncode == 0
    assert "routes were reached" not in done.stdout


def test_what_runs_last_runs_although_the_session_stopped_early(small: SmallProject) -> None:
    small.suite(
        route("bad", case("is wrong", 201)),
        route("fine", case("a")),
        route("tidy", case("t", **{"finally": True})),
    )
    small.project()
    small.answers(bad=200, fine=200, tidy=500)
    done = run_pytest(small, "--understudy", "-x", "test_own.py")
    assert small.asked == ["bad", "tidy"]
    assert "understudy, after the last test" in done.stdout
    assert "testbed::suite.json::http/tidy/t" in done.stdout
    small.server.seen.clear()
    run_pytest(small, "--understudy", "-x", "-k", "bad")
    assert small.asked == ["bad"]


def test_a_teardown_that_fails_makes_the_session_fail(small: SmallProject) -> None:
    small.write("understudy.toml", f'[tiny]\nunits = [["resource-1"]]\nlog = "{small.path("log")}"\n')
    small.write(
        "conftest.py",
        "import pathlib\nimport tiny_act\n"
        "def closes(self, line, log=tiny_act.TinyAct._log):\n"
        "    if line == 'close thing':\n        raise OSError('it sticks')\n    log(self, line)\n"
        "tiny_act.TinyAct._log = closes\n",
    )
    done = run_pytest(small, "--understudy", PYTHONPATH=str(THIRD_PARTY))
    assert "tiny worker thing could not be torn down: OSError: it sticks" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[testbed]\nsuites = 3\n", "understudy.toml:2"),
        (
            '[testbed]\nsuites = ["suite.json"]\n[environments.a]\nheaders = {X = {env = "NOT_THERE"}}\n',
            "NOT_THERE is not set",
        ),
    ],
)
def test_a_wrong_project_is_an_error_of_the_collection(small: SmallProject, text: str, says: str) -> None:
    small.write("understudy.toml", text)
    done = run_pytest(small, "--understudy")
    assert done.returncode == 2
    assert says in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert "src/understudy" not in done.stdout


def test_another_project_and_environment_can_be_named(small: SmallProject, tmp_path: Path) -> None:
    small.write(
        "understudy.toml", small.read("understudy.toml").replace("environments.here", "environments.there")
    )
    other = tmp_path / "elsewhere"
    other.mkdir()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", "-k", "works"),
            *("--understudy-project", str(small.folder), "--understudy-env", "there"),
        ],
        cwd=other,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "SHOP_SECRET": "x-secret-x", "COLUMNS": "200"},
    )
    assert len(results(done)) == 2
    assert done.returncode == 0
    wrong = run_pytest(small, "--understudy", "--understudy-env", "ther")
    assert (wrong.returncode, "did you mean 'there'?" in wrong.stdout) == (2, True)


def test_without_the_option_nothing_of_ours_is_imported_or_collected(small: SmallProject) -> None:
    small.write(
        "test_own.py",
        "import sys\n"
        "def test_modules():\n"
        "    ours = {name for name in sys.modules if name.split('.')[0] == 'understudy'}\n"
        "    assert ours <= {'understudy', 'understudy.pytest_plugin'}, ours\n",
    )
    done = any_pytest(small, "-v")
    assert done.returncode == 0, done.stdout
    assert list(results(done)) == ["test_own.py::test_modules"]
    assert small.asked == []
