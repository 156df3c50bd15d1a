"""A command of the project file gives its output or one clear reason, and leaves nothing running."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from project.processes import is_alive, pid_in, wait_until
from understudy.project.commands import CommandFailed, printed_by


def python(program: str) -> str:
    return f'{sys.executable} -c "{program}"'


def test_what_it_prints_is_trimmed_and_it_runs_in_the_given_folder(tmp_path: Path) -> None:
    assert (
        printed_by(python('import os; print(); print(os.getcwd(), \\"é\\")'), tmp_path, 10) == f"{tmp_path} é"
    )


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("no-such-command", r"cannot be run: there is no 'no-such-command'"),
        ("/", r"cannot be run: Permission denied"),
        (python("raise SystemExit(4)"), r"ended with exit code 4"),
        (python("pass"), r"printed nothing"),
        (python("print()"), r"printed nothing"),
        (
            python(r"import sys; sys.stdout.buffer.write(bytes([255]))"),
            r"printed something that is not UTF-8",
        ),
        (python("while True: print(1)"), r"printed more than 64 KiB"),
        (python("import signal; signal.pause()"), r"did not end within 0\.3 s"),
    ],
)
def test_what_gives_no_value_says_why(command: str, reason: str, tmp_path: Path) -> None:
    seconds = 0.3 if "pause" in command else 10
    with pytest.raises(CommandFailed, match=reason):
        printed_by(command, tmp_path, seconds)


def test_the_hint_is_the_last_that_it_said_without_secrets(tmp_path: Path) -> None:
    program = 'import sys; sys.exit(\\"first\\nvault is sealed, token=abcdef123456\\")'
    with pytest.raises(CommandFailed) as failed:
        printed_by(python(program), tmp_path, 10)
    assert failed.value.hint.startswith("it said: vault is sealed, token=<secret")


@pytest.mark.parametrize("ends", ["hangs", "ends"])
def test_what_it_started_is_gone_with_it(tmp_path: Path, ends: str) -> None:
    script = tmp_path / "spawns.py"
    script.write_text(
        "import os, signal, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "with open('new', 'w') as file: file.write(str(child.pid))\n"
        "os.rename('new', 'child.pid')\n"
        "print('value', flush=True)\n"
        f"if '{ends}' == 'hangs': signal.pause()\n"
    )
    command = f"{sys.executable} {script}"
    if ends == "hangs":
        with pytest.raises(CommandFailed):
            printed_by(command, tmp_path, 2)
    else:
        assert printed_by(command, tmp_path, 10) == "value"
    pid = pid_in(tmp_path / "child.pid")
    wait_until(lambda: not is_alive(pid), "the child is still there")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_arrives_while_the_command_is_started_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    started: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def start_and_be_interrupted(*arguments: Any, **more: Any) -> subprocess.Popen[bytes]:
        started.append(start(*arguments, **more))
        signal.raise_signal(number)
        return started[0]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(subprocess, "Popen", start_and_be_interrupted)
    before = signal.signal(number, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            printed_by("sleep 600", Path(), 10)
        assert signal.getsignal(number) is interrupt
    finally:
        signal.signal(number, before)
        alive = started[0].poll() is None
        started[0].kill()
        started[0].wait()
    assert not alive
