"""Fixtures in whatever form they come: dicts, stix2 objects, bundles, TAXII envelopes, files, and several of these."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from understudy.core.brief import brief
from understudy.core.collector import without_collector
from understudy.core.errors import InputError, Problem
from understudy.simulation.fixture_files import Read, read_objects_file

__all__ = ["as_object", "gathered", "load_fixtures", "read_fixtures"]

PROBLEM_LIMIT = 20

_NESTED = 20
_FORMS = (
    "give a dict, a stix2 object, something with to_dict() or serialize(), a bundle, a TAXII envelope, "
    "the path of a .json or .jsonl file, or several of these"
)
_ENVELOPE = frozenset({"more", "next", "objects"})


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
    with without_collector():
        return gathered(
            item if isinstance(item, Problem) else dict(item.data) for item in read_fixtures(source)
        )


def gathered(items: Iterable[dict[str, Any] | Problem]) -> list[dict[str, Any]]:
    """All objects, or an InputError with all problems, of which the first 20 are told."""
    objects: list[dict[str, Any]] = []
    problems: list[Problem] = []
    for item in items:
        if isinstance(item, Problem):
            problems.append(item)
            if len(problems) == PROBLEM_LIMIT:
                problems.append(Problem(f"there may be more: reading ended after {PROBLEM_LIMIT} problems"))
                break
        elif not problems:
            objects.append(item)
    if problems:
        raise InputError(problems)
    return objects


def read_fixtures(source: Any) -> Iterator[Read | Problem]:
    """The objects of a source, each with the name of its place, and what is wrong, one after the other.

    A `.jsonl` file is never in memory as a whole.
    """
    return _items(source, "the fixture", 0)


def as_object(thing: Any) -> Mapping[str, Any]:
    """One object as a mapping. A bundle is an object, too. Raises InputError for what is none."""
    if type(thing) is dict:
        return thing
    found = _unwrapped(thing)
    if isinstance(found, Problem):
        raise InputError([found])
    if not isinstance(found, Mapping):
        hint = "give a dict, a stix2 object, or something with to_dict() or serialize()"
        raise InputError([Problem(f"{_named(thing)} is no object", hint=hint)])
    return found


def _items(source: Any, name: str, depth: int) -> Iterator[Read | Problem]:
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        yield from _text(source, name, depth)
    elif isinstance(source, str) and not source.strip():
        yield Problem(f"{name} is an empty text", hint=_FORMS)
    elif isinstance(source, str | os.PathLike):
        for item in read_objects_file(Path(source)):
            if isinstance(item, Problem):
                yield item
            else:
                yield from _within(item.data, item.place, depth + 1)
    else:
        yield from _within(source, name, depth)


def _within(source: Any, name: str, depth: int) -> Iterator[Read | Problem]:
    found = source if type(source) is dict else _unwrapped(source)
    if isinstance(found, Problem):
        yield found
    elif depth > _NESTED:
        yield Problem(f"{name} is nested more than {_NESTED} levels deep", hint="give the objects themselves")
    elif isinstance(found, Mapping):
        if _holds_objects(found):
            yield from _members(found.get("objects"), name, depth)
        else:
            yield Read(found, name)
    elif isinstance(found, Iterable) and not isinstance(found, str | bytes | bytearray | type):
        for number, member in enumerate(found):
            yield from _items(member, f"{name}[{number}]", depth + 1)
    else:
        yield Problem(f"{name} is {_named(source)}, and no object", hint=_FORMS)


def _holds_objects(found: Mapping[str, Any]) -> bool:
    """True for a bundle, and for a TAXII envelope, which says nothing of what it is and may have no objects."""
    if "type" in found:
        return bool(found["type"] == "bundle")
    return "objects" in found or (bool(found) and _ENVELOPE.issuperset(found))


def _members(members: Any, name: str, depth: int) -> Iterator[Read | Problem]:
    if isinstance(members, list | tuple):
        for number, member in enumerate(members):
            yield from _within(member, f"{name}: objects[{number}]", depth + 1)
    elif members is not None:
        yield Problem(f"{name}: objects is {brief(members)}", hint="it is a list of objects")


def _text(text: str, name: str, depth: int) -> Iterator[Read | Problem]:
    from understudy.documents.json import load_json

    try:
        data = load_json(f"<{name}>", text=text).data
    except InputError as error:
        yield from error.problems
    else:
        yield from _within(data, name, depth + 1)


def _unwrapped(thing: Any) -> Any:
    """What an object says that its data are; the thing itself if it says nothing, a problem if it fails to."""
    if isinstance(thing, type):
        return thing
    for method in ("serialize", "to_dict"):
        try:
            make = getattr(thing, method, None)
            data = make() if callable(make) else None
        except Exception as error:  # it is foreign code, and may raise anything
            said = f"{method}() of {_named(thing)} raised {type(error).__name__}: {error}"
            return Problem(said, hint="correct it, or give the data as a dict")
        if isinstance(data, str | bytes):
            try:
                data = json.loads(data)
            except (ValueError, RecursionError):  # another format than JSON: the next method may know better
                continue
        if isinstance(data, Mapping):
            return data
    return thing


def _named(thing: Any) -> str:
    return f"the class {thing.__name__}" if isinstance(thing, type) else brief(thing)
