"""Which values a statement is made of: its variables, references and calls, each as a text that can be evaluated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from understudy.rules.syntax.module import Module, Statement
from understudy.rules.syntax.nodes import (
    COMPREHENSIONS,
    CONSTANTS,
    REFERENCES,
    Node,
    dotted,
    extent,
    is_variable,
    kind_of,
    root_of,
    walk,
)

MOST = 6
VALUE = "understudy_value"
_LABEL = 100
_OPEN = frozenset({"input", "data", "_"})


@dataclass(frozen=True, slots=True)
class Probe:
    """A value to be seen: what users call it, and the list of Rego that holds it, empty if it is undefined."""

    label: str
    text: str


class Scope:
    """Names that have a value wherever a statement stands: rules, imports, `input` and `data`."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.own = module.names
        self._global = _OPEN | module.imports | {name.partition(".")[0] for name in module.names}

    def variables(self, part: Any) -> set[str]:
        """The variables of an expression, without those of the comprehensions in it and of rules."""
        return {name for name in _variables(part) if name not in self._global}

    def bound_by(self, statement: Statement) -> set[str]:
        """The variables that have a value once a statement held."""
        return self.variables(statement.node) if statement.kind in ("Expr", "SomeIn") else set()

    def is_global(self, name: str) -> bool:
        """Whether a name is no variable."""
        return name in self._global


def probe(scope: Scope, part: Node, bound: Iterable[str], mods: tuple[Node, ...] = ()) -> Probe | None:
    """The value of an expression where these variables are bound; None if it cannot be had there.

    A variable without a value that stands in brackets stands for whatever there is.
    """
    module, known = scope.module, set(bound)
    start, end = extent(part)
    holes: list[tuple[int, int]] = []
    for kind, node in walk(part, into_queries=False):
        index = node["index"] if kind == "RefBrack" else None
        name = is_variable(index) if index is not None else ""
        if index is not None and name and name not in known and not scope.is_global(name):
            holes.append(extent(index))
    open_names = scope.variables(part) - known
    if open_names and len(holes) < _count(scope, part, open_names):
        return None
    if scope.variables(list(mods)) - known:
        return None
    text, position = "", start
    for first, last in sorted(holes):
        text += module.written(position, first) + "_"
        position = last
    text += module.written(position, end)
    changed = "".join(f" {module.written(*extent(mod))}" for mod in mods)
    label = module.written(start, end)
    return Probe(one_line(label, _LABEL), f"[{VALUE} | {VALUE} := ({_ended(text)}){changed}]")


def operands(scope: Scope, part: Node | None) -> Iterator[Node]:
    """The parts of an expression whose values say why it came out as it did, outer ones first."""
    if part is None:
        return
    kind, node = kind_of(part)
    if kind in CONSTANTS or (kind == "Var" and node["value"] in _OPEN):
        return
    if kind == "Var" or kind in COMPREHENSIONS:
        yield part
    elif kind in REFERENCES:
        yield part
        while kind in REFERENCES:
            if kind == "RefBrack":
                yield from operands(scope, node["index"])
            kind, node = kind_of(node["refr"])
    elif kind == "Call":
        yield part
        for argument in node["params"]:
            yield from operands(scope, argument)
    else:
        for inner in _sides(node):
            yield from operands(scope, inner)


def references(scope: Scope, part: Any) -> list[str]:
    """The rules and functions of the module that an expression refers to, in the order of the text."""
    found: dict[str, None] = {}
    prefix = f"data.{scope.module.package}."
    for kind, node in walk(part):
        if kind in (*REFERENCES, "Var"):
            name = dotted({kind: node}).removeprefix(prefix)
            for candidate in (name, root_of({kind: node})):
                if candidate in scope.own:
                    found[candidate] = None
                    break
    return list(found)


def one_line(text: str, width: int) -> str:
    """A text on one line, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _sides(node: Node) -> Iterator[Node]:
    """The expressions directly in a node, be it in lists or in the fields of an object."""
    for value in node.values():
        yield from _expressions(value)


def _expressions(value: Any) -> Iterator[Node]:
    if isinstance(value, list):
        for item in value:
            yield from _expressions(item)
    elif isinstance(value, dict) and len(value) == 1 and next(iter(value))[:1].isupper():
        yield value


def _variables(part: Any) -> Iterator[str]:
    if isinstance(part, list):
        for item in part:
            yield from _variables(item)
        return
    if not isinstance(part, dict):
        return
    for kind, node in part.items():
        if kind == "Var":
            yield str(node["value"])
        elif kind == "Call":
            yield from _variables(node["params"])
        elif kind not in COMPREHENSIONS and isinstance(node, dict | list):
            yield from _variables(node)


def _count(scope: Scope, part: Node, names: set[str]) -> int:
    return sum(name in names for name in _variables(part))


def _ended(text: str) -> str:
    """The text such that a comment at its end does not swallow what follows."""
    return text if "#" not in text else f"{text}\n"
