"""What a tool is called with, read by its signature, and how each of its calls is governed."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from understudy.core.brief import brief, visible
from understudy.core.errors import InputError, Problem, UnderstudyError
from understudy.governance.action_types import ActionTypes, known_impact
from understudy.governance.identity import checked_name

Arguments = Mapping[str, Any]
Target = str | Callable[[Arguments], str]
Bind = Callable[[Arguments], Any]
OnRefusal = Callable[[UnderstudyError], Any]


class GuardOptions(TypedDict, total=False):
    """What can be said when a tool is guarded."""

    action_type: str | None
    agent_id: str
    impact_level: str
    target_ref: Target
    bind: Bind | None
    on_refusal: OnRefusal | None


@dataclass(frozen=True, slots=True)
class GovernedTool:
    """A tool and how it is governed: who calls it, as which action, and what of a call an approval is bound to."""

    tool: Callable[..., Any]
    name: str
    agent_id: str
    action_type: str
    impact_level: str
    target_ref: Target = ""
    bind: Bind | None = None
    on_refusal: OnRefusal | None = None

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ToolCall:
        """One call; arguments that do not fit the tool raise what the tool itself would raise."""
        arguments = named_arguments(self.tool, args, kwargs)
        target = self.target_ref(arguments) if callable(self.target_ref) else self.target_ref
        return ToolCall(self, args, kwargs, arguments, target)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a governed tool, before anything is decided."""

    governed: GovernedTool
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    arguments: Arguments
    target_ref: str

    def bound_to(self) -> Any:
        """What an approval is bound to, as it is now: the arguments may have changed since they were last looked at."""
        bind = self.governed.bind
        return dict(self.arguments) if bind is None else bind(self.arguments)

    def run(self) -> Any:
        """Call the tool itself."""
        return self.governed.tool(*self.args, **self.kwargs)


@dataclass(frozen=True, slots=True)
class ToolRun:
    """A tool that did run: noted when it began, whatever became of it."""

    tool: str
    agent_id: str
    action_type: str
    target_ref: str = ""

    def __str__(self) -> str:
        target = f" on {self.target_ref}" if self.target_ref else ""
        return visible(f"{self.agent_id} ran {self.tool} ({self.action_type}){target}")


def governed_tool(
    tool: Any,
    known: ActionTypes,
    *,
    action_type: str | None,
    agent_id: str,
    impact_level: str,
    target_ref: Target,
    bind: Bind | None,
    on_refusal: OnRefusal | None,
) -> GovernedTool:
    """A tool and how it is governed, if it can be so; what could only go wrong later is refused now."""
    require_callable(tool, "tool")
    for what, given in (("bind", bind), ("on_refusal", on_refusal)):
        if given is not None:
            require_callable(given, what)
    if not isinstance(target_ref, str):
        require_callable(target_ref, "target_ref, if it is no text,")
    name = name_of(tool)
    return GovernedTool(
        tool,
        name,
        checked_name(agent_id),
        _action_type_of(name, action_type, known),
        known_impact(impact_level),
        target_ref,
        bind,
        on_refusal,
    )


def named_arguments(
    tool: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of a call by the names of the tool's parameters, with those that it takes by default.

    >>> def send(to, rows=10, *labels): ...
    >>> named_arguments(send, ("ann", 5, "new"), {})
    {'to': 'ann', 'rows': 5, 'labels': ('new',)}
    >>> named_arguments(send, ("ann",), {})
    {'to': 'ann', 'rows': 10, 'labels': ()}
    """
    try:
        signature = inspect.signature(tool)
    except ValueError:  # some that are written in C have none
        return {"args": args, "kwargs": dict(kwargs)}
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    return dict(bound.arguments)


def name_of(tool: Callable[..., Any]) -> str:
    """What a tool is called: its function's name, or that of its class.

    >>> name_of(functools.partial(print, end=""))
    'print'
    """
    function = tool
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", None) or type(function).__name__)


def require_callable(given: Any, what: str) -> None:
    """Refuse what cannot be called.

    >>> require_callable(5, "tool")
    Traceback (most recent call last):
    understudy.core.errors.InputError: 5 cannot be called, which the tool has to be (give the function itself...)
    """
    if not callable(given):
        hint = "give the function itself, without calling it"
        raise InputError([Problem(f"{brief(given)} cannot be called, which the {what} has to be", hint=hint)])


def _action_type_of(name: str, given: Any, known: ActionTypes) -> str:
    """The action type that is given for a tool, or else the tool's own name, which becomes one if it is none yet."""
    if given is not None:
        return known.known(given)
    if name in set(known):
        return known.known(name)
    try:
        return known.register(name)
    except InputError as error:
        hint = f"say which action it is: guard(..., action_type=...); known are {', '.join(known)}"
        raise InputError([Problem(error.problems[0].message, hint=hint)]) from None
