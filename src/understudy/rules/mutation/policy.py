"""The small changes of a policy in Rego: each an edit of its text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.mutation.constants import other
from understudy.rules.mutation.mutant import Changed, Mutant
from understudy.rules.syntax.module import Body, Module, Query, Rule, Statement, inner_queries, parse
from understudy.rules.syntax.nodes import TEXTS, Node, dotted, extent, is_variable, kind_of, walk

_WIDTH = 120
_COMPARISONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "Eq": ("==", ("!=",)),
    "Ne": ("!=", ("==",)),
    "Lt": ("<", ("<=", ">=")),
    "Le": ("<=", ("<", ">")),
    "Gt": (">", (">=", "<=")),
    "Ge": (">=", (">", "<")),
}
_MESSAGE_NAMES = frozenset({"msg", "message", "details", "description", "title"})
_MESSAGE_CALLS = frozenset({"sprintf", "concat"})
_TEXT_ONLY = frozenset({"print"})


class _Edit(NamedTuple):
    start: int
    end: int
    text: str


class _Found(NamedTuple):
    kind: str
    start: int
    end: int
    after: str
    edits: tuple[_Edit, ...]


def policy_mutants(source: PolicyText) -> list[Mutant]:
    """Every change of a policy, in the order of its text; none if it cannot be parsed.

    >>> text = "package minder\\ndefault allow := false\\nallow if input.stars > 3"
    >>> for mutant in policy_mutants(PolicyText("a.rego", text)):
    ...     print(f"{mutant.line}:{mutant.column} {mutant.kind}: {mutant.words}")
    2:18 default: false -> true
    3:10 statement: input.stars > 3 -> (dropped)
    3:22 comparison: > -> >=
    3:22 comparison: > -> <=
    3:24 constant: 3 -> 4
    """
    module = parse(source)
    if module is None:
        return []
    return [_mutant(module, found) for rule in module.rules for found in _Changes(module, rule).all()]


def _mutant(module: Module, found: _Found) -> Mutant:
    text = module.text
    for edit in sorted(found.edits, reverse=True):
        text = text[: edit.start] + edit.text.encode() + text[edit.end :]
    line, column = module.place(found.start)
    before = _line(module.written(found.start, found.end))
    return Mutant(
        found.kind, line, column, before, _line(found.after), Changed(text.decode("utf-8", "replace"))
    )


class _Changes:
    """The changes of one definition."""

    def __init__(self, module: Module, rule: Rule) -> None:
        self.module = module
        self.rule = rule
        self.messages = _MESSAGE_NAMES | set(_variables_of_messages(rule.key))

    def all(self) -> Iterator[_Found]:
        is_message = self.rule.name in _MESSAGE_NAMES
        if self.rule.kind == "Default":
            yield from self._constants(self.rule.value, kind="default")
            return
        name = self.rule.name
        same = [rule for rule in self.module.rules if rule.name == name and rule.kind != "Default"]
        chains = [body for body in self.rule.bodies if not body.is_else]
        if len(same) > 1 and len(chains) <= 1:
            yield _Found(
                "body", self.rule.start, self.rule.end, "", (_Edit(self.rule.start, self.rule.end, ""),)
            )
        yield from self._constants(
            [*self.rule.arguments, self.rule.key, self.rule.value], is_message=is_message
        )
        for part in (self.rule.key, self.rule.value):
            yield from self._inside(part)
        for number, body in enumerate(self.rule.bodies):
            if not body.is_else and number:
                yield _Found("body", body.start, body.end, "", (_Edit(body.start, body.end, ""),))
            if body.is_else:
                yield from self._else(number)
                yield from self._constants(body.assigned, is_message=is_message)
                yield from self._inside(body.assigned)
            if body.query is not None:
                yield from self._query(body.query)

    def _else(self, number: int) -> Iterator[_Found]:
        body = self.rule.bodies[number]
        # what stands before an else may also end at it, so that a space must stay
        yield _Found("else", body.start, body.end, "", (_Edit(body.start, body.end, " "),))
        above = _value_above(self.rule, number)
        if above is None or body.assigned is None:
            return
        first, second = extent(above), extent(body.assigned)
        texts = self.module.written(*first), self.module.written(*second)
        if texts[0] != texts[1]:
            after = f"{texts[1]}, and {texts[0]} instead of {texts[1]} in the else"
            yield _Found("else", *first, after, (_Edit(*first, texts[1]), _Edit(*second, texts[0])))

    def _query(self, query: Query) -> Iterator[_Found]:
        for statement in query.statements:
            yield from self._statement(statement)

    def _statement(self, statement: Statement) -> Iterator[_Found]:
        kind, node = statement.kind, statement.node
        expression = statement.expression
        inner_kind, inner = kind_of(expression) if expression is not None else ("", node)
        if kind == "SomeVars" or (inner_kind == "Call" and dotted(inner["fcn"]) in _TEXT_ONLY):
            return
        start, end = statement.start, statement.end
        if inner_kind != "Bool" and not self._gives_a_value(inner_kind, inner, start, end):
            yield _Found("statement", start, end, "", (_Edit(start, end, "true"),))
        if kind == "NotExpr" and expression is not None:
            begin = start + len(b"not")
            after = self.module.written(begin, end).lstrip()
            yield _Found("negate", start, end, after, (_Edit(start, end, after),))
        elif kind == "Expr" and inner_kind not in ("AssignExpr", "BoolExpr", "Bool"):
            after = f"not {self.module.written(start, end)}"
            yield _Found("negate", start, end, after, (_Edit(start, start, "not "),))
        if inner_kind == "BoolExpr":
            yield from self._comparison(inner)
        yield from self._constants([_without_query(kind, node), *statement.mods])
        yield from self._inside([_without_query(kind, node), *statement.mods])
        if kind == "Every":
            yield from self._query(next(inner_queries({"Every": node})))

    def _gives_a_value(self, kind: str, node: Node, start: int, end: int) -> bool:
        """Whether a statement is `name := ...` for a name that is used elsewhere: without it there is no policy."""
        name = is_variable(node["lhs"]) if kind == "AssignExpr" and node["op"] == "ColEq" else ""
        if not name:
            return False
        elsewhere = self.module.written(self.rule.start, start), self.module.written(end, self.rule.end)
        return any(re.search(rf"\b{re.escape(name)}\b", part) for part in elsewhere)

    def _comparison(self, node: Node) -> Iterator[_Found]:
        sign, others = _COMPARISONS.get(str(node["op"]), ("", ()))
        low, high = extent(node["lhs"])[1], extent(node["rhs"])[0]
        at = _outside_comments(self.module.text, low, high, sign.encode()) if sign else -1
        if at < 0:
            return
        for text in others:
            yield _Found("comparison", at, at + len(sign), text, (_Edit(at, at + len(sign), text),))

    def _inside(self, part: Any) -> Iterator[_Found]:
        """The statements of comprehensions. Their queries hold those further inside."""
        if part is None:
            return
        for kind, node in walk(part, into_queries=False):
            if isinstance(node.get("query"), dict) and kind != "Every":
                yield from self._query(next(inner_queries({kind: node})))

    def _constants(self, part: Any, *, kind: str = "constant", is_message: bool = False) -> Iterator[_Found]:
        """Another constant for each, but for keys of objects, what is only printed, and queries further inside."""
        if isinstance(part, list):
            for item in part:
                yield from self._constants(item, kind=kind, is_message=is_message)
            return
        if not isinstance(part, dict):
            return
        for name, node in part.items():
            if name in (*TEXTS, "Bool", "Number"):
                yield from self._constant({name: node}, "message" if is_message and name in TEXTS else kind)
            elif name == "Call":
                called = dotted(node["fcn"])
                if called not in _TEXT_ONLY:
                    within = is_message or called in _MESSAGE_CALLS
                    yield from self._constants(node["params"], kind=kind, is_message=within)
            elif name == "Object":
                for _, key, value in node["fields"]:
                    within = is_message or _text(key) in self.messages
                    yield from self._constants(value, kind=kind, is_message=within)
            elif name == "AssignExpr":
                within = is_message or is_variable(node["lhs"]) in self.messages
                yield from self._constants([node["lhs"], node["rhs"]], kind=kind, is_message=within)
            elif name not in ("query", "span", "field"):
                yield from self._constants(node, kind=kind, is_message=is_message)

    def _constant(self, part: Node, kind: str) -> Iterator[_Found]:
        value = kind_of(part)[1]["value"]
        if "Number" in part and not isinstance(value, int | float):
            return
        start, end = extent(part)
        after = json.dumps(other(value))
        yield _Found(kind, start, end, after, (_Edit(start, end, after),))


def _value_above(rule: Rule, number: int) -> Node | None:
    above: Body = rule.bodies[number - 1]
    return above.assigned if above.is_else else rule.value


def _outside_comments(text: bytes, low: int, high: int, sign: bytes) -> int:
    while low < high:
        if text[low : low + 1] == b"#":
            low = text.find(b"\n", low, high) + 1 or high
        elif text.startswith(sign, low):
            return low
        else:
            low += 1
    return -1


def _without_query(kind: str, node: Node) -> Node:
    return {"Every": {"span": node["span"], "domain": node["domain"]}} if kind == "Every" else {kind: node}


def _text(part: Node) -> str:
    name, node = kind_of(part)
    return str(node["value"]) if name in TEXTS else ""


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"


def _variables_of_messages(key: Node | None) -> Iterator[str]:
    """The variables that are the message of a violation: `m` of `{"msg": m}`."""
    for name, node in walk(key) if key is not None else ():
        if name == "Object":
            for _, field, value in node["fields"]:
                if _text(field) in _MESSAGE_NAMES and is_variable(value):
                    yield is_variable(value)
