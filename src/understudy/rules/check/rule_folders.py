"""The rules and data sources below some folders: every file is read, what is broken is told beside the rest."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.files import inside, read_text
from understudy.documents.yaml import load_go_yaml
from understudy.rules.data_sources.loading import FILE_LIMIT, DataSource, read_data_source
from understudy.rules.rule_files import RULE_LIMIT, SUFFIXES, RuleFile, read_rule_file

FILES_LIMIT = 20_000
_PASSED_OVER = frozenset({".git", ".venv", "node_modules", "__pycache__", ".understudy"})
_NAME = re.compile(r"""^["']?name["']? *: *["']?([^\s"'#]+)""", re.MULTILINE)
_DATA_SOURCE = re.compile(r"""^["']?type["']? *: *["']?data-source\b""", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BrokenFile:
    """A rule file or data source that cannot be read, what its rule may be called, and why."""

    shown: str
    names: tuple[str, ...]
    problems: tuple[Problem, ...]


@dataclass(slots=True)
class Found:
    """What is there, in the order of files; of two data sources of one name the first counts."""

    rules: list[RuleFile] = field(default_factory=list)
    broken: list[BrokenFile] = field(default_factory=list)
    sources: dict[str, DataSource] = field(default_factory=dict)

    def named(self, name: str) -> list[RuleFile]:
        """The rules of a name."""
        return [rule for rule in self.rules if rule.rule.name == name]


def find_rules(root: Path, wanted: Sequence[str], data_sources: Sequence[str]) -> Found:
    """The rules below the wanted folders (or named themselves), and the data sources there or named.

    Raises InputError if there is no such folder or data source. A file that leads out of the root by a link is broken.
    """
    found = Found()
    for path in dict.fromkeys(_files(root, wanted)):
        _add(found, root, path)
    _tell_doubles(found)
    problems: list[Problem] = []
    for name in data_sources:
        path = root / name
        try:
            source = read_data_source(
                load_go_yaml(_shown(root, path), text=read_text(path, limit=FILE_LIMIT))
            )
            found.sources[source.name] = source
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return found


def _files(root: Path, wanted: Sequence[str]) -> Iterator[Path]:
    count = 0
    for name in wanted:
        place = inside(root, name)
        if place.is_file():
            if place.suffix in SUFFIXES:
                yield place
            elif place.suffix != ".star":
                hint = "name a folder, or a file that ends in .yaml, .yml or .rego"
                raise InputError([Problem("is no rule file", name, hint=hint)])
            continue
        if not place.is_dir():
            raise InputError([Problem("no such folder or file", name, hint="name the folder of the rules")])
        for path in _below(place):
            count += 1
            if count > FILES_LIMIT:
                message = f"more than {FILES_LIMIT:,} files that may be rules are below it"
                raise InputError([Problem(message, name, hint="name a smaller folder")])
            yield path


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        for name in sorted(names):
            path = Path(here, name)
            if path.suffix in SUFFIXES and path.is_file():
                yield path


def _add(found: Found, root: Path, path: Path) -> None:
    shown = _shown(root, path)
    text = ""
    try:
        inside(root, path)
        text = read_text(path, limit=RULE_LIMIT)
        if path.suffix == ".rego" or "rule-type" in text:
            rule = read_rule_file(path, shown)
            if rule is not None:
                found.rules.append(rule)
                return
        if path.suffix != ".rego" and _DATA_SOURCE.search(text):
            source = read_data_source(load_go_yaml(shown, text=text))
            if source.name in found.sources:
                first = found.sources[source.name].file
                message = f"the data source {source.name!r} is there twice: also in {first}"
                hint = "give one of the two another name"
                raise InputError([Problem(message, shown, 1, hint=hint)])
            found.sources[source.name] = source
    except InputError as error:
        if not text and path.suffix != ".rego" and not path.is_symlink():
            return  # what is no text is no rule
        name = _NAME.search(text)
        names = (path.stem, *([name[1]] if name else []))
        problems = tuple(
            problem
            if problem.file == shown
            else Problem(problem.message, shown, problem.line, hint=problem.hint)
            for problem in error.problems
        )
        found.broken.append(BrokenFile(shown, names, problems))


def _tell_doubles(found: Found) -> None:
    """Two rules of one name in a folder: which of them is meant, nobody can tell."""
    first: dict[tuple[Path, str], RuleFile] = {}
    kept: list[RuleFile] = []
    for rule in found.rules:
        key = (rule.path.parent, rule.rule.name)
        if key not in first:
            first[key] = rule
            kept.append(rule)
            continue
        message = f"the rule {rule.rule.name!r} is in this folder twice: also in {first[key].path.name}"
        problem = Problem(message, rule.shown, *rule.place("name"), hint="give one of the two another name")
        found.broken.append(BrokenFile(rule.shown, (), (problem,)))
    found.rules = kept


def _shown(root: Path, path: Path) -> str:
    return Path(os.path.relpath(path, root)).as_posix()
