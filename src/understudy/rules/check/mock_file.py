"""A file of answers to HTTP requests: the keys are those of tests, the values what YAML can say of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from understudy.core.brief import json_type
from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.core.nearness import closest_name
from understudy.documents.positions import Document
from understudy.documents.validate import problem_at
from understudy.documents.yaml import load_yaml
from understudy.rules.mocks import MockError, MockTable

FILE_LIMIT = 16 << 20
PROBLEMS_LIMIT = 20
_PARTS = frozenset({"status", "body", "headers", "timeout", "optional"})


@dataclass(frozen=True, slots=True)
class MockFile:
    """The answers by their keys, and the lines of these."""

    shown: str
    answers: Mapping[str, Any]
    lines: Mapping[str, int]

    def table(self) -> MockTable:
        """The mocks for one rule, none of them hit yet."""
        return MockTable.first_dialect(self.answers)


def load_mock_file(path: Path, shown: str) -> MockFile:
    """Read a file of mocks. Raises InputError with every problem at its place.

    A mapping of `status`, `body`, `headers`, `timeout: true` and `optional: true` is an answer, a list of such mappings
    are several ones; anything else is the body of one.
    """
    document = load_yaml(shown, text=read_text(path, limit=FILE_LIMIT))
    if document.data is None:
        return MockFile(shown, {}, {})
    if not isinstance(document.data, dict):
        what = json_type(document.data)
        hint = 'write "GET https://host/path": {status: 200, body: ...}'
        raise InputError(
            [problem_at(document, (), f"must be a mapping of requests to answers, not {what}", hint)]
        )
    problems: list[Problem] = []
    answers: dict[str, Any] = {}
    for key, value in document.data.items():
        try:
            answers[key] = _answers(document, key, value)
            MockTable.first_dialect([(key, answers[key])])
        except MockError as error:
            problems += [problem_at(document, (key,), found.message, found.hint) for found in error.problems]
        except InputError as error:
            problems += error.problems
        if len(problems) >= PROBLEMS_LIMIT:
            break
    if problems:
        raise InputError(problems)
    mocks = MockFile(shown, answers, {key: document.positions.key((key,))[0] for key in answers})
    try:
        mocks.table()
    except MockError as error:  # of two keys that clash, say
        raise InputError(
            [problem_at(document, (), found.message, found.hint) for found in error.problems]
        ) from None
    return mocks


def _answers(document: Document, key: str, value: Any) -> Any:
    if isinstance(value, list) and value:
        are = [_is_answer(document, (key, index), entry) for index, entry in enumerate(value)]
        if all(are):
            return [_answer(entry) for entry in value]
        if any(are):
            message = f"the mock {key!r} lists answers and other values"
            hint = "write each answer as {status: ..., body: ...}, or the list as {body: [...]}"
            raise InputError([problem_at(document, (key, are.index(False)), message, hint)])
    elif _is_answer(document, (key,), value):
        return _answer(value)
    return {"mock": "response", "kind": "body", "status": 200, "body": value}


def _is_answer(document: Document, path: tuple[str | int, ...], value: Any) -> bool:
    """Is it an answer? A mapping that is one but for a misspelt part is refused, since it would be a body."""
    if not isinstance(value, dict) or not value:
        return False
    others = [name for name in value if name not in _PARTS]
    if not others:
        return True
    if len(others) < len(value) or len(value) == 1:
        for name in others:
            if near := closest_name(name, sorted(_PARTS - value.keys())):
                message = f"unknown part {name!r} of an answer"
                hint = f"did you mean {near!r}? A body that is like this is written {{body: ...}}"
                raise InputError([problem_at(document, (*path, name), message, hint, key=True)])
    return False


def _answer(given: Mapping[str, Any]) -> dict[str, Any]:
    parts = dict(given)
    is_optional = parts.pop("optional", False)
    timeout = parts.pop("timeout", False)
    answer = {"mock": "timeout"} if timeout is True else {"mock": "response", "status": 200, **parts}
    if "body" in parts and parts["body"] is None:
        answer["kind"] = "body"
    return {**answer, "optional": is_optional is True}
