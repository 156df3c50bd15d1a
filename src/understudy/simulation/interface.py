"""Whether a connector fits an interface: every public method is there, and is called and awaited in the same way."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from inspect import Parameter
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def fit_to_interface(connector: object, interface: type) -> None:
    """Have a connector awaited where an interface (a Protocol, an abstract or a plain class) says so.

    Raises InputError that names every method that is missing or would be called otherwise, and what to do.

    >>> import asyncio
    >>> class Store:
    ...     def get(self, key: str) -> str:
    ...         return key.upper()
    >>> class AsyncStore:
    ...     async def get(self, key: str) -> str: ...
    >>> store = Store()
    >>> fit_to_interface(store, AsyncStore)
    >>> asyncio.run(store.get("a"))
    'A'
    """
    if not isinstance(interface, type):
        raise InputError(f"interface is a Protocol or a class, not {interface!r}")
    for name in sorted(_public_names(interface)):
        given = getattr(connector, name, None)
        is_awaited = inspect.iscoroutinefunction(getattr(interface, name, None))
        if is_awaited and inspect.ismethod(given) and not inspect.iscoroutinefunction(given):
            setattr(connector, name, _awaited(given))
    problems = list(_misfits(connector, interface))
    if problems:
        raise InputError(problems)


def _awaited(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(*args: Any, **kwargs: Any) -> Any:
        return method(*args, **kwargs)

    return call


def _misfits(connector: object, interface: type) -> Iterator[Problem]:
    for name in sorted(_public_names(interface)):
        wanted = inspect.getattr_static(interface, name, None)
        is_method = isinstance(wanted, staticmethod | classmethod) or callable(wanted)
        if not hasattr(connector, name):
            kind = "method" if is_method else "attribute"
            near = closest_name(name, [one for one in dir(connector) if not one.startswith("_")])
            hint = f"give it by extra={{{name!r}: ...}}" + (f"; the nearest is {near!r}" if near else "")
            yield Problem(f"{interface.__name__} has the {kind} {name!r}, the connector has not", hint=hint)
        elif is_method:
            given = getattr(connector, name)
            if not callable(given):
                yield Problem(f"{interface.__name__}.{name} is a method, the connector's {name} is none")
            elif trouble := _incompatible(getattr(interface, name), given, isinstance(wanted, staticmethod)):
                hint = f"give your own by extra={{{name!r}: ...}}; it is called with the connector first"
                yield Problem(f"{interface.__name__}.{name}: {trouble}", hint=hint)


def _public_names(interface: type) -> set[str]:
    names: set[str] = set()
    for base in interface.__mro__:
        if base is object or base.__module__ in ("typing", "abc", "typing_extensions"):
            continue
        names.update(name for name in vars(base) if not name.startswith("_"))
        names.update(name for name in inspect.get_annotations(base) if not name.startswith("_"))
    return names


def _incompatible(wanted: Any, given: Any, is_static: bool) -> str:
    """Why a call that the interface allows would not work; '' if all of them would."""
    try:
        expected, actual = inspect.signature(wanted), inspect.signature(given)
    except (TypeError, ValueError):  # written in C, and says nothing of its parameters
        return ""
    asked = list(expected.parameters.values())
    if not is_static and not inspect.ismethod(wanted) and asked:
        asked = asked[1:]  # self
    if inspect.iscoroutinefunction(wanted) != inspect.iscoroutinefunction(given):
        return "the connector's is async, and this one is not"
    return _unaccepted(asked, list(actual.parameters.values()))


def _unaccepted(asked: list[Parameter], taken: list[Parameter]) -> str:
    rest = any(one.kind is Parameter.VAR_POSITIONAL for one in taken)
    keywords = any(one.kind is Parameter.VAR_KEYWORD for one in taken)
    places = [one for one in taken if one.kind in _POSITIONAL]
    by_name = {one.name: one for one in taken if one.kind is not Parameter.POSITIONAL_ONLY}
    served = set()
    for at, one in enumerate(one for one in asked if one.kind in _POSITIONAL):
        if at < len(places):
            served.add(places[at].name)
            taker = places[at]
            if one.default is not Parameter.empty and taker.default is Parameter.empty:
                return f"its parameter {one.name!r} may be left out, the connector needs it"
            if one.kind is Parameter.POSITIONAL_ONLY:
                continue
            if by_name.get(one.name, taker) is not taker:
                return f"its parameter {one.name!r} stands in another place in the connector"
            # what both require is given by its place; what is optional may be given by its name
            is_named = taker.default is not Parameter.empty
            if is_named and one.name not in by_name and not keywords:
                return f"its parameter {one.name!r} is called {taker.name!r} in the connector"
        elif not rest:
            return f"its parameter {one.name!r} is not taken in that place by the connector"
    for one in asked:
        if one.kind is Parameter.KEYWORD_ONLY:
            if one.name not in by_name and not keywords:
                return f"its parameter {one.name!r} is not taken by the connector"
            served.add(one.name)
    for one in taken:
        is_needed = one.default is Parameter.empty and one.kind in (*_POSITIONAL, Parameter.KEYWORD_ONLY)
        if is_needed and one.name not in served:
            return f"the connector also needs {one.name!r}"
    return ""
