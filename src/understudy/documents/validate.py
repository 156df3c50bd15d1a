"""From a document to a model: whatever does not fit comes out as problems with their places, all together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.documents.error_words import describe, noun_of, one_of, words_for
from understudy.documents.model_keys import keys_at
from understudy.documents.positions import Document, Path

T = TypeVar("T")

_KEYS_NAMED = 20


def validate(model: type[T], document: Document, at: Path = ()) -> T:
    """The part of a document at a data path, as a pydantic model (or any type that pydantic knows).

    Keys are spelled as in files: by alias where a field has one. Raises InputError with a problem for
    everything that is wrong.

    >>> from understudy.documents.yaml import load_yaml
    >>> validate(dict[str, int], load_yaml("a.yaml", text="one: 1\\ntwo: zwei"))
    Traceback (most recent call last):
    ...
    understudy.core.errors.InputError: a.yaml:2:6: 'two' must be a whole number, not text "zwei"
    """
    from pydantic import BaseModel, TypeAdapter, ValidationError

    data = document.data
    for step in at:
        data = data[step]
    try:
        if isinstance(model, type) and issubclass(model, BaseModel):
            return cast("T", model.model_validate(data, by_alias=True, by_name=False))
        return TypeAdapter(model).validate_python(data, by_alias=True, by_name=False)
    except ValidationError as error:
        raise InputError(_problems(error.errors(include_url=False), model, data, document, at)) from None


def problem_at(document: Document, path: Path, message: str, hint: str = "", key: bool = False) -> Problem:
    """A problem with the value at a data path of a document, or (`key`) with its key."""
    line, column = document.positions.key(path) if key else document.positions.value(path)
    return Problem(message, document.file, line, column, hint=hint)


@dataclass(slots=True)
class _Found:
    """One error of pydantic's, and the data path it is about.

    `member` says of which member of which union: pydantic puts a label for the member into the location,
    which leads nowhere in the data. `union` is the length of the path down to that union.
    """

    error: Mapping[str, Any]
    path: Path
    is_key: bool = False
    union: int = -1
    member: str = ""


def _problems(errors: Any, model: Any, data: Any, document: Document, at: Path) -> list[Problem]:
    groups: dict[Any, list[_Found]] = {}
    for number, error in enumerate(errors):
        found = _find(error, data)
        group = ("union", found.path[: found.union]) if found.member else ("error", number)
        groups.setdefault(group, []).append(found)
    return [
        _single(found, model, document, at) if isinstance(found, _Found) else problem_at(document, *found)
        for group in groups.values()
        for found in (_nearest_member(group, at) if group[0].member else group)
    ]


def _find(error: Mapping[str, Any], data: Any) -> _Found:
    found = _Found(error, ())
    location = error["loc"]
    for index, step in enumerate(location):
        known = data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
        if step in known:
            data = data[step]
            found.path = (*found.path, step)
        elif step == "[key]":
            found.is_key = True
        elif index == len(location) - 1 and error["type"] == "missing":
            break
        elif not found.member:
            found.member, found.union = str(step), len(found.path)
    return found


def _nearest_member(group: list[_Found], at: Path) -> list[_Found] | list[tuple[Path, str]]:
    """Of what every member of a union has against a value, what is worth telling."""
    members: dict[str, list[_Found]] = {}
    for found in group:
        members.setdefault(found.member, []).append(found)
    if len(members) == 1:
        # A union that goes by a tag: it is known which member is meant.
        return group
    nearer = [member for member in members.values() if not _is_of_another_kind(member)]
    if nearer:
        return min(nearer, key=len)[:1]
    path = at + group[0].path[: group[0].union]
    nouns = one_of(noun for found in group if (noun := noun_of(found.error)))
    return [(path, f"{_subject(path)} must be {nouns}, not {describe(group[0].error['input'])}")]


def _is_of_another_kind(member: list[_Found]) -> bool:
    """True if the value is not even of the kind that this member of the union is (a list, say, for text)."""
    return any(len(found.path) == found.union and noun_of(found.error) for found in member)


def _single(found: _Found, model: Any, document: Document, at: Path) -> Problem:
    error, path = found.error, at + found.path
    kind = error["type"]
    if kind == "extra_forbidden":
        known = keys_at(model, found.path[:-1])
        name = str(path[-1])
        nearest = closest_name(name, known)
        hint = f"did you mean {nearest!r}?" if nearest else ""
        if not hint and 0 < len(known) <= _KEYS_NAMED:
            hint = f"the keys here are {', '.join(known)}"
        return problem_at(document, path, f"unknown key {_quoted(name)}", hint, key=True)
    if kind == "missing":
        return problem_at(document, path, f"{_quoted(str(error['loc'][-1]))} is missing")
    if kind == "union_tag_not_found":
        return problem_at(document, path, f"{error['ctx']['discriminator']} is missing")
    if kind == "union_tag_invalid":
        path = (*path, error["ctx"]["discriminator"].strip("'"))
    hint = ""
    if kind in ("literal_error", "enum", "union_tag_invalid"):
        tag = error.get("ctx", {}).get("tag", error["input"])
        allowed = error["ctx"].get("expected") or error["ctx"].get("expected_tags")
        nearest = closest_name(str(tag), re.findall(r"'([^']*)'", allowed)) if isinstance(tag, str) else ""
        hint = f"did you mean {nearest!r}?" if nearest else ""
    subject = f"the key {_quoted(str(path[-1]))}" if found.is_key else _subject(path)
    return problem_at(document, path, words_for(error, subject), hint, key=found.is_key)


def _subject(path: Path) -> str:
    """How a value is called: by its key, and by its number in a list."""
    if not path:
        return "the content"
    start = next((at for at in reversed(range(len(path))) if isinstance(path[at], str)), -1)
    name = str(path[start]) if start >= 0 else ""
    return _quoted(name + "".join(f"[{index}]" for index in path[start + 1 :]))


def _quoted(name: str) -> str:
    return repr(name if len(name) <= 80 else name[:79] + "…")
