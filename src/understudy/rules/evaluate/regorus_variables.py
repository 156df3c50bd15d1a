"""Variables of a parsed policy that nothing can give a value, where the engine itself does not look."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any, NamedTuple

Node = dict[str, Any]


class Loose(NamedTuple):
    """A variable that nothing can give a value, and at which offset it stands."""

    name: str
    start: int


class _Use(NamedTuple):
    name: str
    start: int
    can_bind: bool


def loose_variables(rules: list[Node], known: Set[str], text: bytes) -> list[Loose]:
    """Variables used once in their rule, where no value can come from; `known` are names of rules and imports.

    The engine finds those in conditions, and overlooks those in the values of rules and of assignments.
    """
    loose: list[Loose] = []
    for rule in rules:
        if "Spec" not in rule:
            continue
        uses: dict[str, list[_Use]] = {}
        declared = set(known)
        for use in _uses(rule["Spec"], text, declared):
            uses.setdefault(use.name, []).append(use)
        loose += [
            Loose(name, found[0].start)
            for name, found in uses.items()
            if len(found) == 1 and not found[0].can_bind and name not in declared
        ]
    return loose


def _uses(rule: Node, text: bytes, declared: set[str]) -> Iterator[_Use]:
    head = next(iter(rule["head"].values()))
    stack: list[tuple[Any, bool, bool]] = [(rule["bodies"], False, True), (head.get("args"), True, True)]
    assigned = head.get("assign") or {}
    stack += [
        (assigned.get("value"), False, False),
        (head.get("key"), False, False),
        (head["refr"], True, True),
    ]
    while stack:
        node, can_bind, in_body = stack.pop()
        if isinstance(node, list):
            stack.extend((item, can_bind, in_body) for item in node)
        elif isinstance(node, dict):
            for kind, inner in node.items():
                if kind == "Var":
                    yield _Use(inner["value"], inner["span"]["start"], can_bind)
                elif isinstance(inner, dict | list):
                    stack.extend(_inside(kind, inner, can_bind, in_body))
                    declared |= _declared(kind, inner, text)


def _inside(kind: str, inner: Any, can_bind: bool, in_body: bool) -> Iterator[tuple[Any, bool, bool]]:
    """What a node holds, and whether a variable there could be given its value there."""
    if kind == "AssignExpr":
        yield inner["lhs"], True, in_body
        yield inner["rhs"], inner["op"] == "Eq", in_body
    elif kind == "RefBrack":
        yield inner["refr"], False, in_body
        yield inner["index"], True, in_body
    elif kind == "RefDot":
        yield inner["refr"], False, in_body
    elif kind == "SomeIn":
        yield [inner["key"], inner["value"]], True, in_body
        yield inner["collection"], False, in_body
    elif kind == "Call":
        yield inner["params"], in_body, in_body
    elif kind in ("ArrayCompr", "SetCompr", "ObjectCompr"):
        yield [part for name, part in inner.items() if name != "query"], False, False
        yield inner["query"], False, True
    else:
        yield inner, can_bind and kind in ("Array", "Object", "items", "fields"), in_body


def _declared(kind: str, inner: Any, text: bytes) -> set[str]:
    spans: list[Any] = []
    if kind == "Every":
        spans = [inner["key"], inner["value"]]
    elif kind in ("SomeVars", "Some"):
        spans = inner.get("vars") or []
    return {
        text[span["start"] : span["end"]].decode("utf-8", "replace")
        for span in spans
        if isinstance(span, dict) and "start" in span
    }
