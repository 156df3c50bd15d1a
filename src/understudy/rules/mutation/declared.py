"""The small changes of what a rule declares beside its policy: jq assertions, and defaults of its schemas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from understudy.core.brief import brief
from understudy.rules.mutation.constants import other
from understudy.rules.mutation.mutant import Changed, Mutant
from understudy.rules.rule_files import RuleFile

_LAST_NAME = re.compile(r"\.([A-Za-z_]\w*)(?!.*\.[A-Za-z_])", re.DOTALL)
_JQ = ("def", "eval", "jq")
_SCHEMAS = ("rule_schema", "param_schema")
_DEPTH = 20


def assertion_mutants(source: RuleFile) -> Iterator[Mutant]:
    """The changes of a rule's jq assertions: constants, paths, and one assertion less."""
    written = source.rule.definition.eval.jq
    if source.rule.definition.eval.type != "jq":
        return
    for index, assertion in enumerate(written):
        if len(written) > 1:
            rest = [*written[:index], *written[index + 1 :]]
            line, column = source.place(*_JQ, index)
            yield Mutant("assertion", line, column, brief(assertion), "", Changed(path=_JQ, value=rest))
        for key in ("ingested", "profile"):
            yield from _path(source, index, key)
        if "constant" in assertion:
            before, after = assertion["constant"], other(assertion["constant"])
            changed = _with(written, index, "constant", after)
            line, column = source.place(*_JQ, index, "constant")
            yield Mutant("constant", line, column, brief(before), brief(after), changed)


def schema_mutants(source: RuleFile) -> Iterator[Mutant]:
    """The changes of the defaults in a rule's schemas."""
    for name in _SCHEMAS:
        schema = getattr(source.rule.definition, name) or {}
        for path, before in _defaults(schema):
            after = other(before)
            line, column = source.place("def", name, *path)
            changed = Changed(path=("def", name), value=_replaced(schema, path, after))
            yield Mutant("schema-default", line, column, brief(before), brief(after), changed)


def _path(source: RuleFile, index: int, key: str) -> Iterator[Mutant]:
    written = source.rule.definition.eval.jq
    accessor = written[index].get(key)
    text = accessor.get("def") if isinstance(accessor, Mapping) else None
    found = _LAST_NAME.search(text) if isinstance(text, str) else None
    if not isinstance(accessor, Mapping) or not isinstance(text, str) or found is None:
        return
    after = f"{text[: found.start()]}.{found[1]}_{text[found.end() :]}"
    line, column = source.place(*_JQ, index, key, "def")
    changed = _with(written, index, key, {**accessor, "def": after})
    yield Mutant("path", line, column, " ".join(text.split()), " ".join(after.split()), changed)


def _with(written: list[dict[str, Any]], index: int, key: str, value: Any) -> Changed:
    changed = [{**entry, key: value} if number == index else entry for number, entry in enumerate(written)]
    return Changed(path=_JQ, value=changed)


def _defaults(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping) or len(path) > _DEPTH:
        return
    for name, part in properties.items():
        if isinstance(part, Mapping):
            here = (*path, "properties", str(name))
            if "default" in part:
                yield (*here, "default"), part["default"]
            yield from _defaults(part, here)


def _replaced(schema: Mapping[str, Any], path: tuple[str, ...], value: Any) -> dict[str, Any]:
    changed = dict(schema)
    changed[path[0]] = value if len(path) == 1 else _replaced(schema[path[0]], path[1:], value)
    return changed
