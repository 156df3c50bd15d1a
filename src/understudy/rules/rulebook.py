"""The rules of one folder by name: found by a glance at each file, read in full when they are first asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.files import read_text
from understudy.core.nearness import closest_name
from understudy.rules.rule_files import RULE_LIMIT, SUFFIXES, RuleFile, read_rule_file

_NAME = re.compile(
    r"""^name *: *(?:"([^"\\]+)"|'([^']+)'|([^\s#"'&*!|>{\[][^#\r\n]*?)) *(?:#.*)?$""", re.MULTILINE
)
_TYPE = re.compile(r"""^type *: *["']?([\w-]+)["']? *(?:#.*)?$""", re.MULTILINE)
_RULE_TYPE = "rule-type"


class Rulebook:
    """The rules in a folder. Two rules of one name, and a Rego file that is no rule, are errors of the folder."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._root = root
        self._read: dict[Path, RuleFile | None] = {}
        self._broken: dict[Path, InputError] = {}
        self._paths: dict[str, Path] = {}
        self.folder = folder
        problems: list[Problem] = []
        for path in _rule_files(folder):
            try:
                name = self._name_of(path)
            except InputError as error:
                if path.suffix == ".rego":
                    problems.extend(error.problems)
                self._broken[path] = error
                continue
            if name is None:
                continue
            if name in self._paths:
                message = f"the rule {name!r} is in this folder twice: also in {self._paths[name].name}"
                problems.append(Problem(message, self._shown(path), hint="give one of the two another name"))
            self._paths.setdefault(name, path)
        if problems:
            raise InputError(problems)

    @property
    def names(self) -> list[str]:
        """The names of all rules, sorted."""
        return sorted(self._paths)

    @property
    def broken(self) -> Mapping[str, InputError]:
        """Files that say they are rules and cannot be read as such, and why."""
        return {self._shown(path): error for path, error in self._broken.items()}

    def rule(self, name: str) -> RuleFile:
        """The rule of that name; InputError if there is none, or if its file is broken."""
        path = self._paths.get(name)
        if path is None:
            raise InputError([self._unknown(name), *self._broken_problems()])
        found = self._full(path)
        if found is None:
            raise InputError([self._unknown(name)])
        return found

    def _unknown(self, name: str) -> Problem:
        near = closest_name(name, self._paths)
        there = f"there are {', '.join(self.names[:20])}" if self._paths else "there is no rule in it"
        hint = f"did you mean {near!r}?" if near else there
        message = (
            f"rule {name!r} not found; make sure that its file is in the same directory as the test file"
        )
        return Problem(message, self._shown(self.folder), hint=hint)

    def _broken_problems(self) -> list[Problem]:
        return [problem for error in self._broken.values() for problem in error.problems]

    def _name_of(self, path: Path) -> str | None:
        """The name of a file's rule, from its text if that says it plainly."""
        if path.suffix != ".rego":
            text = read_text(path, limit=RULE_LIMIT)
            kind, name = _TYPE.search(text), _NAME.search(text)
            if kind and kind[1] != _RULE_TYPE:
                return None
            if kind and name:
                return (name[1] or name[2] or name[3]).strip()
        found = self._full(path)
        return found.rule.name if found is not None else None

    def _full(self, path: Path) -> RuleFile | None:
        if path not in self._read:
            self._read[path] = read_rule_file(path, self._shown(path))
        return self._read[path]

    def _shown(self, path: Path) -> str:
        try:
            return path.resolve().relative_to(self._root.resolve()).as_posix()
        except ValueError:
            return path.as_posix()


def _rule_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file())
