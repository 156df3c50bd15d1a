"""Reads scripts (YAML) into models, each entry with its place, and tells everything that is wrong at once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.documents.positions import Document
from understudy.documents.validate import problem_at, validate
from understudy.documents.yaml import load_yaml
from understudy.testbed.cases import ScriptSource
from understudy.testbed.script_models import (
    GraphQLScript,
    GRPCScript,
    HTTPScript,
    QueueScript,
    ScriptEntry,
    ScriptFile,
    WebSocketScript,
)

Paths = Iterable[str | os.PathLike[str]] | str | os.PathLike[str]

SECTIONS: dict[str, type[ScriptEntry]] = {
    "http": HTTPScript,
    "websocket": WebSocketScript,
    "graphql": GraphQLScript,
    "grpc": GRPCScript,
    "queue": QueueScript,
}

# Without these keys nothing more can be said about an entry.
_NEEDED = frozenset({"operation", "endpoint", "query", "service", "method", "queue", "job"})
_CONDITIONS = ("expect", "until", "failIf")


def load_script(path: str | os.PathLike[str]) -> ScriptFile:
    """Read one script. Raises InputError with every problem of the file, each with line and column.

    What an entry refers to is looked up in a suite by `apply_scripts`.
    """
    return load_scripts([path])[0]


def load_scripts(paths: Paths) -> list[ScriptFile]:
    """Read several scripts. Raises one InputError with every problem of every file."""
    scripts, problems = read_scripts(paths)
    if problems:
        raise InputError(problems)
    return scripts


def read_scripts(paths: Paths) -> tuple[list[ScriptFile], list[Problem]]:
    """What can be read of the scripts, and all problems.

    With a problem, a script lacks the part that it is about; the rest is there to be checked, too.
    """
    scripts: list[ScriptFile] = []
    problems: list[Problem] = []
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        try:
            document = load_yaml(path)
        except InputError as error:
            problems.extend(error.problems)
        else:
            wrong: list[Problem] = []
            scripts.append(_read(document, wrong))
            problems.extend(sorted(wrong, key=lambda problem: (problem.line or 0, problem.column or 0)))
    return scripts, problems


def _read(document: Document, problems: list[Problem]) -> ScriptFile:
    script = ScriptFile()
    script.file = document.file
    if document.data is None:
        hint = "add a case under http, websocket, graphql, grpc or queue"
        problems.append(problem_at(document, (), "is empty: the script has no cases", hint))
        return script
    if not isinstance(document.data, dict):
        # The model says best what the content is and should be.
        problems.extend(_problems_of(ScriptFile, document))
        return script
    before = len(problems)
    for section, content in document.data.items():
        if section not in SECTIONS:
            problems.append(_unknown_section(document, section))
        elif isinstance(content, list):
            entries = [_entry(document, section, number, problems) for number in range(len(content))]
            setattr(script, section, [entry for entry in entries if entry is not None])
        elif content is not None:
            problems.extend(_problems_of(ScriptFile, document, section))
    if len(problems) == before and not any(getattr(script, section) for section in SECTIONS):
        hint = "add a case under http, websocket, graphql, grpc or queue"
        problems.append(problem_at(document, (), "the script has no cases", hint))
    return script


def _entry(document: Document, section: str, number: int, problems: list[Problem]) -> ScriptEntry | None:
    model = SECTIONS[section]
    entry: ScriptEntry | None
    try:
        entry = validate(model, document, (section, number))
    except InputError as error:
        problems.extend(error.problems)
        entry = _what_fits(model, document.data[section][number])
    if entry is not None:
        line, column = document.positions.value((section, number))
        entry.source = ScriptSource(file=document.file, line=line, column=column)
    return entry


def _what_fits(model: type[ScriptEntry], data: Any) -> ScriptEntry | None:
    """An entry without its parts that are wrong, so that what they are right about can still be checked."""
    if not isinstance(data, dict):
        return None
    kept: dict[str, Any] = {}
    for key, value in data.items():
        if _try(model, {key: value}) is not None:
            kept[key] = value
        elif key in _NEEDED:
            return None
        elif key in _CONDITIONS and isinstance(value, dict):
            kept[key] = {
                name: part for name, part in value.items() if _try(model, {key: {name: part}}) is not None
            }
    return _try(model, kept)


def _try(model: type[ScriptEntry], data: dict[str, Any]) -> ScriptEntry | None:
    try:
        return model.model_validate(data, by_alias=True, by_name=False)
    except ValidationError:
        return None


def _problems_of(model: type[ScriptFile], document: Document, section: str = "") -> tuple[Problem, ...]:
    data = {section: document.data[section]} if section else document.data
    try:
        validate(model, Document(document.file, data, document.positions))
    except InputError as error:
        return error.problems
    return ()


def _unknown_section(document: Document, section: str) -> Problem:
    nearest = closest_name(section, SECTIONS)
    hint = f"did you mean {nearest!r}?" if nearest else f"the keys here are {', '.join(SECTIONS)}"
    return problem_at(document, (section,), f"unknown key {section[:80]!r}", hint, key=True)
