"""Who somebody is: names of agents and reviewers that nobody can pass off as another's."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any

from understudy.core.brief import brief
from understudy.core.errors import InputError, Problem

LONGEST = 200
_PLAIN = re.compile(r"[!-~](?:[ -~]{0,198}[!-~])?")  # the many that need no closer look


def checked_name(name: Any, role: str = "agent") -> str:
    """The name itself, if it is one that looks like itself and like nothing else.

    A name that Unicode counts as equal to another spelling, that has blanks around it or characters that cannot be
    seen, would have its own limits and overrides while people read it as somebody else's: it is refused.

    >>> checked_name("triage-bot")
    'triage-bot'
    >>> checked_name("triage\\u200b-bot")
    Traceback (most recent call last):
    understudy.core.errors.InputError: the agent's name "triage\\u200b-bot" has characters that cannot be seen ...
    """
    if type(name) is str and len(name) <= LONGEST and _is_plain(name):
        return name
    trouble = _trouble(name)
    if trouble:
        raise InputError([Problem(f"the {role}'s name {brief(name)} {trouble[0]}", hint=trouble[1])])
    return str(name)


@lru_cache(maxsize=1_000)
def _is_plain(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None


def _trouble(name: Any) -> tuple[str, str] | None:
    if not isinstance(name, str):
        return f"is a {type(name).__name__}, not a text", "give it as a str"
    if not name.strip():
        return "is empty", "name who acts"
    if len(name) > LONGEST:
        return f"has {len(name):,} characters", f"{LONGEST} are the most"
    if not name.isprintable():
        return "has characters that cannot be seen", "leave control and format characters out"
    if name != name.strip():
        return "has blanks around it", "leave them out"
    normal = unicodedata.normalize("NFKC", name)
    if normal != name:
        return "has more than one spelling", f"write it as {brief(normal)}"
    return None


def same_person(one: str, other: str) -> bool:
    """Whether two names are one person's, as somebody who reads them would say: case and spelling do not count.

    >>> same_person("Ann ", "\\uff41nn"), same_person("ann", "anna")
    (True, False)
    """
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    visible = "".join(
        c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c)[0] not in "CZ"
    )
    return unicodedata.normalize("NFKC", visible.casefold())
