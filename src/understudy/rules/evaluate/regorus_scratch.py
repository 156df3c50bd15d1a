"""A small engine beside the one that evaluates, in which a builtin may fail without ending anything."""

from __future__ import annotations

from typing import Any

from understudy.rules.evaluate.rego_bounds import too_much
from understudy.rules.evaluate.regorus_errors import read_failure
from understudy.rules.evaluate.regorus_extensions import add_extensions
from understudy.rules.evaluate.regorus_support import LIBRARY, LIBRARY_TEXT, expression


class Scratch:
    """Tries builtins. The engine is made when one is first tried.

    >>> scratch = Scratch()
    >>> scratch.failure("to_number", 1, '["x"]')
    'could not parse string as number'
    >>> scratch.failure("count", 1, "[{1, {2}}]"), scratch.failure("div", 2, "[4, 2]")
    (None, None)
    """

    def __init__(self) -> None:
        self._engine: Any = None
        self._tried: dict[tuple[str, int], str] = {}

    def failure(self, name: str, count: int, arguments: str) -> str | None:
        """Why a builtin has no value for its `count` arguments, written as an array in Rego; None if it has one."""
        engine = self._engine or self._open()
        try:
            engine.set_input_json(arguments)
        except RuntimeError:  # sets, and keys that are no text, are not JSON
            return self._failure_of_literal(name, count, arguments)
        rule = self._tried.get((name, count))
        if rule is None:
            rule = self._tried[name, count] = f"trial{len(self._tried)}"
            trial = expression(name, [f"input[{index}]" for index in range(count)])
            engine.add_policy(rule, f"package {rule}\nx := [1 | _ := {trial}]")
        try:
            engine.eval_rule_as_json(f"data.{rule}.x")
        except RuntimeError as error:
            return read_failure(error).message
        return None

    def _failure_of_literal(self, name: str, count: int, arguments: str) -> str | None:
        excess = too_much(arguments)
        if excess is not None:
            return excess.message
        trial = expression(name, [f"given[{index}]" for index in range(count)])
        try:
            self._engine.eval_query_as_json(f"given := {arguments}; [1 | _ := {trial}]")
        except RuntimeError as error:
            return read_failure(error).message
        return None

    def _open(self) -> Any:
        import regorus

        self._engine = regorus.Engine()
        add_extensions(self._engine)
        self._engine.add_policy(f"{LIBRARY}.rego", LIBRARY_TEXT)
        return self._engine
