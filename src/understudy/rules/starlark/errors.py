"""What the interpreter says of an error, taken apart: the message, and the line of the file it belongs to."""

from __future__ import annotations

import re

from understudy.core.nearness import closest_name
from understudy.rules.listing import LoadError
from understudy.rules.starlark.failures import caller
from understudy.rules.starlark.scanner import as_written

_MESSAGE = re.compile(r"^error: (.*?)(?=^\s*--> |\Z)", re.MULTILINE | re.DOTALL)
_OWN_NAME = re.compile(r"<understudy>\.(?:__)?(\w+)")
_AS_CALLED = {"eval_ours": "eval", "eval_mindev": "eval", "assert_true": "true"}
_UNKNOWN_ARGUMENT = re.compile(r"Found `(\w+)` extra named parameter\(s\) for call to eval\b")
_ARGUMENTS = (
    *("rule", "entity", "mocks", "files", "datasources", "profile", "params", "base_files"),
    *("mock_http", "mock_fs", "data_sources", "provider_traits_present"),
)
_NO_JSON = re.compile(r"Operation `serde::serialize` not supported on type `(\w+)`")
_OWN_FRAME = re.compile(r"^\s+\* <understudy>:\d+, in ")
_OWN_PLACE = re.compile(r"^\s*--> <understudy>:")
_PLACE = re.compile(r"^\s*--> (?P<file>.+):(?P<line>\d+):(?P<column>\d+)$", re.MULTILINE)


class Misuse(Exception):
    """A test uses a builtin wrongly; the message says how, and what to do."""


def read_error(text: str, file: str, raised: Exception | None = None) -> LoadError:
    """Take apart what the interpreter says; `raised` is the Python error behind it, if there is one.

    >>> read_error("error: fail: no\\n --> a.star:2:3\\n  |\\n", "a.star").line
    2
    """
    trace = _OWN_NAME.sub(lambda found: _AS_CALLED.get(found[1], found[1]), as_written(text))
    trace = _without_our_own(trace).rstrip()
    message = str(raised) if isinstance(raised, Misuse) else ""
    if not message:
        found = _MESSAGE.search(trace)
        message = (found[1] if found else trace).strip()
        message = re.sub(r"^(StarlarkError|fail): ", "", message)
        message = _UNKNOWN_ARGUMENT.sub(_unknown_argument, message)
        message = _NO_JSON.sub(r"a \1 is among the values, and JSON has no form for it", message)
    place = _PLACE.search(trace)
    if place is not None and place["file"] == file:
        return LoadError(message, int(place["line"]), int(place["column"]), trace)
    return LoadError(message, caller(trace, file).line, None, trace)


def _without_our_own(text: str) -> str:
    """A trace without the frames of the prelude, which is none of the user's business."""
    lines = text.splitlines()
    kept: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        if _OWN_FRAME.match(line):
            number += 2
        elif _OWN_PLACE.match(line):
            break
        else:
            kept.append(line)
            number += 1
    return "\n".join(line for line in kept if line.strip() != "File <builtin>, in <module>")


def _unknown_argument(found: re.Match[str]) -> str:
    near = closest_name(found[1], _ARGUMENTS)
    return f"eval: there is no argument {found[1]!r}" + (f" (did you mean {near!r}?)" if near else "")
