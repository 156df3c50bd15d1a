"""What is wrong with an object as STIX 2.1, by the schema of stix2 and the patterns of stix2-patterns.

stix2 stops at the first problem, names only the innermost property, fills in what is missing and converts what has the
wrong type, so its properties are asked here one by one, by their path; the object as a whole is asked after that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import missing_extra
from understudy.core.nearness import closest_name
from understudy.simulation.moments import moment

try:
    from stix2 import parse
    from stix2.base import _STIXBase
    from stix2.exceptions import InvalidSelectorError
    from stix2.properties import (
        BooleanProperty,
        DictionaryProperty,
        EmbeddedObjectProperty,
        FloatProperty,
        IntegerProperty,
        ListProperty,
        STIXObjectProperty,
        StringProperty,
        TimestampProperty,
    )
    from stix2.registry import class_for_type
    from stix2.v21.common import MarkingProperty
    from stix2patterns.validator import run_validator
except ImportError as error:
    raise missing_extra("stix", error.name or "stix2") from error

Found = tuple[str, str]

PATTERN_LIMIT = 100_000
PATTERN_FAULTS = 10

_VERSION = "2.1"
# What an object has to say of itself, and stix2 makes up if it does not.
_ALWAYS = frozenset({"type", "id"})
_WITH_VERSIONS = frozenset({"spec_version", "created", "modified", "valid_from"})
_QUOTED = re.compile(r"'(\w+)'")
_TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_SCALARS: tuple[tuple[type, tuple[type, ...], str], ...] = (
    (BooleanProperty, (bool,), "true or false"),
    (IntegerProperty, (int,), "a whole number"),
    (FloatProperty, (int, float), "a number"),
    (TimestampProperty, (str, datetime), "a timestamp"),
    (ListProperty, (list, tuple), "a list"),
    (StringProperty, (str,), "a text"),
)


def stix_problems(obj: Mapping[str, Any]) -> list[Found]:
    """Everything that is wrong: the path of the property, and what is the matter with it.

    >>> stix_problems({"type": "url", "id": "url--00000000-0000-4000-8000-000000000001", "valeu": "http://a.test"})
    [('$.value', 'is missing'), ('$.valeu', "is no property of url (did you mean 'value'?)")]
    """
    kind = obj.get("type")
    if kind is None:
        return [("$.type", "is missing")]
    known = isinstance(kind, str) and (
        class_for_type(kind, _VERSION, "objects") or class_for_type(kind, _VERSION, "observables")
    )
    if not known:
        if _has_extension(obj, "new-"):
            return list(_identity(obj))
        return [("$.type", f"is {brief(kind)}, which is no type of STIX {_VERSION}")]
    found = [*_object(known, obj, "$"), *_pattern(obj), *_confidence(obj)]
    return found or [*_whole(obj), *_times(obj)]


def _object(shape: Any, obj: Mapping[str, Any], path: str) -> Iterator[Found]:
    properties = shape._properties
    for name, rule in properties.items():
        if name not in obj and (rule.required or (path == "$" and _says_what_it_is(name, properties))):
            yield f"{path}.{name}", "is missing"
    for name, value in obj.items():
        place = f"{path}.{name}"
        if name in properties:
            yield from _property(properties[name], value, place)
        elif not _has_extension(obj, "toplevel-"):
            near = closest_name(str(name), [one for one in properties if one not in obj])
            hint = f" (did you mean {near!r}?)" if near else ""
            yield place, f"is no property of {obj.get('type') or shape.__name__}{hint}"


def _says_what_it_is(name: str, properties: Mapping[str, Any]) -> bool:
    """True for what says which object and which version this is. Observables have no versions."""
    return name in _ALWAYS or (name in _WITH_VERSIONS and "created" in properties)


def _property(rule: Any, value: Any, path: str) -> Iterator[Found]:
    if isinstance(rule, STIXObjectProperty) and isinstance(value, Mapping):
        yield from ((path + place.removeprefix("$"), said) for place, said in stix_problems(value))
        return
    if isinstance(rule, MarkingProperty) and isinstance(value, Mapping):
        return  # what it has to be depends on its neighbour definition_type: asked with the whole
    wanted = next((row for row in _SCALARS if isinstance(rule, row[0])), None)
    if wanted is not None and (
        not isinstance(value, wanted[1]) or (isinstance(value, bool) and wanted[0] is not BooleanProperty)
    ):
        yield path, f"is {brief(value)}, and has to be {wanted[2]}"
        return
    if isinstance(rule, TimestampProperty) and isinstance(value, str) and not _TIMESTAMP.fullmatch(value):
        yield path, f"is {brief(value)}, and has to be a timestamp such as '2026-01-01T00:00:00Z'"
        return
    try:
        if not _holds_stix(rule):
            rule.clean(value, False)
    except Exception as error:  # stix2 raises whatever it trips over
        deeper = list(_deeper(rule, value, path))
        yield from deeper or [(path, _said(error))]
        return
    yield from _deeper(rule, value, path)


def _deeper(rule: Any, value: Any, path: str) -> Iterator[Found]:
    """What is wrong within a property: in an item of a list, an entry of a dictionary, an object in an object."""
    if isinstance(rule, ListProperty) and isinstance(value, list | tuple):
        contained = rule.contained
        for number, item in enumerate(value):
            place = f"{path}[{number}]"
            if isinstance(contained, type) and issubclass(contained, _STIXBase):
                yield from _nested(contained, item, place)
            else:
                yield from _property(contained, item, place)
        if not value:
            yield path, "is empty: leave it out"
    elif isinstance(rule, EmbeddedObjectProperty):
        yield from _nested(rule.type, value, path)
    elif isinstance(rule, DictionaryProperty) and isinstance(value, Mapping):
        for key, item in value.items():
            try:
                rule.clean({key: item}, False)
            except Exception as error:  # as above
                yield f"{path}.{key}", _said(error)


def _holds_stix(rule: Any) -> bool:
    """True for a list of whole objects, of which stix2 would tell less than we do."""
    return isinstance(rule, ListProperty) and isinstance(rule.contained, STIXObjectProperty)


def _nested(shape: Any, value: Any, path: str) -> Iterator[Found]:
    if isinstance(value, Mapping):
        yield from _object(shape, value, path)
    else:
        yield path, f"is {brief(value)}, and has to be an object"


def _pattern(obj: Mapping[str, Any]) -> Iterator[Found]:
    pattern = obj.get("pattern")
    if obj.get("type") != "indicator" or obj.get("pattern_type") != "stix" or not isinstance(pattern, str):
        return
    if not pattern:  # the validator expects a first character
        yield "$.pattern", "is empty"
        return
    if len(pattern) > PATTERN_LIMIT:
        yield "$.pattern", f"has {len(pattern):,} characters; more than {PATTERN_LIMIT:,} are not checked"
        return
    try:
        faults = run_validator(pattern, stix_version=_VERSION)
    except RecursionError:
        yield "$.pattern", "is nested too deeply"
        return
    for fault in faults[:PATTERN_FAULTS]:
        yield "$.pattern", "is no STIX pattern: " + str(fault).removeprefix("FAIL: ")


def _confidence(obj: Mapping[str, Any]) -> Iterator[Found]:
    value = obj.get("confidence")  # stix2 knows that it is a number, but not which
    if isinstance(value, int) and not 0 <= value <= 100:
        yield "$.confidence", f"is {brief(value)}, and has to be from 0 to 100"


def _whole(obj: Mapping[str, Any]) -> Iterator[Found]:
    """What no property shows by itself: those that depend on each other."""
    try:
        parse(dict(obj), version=_VERSION)
    except Warning:  # of something deprecated, for a user who has warnings raised: it is valid
        return
    except Exception as error:  # stix2 raises whatever it trips over
        yield _place_of(error, obj), _said(error)


def _place_of(error: Exception, obj: Mapping[str, Any]) -> str:
    """The property that an error about the whole is about: by what it says, or by what it quotes."""
    name = getattr(error, "prop_name", None)
    if isinstance(error, InvalidSelectorError):
        name = "granular_markings"
    if not name:
        quoted = _QUOTED.findall(str(error))
        name = next((one for one in quoted if one in obj), quoted[0] if len(quoted) == 1 else None)
    if not name and obj.get("type") == "marking-definition":  # all else of it was asked for by itself
        name = "definition"
    return f"$.{name}" if name else "$"


def _times(obj: Mapping[str, Any]) -> Iterator[Found]:
    created, modified = moment(obj.get("created")), moment(obj.get("modified"))
    if created is not None and modified is not None and modified < created:
        yield "$.modified", f"is {obj['modified']}, before the object was created ({obj['created']})"


def _identity(obj: Mapping[str, Any]) -> Iterator[Found]:
    kind, name = obj.get("type"), obj.get("id")
    if not isinstance(name, str) or not name.startswith(f"{kind}--"):
        yield "$.id", f"is {brief(name)}, and has to begin with '{kind}--'"


def _has_extension(obj: Mapping[str, Any], beginning: str) -> bool:
    extensions = obj.get("extensions")
    return isinstance(extensions, Mapping) and any(
        isinstance(one, Mapping) and str(one.get("extension_type", "")).startswith(beginning)
        for one in extensions.values()
    )


def _said(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    text = str(reason).removeprefix("FAIL: ").strip() or type(error).__name__
    return f"is wrong: {text}"
