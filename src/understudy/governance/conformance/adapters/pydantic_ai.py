"""The approval flow of Pydantic AI: deferred tools, answered by going on from the message history."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.governance.conformance.flow import Approve, Bench, Call, Refuse, Request

try:
    from pydantic_ai import (
        Agent,
        AgentRunResultEvent,
        DeferredToolRequests,
        DeferredToolResults,
        RunContext,
        Tool,
        ToolApproved,
        ToolDenied,
    )
    from pydantic_ai.messages import (
        ModelMessage,
        ModelMessagesTypeAdapter,
        ModelResponse,
        ModelResponsePart,
        TextPart,
        ToolCallPart,
    )
    from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
except ImportError as missing:
    _HINT = "install it with: pip install pydantic-ai-slim"
    raise InputError([Problem(f"Pydantic AI is not installed ({missing})", hint=_HINT)]) from missing


class PydanticAIFlow:
    """Tools with `requires_approval`, as an application uses them that keeps the history and collects the answers.

    The framework wants the answers to all questions of a turn at once, so the session collects them; everything
    else is passed on to it as it comes.
    """

    name = "pydantic-ai"

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> _PydanticAISession:
        """Begin with a prompt."""
        session = _PydanticAISession(rounds, bench)
        await session.begin()
        return session

    async def restore(
        self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench
    ) -> _PydanticAISession:
        """Go on from a history in JSON, with an agent of its own."""
        session = _PydanticAISession(rounds, bench)
        session.load(saved)
        return session


class _PydanticAISession:
    def __init__(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> None:
        self._bench = bench
        self._agent = _agent(rounds, bench)
        self._history: list[ModelMessage] = []
        self._open: DeferredToolRequests | None = None
        self._given: dict[str, Any] = {}

    async def begin(self) -> None:
        await self._run("go ahead", None)

    def requests(self) -> list[Request]:
        parts = self._open.approvals if self._open is not None else []
        return [
            Request(part.tool_call_id, part.tool_name, part.args_as_dict())
            for part in parts
            if part.tool_call_id not in self._given
        ]

    async def answer(self, answers: Mapping[str, Any]) -> None:
        waiting = {request.id for request in self.requests()}
        self._given.update({name: _translated(answer) for name, answer in answers.items()})
        if waiting <= self._given.keys() or not answers.keys() <= waiting:
            given, self._given = self._given, {}
            await self._run(None, DeferredToolResults(approvals=given))

    async def save(self) -> bytes:
        history = json.loads(ModelMessagesTypeAdapter.dump_json(self._history))
        waiting = [request.id for request in self.requests()]
        return json.dumps({"history": history, "waiting": waiting}).encode()

    def load(self, saved: bytes) -> None:
        state = json.loads(saved)
        self._history = ModelMessagesTypeAdapter.validate_python(state["history"])
        parts = [part for part in self._calls() if part.tool_call_id in state["waiting"]]
        self._open = DeferredToolRequests(approvals=parts)

    async def change_arguments(self, request_id: str, arguments: Mapping[str, Any]) -> None:
        self._history = [
            replace(
                message,
                parts=[
                    _with(part, arguments)
                    if isinstance(part, ToolCallPart) and part.tool_call_id == request_id
                    else part
                    for part in message.parts
                ],
            )
            if isinstance(message, ModelResponse)
            else message
            for message in self._history
        ]

    def _calls(self) -> list[ToolCallPart]:
        return [
            part
            for message in self._history
            for part in message.parts
            if isinstance(message, ModelResponse) and isinstance(part, ToolCallPart)
        ]

    async def _run(self, prompt: str | None, results: DeferredToolResults | None) -> None:
        if not self._bench.streaming:
            done = await self._agent.run(
                prompt, message_history=self._history or None, deferred_tool_results=results
            )
            self._keep(done.output, done.all_messages())
            return
        stream = self._agent.run_stream_events(
            prompt, message_history=self._history or None, deferred_tool_results=results
        )
        async with stream as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    self._keep(event.result.output, event.result.all_messages())
                if not self._bench.heard(type(event).__name__):
                    return

    def _keep(self, output: Any, history: list[ModelMessage]) -> None:
        self._open = output if isinstance(output, DeferredToolRequests) else None
        self._history = history


def _translated(answer: Any) -> Any:
    """A clear answer as the framework's own; anything else as it is."""
    if isinstance(answer, Approve):
        return ToolApproved(override_args=None if answer.arguments is None else dict(answer.arguments))
    if isinstance(answer, Refuse):
        return ToolDenied(answer.reason or "refused")
    return answer


def _with(part: ToolCallPart, arguments: Mapping[str, Any]) -> ToolCallPart:
    return ToolCallPart(part.tool_name, dict(arguments), tool_call_id=part.tool_call_id)


def _agent(rounds: Sequence[Sequence[Call]], bench: Bench) -> Agent[None, Any]:
    async def whole(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        calls = _next_round(rounds, messages)
        parts: list[ModelResponsePart] = [
            ToolCallPart(call.tool, dict(call.arguments), tool_call_id=call.id) for call in calls
        ]
        return ModelResponse(parts=parts or [TextPart("done")])

    async def streamed(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        calls = _next_round(rounds, messages)
        if not calls:
            yield "done"
        for index, call in enumerate(calls):
            yield {index: DeltaToolCall(call.tool, json.dumps(dict(call.arguments)), tool_call_id=call.id)}

    return Agent(
        FunctionModel(whole, stream_function=streamed),
        tools=[
            Tool(_tool(name, bench), name=name, requires_approval=name in bench.governed)
            for name in sorted(bench.governed | bench.free)
        ],
        output_type=[str, DeferredToolRequests],
    )


def _next_round(rounds: Sequence[Sequence[Call]], messages: Sequence[ModelMessage]) -> Sequence[Call]:
    turn = sum(isinstance(message, ModelResponse) for message in messages)
    return rounds[turn] if turn < len(rounds) else ()


def _tool(name: str, bench: Bench) -> Callable[..., Any]:
    async def tool(context: RunContext[None], target: str, amount: int) -> str:
        return await bench.run(Call(context.tool_call_id or "", name, {"target": target, "amount": amount}))

    return tool
