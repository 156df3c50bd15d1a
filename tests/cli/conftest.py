"""Fixtures for tests of the command line: a folder to be in, the command, and servers to run it against."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from cli.command import IN_CI, Command
from testbed.recording_server import RecordingServer
from wire.hostile import HostileServer


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder of every test, outside of any project and of any CI."""
    for name in IN_CI:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    return Command(capsys)


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    server = RecordingServer()
    yield server
    server.close()


@pytest.fixture
def hostile() -> Iterator[HostileServer]:
    with HostileServer() as server:
        yield server
