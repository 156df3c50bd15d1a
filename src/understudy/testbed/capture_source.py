"""What a capture is taken from, as suites and scripts write it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from understudy.core.errors import InputError
from understudy.testbed.path_expectation import check_path

KINDS = ("json", "header", "cookie", "regex", "status", "body")


def parse_source(source: str | Mapping[str, Any]) -> tuple[str, str]:
    """The kind of a capture and its argument.

    >>> parse_source("$.id"), parse_source("header:Location"), parse_source({"cookie": "sid"})
    (('json', '$.id'), ('header', 'Location'), ('cookie', 'sid'))
    """
    if isinstance(source, str):
        kind, colon, argument = source.partition(":")
        if colon and kind in KINDS:
            return kind, argument.strip()
        return (source, "") if source in ("status", "body") else ("json", source)
    if len(source) == 1:
        ((kind, argument),) = source.items()
        if kind in KINDS:
            return kind, str(argument)
    raise InputError(f"a capture takes one of {', '.join(KINDS)}, not {dict(source)!r:.80}")


def check_source(source: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
    """The source itself if it can be read; raises ValueError otherwise.

    >>> check_source("regex:order (")
    Traceback (most recent call last):
    ...
    ValueError: 'order (' is no regular expression: missing ), unterminated subpattern at position 6
    """
    kind, argument = parse_source(source)
    if kind == "json":
        check_path(argument)
    elif kind == "regex" and "${" not in argument:
        try:
            re.compile(argument)
        except (re.error, RecursionError, OverflowError) as error:
            raise ValueError(f"{argument!r:.80} is no regular expression: {error}") from None
    return source
