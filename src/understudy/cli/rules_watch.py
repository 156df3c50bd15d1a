"""`--watch`: runs rule tests, waits until a file changes, and runs what that concerns, until Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from understudy.cli.exits import ExitCode
from understudy.cli.options import RunArguments
from understudy.cli.rehearse import rehearse
from understudy.core.errors import InputError, UnderstudyError
from understudy.core.file_changes import FileChanges, Look, look_at, next_changes
from understudy.project.project import Project
from understudy.project.rules_project import ACT
from understudy.rules.act import RulesAct
from understudy.rules.catalogue import PASSED_OVER
from understudy.rules.concerns import Concerns
from understudy.rules.following import SERVANT
from understudy.rules.settings import RulesSettings

_SHOWN = 3
_NO_TEST = "that concerns no test"
_EDITORS = (".swp", ".swx", ".tmp", "~")
_PROJECT_FILES = ("understudy.toml", "pyproject.toml")


def refuse_contradictions(arguments: RunArguments) -> None:
    """An option that watching makes meaningless would be ignored silently."""
    meaningless = {
        "--list": arguments.list_only,
        "--update": arguments.update,
        "--shard": arguments.shard,
        "--rerun-failed": arguments.rerun_failed,
        "--workers": arguments.workers,
        "--memory": arguments.memory,
        "--executor processes": arguments.executor == "processes",
    }
    for name, is_given in meaningless.items():
        if is_given:
            raise click.UsageError(f"--watch and {name} contradict each other; give one of them")


def watch(load: Callable[[], Project], arguments: RunArguments, command: Sequence[str]) -> int:
    """Run all tests, and then again and again what changes; the exit code, once it is interrupted."""
    return _Watch(load, arguments, command).go()


@dataclass(slots=True)
class _Place:
    """Where the tests are, as the last project that could be loaded says."""

    root: Path
    settings: RulesSettings
    folders: list[str]


class _Watch:
    def __init__(self, load: Callable[[], Project], arguments: RunArguments, command: Sequence[str]) -> None:
        self._load = load
        self._arguments = arguments
        self._command = command
        self._place = _place_of(load())  # what is wrong with the call itself ends it
        self._concerns = Concerns(self._place.root)
        reports = (arguments.json, arguments.junit, arguments.html)
        self._ours = {os.path.realpath(name) for name in reports if name}

    def go(self) -> int:
        files: list[str] | None = None
        while True:
            place, outside = self._place, self._outside()
            before = self._look()  # what changes while the tests run is a change, too
            if self._run(files) == ExitCode.INTERRUPTED:
                return ExitCode.INTERRUPTED
            self._say_what_is_watched(files)
            files = self._next(self._seen(before, place, outside))

    def _seen(self, before: Look, place: _Place, outside: Collection[str]) -> Look:
        """How all was before the run, of what is looked at since: a test may turn out to need more, or less."""
        if place.folders != self._place.folders:
            return self._look()
        now = self._outside()
        kept = {path: stamp for path, stamp in before.items() if path in now or path not in outside}
        return kept | look_at((), [path for path in now if path not in outside])

    def _next(self, seen: Look) -> list[str] | None:
        """Wait for a change that concerns a test."""
        while True:
            changes, seen = next_changes(seen, self._look)
            files = self._concerned(changes)
            click.clear()  # on a terminal only
            names = [os.path.relpath(path) for path in changes.paths]
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            what = "running all tests" if files is None else f"running {', '.join(files)}"
            click.echo(f"changed: {', '.join(names[:_SHOWN])}{more}; {what if files != [] else _NO_TEST}")
            if files != []:
                return files

    def _run(self, files: list[str] | None) -> int:
        self._concerns.begin(files)
        try:
            project = self._load()
            self._place = _place_of(project)
            settings = self._place.settings
            if files is not None:
                project.act_settings = {ACT: settings.model_copy(update={"dirs": files})}
            act = project.acts[ACT]
            if isinstance(act, RulesAct):
                act.servant = SERVANT
            return rehearse(project, self._arguments, self._command, listeners=[self._concerns.hear])
        except InputError as error:
            for problem in error.problems:
                click.echo(f"error: {problem}", err=True)
        except UnderstudyError as error:
            click.echo(f"error: {error}", err=True)
        return ExitCode.WRONG_INPUT

    def _say_what_is_watched(self, files: list[str] | None) -> None:
        if bad := self._concerns.bad_beside(files or self._concerns.files):
            click.echo(f"still bad since an earlier run: {', '.join(bad)}")
        count = len(self._look())
        click.echo(f"watching {count} file{'s' * (count != 1)}; Ctrl-C ends it")

    def _concerned(self, changes: FileChanges) -> list[str] | None:
        """The test files to run, None for all."""
        if any(os.path.basename(path) in _PROJECT_FILES for path in changes.paths):
            return None
        if self._place.settings.is_measured:  # what a part of the tests reaches is no measure
            return None
        root = str(self._place.root)
        kinds = (changes.changed, changes.new, changes.gone)
        return self._concerns.of(
            FileChanges(*(frozenset(os.path.relpath(path, root) for path in kind) for kind in kinds))
        )

    def _look(self) -> Look:
        found = look_at(self._place.folders, self._outside(), PASSED_OVER)
        return {path: stamp for path, stamp in found.items() if not self._is_beside_the_point(path)}

    def _is_beside_the_point(self, path: str) -> bool:
        return path in self._ours or path.endswith(_EDITORS) or os.path.basename(path).startswith(".#")

    def _outside(self) -> set[str]:
        """What is needed and does not stand below the folders."""
        root = str(self._place.root)
        needed = [os.path.join(root, name) for name in (*self._concerns.files, *_PROJECT_FILES)]
        below = tuple(folder + os.sep for folder in self._place.folders)
        return {path for path in needed if not path.startswith(below)}


def _place_of(project: Project) -> _Place:
    settings: RulesSettings = project.act_settings[ACT]
    root = project.root.resolve()
    places = [Path(os.path.realpath(root / name)) for name in settings.dirs]
    # The rules of a test file that is named itself stand beside it.
    folders = {str(place.parent if place.is_file() else place) for place in places}
    return _Place(root, settings, sorted(folders))
