"""The approval flow of LangGraph: tools that call `interrupt`, gone on with by `Command(resume=...)`.

LangGraph leaves it to the author of a tool what counts as an approval. The tools here do as its documentation shows:
the answer is an object, `{"action": "approve"}` runs the tool, and values beside it take the place of arguments.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Annotated, Any, TypedDict

from understudy.core.errors import InputError, Problem
from understudy.governance.conformance.flow import Approve, Bench, Call, Refuse, Request

try:
    from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
    from langchain_core.runnables import RunnableConfig
    from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.graph import END, START, StateGraph, add_messages
    from langgraph.prebuilt import ToolNode
    from langgraph.types import Command, Send, interrupt
    from langsmith import tracing_context
except ImportError as missing:
    _HINT = "install it with: pip install langgraph"
    raise InputError([Problem(f"LangGraph is not installed ({missing})", hint=_HINT)]) from missing


class Conversation(TypedDict):
    """The state of the graph."""

    messages: Annotated[list[AnyMessage], add_messages]


class LangGraphFlow:
    """A model node and a tool node, with the state kept by a checkpointer, which stands for the database.

    With `apart`, every call of a turn is sent to a tool node of its own, as the agents of LangChain do it; without, one
    tool node is given all of them, as a graph drawn by hand usually does it.
    """

    def __init__(self, *, apart: bool = False) -> None:
        self.name = "langgraph, calls apart" if apart else "langgraph, one tool node"
        self._apart = apart
        self._saver = InMemorySaver()
        self._threads = 0

    async def start(self, rounds: Sequence[Sequence[Call]], bench: Bench) -> _LangGraphSession:
        """Begin a thread."""
        self._threads += 1
        session = self._session(rounds, bench, f"thread-{self._threads}")
        await session.go_on({"messages": [HumanMessage("go ahead")]})
        return session

    async def restore(
        self, saved: bytes, rounds: Sequence[Sequence[Call]], bench: Bench
    ) -> _LangGraphSession:
        """A graph of its own on the same thread."""
        session = self._session(rounds, bench, json.loads(saved)["thread"])
        await session.look()
        return session

    def _session(self, rounds: Sequence[Sequence[Call]], bench: Bench, thread: str) -> _LangGraphSession:
        return _LangGraphSession(_graph(rounds, bench, self._saver, self._apart), bench, thread)


class _LangGraphSession:
    def __init__(self, graph: Any, bench: Bench, thread: str) -> None:
        self._graph = graph
        self._bench = bench
        self._thread = thread
        self._config: RunnableConfig = {"configurable": {"thread_id": thread}}
        self._open: list[Request] = []

    def requests(self) -> list[Request]:
        return list(self._open)

    async def answer(self, answers: Mapping[str, Any]) -> None:
        if answers:
            await self.go_on(Command(resume={name: _translated(answer) for name, answer in answers.items()}))

    async def save(self) -> bytes:
        return json.dumps({"thread": self._thread}).encode()

    async def change_arguments(self, request_id: str, arguments: Mapping[str, Any]) -> None:
        state = await self._graph.aget_state(self._config)
        (waiting,) = [request for request in self._open if request.id == request_id]
        last = state.values["messages"][-1]
        calls = [
            {**call, "args": dict(arguments)} if call["args"] == dict(waiting.arguments) else call
            for call in last.tool_calls
        ]
        changed = AIMessage(last.content, id=last.id, tool_calls=calls)
        await self._graph.aupdate_state(self._config, {"messages": [changed]})

    async def go_on(self, given: Any) -> None:
        """Give the graph something to do, until it stops; tracing is off, so nothing reaches the network."""
        try:
            with tracing_context(enabled=False):
                if self._bench.streaming:
                    async for event in self._graph.astream(given, self._config, stream_mode="updates"):
                        if not self._bench.heard(", ".join(event)):
                            return
                else:
                    await self._graph.ainvoke(given, self._config)
        finally:
            await self.look()

    async def look(self) -> None:
        """See which questions are open."""
        state = await self._graph.aget_state(self._config)
        self._open = [Request(one.id, one.value["tool"], one.value["arguments"]) for one in state.interrupts]


def _translated(answer: Any) -> Any:
    if isinstance(answer, Approve):
        return {"action": "approve", **(answer.arguments or {})}
    if isinstance(answer, Refuse):
        return {"action": "reject", "reason": answer.reason}
    return answer


def _graph(rounds: Sequence[Sequence[Call]], bench: Bench, saver: InMemorySaver, apart: bool) -> Any:
    async def model(state: Conversation) -> dict[str, Any]:
        turn = sum(isinstance(message, AIMessage) for message in state["messages"])
        calls = rounds[turn] if turn < len(rounds) else ()
        asked = [{"name": call.tool, "args": dict(call.arguments), "id": call.id} for call in calls]
        return {"messages": [AIMessage("" if calls else "done", tool_calls=asked)]}

    def following(state: Conversation) -> Hashable | list[Send]:
        last = state["messages"][-1]
        calls = last.tool_calls if isinstance(last, AIMessage) else []
        if not calls:
            return END
        return [Send("tools", [call]) for call in calls] if apart else "tools"

    graph = StateGraph(Conversation)
    graph.add_node("model", model)
    graph.add_node("tools", ToolNode([_tool(name, bench) for name in sorted(bench.governed | bench.free)]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", following, ["tools", END])
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=saver)


def _tool(name: str, bench: Bench) -> BaseTool:
    async def governed(target: str, amount: int, call_id: Annotated[str, InjectedToolCallId]) -> str:
        arguments = {"target": target, "amount": amount}
        answer = interrupt({"tool": name, "arguments": arguments})
        if answer.get("action") != "approve":
            return "it was refused"
        final = {key: answer.get(key, value) for key, value in arguments.items()}
        return await bench.run(Call(call_id, name, final))

    async def free(target: str, amount: int, call_id: Annotated[str, InjectedToolCallId]) -> str:
        return await bench.run(Call(call_id, name, {"target": target, "amount": amount}))

    tool: Callable[..., Any] = governed if name in bench.governed else free
    return StructuredTool.from_function(coroutine=tool, name=name, description=f"Runs {name}.")
