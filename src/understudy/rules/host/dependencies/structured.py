"""Dependency files in JSON and TOML, read bounded and without trust in their form."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from understudy.rules.host.dependencies.packages import NotReadable

# tomllib's time grows with the square of a dotted key's length; no lock file has a long one.
_LONG_KEY = re.compile(
    r"""(?<![A-Za-z0-9_-])(?:(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
)


def json_object(text: str) -> dict[str, Any]:
    """The JSON object that a text is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise NotReadable from None
    if not isinstance(value, dict):
        raise NotReadable
    return value


def toml_table(text: str) -> dict[str, Any]:
    """The TOML document that a text is."""
    if _LONG_KEY.search(text):
        raise NotReadable
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        raise NotReadable from None


def tables(document: dict[str, Any], key: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The tables of a list that have a name: the name, the version ('' without one), and the table."""
    entries = document.get(key)
    for table in entries if isinstance(entries, list) else ():
        name = table.get("name") if isinstance(table, dict) else None
        if isinstance(name, str) and name:
            version = table.get("version")
            yield name, version if isinstance(version, str) else "", table
