"""Tools behind governance: each call is asked about first, and what is refused does not run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Generator
from contextlib import aclosing
from typing import Any, Protocol

from understudy.core.errors import UnderstudyError
from understudy.governance.actions import AgentPermissionDenied, RateLimitExceeded
from understudy.simulation.agents.passage import ActionRejected
from understudy.simulation.agents.tool_calls import GovernedTool, ToolCall, name_of

REFUSALS = (AgentPermissionDenied, RateLimitExceeded, ActionRejected)


class Gate(Protocol):
    """What stands before a tool. Both return when the call may run, right then, and raise when it may not."""

    def pass_call(self, call: ToolCall) -> None:
        """Wait for the decision."""
        ...

    async def pass_call_async(self, call: ToolCall) -> None:
        """Wait for the decision without blocking the event loop."""
        ...


def guarded(governed: GovernedTool, gate: Gate) -> Callable[..., Any]:
    """The tool with the gate before it: of the same kind, with the same signature and documentation.

    A stream (a generator, plain or async) is asked about when it is first read from, as nothing runs before.
    """
    if _is(inspect.isasyncgenfunction, governed.tool):
        return _faced(governed.tool, _async_stream(governed, gate))
    if _is(inspect.isgeneratorfunction, governed.tool):
        return _faced(governed.tool, _stream(governed, gate))
    if _is(inspect.iscoroutinefunction, governed.tool):
        return _faced(governed.tool, _async_call(governed, gate))
    return _faced(governed.tool, _call(governed, gate))


def _call(governed: GovernedTool, gate: Gate) -> Callable[..., Any]:
    def guarded_tool(*args: Any, **kwargs: Any) -> Any:
        call = governed.call(args, kwargs)
        try:
            gate.pass_call(call)
        except REFUSALS as refusal:
            return _instead(governed, refusal)
        return call.run()

    return guarded_tool


def _async_call(governed: GovernedTool, gate: Gate) -> Callable[..., Awaitable[Any]]:
    async def guarded_tool(*args: Any, **kwargs: Any) -> Any:
        call = governed.call(args, kwargs)
        try:
            await gate.pass_call_async(call)
        except REFUSALS as refusal:
            instead = _instead(governed, refusal)
            return await instead if inspect.isawaitable(instead) else instead
        return await call.run()

    return guarded_tool


def _stream(governed: GovernedTool, gate: Gate) -> Callable[..., Generator[Any, Any, Any]]:
    def guarded_tool(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        call = governed.call(args, kwargs)
        try:
            gate.pass_call(call)
        except REFUSALS as refusal:
            yield _instead(governed, refusal)
            return None
        return (yield from call.run())

    return guarded_tool


def _async_stream(governed: GovernedTool, gate: Gate) -> Callable[..., AsyncIterator[Any]]:
    async def guarded_tool(*args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        call = governed.call(args, kwargs)
        try:
            await gate.pass_call_async(call)
        except REFUSALS as refusal:
            instead = _instead(governed, refusal)
            yield await instead if inspect.isawaitable(instead) else instead
            return
        async with aclosing(call.run()) as inner:
            # `async for` would keep what the reader sends and throws from the tool.
            step = inner.asend(None)
            while True:
                try:
                    item = await step
                except StopAsyncIteration:
                    return
                try:
                    step = inner.asend((yield item))
                except GeneratorExit:
                    raise
                except BaseException as error:
                    step = inner.athrow(error)

    return guarded_tool


def _instead(governed: GovernedTool, refusal: UnderstudyError) -> Any:
    if governed.on_refusal is None:
        raise refusal
    return governed.on_refusal(refusal)


def _is(kind: Callable[[Any], bool], tool: Any) -> bool:
    """Whether a tool is of a kind, also as a partial or as an object with a `__call__` of that kind."""
    while isinstance(tool, functools.partial):
        tool = tool.func
    return kind(tool) or kind(getattr(type(tool), "__call__", None))  # noqa: B004 - the method itself is meant


def _faced(tool: Callable[..., Any], wrapper: Callable[..., Any]) -> Callable[..., Any]:
    """The wrapper with the face of the tool."""
    face = tool
    while isinstance(face, functools.partial):
        face = face.func
    # What a function was marked with is a part of it; what an object holds is its own.
    functools.update_wrapper(wrapper, face, updated=("__dict__",) if inspect.isroutine(face) else ())
    wrapper.__name__ = name_of(tool)
    wrapper.__wrapped__ = tool  # type: ignore[attr-defined]  # what inspect follows to the signature
    return wrapper
