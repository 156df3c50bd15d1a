"""The names of the room are there when they are asked for, and cost nothing before."""

from __future__ import annotations

import subprocess
import sys

import pytest

import understudy.simulation


def test_every_name_can_be_imported() -> None:
    for name in understudy.simulation.__all__:
        assert getattr(understudy.simulation, name).__name__ == name.replace("GNATClient", "Connector")
    assert set(understudy.simulation.__all__) <= set(dir(understudy.simulation))


def test_another_name_is_an_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'SimulatedConnector'"):
        understudy.simulation.SimulatedConnector  # noqa: B018 - it is asked for


def test_a_connector_needs_no_library_of_others() -> None:
    script = (
        "import sys; from understudy.simulation import SimulationConnector; "
        "SimulationConnector({'type': 'tool', 'id': 'tool--1'}).list_objects('tool', order_by='id'); "
        "print(sorted({name.partition('.')[0] for name in sys.modules} & "
        "{'stix2', 'pydantic', 'sqlalchemy', 'urllib3', 'starlette', 'uvicorn'}))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
