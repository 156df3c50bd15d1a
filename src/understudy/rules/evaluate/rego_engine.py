"""The engine that rules are evaluated with: compiles a policy in the dialect it is written in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from understudy.core.errors import InputError, Problem, missing_extra
from understudy.rules.evaluate.policy import Policy, PolicyEngine, PolicyText
from understudy.rules.evaluate.rego_bounds import too_much
from understudy.rules.evaluate.rego_checks import Names, find_mistakes, host_names
from understudy.rules.evaluate.rego_places import Lines
from understudy.rules.evaluate.rego_values import is_safe, safe
from understudy.rules.evaluate.regorus_errors import read_failure, without_backtraces
from understudy.rules.evaluate.regorus_extensions import provided
from understudy.rules.evaluate.regorus_policy import RegorusPolicy
from understudy.rules.evaluate.regorus_program import Program
from understudy.rules.evaluate.regorus_support import IN_LIBRARY

_KEPT = 2_000  # far more than a project has rules; a run over mutants has no end
_NOT_CODE = re.compile(r'"(?:\\.|[^"\\\n])*"|`[^`]*`|#[^\n]*')
_IMPORTS = re.compile(r"^[ \t]*import[ \t]+(rego\.v1|future\.keywords)\b", re.MULTILINE)
_NEW_HEADS = re.compile(r"^[^\s].*[\s)}\]](if|contains)(\s|$)", re.MULTILINE)


def open_engine() -> PolicyEngine:
    """The engine. It and its policies belong to the thread that opens it.

    >>> policy = open_engine().compile(PolicyText("a.rego", "package minder\\nallow if input.ingested.ok"))
    >>> policy.evaluate({"ingested": {"ok": True}}, {}, ["allow", "message"]).values
    {'allow': True}
    """
    try:
        import re2  # type: ignore[import-untyped]  # noqa: F401 - has no hints
        import regorus  # noqa: F401 - asked for early, so that a missing extra is told
    except ImportError as error:
        raise missing_extra("rules", str(error.name)) from None
    without_backtraces()
    return RegorusEngine()


class RegorusEngine:
    """Compiles each text once, however often it is asked for."""

    def __init__(self) -> None:
        self._compiled: dict[tuple[PolicyText, tuple[str, ...]], Policy | InputError] = {}

    def compile(self, text: PolicyText, functions: Sequence[str] = ()) -> Policy:
        """The policy, which may call the host functions of these names besides those that every rule has."""
        key = text, tuple(functions)
        known = self._compiled.get(key)
        if known is None:
            try:
                known = _compile(text, Names(host_names(key[1]), IN_LIBRARY | provided().keys()))
            except InputError as error:
                known = error
            if len(self._compiled) >= _KEPT:
                del self._compiled[next(iter(self._compiled))]
            self._compiled[key] = known
        if isinstance(known, InputError):
            raise InputError(known.problems)
        return known


def _compile(text: PolicyText, names: Names) -> Policy:
    excess = too_much(text.text)
    if excess is not None:
        before = text.text[: excess.at]
        column = len(before) - before.rfind("\n") + text.indent
        raise InputError([Problem(excess.message, text.file, text.line + before.count("\n"), column)])
    if not is_safe(text.text) and text.text != safe(text.text):
        raise InputError([Problem("is not valid Rego: it holds halves of characters", text.file, text.line)])
    code = _NOT_CODE.sub(lambda found: '""' + "\n" * found[0].count("\n"), text.text)
    imports, new_heads = _IMPORTS.search(code), _NEW_HEADS.search(code)
    try:
        return _compile_as(text, names, v0=False)
    except InputError as error:
        in_v1 = error
    # v0 takes `if` and `contains` for names when they are not imported, and goes astray
    if new_heads and not imports:
        raise in_v1
    try:
        return _compile_as(text, names, v0=True)
    except InputError as in_v0:
        raise in_v1 if new_heads or imports else in_v0 from None


def _compile_as(text: PolicyText, names: Names, *, v0: bool) -> Policy:
    try:
        program = Program(text, v0=v0)
    except RuntimeError as error:
        raise InputError([_syntax_problem(text, error)]) from None
    mistakes = find_mistakes(program.tree, names)
    if mistakes:
        raise InputError(
            Problem(mistake.message, text.file, *program.place(mistake.offset), hint=mistake.hint)
            for mistake in mistakes
        )
    program.lead(names)
    return RegorusPolicy(text, program)


def _syntax_problem(text: PolicyText, error: RuntimeError) -> Problem:
    failure = read_failure(error)
    lines = Lines(text.text.encode("utf-8", "surrogatepass"))
    if not failure.line:
        return Problem(f"is not valid Rego: {failure.message}", text.file, text.line)
    line, column = lines.place(lines.offset(failure.line, failure.column))
    message = f"is not valid Rego: {failure.message}"
    return Problem(message, text.file, line + text.line - 1, column + text.indent)
