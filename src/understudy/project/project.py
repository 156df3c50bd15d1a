"""The project that a run is about: validated settings, its acts, its environment, and the target as a resource."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.core.outcome import Known
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
    _target: Target | None = None

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
    def target(self) -> Resource[Target]:
        """Where the app under test is reached; the app is started first if the environment names no base URL."""
        return Resource("target", Scope.RUN, self._open_target)

    @property
    def shared(self) -> dict[str, Resource[Any]]:
        """The resources that the whole run has one of, worker processes included."""
        return {"target": self.target}

    def resolve(self) -> None:
        """Look up secrets and check the environment, before anything is run."""
        settings = self._environment_settings()
        at = ("environments", self.environment) if self.environment else ()
        values = Values(self.root, self.document)
        self._target = Target(
            base_url=self.base_url or settings.base_url,
            headers=values.texts(settings.headers, (*at, "headers")),
            cookies=values.texts(settings.cookies, (*at, "cookies"), secret=True),
            variables=values.table(settings.variables, (*at, "variables")),
            tls=Tls(
                *(
                    self._file(name)
                    for name in (settings.tls.ca, settings.tls.client_cert, settings.tls.client_key)
                )
            ),
            proxy=values.text(settings.proxy, (*at, "proxy"), secret="@" in str(settings.proxy)),
        )
        if self.config.app is not None:
            values.texts(self.config.app.env, ("app", "env"))
        values.finish()
        self.secrets = sorted(set(values.secrets))

    def _environment_settings(self) -> EnvironmentSettings:
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
            raise InputError([problem_at(self.document, ("environments",), f"no environment {name!r}", hint)])
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
            message = "there is no app to test: the environment has no base_url and [app] has no start"
            raise InputError([Problem(message, self.file, hint="write one of the two")])
        extra = Values(self.root, self.document).texts(self.config.app.env, ("app", "env"))
        async with running_app(self.config.app, self.root, extra, self.app_log) as base_url:
            yield Target(base_url, target.headers, target.cookies, target.variables, target.tls, target.proxy)


def load_project(
    path: str | Path | None = None, *, environment: str = "", seed: int = 0, only: str = ""
) -> Project:
    """Read and validate the project file and load the acts that it has tables for (or only one of them)."""
    place = locate(path)
    document = load_toml(place.file, place.table)
    config = validate(ProjectSettings, document)
    tables: dict[str, Any] = dict(config.model_extra or {})
    installed = installed_acts()
    problems = [
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
    if problems:
        raise InputError(problems)
    return Project(place.root.resolve(), str(place.file), config, acts, settings, document, environment, seed)


def _hint(name: str, installed: Mapping[str, Any]) -> str:
    near = closest_name(name, [*ProjectSettings.model_fields, *installed])
    if near:
        return f"did you mean {near!r}?"
    return f"keys are {', '.join(ProjectSettings.model_fields)}, and the installed acts: {', '.join(installed) or 'none'}"
