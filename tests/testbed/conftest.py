"""What the testbed's tests share: a recording server, and suites written in one line."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from testbed.recording_server import RecordingServer


@pytest.fixture
def server() -> Iterator[RecordingServer]:
    """A server that records requests; paths without an answer are 404."""
    server = RecordingServer()
    yield server
    server.close()
