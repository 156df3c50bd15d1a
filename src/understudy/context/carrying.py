"""The context that is in use: found by whoever is called, also in tasks, and in threads that it is carried into."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

if TYPE_CHECKING:
    from understudy.context.context import ExecutionContext

P = ParamSpec("P")
T = TypeVar("T")

_current: ContextVar[ExecutionContext | None] = ContextVar("understudy_execution_context", default=None)


def current_context() -> ExecutionContext | None:
    """The context in use here; None if there is none. Tasks see that of whoever started them, threads do not.

    >>> current_context() is None
    True
    """
    return _current.get()


@contextmanager
def using(context: ExecutionContext) -> Iterator[ExecutionContext]:
    """Use a context within the block."""
    token = _current.set(context)
    try:
        yield context
    finally:
        _current.reset(token)


def carry(function: Callable[P, T]) -> Callable[P, T]:
    """The function, plain or async, with the context that is in use now, wherever and in whatever thread it is called.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from understudy.context import ExecutionContext
    >>> with ExecutionContext.create("ann", "enrichment").use(), ThreadPoolExecutor() as pool:
    ...     pool.submit(carry(lambda: current_context().initiated_by)).result()
    'ann'
    """
    context = _current.get()
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def carried_async(*args: P.args, **kwargs: P.kwargs) -> Any:
            token = _current.set(context)
            try:
                return await function(*args, **kwargs)
            finally:
                _current.reset(token)

        return cast("Callable[P, T]", carried_async)

    @functools.wraps(function)
    def carried(*args: P.args, **kwargs: P.kwargs) -> T:
        token = _current.set(context)
        try:
            return function(*args, **kwargs)
        finally:
            _current.reset(token)

    return carried
