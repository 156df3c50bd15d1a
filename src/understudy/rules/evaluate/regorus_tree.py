"""What a parsed policy says of itself: its rules, its calls and operators, read from the engine's syntax tree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from understudy.rules.evaluate.regorus_variables import Loose, Node, loose_variables

_OPERATORS = {
    "Add": ("plus", "+"),
    "Sub": ("minus", "-"),
    "Mul": ("mul", "*"),
    "Div": ("div", "/"),
    "Mod": ("rem", "%"),
    "Union": ("or", "|"),
    "Intersection": ("and", "&"),
}
_BEFORE_SIGN = re.compile(rb'(?:[\s)"`]|#[^\n]*\n)*')  # between the left operand and the operator
_TEXTS = ("String", "RawString")


class Anchor(NamedTuple):
    """Where the engine reports an error of a node: line and column as it counts them, and about which offset."""

    line: int
    column: int
    offset: int


@dataclass(frozen=True, slots=True)
class Call:
    """A call by name: from `start` to `name_end` stands the name, `anchors` are where errors of it are reported."""

    name: str
    start: int
    name_end: int
    end: int
    arguments: tuple[Node, ...]
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """A binary operator that can fail, from `start` to `end`, with the operator itself at `sign_at`."""

    name: str
    sign: str
    start: int
    sign_at: int
    end: int
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    """What is iterated, by `some … in` or by an index, from `start` to `end`: null has no elements in OPA."""

    name: str
    start: int
    end: int
    anchors: tuple[Anchor, ...]


@dataclass(frozen=True, slots=True)
class Declaration:
    """A `some x, y` behind other statements, and where the statements begin that it belongs to."""

    names: str
    start: int
    end: int
    query_start: int


@dataclass(slots=True)
class Tree:
    """The facts of one module. `functions` has the numbers of arguments that each function is defined with,
    `bodies` from where to where each function is defined, `varying` the values of defaults that are not constant.
    """

    package: str = ""
    package_start: int = 0
    rego_v1: bool = True
    values: set[str] = field(default_factory=set)
    functions: dict[str, set[int]] = field(default_factory=dict)
    imports: dict[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    domains: list[Domain] = field(default_factory=list)
    declarations: list[Declaration] = field(default_factory=list)
    bodies: list[tuple[str, int, int]] = field(default_factory=list)
    varying: list[int] = field(default_factory=list)
    loose: list[Loose] = field(default_factory=list)


def read_tree(module: Node, text: bytes) -> Tree:
    """The facts of a module, given as `get_ast_as_json()` has it; `text` is what was parsed."""
    syntax = module["ast"]
    tree = Tree(rego_v1=bool(syntax.get("rego_v1", True)))
    tree.package = dotted(syntax["package"]["refr"])
    tree.package_start = _span(syntax["package"]["refr"])["start"]
    for statement in syntax["imports"]:
        path, alias = dotted(statement["refr"]), statement.get("as")
        name = text[alias["start"] : alias["end"]].decode() if alias else path.rpartition(".")[2]
        tree.imports[name] = path
    for rule in syntax["rules"]:
        _head(rule, tree)
        if "Default" in rule:
            inside = _nodes([rule["Default"]["value"]])
            tree.varying += [node["span"]["start"] for kind, node in inside if kind in ("Call", "Var")][:1]
    for kind, node in _nodes([syntax["rules"]]):
        if kind == "Call":
            _call(node, tree)
        elif kind in ("ArithExpr", "BinExpr") and node.get("op") in _OPERATORS:
            tree.operations.append(_operation(node, text))
        elif kind == "SomeIn":
            _domain("some", node["collection"], node["collection"], tree)
        elif kind == "RefBrack":
            _domain("index", node["refr"], {kind: node}, tree)
        elif kind == "query":
            _declarations(node, tree, text)
    known = {"input", "data", "_", *tree.values, *tree.imports}
    known |= {name.partition(".")[0] for name in tree.functions}
    tree.loose = loose_variables(syntax["rules"], known, text)
    return tree


def dotted(node: Node) -> str:
    """The name that a reference spells, '' if it is more than a name.

    >>> dotted({"Var": {"value": "count"}})
    'count'
    """
    parts: list[str] = []
    while True:
        if "RefDot" in node:
            parts.append(node["RefDot"]["field"][1])
            node = node["RefDot"]["refr"]
        elif "RefBrack" in node and "String" in node["RefBrack"]["index"]:
            parts.append(node["RefBrack"]["index"]["String"]["value"])
            node = node["RefBrack"]["refr"]
        elif "Var" in node:
            return ".".join([node["Var"]["value"], *reversed(parts)])
        else:
            return ""


def literal_text(node: Node) -> str | None:
    """The text that a string literal is, None for everything else."""
    for kind in _TEXTS:
        if kind in node:
            return str(node[kind]["value"])
    return None


def _nodes(roots: list[Any]) -> Iterator[tuple[str, Node]]:
    """Every node that has a name, each before what is in it, in the order of the text."""
    stack = list(reversed(roots))
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            for kind, inner in node.items():
                if isinstance(inner, dict) and "span" in inner:
                    yield kind, inner
            stack.extend(value for value in reversed(node.values()) if isinstance(value, dict | list))
        elif isinstance(node, list):
            stack.extend(value for value in reversed(node) if isinstance(value, dict | list))


def _head_of(rule: Node) -> tuple[str, Node]:
    if "Default" in rule:
        return "Default", rule["Default"]
    return next((kind, head) for kind, head in rule["Spec"]["head"].items())


def _head(rule: Node, tree: Tree) -> None:
    kind, head = _head_of(rule)
    name = _rule_name(head["refr"])
    if kind == "Func" or (kind == "Default" and head.get("args")):
        tree.functions.setdefault(name, set()).add(len(head["args"]))
        span = next(iter(rule.values()))["span"]
        tree.bodies.append((name, span["start"], span["end"]))
    else:
        tree.values.add(name.partition(".")[0])


def _rule_name(reference: Node) -> str:
    while "RefBrack" in reference and "String" not in reference["RefBrack"]["index"]:
        reference = reference["RefBrack"]["refr"]
    return dotted(reference) or _root(reference)


def _root(reference: Node) -> str:
    while "Var" not in reference:
        reference = next(iter(reference.values()))["refr"]
    return str(reference["Var"]["value"])


def _call(node: Node, tree: Tree) -> None:
    name, place = dotted(node["fcn"]), next(iter(node["fcn"].values()))["span"]
    if not name:
        return
    anchors = tuple(_anchor(part) for part in ({"Call": node}, *node["params"]))
    arguments = tuple(node["params"])
    tree.calls.append(Call(name, place["start"], place["end"], node["span"]["end"], arguments, anchors))


def _domain(name: str, collection: Node, reported: Node, tree: Tree) -> None:
    span = _span(collection)
    if literal_text(collection) is None:
        tree.domains.append(Domain(name, span["start"], span["end"], (_anchor(reported),)))


def _declarations(query: Node, tree: Tree, text: bytes) -> None:
    """The engine fails when a `some` behind a loop is reached a second time; at the start it is reached once."""
    start, behind = query["span"]["start"] + 1, False
    for statement in query["stmts"]:
        if "SomeVars" not in statement["literal"]:
            behind = True
        elif behind and text[start - 1 : start] in (b"{", b"|"):
            names = [
                text[span["start"] : span["end"]].decode()
                for span in statement["literal"]["SomeVars"]["vars"]
            ]
            span = statement["literal"]["SomeVars"]["span"]
            tree.declarations.append(Declaration(", ".join(names), span["start"], span["end"], start))


def _operation(node: Node, text: bytes) -> Operation:
    name, sign = _OPERATORS[node["op"]]
    span = node["span"]
    start, end = span["start"], span["end"]
    # the places of strings leave out their quotes
    if _edge(node, "lhs", "start") == start:
        start -= 1
    if _edge(node, "rhs", "end") == end:
        end += 1
    skipped = _BEFORE_SIGN.match(text, _span(node["lhs"])["end"])
    sign_at = skipped.end() if skipped else -1
    if text[sign_at : sign_at + 1] != sign.encode():
        sign_at = -1
    own = Anchor(span["line"], span["col"], sign_at)
    return Operation(name, sign, start, sign_at, end, (own, _anchor(node["lhs"]), _anchor(node["rhs"])))


def _edge(node: Node, side: str, bound: str) -> int | None:
    """Where the string literal begins or ends that is the outermost operand of an operation, if one is."""
    while side in node:
        kind, node = next(iter(node[side].items()))
        if kind in _TEXTS:
            return int(node["span"][bound])
    return None


def _span(part: Node) -> Node:
    span: Node = next(iter(part.values()))["span"]
    return span


def _anchor(part: Node) -> Anchor:
    kind, node = next(iter(part.items()))
    span = node["span"]
    if kind == "Call":
        offset = _span(node["fcn"])["end"]
    elif kind == "RefBrack":
        offset = _span(node["refr"])["end"]
    elif kind == "RefDot":
        offset = node["field"][0]["start"] - 1
    elif "lhs" in node:
        offset = _span(node["lhs"])["end"]
    else:
        offset = span["start"]
    return Anchor(span["line"], span["col"], offset)
