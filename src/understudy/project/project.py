"""The project that a run is about: validated settings, its acts, its environment, and the target as a resource."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.core.outcome import Known, Location
from understudy.core.redact import Numbered, Redactor
from understudy.documents.positions import Document
from understudy.documents.toml import load_toml
from understudy.documents.validate import problem_at, validate
from understudy.engine.act import Act
from understudy.engine.stage import Resource, Scope, Stage
from understudy.project.acts import installed_acts, load_act
from understudy.project.app import AppLog, running_app
from understudy.project.locate import locate
from understudy.project.settings import EnvironmentSettings, ProjectSettings
from understudy.project.values import Values
from understudy.testbed.session import check_base_url
from understudy.wire.pyreqwest_transport import open_transport, require_transport
from understudy.wire.target import Target, Tls


@dataclass(slots=True)
class Project:
    """A project as acts see it (`ProjectView`), and as the run needs it."""

    root: Path
    file: str
    config: ProjectSettings
    acts: Mapping[str, Act]
    act_settings: Mapping[str, Any]
    document: Document
    environment: str = ""
    seed: int = 0
    base_url: str = ""
    app_log: AppLog = field(default_factory=AppLog)
    secrets: list[str] = field(default_factory=list)
    single: Mapping[str, Any] = field(default_factory=dict)
    _target: Target | None = None
    _app_variables: Mapping[str, str] = field(default_factory=dict)

    def settings(self, act: str) -> Any:
        """The act's table of the project file."""
        return self.act_settings[act]

    @property
    def known(self) -> dict[str, Known]:
        """Known failures of the project file, by case id."""
        return {
            entry.case: Known(entry.reason, entry.until.isoformat() if entry.until else "")
            for entry in self.config.known
        }

    @property
    def known_places(self) -> Mapping[str, Location]:
        """Where the file names the cases of known failures."""
        places: dict[str, Location] = {}
        for index, entry in enumerate(self.config.known):
            line, column = self.document.positions.value(("known", index, "case"))
            places[entry.case] = Location(self.file, line, column)
        return places

    @property
    def target(self) -> Resource[Target]:
        """Where the app under test is reached; the app is started first if the environment names no base URL."""
        return Resource("target", Scope.RUN, self._open_target)

    @property
    def shared(self) -> dict[str, Resource[Any]]:
        """The resources that the whole run has one of, worker processes included."""
        return {"target": self.target}

    def resolve(self) -> None:
        """Look up secrets and check the environment, before anything is run."""
        settings = self.choose_environment()
        at = ("environments", self.environment) if self.environment else ()
        values = Values(self.root, self.document)
        target = Target(
            base_url=values.url(
                self.base_url or settings.base_url, (*at, "base_url"), given=bool(self.base_url)
            ),
            headers=values.texts(settings.headers, (*at, "headers")),
            cookies=values.texts(settings.cookies, (*at, "cookies"), secret=True),
            variables=values.table(settings.variables, (*at, "variables")),
            tls=Tls(*(self._file(name) for name in settings.tls.files)),
            proxy=values.text(settings.proxy, (*at, "proxy"), secret="@" in str(settings.proxy)),
        )
        if self.config.app is not None and not target.base_url:
            self._app_variables = values.texts(self.config.app.env, ("app", "env"))
        for name in self.acts:
            values.refuse_literals_sent(self.document.data.get(name), (name,))
        values.finish()
        self.secrets = sorted(set(values.secrets))
        self._check(target, at)
        self._target = target

    def require_app(self) -> None:
        """Refuse a project in which no app can be reached, once it is resolved; for acts with `needs_app`."""
        require_transport()
        if self._target is not None and not self._target.base_url and self.config.app is None:
            raise InputError([self._nothing_to_test()])

    def _check(self, target: Target, at: tuple[str, ...]) -> None:
        """Refuse what no request could be sent with, at its place in the project file."""
        problems: list[Problem] = []
        if self.base_url:
            check_base_url(self.base_url)
        elif target.base_url:
            problems += self._problems_of(lambda: check_base_url(target.base_url), (*at, "base_url"))
        if target.tls != Tls():
            problems += self._problems_of(lambda: open_transport(target.tls), (*at, "tls"))
        if target.proxy:
            problems += self._problems_of(lambda: open_transport(None, target.proxy), (*at, "proxy"))
        if problems:
            raise InputError(problems)

    def _problems_of(self, check: Callable[[], object], at: tuple[str, ...]) -> list[Problem]:
        try:
            check()
        except InputError as error:
            redact, numbered = Redactor(self.secrets), Numbered()
            return [
                problem_at(
                    self.document,
                    at,
                    numbered(redact.text(f"{item.file}: {item.message}" if item.file else item.message)),
                    item.hint,
                )
                for item in error.problems
            ]
        return []

    def choose_environment(self) -> EnvironmentSettings:
        """The environment that is meant, whose name is then known."""
        name = self.environment or self.config.environment
        if not name:
            only = list(self.config.environments)
            name = only[0] if len(only) == 1 else ""
        if not name:
            return EnvironmentSettings()
        if name not in self.config.environments:
            near = closest_name(name, self.config.environments)
            hint = (
                f"did you mean {near!r}?"
                if near
                else f"declared: {', '.join(self.config.environments) or 'none'}"
            )
            at = "environments" if self.environment else "environment"
            raise InputError([problem_at(self.document, (at,), f"no environment {name!r}", hint)])
        self.environment = name
        return self.config.environments[name]

    def _file(self, name: str) -> str:
        return str(self.root / name) if name else ""

    @asynccontextmanager
    async def _open_target(self, stage: Stage) -> AsyncIterator[Target]:
        if self._target is None:
            self.resolve()
        target = self._target
        assert target is not None  # noqa: S101 - resolve has set it
        if target.base_url:
            yield target
            return
        if self.config.app is None:
            raise InputError([self._nothing_to_test()])
        async with running_app(self.config.app, self.root, self._app_variables, self.app_log) as base_url:
            yield replace(target, base_url=base_url)

    def _nothing_to_test(self) -> Problem:
        if self.config.environments and not self.environment:
            names = ", ".join(self.config.environments)
            hint = f"choose one of {names} with --env, or with environment = ... in the file"
            return Problem(
                "there is no app to test: no environment is chosen, and [app] is missing",
                self.file,
                hint=hint,
            )
        message = "there is no app to test: the environment has no base_url, and [app] is missing"
        return Problem(message, self.file, hint="write one of the two")


