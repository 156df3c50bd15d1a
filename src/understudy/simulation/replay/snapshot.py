"""What a pipeline yielded: the objects of a list, a generator or a bundle, bounded, as text that stays as it was."""

from __future__ import annotations

import json
import marshal
from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable, Iterator, Mapping
from contextlib import aclosing, closing, nullcontext
from itertools import islice
from typing import Any

from understudy.core.canonical import canonical
from understudy.core.errors import InputError, Problem

MOST_OBJECTS = 1_000_000
Content = bytes | str
# Later versions of the format write what is referred to twice only once, so that equal data is not equal bytes.
_WITHOUT_REFERENCES = 2


def objects_of(produced: Any, most: int = MOST_OBJECTS) -> list[Mapping[str, Any]]:
    """The objects that a pipeline returned; a generator is run to its end, but not past `most` objects.

    >>> objects_of({"type": "bundle", "objects": [{"id": "a"}]})
    [{'id': 'a'}]
    >>> objects_of(None)
    []
    """
    if produced is None:
        return []
    if isinstance(produced, Mapping):
        if isinstance(produced.get("objects"), list | tuple):
            return objects_of(list(produced["objects"]), most)
        raise _unusable("a single object", "return a list with the object in it")
    if isinstance(produced, str | bytes) or not isinstance(produced, Iterable):
        raise _unusable(f"{_article(produced)}", "return a list of objects, or yield them")
    with closing(produced) if isinstance(produced, Generator) else nullcontext():
        taken = list(islice(produced, most + 1))
    return checked(taken, most)


async def gathered(produced: AsyncIterable[Any], most: int = MOST_OBJECTS) -> list[Mapping[str, Any]]:
    """The objects that an async generator yields."""
    taken: list[Any] = []
    async with aclosing(produced) if isinstance(produced, AsyncGenerator) else nullcontext():
        async for item in produced:
            taken.append(item)
            if len(taken) > most:
                break
    return checked(taken, most)


def checked(taken: list[Any], most: int) -> list[Mapping[str, Any]]:
    """The items as mappings, of which there must not be too many."""
    if len(taken) > most:
        raise InputError(
            [
                Problem(
                    f"the pipeline yielded more than {most:,} objects and was stopped",
                    hint="does its generator ever end? allow more with max_objects",
                )
            ]
        )
    return [item if isinstance(item, dict) else _mapping(item, index) for index, item in enumerate(taken)]


def ids_of(objects: Iterable[Mapping[str, Any]]) -> list[str]:
    """The ids of the objects that have one, in order."""
    return [obj["id"] for obj in objects if "id" in obj]


def snapshots(objects: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Content]]:
    """A name and the content of every object: its id, numbered where it comes again, or its place if it has none.

    `text_of` makes the content text. Most are kept as bytes, which are made in a tenth of the time, and are text
    only if that is asked for.
    """
    seen: dict[str, int] = {}
    for position, obj in enumerate(objects):
        name = str(obj["id"]) if "id" in obj else f"object {position + 1}, which has no id"
        if name in seen:
            seen[name] += 1
            yield f"{name} ({seen[name]})", _kept(obj)
        else:
            seen[name] = 1
            yield name, _kept(obj)


def text_of(content: Content) -> str:
    """The canonical text of what a snapshot keeps.

    >>> [(name, text_of(content)) for name, content in snapshots([{"n": 1, "id": "a"}])]
    [('a', '{"id":"a","n":1}')]
    """
    return content if isinstance(content, str) else canonical(marshal.loads(content))  # noqa: S302 - our own bytes


def _kept(obj: Mapping[str, Any]) -> Content:
    try:
        return marshal.dumps(obj, _WITHOUT_REFERENCES)  # type: ignore[arg-type]  # or it says that it cannot
    except ValueError:  # something that marshal has no form for, or that holds itself
        return canonical(obj)


def _mapping(item: Any, index: int) -> Mapping[str, Any]:
    if isinstance(item, Mapping):
        return item
    for name in ("to_dict", "serialize"):
        method = getattr(item, name, None)
        if callable(method):
            made = method()
            made = json.loads(made) if isinstance(made, str) else made
            if isinstance(made, Mapping):
                return made
    raise _unusable(f"{_article(item)} as object {index + 1}", "objects are dicts, or have to_dict()")


def _article(value: Any) -> str:
    return f"a value of type {type(value).__name__}"


def _unusable(what: str, hint: str) -> InputError:
    return InputError([Problem(f"the pipeline yielded {what}", hint=hint)])
