"""One rule of a policy in words: which of its bodies held, and where each of the others ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from understudy.core.brief import brief
from understudy.rules.evaluate.policy import Slip
from understudy.rules.explain.instrument import Instrumented, Traced
from understudy.rules.explain.passage import Passage, different
from understudy.rules.explain.probes import Probe, one_line
from understudy.rules.explain.traces import Event
from understudy.rules.syntax.module import Rule, Statement
from understudy.rules.syntax.nodes import extent, kind_of

BODIES = 8
_SAMPLES = 3
_HELD = 5
_ITERATED = 5
_WIDTH = 100
_SOURCE = 120

Passages = Mapping[int, Passage]


class Teller:
    """Tells of the rules of one traced policy."""

    def __init__(
        self, policy: Instrumented, passages: Passages, slips: Sequence[Slip], seen: Passages | None = None
    ) -> None:
        """`passages` say what happened, `seen` which values were seen, in an evaluation with more calls."""
        self._policy = policy
        self._module = policy.module
        self._passages = passages
        self._seen = passages if seen is None else seen
        self._slips = slips

    def place(self, offset: int) -> str:
        """Where something stands, as users see it."""
        return ":".join([self._module.source.file, *map(str, self._module.place(offset))])

    def bodies(self, name: str) -> list[Traced]:
        """All bodies of a rule or function."""
        return [query for rule in self._module.definitions(name) for query in self._policy.of_rule(rule)]

    def is_held(self, name: str) -> bool:
        """Whether any body of a rule held."""
        return any(self._held(query) for query in self.bodies(name))

    def title(self, name: str, values: Mapping[str, Any] | None = None) -> str:
        """What a rule came to: as `values` say, else as its bodies and its default do."""
        default = next((rule for rule in self._module.definitions(name) if rule.kind == "Default"), None)
        rule = next((rule for rule in self._module.definitions(name) if rule.kind != "Default"), default)
        if rule is not None and rule.kind == "Func":
            return f"{one_line(self._module.written(rule.start, rule.head_end), _WIDTH)} (a function)"
        by_default = default is not None and not self.is_held(name)
        where = f" (default, {self._line(default)})" if default is not None and by_default else ""
        if values is not None:
            return f"{name} is {brief(values[name]) if name in values else 'undefined'}{where}"
        if default is not None and by_default:
            return f"{name} is {self._value_text(default)}{where}"
        if self.is_held(name):
            is_true = rule is not None and rule.kind == "Compr" and rule.value is None
            return f"{name} {'is true' if is_true else 'has a value'}"
        return f"{name} is {'empty' if rule is not None and rule.kind == 'Set' else 'undefined'}"

    def lines(self, name: str, *, held: bool = True, failed: bool = True) -> Iterator[str]:
        """The bodies of a rule, each with what became of it."""
        bodies = self.bodies(name)
        told = 0
        for query in bodies:
            passage = self._passages.get(query.first)
            if passage is None:
                continue
            if told == BODIES:
                yield f"  … and more: {name} has {len(bodies)} bodies"
                return
            lines = list(self._body(query, passage, held=held, failed=failed))
            told += bool(lines)
            yield from lines
        if not told and not self.is_held(name) and failed:
            yield f"  {self._never(name)}"

    def stopping(self, query: Traced) -> list[int]:
        """The positions of a query whose statements say why it did not hold."""
        passage = self._passages.get(query.first)
        if passage is None:
            return []
        if query.rule.kind == "Func":
            return passage.stopped
        return [passage.furthest] if passage.furthest is not None and not passage.held else []

    def _never(self, name: str) -> str:
        bodies = self.bodies(name)
        if not bodies:
            return "no body of it is in the policy"
        if all(query.rule.kind == "Func" for query in bodies):
            return "it was not called, or not with such arguments"
        return "no body of it was tried"

    def _held(self, query: Traced) -> bool:
        passage = self._passages.get(query.first)
        return passage is not None and bool(passage.held)

    def _line(self, rule: Rule) -> str:
        return f"{self._module.source.file}:{self._module.place(rule.start)[0]}"

    def _value_text(self, rule: Rule) -> str:
        if rule.value is None:
            return "undefined"
        return one_line(self._module.written(*extent(rule.value)), _WIDTH)

    def _body(self, query: Traced, passage: Passage, *, held: bool, failed: bool) -> Iterator[str]:
        if passage.held and held:
            yield from self._holding(query, passage)
        for position in self.stopping(query) if failed else ():
            yield from self._failing(query, position, passage)

    def _holding(self, query: Traced, passage: Passage) -> Iterator[str]:
        start = query.rule.start if query.body is None or not query.body.is_else else query.body.start
        end = query.rule.head_end if query.body is None or not query.body.is_else else query.body.end
        source = one_line(self._module.written(start, end), _SOURCE)
        probes = query.probes.get(query.length, ())
        seen = self._seen.get(query.first)
        events = different(seen.held if seen is not None else [], _HELD)
        if len(events) < 2:
            given = events[0].values[0] if events and events[0].values else ()
            gave = f"gave {brief(given[0], _WIDTH)}" if given else "held"
            if events and not given and probes[0].label:
                gave = "was undefined"
            yield f"  {self.place(start)}  {source}   {gave}"
            yield from self._values(probes[1:], _without_first(events))
            return
        yield f"  {self.place(start)}  {source}   held {len(passage.held)} times"
        yield from self._values(probes, events)
        if len(passage.held) > len(events):
            yield "      …"

    def _failing(self, query: Traced, position: int, passage: Passage) -> Iterator[str]:
        statement = query.statements[position]
        failed = passage.failed[position]
        seen = self._seen.get(query.first)
        events = seen.failed.get(position, []) if seen is not None else []
        probes = query.probes.get(position, ())
        source = one_line(self._module.written(statement.start, statement.end), _SOURCE)
        how = f"was {self._how(statement, events)}" if events and probes else "did not hold"
        if query.rule.kind == "Func" and len(failed) < passage.entered:
            how += f" in {len(failed)} of {passage.entered} calls"
        elif len(failed) > 1:
            how += f" ({len(failed)} times)"
        why = self._slip(statement)
        yield f"  {self.place(statement.start)}  {source}   {how}{why}"
        shown = different(events, _SAMPLES)
        yield from self._values(probes[1:], _without_first(shown))
        inner = query.inside.get(position)
        if inner is not None:
            found = self._passages.get(inner.first)
            if found is not None and found.furthest is not None:
                for line in self._failing(inner, found.furthest, found):
                    yield f"  {line}"

    def _how(self, statement: Statement, events: Sequence[Event]) -> str:
        """Whether a statement was false or undefined, from what was seen of it."""
        seen = [value for event in events for value in event.values[:1]]
        if statement.kind in ("NotExpr", "Every"):
            return "undefined" if statement.kind == "Every" and not any(seen) else "false"
        if not any(seen):
            return "undefined"
        if statement.kind == "SomeIn":
            return "without an element"
        is_assigned = statement.expression is not None and kind_of(statement.expression)[0] == "AssignExpr"
        return "not a match" if is_assigned else "false"

    def _slip(self, statement: Statement) -> str:
        first, last = self._module.place(statement.start), self._module.place(statement.end)
        for slip in self._slips:
            if first <= (slip.line, slip.column) < last:
                return f": {slip.function}: {one_line(slip.message, 200)}"
        return ""

    def _values(self, probes: Sequence[Probe], events: Sequence[Event]) -> Iterator[str]:
        many = len(events) > 1
        for event in events:
            entries = [
                f"{probe.label} {_shown(value)}"
                for probe, value in zip(probes, event.values, strict=False)
                if probe.label
            ]
            if many and entries:
                yield f"      {', '.join(entries)}"
            elif not many:
                yield from (f"      {entry}" for entry in entries)


def _without_first(events: Sequence[Event]) -> list[Event]:
    return different([Event(event.number, event.values[1:]) for event in events], len(events))


def _shown(values: Sequence[Any]) -> str:
    if not values:
        return "is undefined"
    if len(values) == 1:
        return f"= {brief(values[0], _WIDTH)}"
    some = [brief(value, _WIDTH // 2) for value in values[:_ITERATED]]
    more = f", … ({len(values)} values)" if len(values) > _ITERATED else ""
    return f"= one of {', '.join(some)}{more}"
