"""Checks the entries of scripts against a suite, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from understudy.core.errors import InputError, Problem
from understudy.documents.error_words import describe
from understudy.documents.positions import Document, Path, Position
from understudy.documents.validate import problem_at
from understudy.documents.yaml import load_yaml
from understudy.testbed.cases import WebSocketMessage
from understudy.testbed.models import HTTPRouteSuite, Suite
from understudy.testbed.queue_cases import decode_base64
from understudy.testbed.script_models import (
    GraphQLScript,
    GraphQLScriptExpectation,
    GRPCScriptExpectation,
    HTTPScript,
    HTTPScriptExpectation,
    ScriptEntry,
    ScriptFile,
    WebSocketScript,
    WebSocketScriptExpectation,
)
from understudy.testbed.script_targets import Complaint, Target, Targets, parameter_names, unknown
from understudy.testbed.scripts import SECTIONS

MESSAGE_TYPES = ("text", "binary", "close", "ping", "pong")


def check_scripts(suite: Suite, scripts: Iterable[ScriptFile]) -> list[Problem]:
    """Everything that is wrong with the entries of scripts that are to be applied to a suite."""
    targets = Targets(suite)
    problems: list[Problem] = []
    for script in scripts:
        places = _Places(script)
        wrong = [
            places.problem(entry, complaint)
            for entry in entries_of(script)
            for complaint in _complaints(entry, targets)
        ]
        problems.extend(sorted(wrong, key=lambda problem: (problem.line or 0, problem.column or 0)))
    return problems


def entries_of(script: ScriptFile) -> Iterator[ScriptEntry]:
    """Every entry of a script, protocol by protocol."""
    for section in SECTIONS:
        yield from getattr(script, section)


class _Places:
    """Where the parts of one script's entries stand; the file is read again only if a place is needed."""

    def __init__(self, script: ScriptFile) -> None:
        self._file = script.file
        self._document: Document | None = None
        self._entries: dict[Position, Path] | None = None

    def problem(self, entry: ScriptEntry, complaint: Complaint) -> Problem:
        """The problem that a complaint is, at its place in the file, or at the entry's if it is not found."""
        source = entry.source
        if source is None:
            name = f"case {entry.name!r}: " if entry.name else ""
            return Problem(name + complaint.message, self._file, hint=complaint.hint)
        if self._entries is None:
            self._entries = self._read()
        path = self._entries.get((source.line, source.column))
        if self._document is None or path is None or source.file != self._file:
            return Problem(complaint.message, source.file, source.line, source.column, hint=complaint.hint)
        place = (*path, *complaint.path)
        return problem_at(self._document, place, complaint.message, complaint.hint, complaint.key)

    def _read(self) -> dict[Position, Path]:
        try:
            self._document = load_yaml(self._file)
        except InputError:
            return {}
        data = self._document.data
        sections = [section for section in SECTIONS if isinstance(data, dict) and section in data]
        paths: list[Path] = [
            (section, number)
            for section in sections
            if isinstance(data[section], list)
            for number in range(len(data[section]))
        ]
        return {self._document.positions.value(path): path for path in paths}


def _complaints(entry: ScriptEntry, targets: Targets) -> Iterator[Complaint]:
    target = targets.find(entry)
    if isinstance(target, list):
        yield from target
    else:
        yield from _about_parameters(entry, target)
    if isinstance(entry, GraphQLScript) and not entry.query.strip():
        yield Complaint(("query",), "'query' is missing", "write the GraphQL operation")
    if isinstance(entry, WebSocketScript):
        yield from _about_messages(("messages",), entry.messages)
    for key, expectation in (("expect", entry.expect), ("until", entry.until), ("failIf", entry.fail_if)):
        match expectation:
            case HTTPScriptExpectation():
                yield from _about_response(key, expectation)
                yield from _about_texts((key, "streamContains"), expectation.stream_contains)
            case GraphQLScriptExpectation():
                yield from _about_response(key, expectation)
            case WebSocketScriptExpectation():
                yield from _about_messages((key, "messages"), expectation.messages)
            case GRPCScriptExpectation(code=code) if code != code.strip():
                message = f"the code {code!r} begins or ends with white space"
                yield Complaint((key, "code"), message, f"write {code.strip() or 'OK'}")


def _about_parameters(entry: ScriptEntry, target: Target) -> Iterator[Complaint]:
    if not isinstance(entry, HTTPScript | WebSocketScript) or not isinstance(target, HTTPRouteSuite):
        return
    known = parameter_names(target)
    for name in entry.params:
        if name not in known:
            among = f"the parameters of {entry.operation}"
            yield unknown(("params", name), "parameter", name, known, among, key=True)


def _about_response(
    key: str, expectation: HTTPScriptExpectation | GraphQLScriptExpectation
) -> Iterator[Complaint]:
    status = expectation.status
    if status and not 100 <= status <= 599:
        message = f"'status' must be 100 to 599, not {describe(status)}"
        yield Complaint((key, "status"), message, "give an HTTP status, or leave it out")
    for name in expectation.headers:
        if not name.strip():
            message = "the name of an expected header is empty"
            yield Complaint((key, "headers", name), message, "name the header", key=True)
    yield from _about_texts((key, "bodyContains"), expectation.body_contains)


def _about_texts(path: Path, texts: Iterable[str]) -> Iterator[Complaint]:
    for number, text in enumerate(texts):
        if not text:
            message = f"'{path[-1]}[{number}]' is empty, so it would hold of anything"
            yield Complaint((*path, number), message, "write what must occur, or leave it out")


def _about_messages(path: Path, messages: Iterable[WebSocketMessage]) -> Iterator[Complaint]:
    for number, message in enumerate(messages):
        place = (*path, number, "type")
        if not message.type:
            yield Complaint(place, "'type' is missing", f"the types are {', '.join(MESSAGE_TYPES)}")
        elif message.type not in MESSAGE_TYPES:
            yield unknown(place, "message type", message.type, MESSAGE_TYPES, "the types")
        elif message.type == "binary" and "${" not in message.data:
            try:
                decode_base64(message.data)
            except ValueError:
                text = "'data' of a binary message is no base64"
                yield Complaint((*path, number, "data"), text, "encode it as base64, or make the type text")
