"""The port to whatever evaluates Rego: texts are compiled once, and evaluated many times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from understudy.rules.evaluate.functions import HostFunction


@dataclass(frozen=True, slots=True)
class PolicyText:
    """The Rego of a rule and where it stands: its first character is at `line`, and every line of it is
    indented by `indent` characters in `file` (a block of YAML, say); `file` is the name that users see."""

    file: str
    text: str
    line: int = 1
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Slip:
    """A builtin or host function that could not give a value, so that its expression was undefined."""

    function: str
    message: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class PolicyResult:
    """What an evaluation gave: the defined values among those wanted, and what users must know beside them.

    `kinds` says of each value what it is in Rego (`set`, `array`, `object`, `string`, `number`, `boolean`, `null`),
    since a set comes as a list. `prints` are the lines of `print()`. `covered` and `uncovered` are lines of the file.
    """

    values: Mapping[str, Any]
    kinds: Mapping[str, str] = field(default_factory=dict)
    prints: Sequence[str] = ()
    slips: Sequence[Slip] = ()
    covered: frozenset[int] = frozenset()
    uncovered: frozenset[int] = frozenset()


class Policy(Protocol):
    """A compiled policy of package `minder`. Belongs to the thread that compiled it."""

    def evaluate(
        self,
        document: Mapping[str, Any],
        functions: Mapping[str, HostFunction],
        wanted: Sequence[str],
        *,
        cover: bool = False,
    ) -> PolicyResult:
        """The values of the rules `wanted` of the package, with `document` as input."""
        ...


class PolicyEngine(Protocol):
    """Compiles policies. A text that is no Rego raises InputError with the places in the rule file."""

    def compile(self, text: PolicyText, functions: Sequence[str] = ()) -> Policy:
        """The policy, which may call the host functions of these names besides those that every rule has."""
        ...
