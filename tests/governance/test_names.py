"""The names of the room, and what it costs to import them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import understudy.governance
import understudy.governance.conformance

SOURCE = Path(__file__).parents[2] / "src"
HEAVY = ("sqlalchemy", "pydantic", "pydantic_ai", "langgraph", "langchain_core", "uvicorn")


@pytest.mark.parametrize("room", [understudy.governance, understudy.governance.conformance])
def test_every_name_is_there_and_no_other(room: object) -> None:
    for name in room.__all__:  # type: ignore[attr-defined]  # a module has it
        assert getattr(room, name) is not None
        assert name in dir(room)
    with pytest.raises(AttributeError, match="has no attribute 'AgentGoverner'"):
        room.AgentGoverner  # type: ignore[attr-defined]  # noqa: B018  # that it is not there is the point


def test_governing_without_a_store_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from understudy.governance import AgentGovernor, HITLGateway, ReviewService, govern\n"
        "govern(AgentGovernor(), HITLGateway(ReviewService()), 'bot', 'enrich', 'semi_trusted')\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )

    assert done.stdout == "[]\n"
