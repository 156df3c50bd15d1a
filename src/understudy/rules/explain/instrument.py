"""A policy's text with calls in it that tell which statement was reached, and what was seen there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from understudy.rules.explain.probes import MOST, Probe, Scope, operands, probe
from understudy.rules.syntax.module import Body, Module, Query, Rule, Statement, inner_queries
from understudy.rules.syntax.nodes import kind_of

TRACE = "understudy.trace"


@dataclass(slots=True)
class Traced:
    """A query that is traced: the number of the call before its first statement; the last one is at its end.

    `inside` are the queries of `every` in it, by the index of their statement. `values` are probes by position.
    """

    first: int
    rule: Rule
    body: Body | None
    statements: tuple[Statement, ...]
    bound: list[frozenset[str]]
    inside: dict[int, Traced] = field(default_factory=dict)
    probes: dict[int, tuple[Probe, ...]] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """How many statements there are; also the position of the end."""
        return len(self.statements)


@dataclass(frozen=True, slots=True)
class _Insertion:
    offset: int
    rank: int
    text: str


class Instrumented:
    """All queries of a policy's bodies, and the text that traces them. `at` finds them by the number of a call."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.scope = Scope(module)
        self.queries: list[Traced] = []
        self.at: dict[int, tuple[Traced, int]] = {}
        self._edges: list[tuple[Traced, Query | None, int]] = []
        for rule in module.rules:
            if rule.kind != "Default":
                self._rule(rule)

    def of_rule(self, rule: Rule) -> list[Traced]:
        """The traced bodies of a definition."""
        inner = {id(found) for query in self.queries for found in query.inside.values()}
        return [query for query in self.queries if query.rule is rule and id(query) not in inner]

    def look_at(self, query: Traced, position: int) -> None:
        """Have the values at a position told, too."""
        if position not in query.probes:
            query.probes[position] = tuple(self._probes(query, position))

    def text(self) -> str:
        """The policy with its traces."""
        insertions: list[_Insertion] = []
        for query, source, end in self._edges:
            insertions.extend(self._insertions(query, source, end))
        pieces: list[str] = []
        position = 0
        for item in sorted(insertions, key=lambda item: (item.offset, item.rank)):
            pieces += (self.module.written(position, item.offset), item.text)
            position = item.offset
        return "".join([*pieces, self.module.written(position, len(self.module.text))])

    def _rule(self, rule: Rule) -> None:
        arguments = frozenset(self.scope.variables(list(rule.arguments)))
        if not rule.bodies:
            self._query(rule, None, None, rule.head_end, arguments)
        for body in rule.bodies:
            self._query(rule, body, body.query, body.end, arguments)

    def _query(
        self, rule: Rule, body: Body | None, source: Query | None, end: int, bound: frozenset[str]
    ) -> Traced:
        statements = source.statements if source is not None else ()
        scopes = [bound]
        for statement in statements:
            bound |= self.scope.bound_by(statement)
            scopes.append(bound)
        first = self.queries[-1].first + self.queries[-1].length + 1 if self.queries else 0
        query = Traced(first, rule, body, statements, scopes)
        self.queries.append(query)
        for position in range(query.length + 1):
            self.at[first + position] = query, position
        self._edges.append((query, source, end))
        for index, statement in enumerate(statements):
            if statement.kind == "Every":
                names = {
                    self.module.written(*_span(statement, key))
                    for key in ("key", "value")
                    if statement.node.get(key)
                }
                inner = next(inner_queries({"Every": statement.node}), None)
                if inner is not None and inner.statements:
                    more = frozenset(name for name in names if name != "_")
                    query.inside[index] = self._query(rule, body, inner, inner.end, scopes[index] | more)
        return query

    def _insertions(self, query: Traced, source: Query | None, end: int) -> Iterator[_Insertion]:
        last = self._call(query, query.length)
        if source is None:
            yield _Insertion(end, 0, f" {{ {last} }}" if self.module.v0 else f" if {{ {last} }}")
            return
        for position, statement in enumerate(source.statements):
            opening = "{ " if position == 0 and not source.is_braced else ""
            yield _Insertion(statement.start, 1, f"{opening}{self._call(query, position)}; ")
        closing = "" if source.is_braced else " }"
        yield _Insertion(source.statements[-1].end, 0, f"; {last}{closing}")

    def _call(self, query: Traced, position: int) -> str:
        values = ", ".join(probe.text for probe in query.probes.get(position, ()))
        # Without the variables that it stands behind, the engine may make the call too early.
        behind = ", ".join(sorted(query.bound[position] - query.bound[0]))
        return f"{TRACE}({query.first + position}, [{values}], [0 | [{behind}]])"

    def _probes(self, query: Traced, position: int) -> Iterator[Probe]:
        """The first is the statement itself (or what the rule gives, at the end), the others what it is made of."""
        bound = query.bound[position]
        if position == query.length:
            yield from self._at_end(query, bound)
            return
        statement = query.statements[position]
        kind, node = statement.kind, statement.node
        whole = statement.expression or node.get("collection") or node.get("domain")
        is_assigned = kind == "Expr" and whole is not None and kind_of(whole)[0] == "AssignExpr"
        if is_assigned and whole is not None:
            sides = kind_of(whole)[1]
            whole = sides["rhs"]
            parts = [sides["lhs"], sides["rhs"]] if sides["op"] == "Eq" else [sides["rhs"]]
        else:
            parts = [whole] if whole is not None else []
        first = probe(self.scope, whole, bound, statement.mods) if whole is not None else None
        yield first or Probe("", "[]")
        # what was false or undefined says so already
        is_told = first is not None and kind == "Expr" and not is_assigned
        seen = {first.label} if first is not None and is_told else set()
        for part in parts:
            for operand in operands(self.scope, part):
                found = probe(self.scope, operand, bound, statement.mods)
                if found is not None and found.label not in seen and len(seen) <= MOST:
                    seen.add(found.label)
                    yield found

    def _at_end(self, query: Traced, bound: frozenset[str]) -> Iterator[Probe]:
        gives = query.rule.key or query.rule.value
        if query.body is not None and query.body.assigned is not None:
            gives = query.body.assigned
        first = probe(self.scope, gives, bound) if gives is not None else None
        yield first or Probe("", "[]")
        seen = {first.label} if first is not None else set()
        if not query.statements and gives is not None:
            for operand in operands(self.scope, gives):
                found = probe(self.scope, operand, bound)
                if found is not None and found.label not in seen and len(seen) <= MOST:
                    seen.add(found.label)
                    yield found
        for name in sorted(bound - seen)[:MOST]:
            yield Probe(name, f"[{name}]")


def _span(statement: Statement, key: str) -> tuple[int, int]:
    span: Mapping[str, int] = statement.node[key]
    return span["start"], span["end"]
