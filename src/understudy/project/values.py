"""Values of the project file: literals, and secrets that come from the environment or a command, never a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from understudy.core.errors import InputError, Problem
from understudy.core.redact import Redactor
from understudy.core.secret_rules import DEFAULT_RULES, SecretNames
from understudy.documents.positions import Document
from understudy.documents.validate import problem_at, validate
from understudy.project.commands import CommandFailed, printed_by
from understudy.project.settings import FromCommand, FromEnvironment

COMMAND_SECONDS = 30
_SECRET_NAMES = SecretNames(DEFAULT_RULES)
_SENT = frozenset({"headers", "cookies", "query", "body", "variables"})
_SOURCES: Mapping[str, type[FromEnvironment] | type[FromCommand]] = {
    "env": FromEnvironment,
    "command": FromCommand,
}
At = tuple[str | int, ...]


@dataclass(slots=True)
class Values:
    """Turns values of the project file into plain ones and remembers which of them are secret."""

    root: Path
    document: Document
    secrets: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def text(self, value: Any, at: At, *, secret: bool = False) -> str:
        """One value as text. `secret` says that a literal would be a secret in a file, which is refused."""
        plain = self.plain(value, at, secret=secret)
        return plain if isinstance(plain, str) else str(plain)

    def url(self, value: Any, at: At, *, given: bool = False) -> str:
        """A URL, of which only the password is a secret: where a run goes to has to be seen.

        One that was `given` on the command line stands in no file, and may have one.
        """
        whole = Values(self.root, self.document, problems=self.problems)
        url = str(value) if given else whole.text(value, at)
        with suppress(ValueError):  # it is told by whoever uses it
            parts = urlsplit(url)
            # What has no host is no URL; if it was looked up, nobody knows which part of it is the password.
            is_known = bool(parts.hostname) or isinstance(value, str)
            self._kept(unquote(parts.password or parts.username or "") if is_known else url)
        return url

    def texts(self, values: Mapping[str, Any], at: At, *, secret: bool = False) -> dict[str, str]:
        """Every value of a table, as text; names that sound secret must not have literals."""
        return {
            name: self.text(value, (*at, name), secret=secret or name in _SECRET_NAMES)
            for name, value in values.items()
        }

    def table(self, values: Mapping[str, Any], at: At, *, secret: bool = False) -> dict[str, Any]:
        """Every value of a table, as it is, with the same rule for literals."""
        return {
            name: self.plain(value, (*at, name), secret=secret or name in _SECRET_NAMES)
            for name, value in values.items()
        }

    def plain(self, value: Any, at: At, *, secret: bool = False) -> Any:
        """One value; a table with `env` or `command` alone is looked up, wherever it stands."""
        source = self._source(value, at)
        if isinstance(source, FromEnvironment):
            return self._kept(self._from_environment(source, at))
        if isinstance(source, FromCommand):
            return self._kept(self._from_command(source, at))
        if isinstance(value, Mapping):
            return self.table(value, at, secret=secret)
        if isinstance(value, list):
            return [self.plain(item, (*at, number), secret=secret) for number, item in enumerate(value)]
        self.refuse_literal(value, at, secret=secret)
        return value

    def refuse_literal(self, value: Any, at: At, *, secret: bool = False) -> None:
        """Note a problem if a literal is a secret: because of its name, or because it looks like one."""
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
            return
        if isinstance(value, str) and "${" in value:
            return
        if secret or (isinstance(value, str) and _looks_secret(value)):
            hint = 'take it from the environment, {env = "NAME"}, or from a command, {command = "..."}'
            self._problem(at, f"{_dotted(at)} is a secret and must not stand in a file", hint)

    def refuse_literals_sent(self, value: Any, at: At) -> None:
        """The same for a table of an act: for what it sends as headers, cookies, query or body."""
        if isinstance(value, Mapping):
            for name, child in value.items():
                if name in _SENT and isinstance(child, Mapping):
                    self._refuse_below(child, (*at, name))
                else:
                    self.refuse_literals_sent(child, (*at, name))

    def finish(self) -> None:
        """Raise what was found wrong, all of it."""
        if self.problems:
            raise InputError(self.problems)

    def _refuse_below(self, value: Any, at: At, secret: bool = False) -> None:
        if isinstance(value, Mapping):
            for name, child in value.items():
                self._refuse_below(child, (*at, name), secret or name in _SECRET_NAMES)
        elif isinstance(value, list):
            for number, child in enumerate(value):
                self._refuse_below(child, (*at, number), secret)
        elif secret or isinstance(value, str):
            before = len(self.problems)
            self.refuse_literal(value, at, secret=secret)
            if len(self.problems) > before:
                hint = "write it as ${name}, and name under the environment's variables where it comes from"
                self.problems[-1] = problem_at(self.document, at, self.problems[-1].message, hint)

    def _source(self, value: Any, at: At) -> FromEnvironment | FromCommand | None:
        if isinstance(value, FromEnvironment | FromCommand):
            return value
        if not isinstance(value, Mapping) or len(value) != 1 or (name := next(iter(value))) not in _SOURCES:
            return None
        try:
            return validate(_SOURCES[name], self.document, at)
        except InputError as error:
            self.problems.extend(error.problems)
            return None

    def _kept(self, found: str) -> str:
        if found:
            self.secrets.append(found)
        return found

    def _from_environment(self, source: FromEnvironment, at: At) -> str:
        value = os.environ.get(source.env)
        if not value:
            what = "is not set" if value is None else "is empty"
            self._problem(at, f"environment variable {source.env} {what}", f"run with {source.env}=... set")
        return value or ""

    def _from_command(self, source: FromCommand, at: At) -> str:
        try:
            return printed_by(source.command, self.root, COMMAND_SECONDS)
        except CommandFailed as error:
            self._problem(at, f"`{source.command}` {error}", error.hint)
            return ""

    def _problem(self, at: At, message: str, hint: str) -> None:
        self.problems.append(problem_at(self.document, at, message, hint))


def _looks_secret(text: str) -> bool:
    return Redactor().text(text) != text


def _dotted(at: At) -> str:
    return ".".join(str(step) for step in at)
