"""Functions of data sources whose results a test gives itself, as older tests for mindev do."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from understudy.core.brief import brief, json_type
from understudy.core.errors import InputError, Problem
from understudy.rules.data_sources.names import function_name
from understudy.rules.evaluate.functions import HostFunction

_HINT = 'write data_sources = {"source.function": result}, or a list of files'


def mocked_functions(results: Mapping[str, Any]) -> Mapping[str, HostFunction]:
    """The functions that give these results, whatever they are passed. Raises InputError.

    >>> functions = mocked_functions({"osv.query": {"vulns": []}})
    >>> functions["minder.datasource.osv.query"].call({"query": "x"})
    {'vulns': []}
    """
    functions: dict[str, HostFunction] = {}
    for key, result in results.items():
        source, dot, function = key.partition(".") if isinstance(key, str) else ("", "", "")
        if not source or not dot or not function:
            message = f"data_sources: {brief(key)} ({json_type(key)}) names no function of a data source"
            raise InputError([Problem(message, hint=_HINT)])
        name = function_name(source, function)
        if name in functions:
            raise InputError(
                [Problem(f"data_sources: two results are given for {name}", hint="remove one of the two")]
            )
        functions[name] = HostFunction(name, 1, partial(_given, result))
    return functions


def _given(result: Any, arguments: Any) -> Any:
    return result
