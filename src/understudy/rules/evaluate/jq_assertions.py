"""Rules of type jq: assertions that what was ingested equals what the profile or the rule says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.rules.evaluate.jq_programs import JqFailure, JqInput, JqProgram, JqSyntax

# Where the value at a path below the list of assertions stands: line and column.
Place = Callable[..., tuple[int, int]]

_KEYS = ("ingested", "profile", "constant")
_DEPTH = 200


@dataclass(frozen=True, slots=True)
class Compared:
    """An assertion that was reached: whether it held, and what was compared.

    `source` is the filter over the profile that gave what was expected, '' for a constant.
    """

    index: int
    held: bool
    path: str
    expected: Any
    actual: Any
    source: str = ""


@dataclass(frozen=True, slots=True)
class JqResult:
    """What came of all assertions; `reached` is those that were compared, the last one failed if the rule did.

    `message` is for users, `reason` says the same in the one line that Minder logs.
    """

    status: Literal["pass", "fail", "error"]
    message: str = ""
    reached: tuple[Compared, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Assertion:
    actual: JqProgram
    expected: JqProgram | None
    constant: Any


class JqAssertions:
    """The assertions of a rule, compiled. They are compared one after the other, and the first mismatch fails.

    >>> rule = compile_assertions([{"ingested": {"def": ".private"}, "constant": True}])
    >>> rule.evaluate({"private": False}, {}).message
    'Expected ".private" to equal true, but was false.'
    """

    def __init__(self, assertions: Sequence[_Assertion]) -> None:
        self._assertions = tuple(assertions)

    def __len__(self) -> int:
        return len(self._assertions)

    def evaluate(self, ingested: Any, profile: Mapping[str, Any]) -> JqResult:
        """Compare what was ingested with what the profile says."""
        if ingested is None:
            return JqResult("error", "missing object: nothing was ingested that jq could look at")
        actual_input, expected_input = JqInput(ingested), JqInput(profile)
        reached: list[Compared] = []
        for index, assertion in enumerate(self._assertions):
            expected, source = assertion.constant, ""
            try:
                if assertion.expected is not None:
                    source = assertion.expected.text
                    expected = assertion.expected.value(expected_input)
            except JqFailure as failure:
                return _error(index, "profile", assertion.expected, failure, reached)
            try:
                actual = assertion.actual.value(actual_input)
            except JqFailure as failure:
                return _error(index, "data", assertion.actual, failure, reached)
            held = same(expected, actual)
            reached.append(Compared(index, held, assertion.actual.text.strip(), expected, actual, source))
            if not held:
                return JqResult("fail", _message(reached[-1]), tuple(reached), _reason(reached[-1]))
        return JqResult("pass", reached=tuple(reached))


def compile_assertions(
    assertions: Sequence[Mapping[str, Any]], file: str = "", place: Place | None = None
) -> JqAssertions:
    """Compile the list at `eval.jq` of a rule; `place(0, "ingested", "def")` says where a part of it stands.

    What is missing, unknown or no jq is an InputError with every problem at its place.
    """
    builder = _Builder(file, place)
    if not assertions:
        builder.problem(
            (), "missing jq assertions", "write a list of 'ingested' with 'profile' or 'constant'"
        )
    compiled = [builder.assertion(index, assertion) for index, assertion in enumerate(assertions)]
    if builder.problems:
        raise InputError(builder.problems)
    return JqAssertions([assertion for assertion in compiled if assertion is not None])


class _Builder:
    def __init__(self, file: str, place: Place | None) -> None:
        self.file = file
        self.place = place
        self.problems: list[Problem] = []

    def problem(self, path: tuple[str | int, ...], message: str, hint: str) -> None:
        line, column = self.place(*path) if self.place else (None, None)
        self.problems.append(Problem(message, self.file, line, column, hint=hint))

    def assertion(self, index: int, written: Any) -> _Assertion | None:
        if not isinstance(written, Mapping):
            self.problem(
                (index,),
                f"a jq assertion must be an object, not {brief(written)}",
                "write 'ingested' and what it equals",
            )
            return None
        for key in written:
            if key not in _KEYS:
                near = closest_name(str(key), _KEYS)
                hint = f"did you mean '{near}'?" if near else f"known are {', '.join(_KEYS)}"
                self.problem((index, key), f"a jq assertion has no key '{key}'", hint)
        actual = self._program(index, "ingested", written)
        if ("profile" in written) == ("constant" in written):
            which = "both 'profile' and 'constant'" if "profile" in written else "no 'profile' or 'constant'"
            self.problem((index,), f"a jq assertion has {which}", "give exactly one to compare with")
            return None
        expected = self._program(index, "profile", written) if "profile" in written else None
        if actual is None or (expected is None and "profile" in written):
            return None
        return _Assertion(actual, expected, written.get("constant"))

    def _program(self, index: int, key: str, written: Mapping[str, Any]) -> JqProgram | None:
        operator = written.get(key)
        text = operator.get("def") if isinstance(operator, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            where = (key,) if key in written else ()
            self.problem(
                (index, *where), f"'{key}.def' of a jq assertion is missing", f"write {key}: {{def: .path}}"
            )
            return None
        try:
            return JqProgram(text)
        except JqSyntax as syntax:
            in_line = f" in line {syntax.line}" if "\n" in text.strip() else ""
            lines = text.split("\n")
            rest = lines[syntax.line - 1][syntax.column - 1 :].strip()[:30]
            hint = f"look at '{rest}'" if rest else "the filter ends too early"
            self.problem(
                (index, key, "def"), f"{brief(text.strip())} is no jq{in_line}: {syntax.message}", hint
            )
            return None


def same(expected: Any, actual: Any, depth: int = _DEPTH) -> bool:
    """Whether two values of JSON are equal: 1 and 1.0 are, 1 and true are not.

    >>> same([1, {"a": 2.0}], [1.0, {"a": 2}]), same(1, True), same(None, False)
    (True, False, False)
    """
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        if not depth or expected.keys() != actual.keys():
            return False
        return all(same(value, actual[key], depth - 1) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(actual, list):
        if not depth or len(expected) != len(actual):
            return False
        return all(same(left, right, depth - 1) for left, right in zip(expected, actual, strict=True))
    return bool(expected == actual)


def _error(
    index: int, side: str, program: JqProgram | None, failure: JqFailure, reached: list[Compared]
) -> JqResult:
    text = program.text.strip() if program else ""
    message = f"cannot get values from {side} accessor: {brief(text)} of jq assertion {index}: {failure}"
    return JqResult("error", message, tuple(reached), message)


def _message(compared: Compared) -> str:
    actual = "was not set" if compared.actual is None else f"was {brief(compared.actual)}"
    return f'Expected "{compared.path}" to equal {brief(compared.expected)}, but {actual}.'


def _reason(compared: Compared) -> str:
    from understudy.rules.templates.printing import printed

    got, want = printed(compared.actual), printed(compared.expected)
    return f"data does not match profile: for assertion {compared.index}, got {got}, want {want}"
