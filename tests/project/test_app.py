"""The app under test is started, waited for and always stopped, and what it printed is kept."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from project.processes import is_alive, pid_in, wait_until, write_app
from understudy.project.app import AppFailed, AppLog, running_app
from understudy.project.settings import AppSettings

Work = Callable[[str], Awaitable[Any]]


async def nothing(base_url: str) -> None:
    """What a run without cases would do."""


def settings(*kinds: str, **more: Any) -> AppSettings:
    return AppSettings.model_validate(
        {"start": " ".join(["python app.py {port}", *kinds]), "health": "/health", **more}
    )


def rehearse(
    folder: Path, app: AppSettings, work: Work = nothing, environment: dict[str, str] | None = None
) -> AppLog:
    """Run the app around some work; what it printed."""
    write_app(folder)
    log = AppLog()

    async def go() -> None:
        async with running_app(app, folder, environment or {}, log) as base_url:
            await work(base_url)

    asyncio.run(go())
    return log


async def fetch(url: str) -> bytes:
    def get() -> bytes:
        with urlopen(url, timeout=10) as answer:
            body: bytes = answer.read()
            return body

    return await asyncio.to_thread(get)


def test_the_app_answers_at_its_base_url_and_is_gone_afterwards(tmp_path: Path) -> None:
    pids = []

    async def work(base_url: str) -> None:
        assert await fetch(f"{base_url}/items") == b"ok"
        pids.append(pid_in(tmp_path / "app.pid"))
        assert is_alive(pids[0])

    log = rehearse(tmp_path, settings(), work)
    assert not is_alive(pids[0])
    assert log.tail().splitlines() == ["asked for /health", "asked for /items"]


def test_port_python_and_variables_reach_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")  # as in a shell without an activated environment
    log = rehearse(tmp_path, settings("environment"), environment={"GREETING": "hello"})
    port, _, executable = log.tail().splitlines()[0].removeprefix("PORT=").partition(" given ")
    assert executable == f"{port} executable {sys.executable}"
    assert "GREETING=hello" in log.tail()


def test_an_app_that_is_not_well_yet_is_waited_for_in_vain(tmp_path: Path) -> None:
    with pytest.raises(AppFailed, match=r"not ready within 2 s: .*/health answered 503"):
        rehearse(tmp_path, settings("sick", ready_timeout=2))
    pid = pid_in(tmp_path / "app.pid")
    assert not is_alive(pid)


def test_an_app_that_listens_elsewhere_is_told_about_the_port(tmp_path: Path) -> None:
    app = AppSettings(start="python -c 'import signal; signal.pause()'", ready_timeout=0.5)
    with pytest.raises(AppFailed, match=r"nothing listens on port \d+; does its command use \{port\}"):
        rehearse(tmp_path, app)


def test_without_a_health_path_the_open_port_is_enough(tmp_path: Path) -> None:
    async def work(base_url: str) -> None:
        assert await fetch(base_url) == b"ok"

    log = rehearse(tmp_path, settings("sick", health=""), work)
    assert log.tail() == "asked for /"


def test_an_app_that_dies_at_once_is_told_with_its_last_lines_only(tmp_path: Path) -> None:
    program = "for n in range(9): print('line', n)\nraise SystemExit(3)"
    (tmp_path / "dies.py").write_text(program, encoding="utf-8")
    with pytest.raises(AppFailed) as failed:
        rehearse(tmp_path, AppSettings(start="python dies.py"))
    assert str(failed.value).splitlines() == [
        "the app `python dies.py` ended with exit code 3 before it was ready",
        "it printed at last:",
        "  line 6",
        "  line 7",
        "  line 8",
    ]


def test_a_command_that_does_not_exist_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(AppFailed, match="cannot start 'no-such-command': No such file or directory"):
        rehearse(tmp_path, AppSettings(start="no-such-command {port}"))


def test_a_folder_that_does_not_exist_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(AppFailed, match=r"folder .*/nowhere does not exist; check \[app\] cwd"):
        rehearse(tmp_path, settings(cwd="nowhere"))


def test_of_megabytes_of_output_the_end_is_kept(tmp_path: Path) -> None:
    log = rehearse(tmp_path, settings("loud"))
    first, *rest = log.tail().splitlines()
    assert first.startswith("... ")
    assert first.endswith(" bytes before this are left out")
    assert rest[-2].startswith("line 59999 x")
    assert rest[-1] == "asked for /health"
    assert len(log.tail()) < (64 << 10) + 100


def test_an_app_that_dies_during_the_run_leaves_a_note(tmp_path: Path) -> None:
    async def work(base_url: str) -> None:
        await fetch(f"{base_url}/die")
        pid = pid_in(tmp_path / "app.pid")
        await asyncio.to_thread(wait_until, lambda: not is_alive(pid), "the app did not die")

    log = rehearse(tmp_path, settings("dies"), work)
    assert log.tail().splitlines()[-1] == "[the app ended by itself, with exit code 7]"


def test_an_app_that_was_stopped_by_us_leaves_no_note(tmp_path: Path) -> None:
    assert "ended by itself" not in rehearse(tmp_path, settings()).tail()


@pytest.mark.parametrize("kind", ["child", "daemon"])
def test_what_the_app_started_is_stopped_with_it(tmp_path: Path, kind: str) -> None:
    pids = []

    async def work(base_url: str) -> None:
        pids.append(pid_in(tmp_path / f"{kind}.pid"))
        assert is_alive(pids[0])

    rehearse(tmp_path, settings(kind), work)
    assert not is_alive(pids[0])


def test_the_app_is_asked_to_end_before_it_is_made_to(tmp_path: Path) -> None:
    assert rehearse(tmp_path, settings("polite")).tail().splitlines()[-1] == "goodbye"


def test_what_ignores_the_polite_signal_is_killed_after_its_time(tmp_path: Path) -> None:
    pids: list[int] = []

    async def work(base_url: str) -> None:
        pids.extend(pid_in(tmp_path / name) for name in ("app.pid", "child.pid"))

    rehearse(tmp_path, settings("stubborn", "child", stop_timeout=0.2), work)
    assert [is_alive(pid) for pid in pids] == [False, False]


def test_what_the_app_left_behind_when_it_died_is_stopped(tmp_path: Path) -> None:
    async def work(base_url: str) -> None:
        await fetch(f"{base_url}/die")

    rehearse(tmp_path, settings("dies", "child", "daemon"), work)
    for name in ("child.pid", "daemon.pid"):
        assert not is_alive(pid_in(tmp_path / name))


def test_the_app_is_stopped_when_the_work_fails_or_is_cancelled(tmp_path: Path) -> None:
    async def work(base_url: str) -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        rehearse(tmp_path, settings("child"), work)
    for name in ("app.pid", "child.pid"):
        assert not is_alive(pid_in(tmp_path / name))


@pytest.mark.parametrize("base_path", ["api", "/api", "/api/", "api/v1"])
def test_a_base_path_is_part_of_the_base_url_however_it_is_written(tmp_path: Path, base_path: str) -> None:
    seen = []

    async def work(base_url: str) -> None:
        seen.append(base_url.partition("127.0.0.1:")[2].partition("/")[2])

    log = rehearse(tmp_path, settings(base_path=base_path), work)
    assert seen == [base_path.strip("/")]
    assert log.tail() == f"asked for /{base_path.strip('/')}/health"


def test_two_apps_at_once_get_ports_of_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_app(tmp_path / name)

    async def go() -> None:
        async with (
            running_app(settings(), tmp_path / "one", {}, AppLog()) as first,
            running_app(settings(), tmp_path / "two", {}, AppLog()) as second,
        ):
            assert first != second
            assert [await fetch(first), await fetch(second)] == [b"ok", b"ok"]

    asyncio.run(go())


def test_nothing_stays_open(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    rehearse(tmp_path, settings())
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before, "a file or a pipe stays open")
