"""How a pipeline is named, found and called: a function, or `module:function` in a folder that can be imported from."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.simulation.named_functions import load_function
from understudy.simulation.replay.own_code import OwnCode
from understudy.simulation.replay.record import Site

Pipeline = Callable[..., Any]


def load_pipeline(name: str, folders: Sequence[str] = ()) -> Pipeline:
    """Import what `module:function` names; `folders` are looked in first.

    >>> load_pipeline("json:dumps").__name__
    'dumps'
    """
    pipeline: Pipeline = load_function(name, folders, "pipeline")
    return pipeline


def name_of(pipeline: Pipeline) -> str:
    """What a pipeline is called: its function's name, or that of its class.

    >>> name_of(functools.partial(load_pipeline, "json:dumps"))
    'load_pipeline'
    """
    while isinstance(pipeline, functools.partial):
        pipeline = pipeline.func
    return str(getattr(pipeline, "__name__", None) or type(pipeline).__name__)


def importable_name(pipeline: Pipeline) -> str:
    """`module:function` if another process finds the very same function under it; '' otherwise."""
    module_name = getattr(pipeline, "__module__", None)
    path = getattr(pipeline, "__qualname__", "")
    if not module_name or module_name == "__main__" or "<" in path:
        return ""
    found: Any = sys.modules.get(module_name)
    for part in path.split("."):
        found = getattr(found, part, None)
    return f"{module_name}:{path}" if found is pipeline else ""


def require_fit(pipeline: Pipeline, has_world: bool) -> None:
    """Refuse what cannot be called with a context (and a world), before it is.

    >>> require_fit(lambda ctx: [], False)
    """
    if not callable(pipeline):
        kind = type(pipeline).__name__
        raise _wrong(f"it is a {kind}, and no function of a context", "pass the function itself")
    given = ("the context", "the world") if has_world else ("the context",)
    try:
        signature = inspect.signature(pipeline)
    except (TypeError, ValueError):  # such as a function written in C, which says nothing of itself
        return
    try:
        signature.bind(*given)
    except TypeError as error:
        hint = "a pipeline takes the context, and the world as its second argument if there is one"
        message = f"{name_of(pipeline)}{signature} cannot be called with {' and '.join(given)}: {error}"
        raise _wrong(message, hint) from None


def is_async(pipeline: Pipeline) -> bool:
    """True for an async function or async generator, also in a partial or a callable object."""
    while isinstance(pipeline, functools.partial):
        pipeline = pipeline.func
    functions = (pipeline, getattr(type(pipeline), "__call__", None))  # noqa: B004 - its own method is meant
    return any(inspect.iscoroutinefunction(one) or inspect.isasyncgenfunction(one) for one in functions)


def functions_of(pipeline: Pipeline) -> tuple[FunctionType, ...]:
    """The functions in Python that a pipeline is made of: itself, or its `__call__`, and what it wraps."""
    while isinstance(pipeline, functools.partial):
        pipeline = pipeline.func
    found = (pipeline, inspect.unwrap(pipeline), getattr(type(pipeline), "__call__", None))  # noqa: B004 - as above
    plain = (getattr(one, "__func__", one) for one in found)  # a method has one
    return tuple(one for one in plain if isinstance(one, FunctionType))


def site_of(pipeline: Pipeline, own: OwnCode) -> Site:
    """Where a pipeline is defined."""
    while isinstance(pipeline, functools.partial):
        pipeline = pipeline.func
    code = getattr(inspect.unwrap(pipeline), "__code__", None)
    if code is None:
        code = getattr(getattr(type(pipeline), "__call__", None), "__code__", None)  # noqa: B004 - as above
    return own.named(code.co_filename, code.co_firstlineno) if code is not None else Site("", 1)


def folder_of(pipeline: Pipeline) -> str:
    """The folder from which the pipeline's module was imported."""
    module = sys.modules.get(getattr(pipeline, "__module__", "") or "")
    file = getattr(module, "__file__", None)
    if module is None or not file:
        return ""
    folder: str = os.path.dirname(os.path.abspath(file))
    for _ in range(module.__name__.count(".") + os.path.basename(file).startswith("__init__.")):
        folder = os.path.dirname(folder)
    return folder


def _wrong(message: str, hint: str) -> InputError:
    return InputError([Problem(f"pipeline: {message}", hint=hint)])
