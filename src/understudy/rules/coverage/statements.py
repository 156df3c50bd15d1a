"""Which lines of a policy stand or fall together: those of one statement, value or key that goes over several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from understudy.rules.evaluate.policy import PolicyText
from understudy.rules.syntax.module import Module, Rule, inner_queries, parse

Span = tuple[int, int]
Lines = frozenset[int]


def statements_of(source: PolicyText) -> tuple[Lines, ...]:
    r"""The lines of the rule file that each statement of more than one line has to itself.

    What stands inside a comprehension or `every` is not the outer statement's: it may be reached or not.

    >>> text = "package minder\nallow if {\n  count([x |\n    x := input.a[_]\n  ]) == 1\n  walk(input, [_,\n    _])\n}"
    >>> [sorted(lines) for lines in statements_of(PolicyText("a.rego", text))]
    [[3, 5], [6, 7]]
    """
    module = parse(source)
    if module is None:
        return ()
    found = (_own_lines(module, span, part) for rule in module.rules for span, part in _parts(rule))
    return tuple(lines for lines in found if len(lines) > 1)


def widened(reached: Lines, statements: Iterable[Lines]) -> Lines:
    """What was reached, with all lines of every statement of which one line was.

    The engine marks expressions: a line with nothing but `_` or the result of `walk` on it never is.

    >>> sorted(widened(frozenset({3, 6}), [frozenset({6, 7}), frozenset({8, 9})]))
    [3, 6, 7]
    """
    return reached.union(*(lines for lines in statements if not reached.isdisjoint(lines)))


def _parts(rule: Rule) -> Iterator[tuple[Span, Any]]:
    """Everything that is evaluated as one: what a head says, and statements at any depth."""
    head = [part for part in (rule.key, rule.value) if part is not None]
    if head:
        yield (rule.start, rule.head_end), head
    bodies = [body.query for body in rule.bodies if body.query is not None]
    values = [body.assigned for body in rule.bodies if body.assigned is not None]
    written = [{s.kind: s.node} for query in bodies for s in query.statements]
    for query in (*bodies, *inner_queries([*head, *values, *written])):
        for statement in query.statements:
            yield (statement.start, statement.end), {statement.kind: statement.node}


def _own_lines(module: Module, span: Span, part: Any) -> Lines:
    lines = set(_lines(module, span))
    for query in inner_queries(part):
        for statement in query.statements:
            lines.difference_update(_lines(module, (statement.start, statement.end)))
    return frozenset(lines)


def _lines(module: Module, span: Span) -> range:
    first, _ = module.place(span[0])
    last, _ = module.place(max(span[1] - 1, span[0]))
    return range(first, last + 1)
