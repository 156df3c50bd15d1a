"""Variables of a parsed policy that nothing can give a value, where the engine itself does not look."""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

Node = dict[str, Any]

_COMPREHENSIONS = ("ArrayCompr", "SetCompr", "ObjectCompr")
_WILDCARD = "_"


class Loose(NamedTuple):
    """A variable that nothing can give a value, and at which offset it stands."""

    name: str
    start: int


@dataclass(frozen=True, slots=True)
class _Around:
    """Where a node stands: whether a variable there could get its value there, in a condition, behind a `not`."""

    can_bind: bool = False
    in_condition: bool = False
    negated: bool = False


class _Use(NamedTuple):
    name: str
    start: int
    around: _Around


def loose_variables(rules: list[Node], known: Set[str], text: bytes) -> list[Loose]:
    """Variables used once in their rule, where no value can come from; `known` are names of rules and imports.

    The engine finds those in most conditions, and overlooks those in the values of rules and of assignments. It
    takes `not list[_] == 1` for "some element is another", where OPA refuses the wildcard.
    """
    loose: list[Loose] = []
    for rule in rules:
        if "Spec" not in rule:
            continue
        uses: dict[str, list[_Use]] = {}
        declared = set(known)
        for use in _uses(rule["Spec"], text, declared):
            uses.setdefault(use.name, []).append(use)
        wildcards = uses.pop(_WILDCARD, [])
        loose += [Loose(_WILDCARD, use.start) for use in wildcards if use.around.negated]
        loose += [
            Loose(name, found[0].start)
            for name, found in uses.items()
            if len(found) == 1 and not found[0].around.can_bind and name not in declared
        ]
    return loose


def _uses(rule: Node, text: bytes, declared: set[str]) -> Iterator[_Use]:
    head = next(iter(rule["head"].values()))
    assigned = head.get("assign") or {}
    stack: list[tuple[Any, _Around]] = [
        (rule["bodies"], _Around(in_condition=True)),
        ([head.get("args"), head["refr"]], _Around(can_bind=True)),
        ([assigned.get("value"), head.get("key")], _Around()),
    ]
    while stack:
        node, around = stack.pop()
        if isinstance(node, list):
            stack.extend((item, around) for item in node)
        elif isinstance(node, dict):
            for kind, inner in node.items():
                if kind == "Var":
                    yield _Use(inner["value"], inner["span"]["start"], around)
                elif isinstance(inner, dict | list):
                    stack.extend(_inside(kind, inner, around))
                    declared |= _declared(kind, inner, text)


def _inside(kind: str, inner: Any, around: _Around) -> Iterator[tuple[Any, _Around]]:
    """What a node holds, each with where it stands then."""
    binding = replace(around, can_bind=not around.negated)
    reading = replace(around, can_bind=False)
    if kind == "NotExpr":
        yield inner["expr"], _Around(negated=True)
    elif kind == "AssignExpr":
        yield inner["lhs"], binding
        yield inner["rhs"], binding if inner["op"] == "Eq" else reading
    elif kind == "RefBrack":
        yield inner["refr"], reading
        yield inner["index"], binding
    elif kind == "RefDot":
        yield inner["refr"], reading
    elif kind == "SomeIn":
        yield [inner["key"], inner["value"]], binding
        yield inner["collection"], reading
    elif kind == "Call":
        yield inner["params"], binding if around.in_condition else reading
    elif kind in _COMPREHENSIONS:
        yield [part for name, part in inner.items() if name != "query"], _Around()
        yield inner["query"], _Around(in_condition=True)
    else:
        holds_pattern = kind in ("Array", "Object", "items", "fields")
        yield inner, around if holds_pattern else reading


def _declared(kind: str, inner: Any, text: bytes) -> set[str]:
    spans: list[Any] = []
    if kind == "Every":
        spans = [inner["key"], inner["value"]]
    elif kind == "SomeVars":
        spans = inner["vars"]
    return {text[span["start"] : span["end"]].decode("utf-8", "replace") for span in spans if span}
