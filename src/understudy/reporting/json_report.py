"""The unified report as JSON on disk (`understudy.report.v1`): written as a stream, read with every doubt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from os import PathLike, fspath
from typing import Any, TextIO

from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.core.report import (
    REPORT_SCHEMA,
    Report,
    Summary,
    head_to_json,
    outcome_to_json,
    report_from_json,
)
from understudy.reporting.schema_check import violations
from understudy.reporting.wording import in_words, plain

SIZE_LIMIT = 256 << 20
DEPTH_LIMIT = 100
_PROBLEM_LIMIT = 20
_SURROGATE = re.compile("[\ud800-\udfff]")


def write_json(report: Report, out: TextIO, version: str) -> None:
    """Write a report, indented by two spaces: its head first, then its outcomes, one in memory at a time.

    >>> import io
    >>> out = io.StringIO()
    >>> write_json(Report(Summary(), []), out, "0.1.0")
    >>> json.loads(out.getvalue())["outcomes"]
    []
    """
    head = head_to_json(report, version)
    head["evidence"] = _sorted(plain(head["evidence"]))
    out.write(_dump(head, "").removesuffix("\n}"))
    out.write(',\n  "outcomes": [')
    positions: Iterator[int | None] = chain(report.positions, repeat(None))
    separator = "\n    "
    for outcome, position in zip(report.outcomes, positions, strict=False):
        out.write(separator)
        out.write(_dump(outcome_to_json(outcome, position), "    "))
        separator = ",\n    "
    out.write("]\n}\n" if separator == "\n    " else "\n  ]\n}\n")


def load_report(path: str | PathLike[str]) -> Report:
    """Read a report that anyone may have written; InputError with file and path for all that is wrong."""
    name = fspath(path)
    record = _parsed(name, read_text(name, limit=SIZE_LIMIT))
    if not isinstance(record, Mapping) or record.get("schema") != REPORT_SCHEMA:
        found = record.get("schema") if isinstance(record, Mapping) else type(record).__name__
        hint = "give a file that `--json` wrote"
        raise InputError([Problem(f"is no {REPORT_SCHEMA} report: its schema is {found!r}", name, hint=hint)])
    problems = [
        Problem(f"at {where or '/'}: {message}", name, hint="see `understudy schema`")
        for where, message in violations(record, _PROBLEM_LIMIT)
    ]
    if problems:
        raise InputError(problems)
    report = report_from_json(record)
    counted = Summary()
    for outcome in report.outcomes:
        counted.add(outcome)
    if counted != report.summary:
        message = f"at /summary: it says {in_words(report.summary)}, but the outcomes are {in_words(counted)}"
        raise InputError([Problem(message, name, hint="the file was changed or cut; write the report again")])
    return report


def _parsed(name: str, text: str) -> Any:
    try:
        record = json.loads(text, parse_constant=_refuse_constant, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise InputError(
            [
                Problem(
                    f"is not JSON: {error.msg}",
                    name,
                    error.lineno,
                    error.colno,
                    hint="write the report again",
                )
            ]
        ) from None
    except RecursionError:
        raise InputError([_too_deep(name)]) from None
    except ValueError as error:
        raise InputError([Problem(f"is not JSON that we read: {error}", name)]) from None
    if _depth_exceeds(record, DEPTH_LIMIT):
        raise InputError([_too_deep(name)])
    return record


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


def _finite(digits: str) -> float:
    value = float(digits)
    if value - value != 0:
        raise ValueError(f"the number {digits} is too large")
    return value


def _too_deep(name: str) -> Problem:
    return Problem(f"is nested more than {DEPTH_LIMIT} levels deep", name, hint="no report of ours is")


def _depth_exceeds(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _sorted(value: Any) -> Any:
    """Evidence is merged in the order in which units end, which must not show."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(entry) for entry in value] if isinstance(value, list) else value


def _dump(record: Mapping[str, Any], indent: str) -> str:
    try:
        text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(plain(record), indent=2, ensure_ascii=False)
    # Line ends inside of strings are escaped, so what is left is layout; surrogates only occur in strings.
    return _SURROGATE.sub(lambda match: f"\\u{ord(match.group()):04x}", text.replace("\n", f"\n{indent}"))
