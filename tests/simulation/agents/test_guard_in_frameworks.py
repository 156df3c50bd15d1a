"""Guarded tools in two real agent frameworks, driven by scripts: described as ever, and stopped when refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import StructuredTool
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from understudy.governance import AgentPermissionDenied
from understudy.simulation import AgentTestHarness

Ledger = list[tuple[str, int]]


@pytest.fixture(name="ledger")
def _ledger() -> Ledger:
    return []


@pytest.fixture(name="export")
def _export(ledger: Ledger) -> Any:
    async def export(to: str, rows: int = 10) -> str:
        """Send rows of customers to somebody.

        Args:
            to: Who gets them.
            rows: How many.
        """
        ledger.append((to, rows))
        return f"sent {rows} to {to}"

    return export


def scripted(seen: list[AgentInfo]) -> FunctionModel:
    """A model that calls the tool once, and ends with what it got."""

    def respond(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info)
        results = [p.content for m in messages for p in m.parts if isinstance(p, ToolReturnPart)]
        if results:
            return ModelResponse([TextPart(str(results[-1]))])
        return ModelResponse([ToolCallPart("export", {"to": "mallory"})])

    return FunctionModel(respond)


def asked(tool: Any) -> tuple[str, AgentInfo]:
    """What an agent of Pydantic AI says in the end, and what its model was told of the tool."""
    seen: list[AgentInfo] = []
    agent = Agent(scripted(seen), tools=[tool])
    return str(asyncio.run(agent.run("export everything")).output), seen[0]


def test_pydantic_ai_describes_a_guarded_tool_as_it_describes_the_tool(export: Any) -> None:
    harness = AgentTestHarness(trust_level="trusted_internal")

    plain, guarded = (asked(tool)[1].function_tools for tool in (export, harness.guard(export)))

    assert guarded == plain
    assert plain[0].parameters_json_schema["properties"]["to"]["description"] == "Who gets them."


def test_pydantic_ai_runs_what_is_approved_and_is_told_of_what_is_not(export: Any, ledger: Ledger) -> None:
    harness = AgentTestHarness(trust_level="trusted_internal")
    tool = harness.guard(export, impact_level="high", on_refusal=lambda error: f"refused: {error}")

    assert asked(tool)[0] == "sent 10 to mallory"
    harness.set_auto_reject("export", "not to mallory")
    assert asked(tool)[0].startswith("refused: the action was not approved")

    assert ledger == [("mallory", 10)]
    statuses = [(action.status, action.reviewed_by) for action in harness.recorded_actions]
    assert statuses == [("approved", "mock-reviewer"), ("rejected", "")]


def test_a_refusal_ends_a_run_of_pydantic_ai_if_nothing_is_said_in_its_place(
    export: Any, ledger: Ledger
) -> None:
    with pytest.raises(AgentPermissionDenied):
        asked(AgentTestHarness().guard(export))

    assert ledger == []


def test_langchain_describes_and_runs_a_guarded_tool_as_the_tool(export: Any, ledger: Ledger) -> None:
    harness = AgentTestHarness(trust_level="trusted_internal")
    plain = StructuredTool.from_function(coroutine=export, parse_docstring=True)
    tool = StructuredTool.from_function(coroutine=harness.guard(export), parse_docstring=True)
    call = AIMessage("", tool_calls=[{"id": "c1", "name": "export", "args": {"to": "ann"}}]).tool_calls[0]

    answer = asyncio.run(tool.ainvoke(call))

    assert (tool.name, tool.description, tool.args) == (plain.name, plain.description, plain.args)
    assert tool.args["to"]["description"] == "Who gets them."
    assert (answer.content, ledger) == ("sent 10 to ann", [("ann", 10)])


def test_langchain_does_not_run_what_is_denied(export: Any, ledger: Ledger) -> None:
    tool = StructuredTool.from_function(coroutine=AgentTestHarness().guard(export))

    with pytest.raises(AgentPermissionDenied):
        asyncio.run(tool.ainvoke({"to": "ann"}))

    assert ledger == []
