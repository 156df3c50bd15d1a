"""Takes values out of a response for later cases: by JSON path, from headers, cookies, the status or the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.testbed.capture_source import parse_source
from understudy.testbed.findings import Finding, contrast
from understudy.testbed.json_path import compile_path, missing_hint
from understudy.testbed.protocols.attempt import Attempt


class NotCaptured(UnderstudyError):
    """The response does not have what is to be captured."""


def capture_all(sources: Mapping[str, Any], attempt: Attempt) -> tuple[dict[str, Any], list[Finding]]:
    """The captured values by name, and a finding for each that the response does not have."""
    values: dict[str, Any] = {}
    findings: list[Finding] = []
    for name, source in sources.items():
        try:
            values[name] = capture(source, attempt)
        except UnderstudyError as error:
            message = f"cannot capture {name!r}: {error}"
            findings.append(Finding(("capture", name), message, source, None, _nothing_there(source)))
    return values, findings


def _nothing_there(source: str | Mapping[str, Any]) -> str:
    wanted = (
        source if isinstance(source, str) else ":".join(str(part) for pair in source.items() for part in pair)
    )
    return contrast(f"something at {wanted}", "(missing)")


def capture(source: str | Mapping[str, Any], attempt: Attempt) -> Any:
    """One value: `$.path`, `header:Name`, `cookie:name`, `regex:pattern`, `status`, `body`, or a mapping of one."""
    kind, argument = parse_source(source)
    if attempt.response is None:
        raise NotCaptured("there is no response")
    return _KINDS[kind](argument, attempt)


def _json(path: str, attempt: Attempt) -> Any:
    document = attempt.document
    find, single = compile_path(path)
    found = find(document)
    if single and not found:
        hint = missing_hint(path, document)
        raise NotCaptured(f"nothing at {path}" + (f": {hint}" if hint else ""))
    return found[0] if single else found


def _header(name: str, attempt: Attempt) -> Any:
    value = attempt.response.header(name) if attempt.response else None
    if value is None:
        there = (
            ", ".join(sorted({key for key, _ in attempt.response.headers})) if attempt.response else "none"
        )
        raise NotCaptured(f"the response has no header {name}; it has {there}")
    return value


def _cookie(name: str, attempt: Attempt) -> Any:
    seen: list[str] = []
    for line in attempt.response.header_values("Set-Cookie") if attempt.response else ():
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(line)
        except CookieError:
            continue
        if name in jar:
            return jar[name].value
        seen.extend(jar)
    raise NotCaptured(f"the response sets no cookie {name!r}; it sets {', '.join(seen) or 'none'}")


def _regex(pattern: str, attempt: Attempt) -> Any:
    try:
        found = re.search(pattern, attempt.text)
    except re.error as error:
        raise NotCaptured(f"{pattern!r} is no regular expression: {error}") from None
    if found is None:
        raise NotCaptured(f"nothing in the body matches {pattern!r}")
    return found[1] if found.re.groups else found[0]


_KINDS: Mapping[str, Callable[[str, Attempt], Any]] = {
    "json": _json,
    "header": _header,
    "cookie": _cookie,
    "regex": _regex,
    "status": lambda _, attempt: attempt.status,
    "body": lambda _, attempt: attempt.text,
}
