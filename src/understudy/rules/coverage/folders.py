"""Which folders hold rules that coverage counts: those of tests, and those that have rules and no test."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from understudy.core.errors import InputError
from understudy.core.files import inside, read_text
from understudy.rules.catalogue import PASSED_OVER
from understudy.rules.rule_files import RULE_LIMIT, SUFFIXES

_IS_RULE = re.compile(r"""^(?:type *: *["']?rule-type\b|# +METADATA\b)""", re.MULTILINE)
_MOST_FOLDERS = 20_000


def rule_folders(root: Path, dirs: Sequence[str], tests: Iterable[str]) -> list[str]:
    """The folders below `dirs` that have tests or rules, relative to the root and sorted.

    A test file that is named by itself brings no folder along: it need not reach the rules of its neighbours.
    """
    base = root.resolve()
    tested = {os.path.dirname(file) for file in tests}
    found: set[str] = set()
    for name in dirs:
        try:
            place = inside(root, name)
        except InputError:
            continue
        if place.is_dir():
            for folder, files in _below(place):
                shown = Path(folder).relative_to(base).as_posix()
                is_tested = ("" if shown == "." else shown) in tested
                if files and (is_tested or any(_says_rule(Path(folder, file)) for file in files)):
                    found.add(shown)
            if len(found) > _MOST_FOLDERS:
                break
    return sorted(found)


def _below(place: Path) -> Iterator[tuple[str, list[str]]]:
    """Each folder with what may be rules in it."""
    for here, folders, names in os.walk(place):
        folders[:] = sorted(name for name in folders if name not in PASSED_OVER)
        yield here, sorted(name for name in names if name.endswith(SUFFIXES))


def _says_rule(path: Path) -> bool:
    try:
        return _IS_RULE.search(read_text(path, limit=RULE_LIMIT)) is not None
    except InputError:
        return False