def load_project(
    path: str | Path | None = None, *, environment: str = "", seed: int = 0, only: str = ""
) -> Project:
    """Read and validate the project file and load the acts that it has tables for (or only one of them)."""
    place = locate(path)
    document = load_toml(place.file, place.table)
    if not isinstance(document.data, dict):
        name = ".".join(place.table)
        message = f"has no table [{name}]" if document.data is None else f"'{name}' must be a table"
        raise InputError([problem_at(document, (), message, hint=f"write [{name}]")])
    installed = installed_acts()
    problems: list[Problem] = []
    try:
        config = validate(ProjectSettings, document)
    except InputError as error:
        problems.extend(error.problems)
    tables = {
        name: table for name, table in document.data.items() if name not in ProjectSettings.model_fields
    }
    problems += [
        problem_at(document, (name,), f"unknown key {name!r}", _hint(name, installed), key=True)
        for name in tables
        if name not in installed
    ]
    acts: dict[str, Act] = {}
    settings: dict[str, Any] = {}
    for name in [name for name in installed if name in tables and only in ("", name)]:
        try:
            acts[name] = load_act(installed[name])
            model = getattr(acts[name], "settings", None)
            settings[name] = validate(model, document, (name,)) if model else tables[name]
        except InputError as error:
            problems.extend(error.problems)
    if not only and not any(name in installed for name in tables) and not problems:
        message = "has no table of an act, such as [testbed]; there is nothing to run"
        hint = f"installed acts: {', '.join(installed) or 'none'}"
        problems.append(problem_at(document, (), message, hint))
    if problems:
        raise InputError(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))
    root, file = place.root.resolve(), str(place.file)
    project = Project(root, file, config, acts, settings, document, environment, seed)
    project.choose_environment()
    return project


def _hint(name: str, installed: Mapping[str, Any]) -> str:
    near = closest_name(name, [*ProjectSettings.model_fields, *installed])
    if near:
        return f"did you mean {near!r}?"
    keys, acts = ", ".join(ProjectSettings.model_fields), ", ".join(installed) or "none"
    return f"keys are {keys}, and the installed acts: {acts}"
