"""Nodes of the engine's syntax tree: walking them, their kinds, and the text that each really spans."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Node = dict[str, Any]

TEXTS = ("String", "RawString")
COMPREHENSIONS = ("ArrayCompr", "SetCompr", "ObjectCompr")
REFERENCES = ("RefDot", "RefBrack")
CONSTANTS = (*TEXTS, "Number", "Bool", "Null")


def kind_of(part: Node) -> tuple[str, Node]:
    """A wrapped node's kind and the node itself.

    >>> kind_of({"Var": {"value": "x"}})
    ('Var', {'value': 'x'})
    """
    return next(iter(part.items()))


def walk(*roots: Any, into_queries: bool = True) -> Iterator[tuple[str, Node]]:
    """Every node that has a kind, each before what is in it, in the order of the text.

    Without `into_queries`, what is inside of comprehensions is passed over.
    """
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        if isinstance(node, list):
            stack.extend(item for item in reversed(node) if isinstance(item, dict | list))
            continue
        closed = False
        for kind, inner in node.items():
            if kind[:1].isupper() and isinstance(inner, dict) and "span" in inner:
                yield kind, inner
                closed = closed or (not into_queries and kind in COMPREHENSIONS)
        if not closed:
            stack.extend(value for value in reversed(node.values()) if isinstance(value, dict | list))


def extent(part: Any) -> tuple[int, int]:
    """Where a node begins and ends in the text, as bytes, with the quotes that its span leaves out."""
    node = part if "span" in part else kind_of(part)[1]
    start, end = int(node["span"]["start"]), int(node["span"]["end"])
    first = last = False
    for kind, inner in walk(part):
        if kind in TEXTS:
            first = first or inner["span"]["start"] == start
            last = last or inner["span"]["end"] == end
    return start - first, end + last


def is_variable(part: Node) -> str:
    """The name of a node that is just a variable, '' for everything else."""
    return str(part["Var"]["value"]) if "Var" in part else ""


def dotted(part: Node) -> str:
    """The name that a reference spells, '' if it is more than a name.

    >>> dotted({"Var": {"value": "count"}})
    'count'
    """
    names: list[str] = []
    while True:
        if "RefDot" in part:
            names.append(part["RefDot"]["field"][1])
            part = part["RefDot"]["refr"]
        elif "RefBrack" in part and "String" in part["RefBrack"]["index"]:
            names.append(part["RefBrack"]["index"]["String"]["value"])
            part = part["RefBrack"]["refr"]
        elif "Var" in part:
            return ".".join([part["Var"]["value"], *reversed(names)])
        else:
            return ""


def root_of(part: Node) -> str:
    """The variable that a reference begins with, '' if it begins with something else."""
    while "Var" not in part:
        inner = next((part[kind]["refr"] for kind in REFERENCES if kind in part), None)
        if inner is None:
            return ""
        part = inner
    return str(part["Var"]["value"])
