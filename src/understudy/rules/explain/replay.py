"""What functions of data sources answered, kept so that explaining an evaluation asks nothing a second time."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from understudy.rules.evaluate.functions import HostError, HostFunction

_NOT_ASKED = "it was not asked for this when the rule was evaluated"
_KEPT = 1_000

Answer = Callable[[], Any]


class Recorded(dict[str, HostFunction]):
    """Functions that keep what they answer."""

    def __init__(self, functions: Mapping[str, HostFunction]) -> None:
        self._answers: dict[tuple[str, str], list[Answer]] = defaultdict(list)
        super().__init__({name: self._keeping(function) for name, function in functions.items()})

    def _keeping(self, function: HostFunction) -> HostFunction:
        def call(*arguments: Any) -> Any:
            answers = self._answers[function.name, _key(arguments)]
            try:
                value = function.call(*arguments)
            except HostError as error:
                message = str(error)
                _keep(answers, lambda: _raise(HostError(message)))
                raise
            _keep(answers, lambda: value)
            return value

        return replace(function, call=call)

    def replayed(self) -> dict[str, HostFunction]:
        """Functions that answer equal calls as they were answered, one after the other and then like the last."""
        return {name: self._answering(function) for name, function in self.items()}

    def _answering(self, function: HostFunction) -> HostFunction:
        asked: dict[str, int] = defaultdict(int)

        def call(*arguments: Any) -> Any:
            key = _key(arguments)
            answers = self._answers.get((function.name, key))
            if not answers:
                raise HostError(_NOT_ASKED)
            position = asked[key]
            asked[key] = position + 1
            return answers[min(position, len(answers) - 1)]()

        return replace(function, call=call)


def recorded(functions: Mapping[str, HostFunction]) -> Mapping[str, HostFunction]:
    """Functions that keep what they answer, so that an evaluation with them can be explained.

    >>> functions = recorded({"ask": HostFunction("ask", 1, lambda name: name.upper())})
    >>> functions["ask"].call("a"), replayed(functions)["ask"].call("a")
    ('A', 'A')
    """
    return Recorded(functions) if functions else functions


def replayed(functions: Mapping[str, HostFunction]) -> Mapping[str, HostFunction]:
    """Functions that answer as these did, if they kept it; else themselves."""
    return functions.replayed() if isinstance(functions, Recorded) else functions


def _key(arguments: tuple[Any, ...]) -> str:
    return json.dumps(arguments, sort_keys=True, default=repr)


def _keep(answers: list[Answer], answer: Answer) -> None:
    if len(answers) < _KEPT:
        answers.append(answer)


def _raise(error: Exception) -> Any:
    raise error
