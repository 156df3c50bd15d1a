"""What a policy reaches outside itself while it is evaluated: host functions, and the trial of builtins that fail."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from understudy.rules.evaluate.functions import HostError, HostFunction
from understudy.rules.evaluate.policy import Slip
from understudy.rules.evaluate.rego_values import safe
from understudy.rules.evaluate.regorus_scratch import Scratch

_SLIPS = 100
_ASKED_ONCE = frozenset({"http.send"})  # OPA sends equal requests of one evaluation once


class _Answer(NamedTuple):
    name: str
    arguments: str
    values: list[Any]
    slip: str


class HostCalls:
    """Answers the calls of one policy, evaluation by evaluation, and gathers what could not be given.

    An evaluation that runs again, since a builtin failed, is given the answers that it had before, in their
    order: no host function is called twice for it, and none sees that it was repeated.
    """

    def __init__(self, place: Callable[[int], tuple[int, int]]) -> None:
        self._place = place
        self._scratch = Scratch()
        self._functions: Mapping[str, HostFunction] = {}
        self._journal: list[_Answer] = []
        self._position = 0
        self._slips: dict[tuple[int, str], Slip] = {}
        self.raised: BaseException | None = None

    @property
    def slips(self) -> tuple[Slip, ...]:
        """What could not give a value, each place and message once."""
        return tuple(self._slips.values()) if self._slips else ()

    def begin(self, functions: Mapping[str, HostFunction]) -> None:
        """An evaluation starts, with these functions."""
        self._functions = functions
        self._journal.clear()
        self.again()

    def again(self) -> None:
        """The evaluation runs again from its start."""
        self._position = 0
        self._slips.clear()
        self.raised = None

    def call(self, name: str, site: int, arguments: str) -> list[Any]:
        """The value of a host function as the only element of a list; nothing in it if there is no value."""
        position = self._position
        self._position += 1
        if position < len(self._journal):
            answer = self._journal[position]
            if answer.name == name and answer.arguments == arguments:
                return self._give(answer, site)
            del self._journal[position:]
        answer = self._known(name, arguments) or self._ask(name, arguments)
        self._journal.append(answer)
        return self._give(answer, site)

    def works(self, name: str, site: int, arguments: list[str]) -> bool:
        """Whether a builtin has a value for these arguments, each the text of an array with it in Rego."""
        joined = ", ".join(argument[1:-1] for argument in arguments)
        failure = self._scratch.failure(name, len(arguments), f"[{joined}]")
        if failure is not None:
            self._slip(name, failure, site)
        return failure is None

    def _known(self, name: str, arguments: str) -> _Answer | None:
        if name not in _ASKED_ONCE:
            return None
        return next((a for a in self._journal if a.name == name and a.arguments == arguments), None)

    def _ask(self, name: str, arguments: str) -> _Answer:
        function = self._functions.get(name)
        if function is None:
            return _Answer(name, arguments, [], f"{name} is not available to this rule")
        try:
            value = safe(function.call(*json.loads(arguments)))
            return _Answer(name, arguments, [frozenset(value) if function.gives_set else value], "")
        except HostError as error:
            return _Answer(name, arguments, [], str(error) or f"{name} gave no value")
        except BaseException as error:  # the engine would make text of it; it is raised again outside
            self.raised = error
            raise

    def _give(self, answer: _Answer, site: int) -> list[Any]:
        if not answer.values:
            self._slip(answer.name, answer.slip, site)
        return answer.values

    def _slip(self, name: str, message: str, site: int) -> None:
        if (site, message) not in self._slips and len(self._slips) < _SLIPS:
            self._slips[site, message] = Slip(name, message, *self._place(site))
