"""From the events of a YAML parser to JSON data and its marks, in one bounded pass."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import yaml

from understudy.core.errors import InputError, Problem
from understudy.documents.positions import Mark, Position
from understudy.documents.yaml_scalars import NotMeaningful, scalar_meaning, short_tag

DEPTH_LIMIT = 100
NODE_LIMIT = 2_000_000
TEXT_LIMIT = 64 << 20
PROBLEM_LIMIT = 100

_COLLECTION_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


class Scalars(Protocol):
    """How another reader of YAML than ours understands a scalar: its kind (`str`, say) and its value."""

    def __call__(self, text: str, tag: str | None, *, is_plain: bool) -> tuple[str, Any]: ...


@dataclass(frozen=True, slots=True)
class Dialect:
    """How another reader of YAML understands a file: any tag is taken, and only the first document is read.

    With `only_text_keys`, a key that is no text is refused instead of being the text that was written.
    """

    scalars: Scalars
    only_text_keys: bool = False


@dataclass(slots=True)
class _Built:
    """A value, its place, how many levels it has, and its source text if it is a scalar (`is_text`: a string)."""

    value: Any
    mark: Mark
    height: int = 0
    source: str | None = None
    is_text: bool = True


@dataclass(slots=True)
class _Anchored:
    """What an alias repeats, and what repeating it costs."""

    built: _Built
    nodes: int
    characters: int


class TreeBuilder:
    """Builds one document. Works on events, because composing nodes first would crash on a deep file.

    Problems that leave the structure clear are collected; one that does not ends the pass.
    """

    def __init__(self, loader: Any, file: str, dialect: Dialect | None = None) -> None:
        self._dialect = dialect
        self._next = loader.get_event
        self._resolve = loader.resolve
        self._file = file
        self._problems: list[Problem] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._nodes = 0
        self._characters = 0

    def build(self) -> tuple[Any, Mark]:
        """The data and the marks of the only document (None for an empty file)."""
        self._next()
        event = self._next()
        if isinstance(event, yaml.StreamEndEvent):
            return None, Mark((1, 1))
        built = self._node(self._next(), 1)
        self._next()
        event = None if self._dialect is not None else self._next()
        if event is not None and not isinstance(event, yaml.StreamEndEvent):
            self._stop(event, "a second document begins here", "put each document into a file of its own")
        if self._problems:
            raise InputError(self._problems)
        return built.value, built.mark

    def _node(self, event: Any, depth: int) -> _Built:
        if isinstance(event, yaml.AliasEvent):
            return self._repeat(event, depth)
        nodes, characters = self._nodes, self._characters
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            built = self._scalar(event)
        else:
            if depth > DEPTH_LIMIT:
                self._stop(event, f"is nested more than {DEPTH_LIMIT} levels deep", "flatten it")
            if event.tag not in _COLLECTION_TAGS and self._dialect is None:
                self._note(event, f"the tag {short_tag(event.tag)} is not supported", "remove the tag")
            self._count(event, 1, 0)
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            built = self._mapping(event, depth) if is_mapping else self._list(event, depth)
        if event.anchor is not None:
            cost = self._nodes - nodes, self._characters - characters
            self._anchors[event.anchor] = _Anchored(built, *cost)
        return built

    def _scalar(self, event: Any) -> _Built:
        text = event.value
        self._count(event, 1, len(text))
        tag = event.tag
        value: Any = text
        is_text = True
        try:
            if self._dialect is not None:
                kind, value = self._dialect.scalars(text, tag, is_plain=not event.style)
                is_text = kind == "str"
            elif tag is not None or event.implicit[0]:
                if tag is None:
                    tag = self._resolve(yaml.ScalarNode, text, event.implicit)
                value = scalar_meaning(text, tag, is_tagged=event.tag is not None)
        except NotMeaningful as error:
            self._note(event, str(error), error.hint)
        return _Built(value, Mark(_position(event)), 0, text, is_text)

    def _list(self, event: Any, depth: int) -> _Built:
        built = _Built([], Mark(_position(event)))
        entry = self._next()
        while not isinstance(entry, yaml.SequenceEndEvent):
            child = self._node(entry, depth + 1)
            built.mark.children[len(built.value)] = child.mark
            built.value.append(child.value)
            built.height = max(built.height, child.height + 1)
            entry = self._next()
        return built

    def _mapping(self, event: Any, depth: int) -> _Built:
        built = _Built({}, Mark(_position(event)), 1)
        seen: dict[tuple[str, bool], Position] = {}
        merged: list[_Built] = []
        entry = self._next()
        while not isinstance(entry, yaml.MappingEndEvent):
            key, place = self._key(entry, depth), _position(entry)
            value_event = self._next()
            child = self._node(value_event, depth + 1)
            built.height = max(built.height, child.height + 1)
            is_merge = _is_merge(entry)
            if key is not None and (key, is_merge) in seen:
                line = seen[key, is_merge][0]
                message = f"the key {key[:80]!r} is given twice, first in line {line}"
                self._note(entry, message, "remove one of the two")
            elif key is not None:
                seen[key, is_merge] = place
                if is_merge:
                    merged += self._merged(value_event, child)
                else:
                    built.value[key] = child.value
                    child.mark.key = place
                    built.mark.children[key] = child.mark
            entry = self._next()
        for source in merged:
            for key, value in source.value.items():
                if key not in built.value:
                    built.value[key] = value
                    built.mark.children[key] = source.mark.children[key]
        return built

    def _merged(self, event: Any, child: _Built) -> list[_Built]:
        if isinstance(child.value, dict):
            return [child]
        if isinstance(child.value, list) and all(isinstance(entry, dict) for entry in child.value):
            return [_Built(entry, child.mark.children[index]) for index, entry in enumerate(child.value)]
        self._note(
            event, "'<<' takes a mapping or a list of mappings", "name an anchored mapping: '<<: *name'"
        )
        return []

    def _key(self, event: Any, depth: int) -> str | None:
        """A key is the text that was written, whatever it would mean as a value: `200` is "200"."""
        if isinstance(event, yaml.ScalarEvent) and event.anchor is None:
            if event.tag is None and self._dialect is None:
                self._count(event, 1, len(event.value))
                return str(event.value)
            built = self._scalar(event)
        else:
            built = self._node(event, depth + 1)
        source = built.source
        if source is None:
            self._note(event, "a key must be text, not a list or a mapping", "write the key as text")
        elif self._dialect is not None and self._dialect.only_text_keys and not built.is_text:
            self._note(event, f"the key {source[:40]!r} is not text", "write it in quotes")
        return source

    def _repeat(self, event: Any, depth: int) -> _Built:
        name = event.anchor
        if name not in self._anchors:
            self._stop(event, f"*{name[:60]} repeats what no &{name[:60]} above it names", "correct the name")
        anchored = self._anchors[name]
        if anchored is None:
            self._stop(event, f"*{name[:60]} stands within &{name[:60]}, so it would never end", "remove it")
        self._count(event, anchored.nodes, anchored.characters)
        original = anchored.built
        if depth + original.height > DEPTH_LIMIT:
            self._stop(event, f"is nested more than {DEPTH_LIMIT} levels deep", "flatten it")
        # A copy, so that changing one place never changes the other.
        value = copy.deepcopy(original.value) if original.source is None else original.value
        mark = Mark(_position(event), children=original.mark.children)
        return _Built(value, mark, original.height, original.source, original.is_text)

    def _count(self, event: Any, nodes: int, characters: int) -> None:
        self._nodes += nodes
        self._characters += characters
        if self._nodes > NODE_LIMIT or self._characters > TEXT_LIMIT:
            limit = f"{NODE_LIMIT:,} values or {TEXT_LIMIT:,} characters"
            message = f"the file holds, its aliases written out, more than {limit}"
            self._stop(event, message, "repeat less by alias, or split the file")

    def _note(self, event: Any, message: str, hint: str) -> None:
        if len(self._problems) >= PROBLEM_LIMIT:
            raise InputError(self._problems)
        self._problems.append(Problem(message, self._file, *_position(event), hint=hint))

    def _stop(self, event: Any, message: str, hint: str) -> NoReturn:
        self._problems.append(Problem(message, self._file, *_position(event), hint=hint))
        raise InputError(self._problems)


def _position(event: Any) -> Position:
    return event.start_mark.line + 1, event.start_mark.column + 1


def _is_merge(event: Any) -> bool:
    return isinstance(event, yaml.ScalarEvent) and event.value == "<<" and bool(event.implicit[0])
