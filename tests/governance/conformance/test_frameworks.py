"""Two real frameworks, driven by scripted models: the verdict on their own flows, and on them behind our gateway."""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from langsmith import utils as langsmith_utils

from understudy.core.errors import InputError
from understudy.governance.conformance import adapters
from understudy.governance.conformance.adapters.langgraph import LangGraphFlow
from understudy.governance.conformance.adapters.pydantic_ai import PydanticAIFlow
from understudy.governance.conformance.bench import CountingBench
from understudy.governance.conformance.flow import ApprovalFlow, Call
from understudy.governance.conformance.gateway_front import GatewayFront
from understudy.governance.conformance.report import ConformanceReport, verdict_table
from understudy.governance.conformance.suite import CASES, run_conformance
from understudy.governance.conformance.trial import note

PAGE = Path(__file__).parents[3] / "docs" / "explanation" / "conformance-verdicts.md"
FLOWS: dict[str, Callable[[], ApprovalFlow]] = {
    "pydantic-ai": PydanticAIFlow,
    "langgraph, one tool node": LangGraphFlow,
    "langgraph, calls apart": lambda: LangGraphFlow(apart=True),
}
EDITED = "argument binding/arguments that are edited in the answer need an approval of their own"
LATE = "expiry/an approval that comes too late runs nothing"
SHORT_OF = {
    "pydantic-ai": {
        EDITED,
        LATE,
        "argument binding/an approval does not cover arguments that changed while it was waited for",
        "resuming/the same saved state, gone on with twice, runs the call once",
        "resuming/what was refused stays refused when an older state is gone on with",
    },
    "langgraph, one tool node": {
        EDITED,
        LATE,
        "parallel requests/each answer goes to its own question",
        "parallel requests/what has no answer yet waits while another is answered",
        "parallel requests/of two equal calls only the approved one runs",
        "resuming/what ran beside the question is not repeated",
    },
    "langgraph, calls apart": {EDITED, LATE},
}


@cache
def verdict(name: str, *, governed: bool) -> ConformanceReport:
    """The report on a framework's flow, by itself or behind the gateway."""
    flow = FLOWS[name]()
    return run_conformance(GatewayFront(flow) if governed else flow)


@pytest.mark.parametrize("name", FLOWS)
def test_what_a_framework_does_by_itself(name: str) -> None:
    report = verdict(name, governed=False)

    assert {outcome.name for outcome in report.bad} == SHORT_OF[name], report.text()
    assert len(report.outcomes) == len(CASES)


@pytest.mark.parametrize("name", FLOWS)
def test_a_framework_behind_the_gateway_keeps_to_everything(name: str) -> None:
    report = verdict(name, governed=True)

    assert report.passed, report.text()


def test_a_verdict_is_the_same_every_time() -> None:
    again = run_conformance(LangGraphFlow())

    assert again.text() == verdict("langgraph, one tool node", governed=False).text()


@pytest.fixture(name="_wants_tracing")
def _tracing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An environment in which LangChain would send every conversation to a server."""
    remembered: Any = langsmith_utils.get_env_var  # its overloads hide from mypy that it remembers
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    remembered.cache_clear()
    yield
    monkeypatch.undo()
    remembered.cache_clear()


@pytest.mark.usefixtures("_wants_tracing")
def test_tracing_that_the_environment_asks_for_is_off() -> None:
    seen: list[object] = []

    class Watching(CountingBench):
        async def run(self, call: Call) -> str:
            seen.append(langsmith_utils.tracing_is_enabled())
            return await super().run(call)

    assert langsmith_utils.tracing_is_enabled()
    asyncio.run(LangGraphFlow().start([[note(1)]], Watching()))

    assert seen == [False]


@pytest.mark.parametrize(
    ("adapter", "module", "says"),
    [
        (
            "langgraph",
            "langgraph.graph",
            r"LangGraph is not installed .*\(install it with: pip install langgraph\)",
        ),
        ("pydantic_ai", "pydantic_ai", r"Pydantic AI is not installed .*pip install pydantic-ai-slim\)"),
    ],
)
def test_a_framework_that_is_missing_is_named(
    adapter: str, module: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=says):
        run_path(str(Path(adapters.__path__[0]) / f"{adapter}.py"))


def test_the_page_of_verdicts_says_what_a_run_says() -> None:
    page = PAGE.read_text("utf-8")
    columns = [verdict(name, governed=governed) for name in FLOWS for governed in (False, True)]
    short = {
        name: [f"- {one.details['case']}" for one in verdict(name, governed=False).bad] for name in FLOWS
    }

    assert verdict_table(columns) in page
    assert f"through {len(CASES)} cases" in page
    for library in ("pydantic-ai-slim", "langgraph"):
        assert f"{library} {version(library)}" in page
    for name in FLOWS:
        (listed,) = re.findall(rf"^### {re.escape(name)}\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL)
        assert [line for line in listed.splitlines() if line.startswith("- ")] == short[name]
