"""Fixtures in whatever form they come: dicts, stix2 objects, bundles, TAXII envelopes, files, and several of these."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem
from understudy.simulation.fixture_files import read_objects_file

__all__ = ["as_object", "iter_objects", "load_fixtures"]

_NESTED = 20
_FORMS = (
    "give a dict, a stix2 object, something with to_dict() or serialize(), a bundle, a TAXII envelope, "
    "the path of a .json or .jsonl file, or several of these"
)


def load_fixtures(source: Any) -> list[dict[str, Any]]:
    """The objects of a source, as dicts, in order. Raises InputError with the file, the line and every problem.

    A source is an object (a dict, a stix2 object, anything with `to_dict()` or `serialize()`), a bundle, a TAXII
    envelope, JSON text, the path of a `.json` or `.jsonl` file, or any iterable of sources.

    >>> tool = {"type": "tool", "id": "tool--1"}
    >>> load_fixtures([tool, {"type": "bundle", "id": "bundle--1", "objects": [{"type": "tool", "id": "tool--2"}]}])
    [{'type': 'tool', 'id': 'tool--1'}, {'type': 'tool', 'id': 'tool--2'}]
    >>> load_fixtures({"more": False, "objects": [tool]}) == load_fixtures('[{"type": "tool", "id": "tool--1"}]')
    True
    """
    objects: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for item in _items(source, "the fixture", 0):
        (problems if isinstance(item, Problem) else objects).append(item)  # type: ignore[arg-type]  # told apart
        if len(problems) == 20:
            break
    if problems:
        raise InputError(problems)
    return objects


def iter_objects(source: Any) -> Iterator[dict[str, Any]]:
    """The objects of a source one after the other: a `.jsonl` file is never in memory as a whole.

    Raises InputError at the first one that is broken, when it gets there.
    """
    for item in _items(source, "the fixture", 0):
        if isinstance(item, Problem):
            raise InputError([item])
        yield item


def as_object(thing: Any) -> Mapping[str, Any]:
    """One object as a mapping. A bundle is an object, too. Raises InputError for what is none."""
    if type(thing) is dict:
        return thing
    found = _unwrapped(thing)
    if not isinstance(found, Mapping):
        hint = "give a dict, a stix2 object, or something with to_dict() or serialize()"
        raise InputError([Problem(f"{_named(thing)} is no object", hint=hint)])
    return found


def _items(source: Any, name: str, depth: int) -> Iterator[dict[str, Any] | Problem]:
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        yield from _text(source, name, depth)
        return
    if isinstance(source, str | os.PathLike):
        for item in read_objects_file(Path(source)):
            if isinstance(item, Problem):
                yield item
            else:
                yield from _within(item.data, item.place, depth + 1)
        return
    yield from _within(source, name, depth)


def _within(source: Any, name: str, depth: int) -> Iterator[dict[str, Any] | Problem]:
    found = source if type(source) is dict else _unwrapped(source)
    if depth > _NESTED:
        yield Problem(f"{name} is nested more than {_NESTED} levels deep", hint="give the objects themselves")
    elif isinstance(found, Mapping):
        members = found.get("objects")
        kind = found.get("type")
        if kind != "bundle" and ("type" in found or "objects" not in found):
            yield dict(found)
        elif isinstance(members, list | tuple):
            for number, member in enumerate(members):
                yield from _within(member, f"{name}: objects[{number}]", depth + 1)
        elif members is not None:
            yield Problem(f"{name}: objects is {brief(members)}", hint="it is a list of objects")
    elif isinstance(found, Iterable) and not isinstance(found, str | bytes | bytearray | type):
        for number, member in enumerate(found):
            yield from _items(member, f"{name}[{number}]", depth + 1)
    else:
        yield Problem(f"{name} is {_named(source)}, and no object", hint=_FORMS)


def _text(text: str, name: str, depth: int) -> Iterator[dict[str, Any] | Problem]:
    from understudy.documents.json import load_json

    try:
        data = load_json(f"<{name}>", text=text).data
    except InputError as error:
        yield from error.problems
    else:
        yield from _within(data, name, depth + 1)


def _unwrapped(thing: Any) -> Any:
    """What an object says that its data are; the thing itself if it says nothing."""
    if isinstance(thing, type):
        return thing
    for method in ("serialize", "to_dict"):
        make = getattr(thing, method, None)
        if callable(make):
            data = make()
            if isinstance(data, str | bytes):
                try:
                    data = json.loads(data)
                except ValueError:
                    continue
            if isinstance(data, Mapping):
                return data
    return thing


def _named(thing: Any) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else brief(thing)
