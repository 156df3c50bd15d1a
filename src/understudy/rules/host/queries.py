"""jq in a policy: a query over data, and whether it is true."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from understudy.core.brief import brief, json_type, visible
from understudy.core.errors import missing_extra
from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.arguments import text_argument

QUERY_LIMIT = 64 << 10


def is_true(value: Any, query: Any) -> bool:
    """The first result of a query, which must be true or false; a query without any result is false.

    >>> is_true({"on": ["push"]}, '.on | any(. == "push")'), is_true({}, "empty")
    (True, False)
    """
    for result in results(value, text_argument(query, "a jq query")):
        if isinstance(result, bool):
            return result
        kind = json_type(result)
        raise HostError(f"the jq query gives {brief(result)}, which is of type {kind}, and not true or false")
    return False


def results(value: Any, query: str) -> Iterator[Any]:
    """What a jq query gives for a value, one result after the other. Raises HostError.

    >>> list(results({"a": [1, 2]}, ".a[]"))
    [1, 2]
    """
    program = _compiled(query)
    try:
        yield from iter(program.input_value(value))
    except ValueError as error:
        raise HostError(f"the jq query fails: {visible(str(error)[:300])}") from None


@lru_cache(maxsize=256)
def _compiled(query: str) -> Any:
    try:
        import jq  # type: ignore[import-not-found]  # a module of C without hints
    except ImportError:
        raise missing_extra("rules", "jq") from None
    if len(query) > QUERY_LIMIT or "\0" in query:
        raise HostError(f"the jq query is longer than {QUERY_LIMIT:,} characters, or holds a NUL character")
    try:
        # Minder's queries see no environment variables, which here would differ from machine to machine. Definitions
        # in front of the query also keep it from importing files.
        return jq.compile(f"def env: {{}}; {{}} as $ENV | ({query}\n)")
    except ValueError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        said = (
            lines[0].removeprefix("jq: error: ").partition(" at <top-level>")[0]
            if lines
            else "it is no query"
        )
        raise HostError(f"the jq query {brief(query)} is not valid: {visible(said)}") from None
