"""Values of the project file: literals, and secrets that come from the environment or a command, never a file."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from understudy.core.errors import InputError, Problem
from understudy.core.secret_rules import DEFAULT_RULES, SecretNames
from understudy.documents.positions import Document
from understudy.documents.validate import problem_at
from understudy.project.settings import FromCommand, FromEnvironment

COMMAND_SECONDS = 30
_SECRET_NAMES = SecretNames(DEFAULT_RULES)


@dataclass(slots=True)
class Values:
    """Turns values of the project file into plain ones and remembers which of them are secret."""

    root: Path
    document: Document
    secrets: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def text(self, value: Any, at: tuple[str, ...], *, secret: bool = False) -> str:
        """One value as text. `secret` says that a literal would be a secret in a file, which is refused."""
        plain = self.plain(value, at, secret=secret)
        return plain if isinstance(plain, str) else str(plain)

    def plain(self, value: Any, at: tuple[str, ...], *, secret: bool = False) -> Any:
        """One value; a table with `env` or `command` alone is looked up."""
        source = _source(value)
        if source is None:
            if secret and isinstance(value, str) and value and "${" not in value:
                hint = 'take it from the environment, {env = "NAME"}, or from a command, {command = "..."}'
                self._problem(at, f"{'.'.join(at)} is a secret and must not stand in a file", hint)
            return value
        found = (
            self._from_environment(source, at)
            if isinstance(source, FromEnvironment)
            else self._run(source, at)
        )
        if found:
            self.secrets.append(found)
        return found

    def table(self, values: Mapping[str, Any], at: tuple[str, ...]) -> dict[str, Any]:
        """Every value of a table; names that sound secret must not have literals."""
        return {
            name: self.plain(value, (*at, name), secret=name in _SECRET_NAMES)
            for name, value in values.items()
        }

    def texts(
        self, values: Mapping[str, Any], at: tuple[str, ...], *, secret: bool = False
    ) -> dict[str, str]:
        """Every value of a table, as text."""
        return {
            name: self.text(value, (*at, name), secret=secret or name in _SECRET_NAMES)
            for name, value in values.items()
        }

    def finish(self) -> None:
        """Raise what was found wrong, all of it."""
        if self.problems:
            raise InputError(self.problems)

    def _from_environment(self, source: FromEnvironment, at: tuple[str, ...]) -> str:
        value = os.environ.get(source.env)
        if value is None:
            self._problem(
                at, f"environment variable {source.env} is not set", f"run with {source.env}=... set"
            )
        return value or ""

    def _run(self, source: FromCommand, at: tuple[str, ...]) -> str:
        try:
            done = subprocess.run(  # noqa: S603 - a command of the user's own project file
                shlex.split(source.command),
                cwd=self.root,
                capture_output=True,
                text=True,
                timeout=COMMAND_SECONDS,
                stdin=subprocess.DEVNULL,
                check=False,
            )
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            self._problem(at, f"`{source.command}` could not be run: {error}", "run it by hand to see why")
            return ""
        if done.returncode or not done.stdout.strip():
            why = f"ended with exit code {done.returncode}" if done.returncode else "printed nothing"
            self._problem(at, f"`{source.command}` {why}", (done.stderr.strip().splitlines() or [""])[-1])
            return ""
        return done.stdout.strip()

    def _problem(self, at: tuple[str, ...], message: str, hint: str) -> None:
        self.problems.append(problem_at(self.document, at, message, hint))


def _source(value: Any) -> FromEnvironment | FromCommand | None:
    if isinstance(value, FromEnvironment | FromCommand):
        return value
    if not isinstance(value, Mapping) or len(value) != 1:
        return None
    for model in (FromEnvironment, FromCommand):
        try:
            return model.model_validate(value)
        except ValidationError:
            continue
    return None
