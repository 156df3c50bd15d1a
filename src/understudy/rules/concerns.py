"""What a changed file concerns: which test files must run again, by what they needed when they ran last."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from understudy.core.errors import InputError
from understudy.core.events import CaseFinished, Event, Evidence, RunFinished
from understudy.core.file_changes import FileChanges
from understudy.core.files import read_text
from understudy.core.ids import split_case_id
from understudy.rules.catalogue import LOADING, SUFFIX
from understudy.rules.outcomes import ACT
from understudy.rules.rule_files import RULE_LIMIT, SUFFIXES

_NAMING = re.compile(r"^(?:type|name) *:.*$", re.MULTILINE)
_COMMENT = re.compile(r"^#.*$", re.MULTILINE)


def identity(path: Path) -> str:
    """What of a rule's file its neighbours depend on: its name, of which there may be one in a folder.

    >>> identity(Path("there is none.yaml"))
    ''
    """
    if path.suffix not in SUFFIXES:
        return ""
    try:
        text = read_text(path, limit=RULE_LIMIT)
    except InputError:
        return ""
    if path.suffix != ".rego" and "rule-type" not in text:
        return ""
    said = (_COMMENT if path.suffix == ".rego" else _NAMING).findall(text)
    # A file that does not say it plainly may mean anything.
    return "\n".join(said) if len(said) > 1 else text


@dataclass(slots=True)
class _Known:
    """What is known of a test file since it ran last."""

    needed: set[str] = field(default_factory=set)
    tests: set[str] = field(default_factory=set)
    followed: set[str] = field(default_factory=set)
    bad: set[str] = field(default_factory=set)

    @property
    def is_sure(self) -> bool:
        """Whether all that it needs is known: a test that was killed, or never began, could not say."""
        return bool(self.tests) and self.tests <= self.followed


class Concerns:
    """Listens to runs, and answers what a change concerns. Files are named relative to the root."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._files: dict[str, _Known] = {}
        self._identities: dict[str, str] = {}
        self._is_whole = False

    def begin(self, files: Iterable[str] | None) -> None:
        """These test files are about to run, or all."""
        self._is_whole = False
        if files is None:
            self._files.clear()
            return
        for file in files:
            self._files[file] = _Known()

    def hear(self, event: Event) -> None:
        """A handler of the events of a run."""
        if isinstance(event, Evidence):
            for key in ("needed", "tests", "followed"):
                for file, names in event.data.get(key, {}).items():
                    getattr(self._known(file), key).update(names)
        elif isinstance(event, CaseFinished) and not event.outcome.parent:
            act, file, name = split_case_id(event.outcome.id)
            if act == ACT:
                known = self._known(file)
                if name == LOADING:
                    known.needed.add(file)
                if event.outcome.is_bad:
                    known.bad.add(event.outcome.id)
        elif isinstance(event, RunFinished):
            self._is_whole = not event.report.stopped
            self._identities = {
                path: identity(self._root / path) for path in self._rule_files_beside(self._files)
            }

    @property
    def files(self) -> list[str]:
        """Every file that a test needed, sorted."""
        return sorted(set(self._files).union(*(known.needed for known in self._files.values())))

    def bad_beside(self, files: Iterable[str]) -> list[str]:
        """The test files that were bad when they ran last, and are not among these."""
        return sorted({file for file, known in self._files.items() if known.bad}.difference(files))

    def of(self, changes: FileChanges) -> list[str] | None:
        """The test files that a change concerns; None if that may be all, or others than are known."""
        if not self._is_whole or any(path.endswith(SUFFIX) for path in changes.new | changes.gone):
            return None
        concerned = {
            file
            for file, known in self._files.items()
            if not known.is_sure or not known.needed.isdisjoint(changes.paths)
        }
        for path in changes.new | changes.gone:
            concerned |= {file for file, known in self._files.items() if known.bad or _is_below(path, file)}
        for path in changes.changed:
            if Path(path).suffix in SUFFIXES and self._identities.get(path) != identity(self._root / path):
                concerned |= {file for file in self._files if Path(file).parent == Path(path).parent}
        return sorted(concerned)

    def _known(self, file: str) -> _Known:
        return self._files.setdefault(file, _Known())

    def _rule_files_beside(self, files: Iterable[str]) -> Iterable[str]:
        for folder in {Path(file).parent for file in files}:
            place = self._root / folder
            if place.is_dir():
                yield from (
                    (folder / entry.name).as_posix() for entry in place.iterdir() if entry.suffix in SUFFIXES
                )


def _is_below(path: str, test_file: str) -> bool:
    """Whether a path is in the folder of a test file, or deeper: where its rules and fixtures stand."""
    return not path.startswith("../") and Path(path).is_relative_to(Path(test_file).parent)
