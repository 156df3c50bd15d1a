"""YAML and TOML in a policy: as the Go libraries that Minder uses read them, as JSON data."""

from __future__ import annotations

import tomllib
from datetime import date, datetime, time
from functools import lru_cache
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.files import READ_LIMIT
from understudy.documents.toml import load_toml
from understudy.documents.yaml import load_go_yaml
from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.arguments import text_argument

_KEPT = 64 << 10


def parse_yaml(text: Any) -> Any:
    """The first YAML document of a text as JSON data, which must not be changed.

    >>> parse_yaml("on: push\\nversion: 1.0")
    {'on': 'push', 'version': 1}
    """
    content = _bounded(text_argument(text, "YAML"), "YAML")
    return _known_yaml(content) if len(content) <= _KEPT else _yaml(content)


def parse_toml(text: Any) -> Any:
    """A TOML text as JSON data, which must not be changed; dates and times are text.

    >>> parse_toml("day = 2026-01-02\\n[a]\\nb = [1, 2.5]")
    {'day': '2026-01-02', 'a': {'b': [1, 2.5]}}
    """
    content = _bounded(text_argument(text, "TOML"), "TOML")
    return _known_toml(content) if len(content) <= _KEPT else _toml(content)


def _yaml(content: str) -> Any:
    try:
        return load_go_yaml("YAML", text=content, only_text_keys=True).data
    except InputError as error:
        raise HostError(_said(error.problems[0])) from None


def _toml(content: str) -> Any:
    try:
        # Read twice: the first checks and knows the places of mistakes, the second knows dates from text.
        load_toml("TOML", text=content)
        return _as_go(tomllib.loads(content))
    except InputError as error:
        raise HostError(_said(error.problems[0])) from None


# The same workflow is parsed by rule after rule, and by test after test.
_known_yaml = lru_cache(maxsize=64)(_yaml)
_known_toml = lru_cache(maxsize=64)(_toml)


def _bounded(content: str, format_name: str) -> str:
    if len(content) > READ_LIMIT:
        raise HostError(
            f"the {format_name} has {len(content):,} characters, and at most {READ_LIMIT:,} are read"
        )
    return content


def _said(problem: Problem) -> str:
    place = "" if problem.line is None else f", line {problem.line}"
    if problem.line is not None and problem.column is not None:
        place += f" column {problem.column}"
    return f"the {problem.file}{place}: {problem.message}"


def _as_go(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_go(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_as_go(entry) for entry in value]
    if isinstance(value, datetime | time):
        return _moment(value.isoformat())
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int) and not isinstance(value, bool) and not -(1 << 63) <= value < (1 << 63):
        raise HostError(f"the TOML holds the number {value}, which has more than 64 bits")
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else value


def _moment(written: str) -> str:
    """Python's text of a time as Go writes it: Z for UTC, and no zeros at the end of a fraction."""
    head, dot, rest = written.partition(".")
    if dot:
        fraction, zone = rest[:6].rstrip("0"), rest[6:]
        written = head + (f".{fraction}" if fraction else "") + zone
    return written.removesuffix("+00:00") + "Z" if written.endswith("+00:00") else written
