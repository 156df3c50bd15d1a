"""A small project with a server of its own, for every test of the whole command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from e2e.small_project import THIRD_PARTY, SmallProject
from testbed.recording_server import RecordingServer


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    """A server that records requests; paths without an answer are 404."""
    server = RecordingServer()
    yield server
    server.close()


@pytest.fixture
def small(
    tmp_path: Path,
    server: RecordingServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> SmallProject:
    """A project in a folder of its own, with nothing in it yet."""
    for name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "CI"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "project"
    folder.mkdir()
    return SmallProject(folder, server, capsys)


@pytest.fixture
def tiny_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third party's act is installed, here and in worker processes."""
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    monkeypatch.setenv("PYTHONPATH", str(THIRD_PARTY))
