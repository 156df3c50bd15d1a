"""A policy as rules, their bodies, and the statements in them."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.evaluate.rego_bounds import too_much
from understudy.rules.evaluate.rego_places import Lines
from understudy.rules.syntax.nodes import Node, dotted, extent, kind_of, root_of, walk

_MOST_COLUMNS, _MOST_BYTES, _MOST_LINES = 4 << 20, 8 << 20, 1 << 20


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a query. `kind` is Expr, NotExpr, SomeIn, SomeVars or Every; `mods` are its `with` parts."""

    kind: str
    node: Node
    start: int
    end: int
    mods: tuple[Node, ...]

    @property
    def expression(self) -> Node | None:
        """What is evaluated: the expression of an Expr or NotExpr."""
        found: Node | None = self.node.get("expr")
        return found


@dataclass(frozen=True, slots=True)
class Query:
    """Statements that must all hold; `is_braced` says whether brackets of any kind are around them."""

    statements: tuple[Statement, ...]
    start: int
    end: int
    is_braced: bool


@dataclass(frozen=True, slots=True)
class Body:
    """One body of a rule: its query if it has one, and its own value if it is an `else`."""

    start: int
    end: int
    is_else: bool
    query: Query | None
    assigned: Node | None


@dataclass(frozen=True, slots=True)
class Rule:
    """One definition. `kind` is Default, Compr (a value), Set or Func; `key` is the element of a set."""

    kind: str
    name: str
    start: int
    end: int
    head_end: int
    bodies: tuple[Body, ...]
    arguments: tuple[Node, ...]
    key: Node | None
    value: Node | None


class Module:
    """A policy that was parsed: `rules` in the order of the text, offsets counted in bytes."""

    def __init__(self, source: PolicyText, text: bytes, tree: Node, *, v0: bool) -> None:
        _repair(tree, text)
        self.source = source
        self.text = text
        self.v0 = v0
        self.rules = tuple(_rule(node, text) for node in tree["rules"])
        self.imports = frozenset(_imported(node, text) for node in tree["imports"])
        self.package = dotted(tree["package"]["refr"])
        self._starts = [0]
        for line in text.split(b"\n")[:-1]:
            self._starts.append(self._starts[-1] + len(line) + 1)

    @property
    def names(self) -> frozenset[str]:
        """The names that rules and functions of the module define."""
        return frozenset(rule.name for rule in self.rules)

    def definitions(self, name: str) -> list[Rule]:
        """The definitions of one rule or function, its default first."""
        found = [rule for rule in self.rules if rule.name == name]
        return sorted(found, key=lambda rule: rule.kind != "Default")

    def written(self, start: int, end: int) -> str:
        """What stands there."""
        return self.text[start:end].decode("utf-8", "replace")

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column in the rule file."""
        line = bisect_right(self._starts, offset)
        column = len(self.text[self._starts[line - 1] : offset].decode("utf-8", "replace")) + 1
        return line + self.source.line - 1, column + self.source.indent


def parse(source: PolicyText) -> Module | None:
    """The module that a text is in Rego v1, else in v0; None if it is neither, or beyond the engine's limits.

    >>> module = parse(PolicyText("a.rego", "package minder\\nallow if input.x == \\"y\\""))
    >>> (statement,) = module.rules[0].bodies[0].query.statements
    >>> module.written(statement.start, statement.end), module.place(statement.start)
    ('input.x == "y"', (2, 10))
    """
    import regorus

    if too_much(source.text) is not None:
        return None
    for v0 in (False, True):
        engine = regorus.Engine()
        engine.set_policy_length_config(
            max_col=_MOST_COLUMNS, max_file_bytes=_MOST_BYTES, max_lines=_MOST_LINES
        )
        engine.set_rego_v0(v0)
        try:
            engine.add_policy("policy.rego", source.text)
            tree = json.loads(engine.get_ast_as_json())[0]["ast"]
        except (RuntimeError, UnicodeEncodeError):
            continue
        return Module(source, source.text.encode("utf-8"), tree, v0=v0)
    return None


def query_of(node: Node) -> Query:
    """A query of the syntax tree: of a body, of `every`, or of a comprehension."""
    statements = tuple(_statement(entry) for entry in node["stmts"])
    start, end = node["span"]["start"], node["span"]["end"]
    # in v0 the place of an else's query begins at the `else`
    is_braced = not statements or start < statements[0].start
    if not is_braced and statements:
        start, end = statements[0].start, statements[-1].end
    return Query(statements, start, end, is_braced)


def inner_queries(part: Any) -> Iterator[Query]:
    """The queries inside a part of the tree: those of comprehensions and of `every`, outer ones first."""
    for _, node in walk(part):
        if isinstance(node.get("query"), dict):
            yield query_of(node["query"])


def _repair(tree: Node, text: bytes) -> None:
    """The engine's offset of an object's start is that of its last field; its line and column are right."""
    lines = Lines(text)
    for kind, node in walk(tree):
        if kind == "Object":
            start = lines.offset(node["span"]["line"], node["span"]["col"])
            if text[start : start + 1] == b"{":
                node["span"]["start"] = start


def _statement(entry: Node) -> Statement:
    kind, node = kind_of(entry["literal"])
    start, end = extent(entry)
    return Statement(kind, node, start, end, tuple(entry.get("with_mods") or ()))


def _rule(entry: Node, text: bytes) -> Rule:
    if "Default" in entry:
        node = entry["Default"]
        start, end = extent(node)
        arguments = tuple(node.get("args") or ())
        return Rule("Default", _name(node["refr"]), start, end, end, (), arguments, None, node["value"])
    node = entry["Spec"]
    kind, head = kind_of(node["head"])
    start, end = extent(node)
    head_end = extent(head)[1]
    if head_end < len(text) and kind != "Func" and text[head_end : head_end + 1] == b"]":
        head_end += 1  # the place of `p[x]` leaves out its last bracket
    bodies = tuple(_body(body) for body in node["bodies"])
    value = (head.get("assign") or {}).get("value")
    return Rule(
        kind,
        _name(head["refr"]),
        start,
        end,
        head_end,
        bodies,
        tuple(head.get("args") or ()),
        head.get("key"),
        value,
    )


def _body(node: Node) -> Body:
    start, end = extent(node)
    query = query_of(node["query"]) if node["query"]["stmts"] else None
    assigned = (node.get("assign") or {}).get("value")
    return Body(start, end, bool(node["is_else"]), query, assigned)


def _name(reference: Node) -> str:
    """The name of a rule: `p.q` of `p.q[x]`."""
    while "RefBrack" in reference and "String" not in reference["RefBrack"]["index"]:
        reference = reference["RefBrack"]["refr"]
    return dotted(reference) or root_of(reference)


def _imported(node: Node, text: bytes) -> str:
    alias = node.get("as")
    if alias:
        return text[alias["start"] : alias["end"]].decode()
    return dotted(node["refr"]).rpartition(".")[2]
