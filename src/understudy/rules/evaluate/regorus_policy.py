"""A compiled policy: evaluates it, makes the builtins undefined that fail, and tells what happened and where."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.evaluate.policy import PolicyResult, PolicyText
from understudy.rules.evaluate.rego_checks import PACKAGE
from understudy.rules.evaluate.rego_values import as_json, is_safe
from understudy.rules.evaluate.regorus_errors import Failure, read_failure
from understudy.rules.evaluate.regorus_host import HostCalls
from understudy.rules.evaluate.regorus_program import FILE, Program
from understudy.rules.evaluate.regorus_support import WANTED, wanted_module

_ROUNDS = 50
_RESULT = 8 << 20
_PRINTS = 1_000
_PRINT = 10_000
_PRINT_PLACE = re.compile(rf"{re.escape(FILE)}:\d+: ?")
_FATAL = re.compile(
    "could not find function|recursion|must not produce multiple|rule conflicts|is unsafe|could not schedule"
    "|mismatch in number of arguments|not a valid rule path|unexpected keyword"
)
_KINDS = {
    str: "string",
    bool: "boolean",
    int: "number",
    float: "number",
    type(None): "null",
    list: "array",
    dict: "object",
}


class RegorusPolicy:
    """A policy on an engine of its own, which belongs to the thread that made it."""

    def __init__(self, text: PolicyText, program: Program) -> None:
        self._text = text
        self._program = program
        self._calls = HostCalls(self._place_of_site)
        self._engine: Any = None
        self._wanted: dict[tuple[str, ...], tuple[str, tuple[str, ...]]] = {}
        self._open(program.first_engine())
        self._check()

    def evaluate(
        self,
        document: Mapping[str, Any],
        functions: Mapping[str, HostFunction],
        wanted: Sequence[str],
        *,
        cover: bool = False,
    ) -> PolicyResult:
        """The values of the rules `wanted`, with `document` as input."""
        path, names = self._wanted.get(tuple(wanted)) or self._prepare(tuple(wanted))
        calls = self._calls
        calls.begin(functions)
        try:
            _give_input(self._engine, document)
        except (RuntimeError, ValueError) as error:
            message = f"the input cannot be read: {read_failure(error).message}"
            raise InputError([Problem(message, self._text.file)]) from None
        for _ in range(_ROUNDS):
            engine = self._engine
            if cover:
                engine.clear_coverage_data()
                engine.set_enable_coverage(True)
            try:
                text = engine.eval_rule_as_json(path)
                break
            except RuntimeError as error:
                engine.take_prints()
                if calls.raised is not None:
                    raise calls.raised from None
                self._make_safe(read_failure(error))
                _give_input(self._engine, document)
            calls.again()
        else:
            raise InputError([Problem("too many builtins fail in one evaluation", self._text.file)])
        if len(text) > _RESULT:
            raise InputError([Problem(f"the result is larger than {_RESULT >> 20} MiB", self._text.file)])
        values, kinds = _values(names, text)
        covered, uncovered = self._coverage(engine) if cover else (frozenset[int](), frozenset[int]())
        prints = engine.take_prints()
        return PolicyResult(values, kinds, _lines(prints) if prints else (), calls.slips, covered, uncovered)

    def _open(self, engine: Any) -> None:
        self._engine = engine
        self._program.attach(engine, self._calls)
        for path, names in self._wanted.values():
            self._add_wanted(path, names)

    def _check(self) -> None:
        """Have the engine look at every body, which it does before it first evaluates anything."""
        self._engine.add_policy("understudy_ready.rego", "package understudy_ready\nready := true")
        try:
            self._engine.eval_rule("data.understudy_ready.ready")
        except RuntimeError as error:
            raise InputError([self._program.problem(read_failure(error))]) from None

    def _prepare(self, wanted: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
        path = f"data.{WANTED}{len(self._wanted)}.values"
        known = tuple(name for name in wanted if name in self._program.tree.values)
        self._add_wanted(path, known)
        self._wanted[wanted] = path, known
        return path, known

    def _add_wanted(self, path: str, names: Sequence[str]) -> None:
        package = path.split(".")[1]
        self._engine.add_policy(f"{package}.rego", wanted_module(package, names, PACKAGE))

    def _make_safe(self, failure: Failure) -> None:
        """Have the call that failed be undefined from now on; raise if that is not what went wrong."""
        if _FATAL.search(failure.message) or not self._program.make_safe(failure):
            raise InputError([self._program.problem(failure)])
        self._open(self._program.engine())

    def _place_of_site(self, site: int) -> tuple[int, int]:
        return self._program.place(self._program.sites[site].node.start)

    def _coverage(self, engine: Any) -> tuple[frozenset[int], frozenset[int]]:
        first = self._text.line - 1
        report = json.loads(engine.get_coverage_report_as_json())
        engine.set_enable_coverage(False)
        for file in report["files"]:
            if file["path"] == FILE:
                covered = frozenset(line + first for line in file["covered"])
                return covered, frozenset(line + first for line in file["not_covered"]) - covered
        return frozenset(), frozenset()


def _give_input(engine: Any, document: Mapping[str, Any]) -> None:
    if is_safe(document):
        try:
            engine.set_input(document)
            return
        except RuntimeError:  # integers of more than 64 bits
            pass
    engine.set_input_json(as_json(document))


def _values(names: Sequence[str], text: str) -> tuple[dict[str, Any], dict[str, str]]:
    values: dict[str, Any] = {}
    kinds: dict[str, str] = {}
    for name, given in zip(names, json.loads(text), strict=True):
        if given:
            is_set, value = given[0]
            values[name] = value
            kinds[name] = "set" if is_set else _KINDS[type(value)]
    return values, kinds


def _lines(prints: Sequence[str]) -> tuple[str, ...]:
    lines = [_cut(_PRINT_PLACE.sub("", line, count=1)) for line in prints[:_PRINTS]]
    if len(prints) > _PRINTS:
        lines.append(f"… and {len(prints) - _PRINTS:,} more")
    return tuple(lines)


def _cut(line: str) -> str:
    return line if len(line) <= _PRINT else f"{line[:_PRINT]}… ({len(line):,} characters)"
