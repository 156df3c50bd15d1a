"""All that the settings of a check name, read once; what is wrong with any of it is told together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from understudy.core.errors import InputError, Problem
from understudy.documents.positions import Document, Mark, Positions
from understudy.rules.check.checks import Check, checks_of_profile, checks_of_rules
from understudy.rules.check.entity import pull_request_entity, repository_entity
from understudy.rules.check.mock_file import MockFile, load_mock_file
from understudy.rules.check.overrides import Overrides, load_overrides, read_overrides
from understudy.rules.check.profile import load_profile
from understudy.rules.check.repository import Repository, open_repository
from understudy.rules.check.rule_folders import Found, find_rules
from understudy.rules.settings import CheckSettings, RulesSettings

T = TypeVar("T")
SELECTS = "the profile selects entities, which only a server can: its rules are run all the same"


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rules, what they are run against, and the cases by their ids; `notes` are for outcomes that are bad."""

    found: Found
    repository: Repository
    mocks: MockFile | None
    entities: Mapping[str, Mapping[str, Any]]
    checks: Mapping[str, Check]
    notes: tuple[str, ...]


def load(root: Path, settings: RulesSettings) -> Loaded:
    """Read everything. Raises InputError with all problems; a rule that is broken is none, but a case of its own."""
    given = settings.check or CheckSettings()
    gathering = _Gathering()
    found = gathering.get(lambda: find_rules(root, settings.dirs, given.data_sources))
    profile = (
        gathering.get(lambda: load_profile(root / given.profile, given.profile)) if given.profile else None
    )
    mocks = gathering.get(lambda: load_mock_file(root / given.mocks, given.mocks)) if given.mocks else None
    said = gathering.get(lambda: _said(root, given))
    folder = (root / given.repo).resolve()
    repository = gathering.get(lambda: open_repository(folder, given.revision, given.base))
    has_base = bool(given.base)
    checks: list[Check] | None = None
    if found is not None and profile is not None:
        checks = gathering.get(lambda: checks_of_profile(found, profile, has_base=has_base))
    elif found is not None and not given.profile:
        checks = gathering.get(lambda: checks_of_rules(found, given.rules, has_base=has_base))
    gathering.finish()
    assert found is not None  # noqa: S101 - or finish has raised
    assert repository is not None  # noqa: S101 - the same
    assert said is not None  # noqa: S101 - the same
    assert checks is not None  # noqa: S101 - the same
    entities = {
        "repository": repository_entity(repository, said),
        "pull_request": pull_request_entity(repository, said),
    }
    notes = _still_true(repository.notes, said)
    if profile is not None and profile.selects:
        notes = (*notes, SELECTS)
    return Loaded(found, repository, mocks, entities, {check.ref.id: check for check in checks}, notes)


def _said(root: Path, given: CheckSettings) -> Overrides:
    said = Overrides()
    if given.entity:
        try:
            said = read_overrides(Document("", dict(given.entity), Positions(Mark((1, 1)))))
        except InputError as error:  # what stands on the command line, say, has no line
            problems = [Problem(f"the entity: {found.message}", hint=found.hint) for found in error.problems]
            raise InputError(problems) from None
    if given.entity_file:
        said = said.over(load_overrides(root / given.entity_file, given.entity_file))
    return said


def _still_true(notes: tuple[str, ...], said: Overrides) -> tuple[str, ...]:
    """The notes but for those about what the user has said."""
    return tuple(note for note in notes if not any(f"--set {name}=" in note for name in said.fields))


class _Gathering:
    """Collects the problems of several steps."""

    def __init__(self) -> None:
        self._problems: list[Problem] = []

    def get(self, step: Callable[[], T]) -> T | None:
        try:
            return step()
        except InputError as error:
            self._problems += error.problems
            return None

    def finish(self) -> None:
        if self._problems:
            raise InputError(self._problems)
