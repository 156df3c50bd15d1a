"""The app's port: the same for the same project, another one if that is taken."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from understudy.project.ports import reserved_port


def test_a_project_gets_the_same_port_every_time(tmp_path: Path) -> None:
    ports = set()
    for _ in range(3):
        with reserved_port(str(tmp_path)) as port:
            ports.add(port)
    assert len(ports) == 1


def test_a_port_on_which_somebody_listens_is_left_alone(tmp_path: Path) -> None:
    with reserved_port(str(tmp_path)) as port:
        pass
    with socket.create_server(("127.0.0.1", port)), reserved_port(str(tmp_path)) as other:
        assert other != port


def test_an_error_of_the_run_comes_through_and_gives_the_port_back(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="of the run"), reserved_port(str(tmp_path)) as port:
        raise OSError("of the run")
    with reserved_port(str(tmp_path)) as again:
        assert again == port
