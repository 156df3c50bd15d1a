"""What a template is made of once parsed; every node knows where in the text it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant: string, number, character or bool."""

    value: Any
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Nil:
    """The word `nil`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Dot:
    """The cursor."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Fields:
    """Names that are looked up one after another, beginning at `base` (`.Entity.Owner`, `$x.Name`, `(f).Name`)."""

    base: Operand
    names: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable; `slot` is its place in the frame of its template."""

    name: str
    slot: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Function:
    """The name of a function."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Command:
    """A value, or a function or field with its arguments."""

    operands: tuple[Operand, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands, each fed to the next, and the variables that take the result."""

    commands: tuple[Command, ...]
    variables: tuple[Variable, ...]
    start: int
    end: int


Operand = Union[Literal, Nil, Dot, Fields, Variable, Function, Pipeline]  # noqa: UP007 - a forward reference


@dataclass(frozen=True, slots=True)
class Text:
    """Text that is written as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Action:
    """A pipeline whose value is printed, unless it only sets a variable."""

    pipeline: Pipeline


@dataclass(frozen=True, slots=True)
class Branch:
    """An `if`, `with` or `range`."""

    kind: str
    pipeline: Pipeline
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Invocation:
    """A `template` or `block`: another template, executed here."""

    name: str
    pipeline: Pipeline | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Leave:
    """A `break` or `continue`."""

    kind: str


Node = Union[Text, Action, Branch, Invocation, Leave]  # noqa: UP007 - a forward reference


@dataclass(slots=True)
class Tree:
    """A named template: its nodes, and how many variables its frame holds."""

    nodes: tuple[Node, ...] = ()
    slots: int = 1
