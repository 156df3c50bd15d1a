"""The project file as models: every key, its type and its default."""

from __future__ import annotations

import re
import shlex
from datetime import date
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from understudy.core.nearness import closest_name

_PLACE = re.compile(r"\{(\w+)\}")
_SHELL_WORDS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<"})


def _command(text: str) -> str:
    """A command line with nothing in it that only a shell would understand."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"is no command: {str(error).lower()}") from None
    if not words or "\0" in text:
        raise ValueError("must be a command with its arguments")
    if "=" in words[0]:
        raise ValueError(f"runs without a shell, so {words[0]!r} sets nothing; [app] env sets variables")
    for word in words:
        if word in _SHELL_WORDS:
            raise ValueError(f"runs without a shell, so {word!r} means nothing; write sh -c '...' around it")
    return text


def _variable_name(text: str) -> str:
    if not text or "=" in text or "\0" in text:
        raise ValueError("is no name of an environment variable")
    return text


def _start(text: str) -> str:
    """A place for the port that is misspelt would have the run wait for the app in vain."""
    for name in _PLACE.findall(text):
        if name != "port" and closest_name(name, ["port"]):
            raise ValueError(f"has {{{name}}}, which nothing stands for; did you mean {{port}}?")
    return text


Command = Annotated[str, AfterValidator(_command)]
VariableName = Annotated[str, AfterValidator(_variable_name)]


class Table(BaseModel):
    """A table of the project file; unknown keys are refused."""

    # Built as parts of the whole file, when that is read: most of them are not needed for themselves.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class FromEnvironment(Table):
    """A value that stands in an environment variable: `{env = "SHOP_TOKEN"}`."""

    env: str = Field(min_length=1, description="Name of the environment variable.")


class FromCommand(Table):
    """A value that a command prints: `{command = "pass show shop/token"}`."""

    command: Command = Field(description="Command whose standard output, trimmed, is the value.")


Secret = FromEnvironment | FromCommand
Text = str | Secret
Value = Any


class AppSettings(Table):
    """The app under test, if the run is to start it."""

    start: Annotated[Command, AfterValidator(_start)] = Field(
        description="Command that starts the app; {port} becomes a free port."
    )
    health: str = Field(
        default="", description="Path that answers below 400 once the app is ready; empty: the port opens."
    )
    ready_timeout: Annotated[float, Field(gt=0, le=3600)] = Field(
        default=30.0, description="Seconds to wait for the app."
    )
    stop_timeout: Annotated[float, Field(gt=0, le=600)] = Field(
        default=5.0, description="Seconds from TERM to KILL."
    )
    cwd: str = Field(default=".", description="Folder to start it in, relative to the project.")
    env: dict[VariableName, Text] = Field(
        default_factory=dict, description="Environment variables for the app."
    )
    base_path: str = Field(default="", description="Path under which the app's routes live.")


class TlsSettings(Table):
    """TLS files, relative to the project."""

    ca: str = Field(default="", description="PEM file of an authority to trust beside the system's.")
    client_cert: str = Field(default="", description="PEM file of the client's certificate.")
    client_key: str = Field(default="", description="PEM file of the client's key, if not in client_cert.")

    @property
    def files(self) -> tuple[str, str, str]:
        """All three of them, in the order of `Tls`."""
        return self.ca, self.client_cert, self.client_key


class EnvironmentSettings(Table):
    """One environment of the system under test."""

    base_url: Text = Field(default="", description="Base URL; empty: the app that the run starts.")
    variables: dict[str, Value] = Field(default_factory=dict, description="Values for ${name}.")
    headers: dict[str, Text] = Field(default_factory=dict, description="Headers of every request.")
    cookies: dict[str, Text] = Field(default_factory=dict, description="Cookies of every request.")
    tls: TlsSettings = Field(default=TlsSettings(), description="TLS files.")
    proxy: Text = Field(default="", description="URL of the proxy for every request.")


class KnownSettings(Table):
    """A failure that is tolerated for a time."""

    case: str = Field(min_length=1, description="Id of the case.")
    reason: str = Field(min_length=1, description="Why it is tolerated.")
    until: date | None = Field(default=None, description="Last day on which it is tolerated.")


class StoreSettings(Table):
    """Where the outcomes of every run are kept, and for how long."""

    url: Text = Field(
        default="",
        description="File, or postgresql:// URL; empty: .understudy/history.sqlite in the project.",
    )
    keep_runs: Annotated[int, Field(ge=0, le=1_000_000)] = Field(
        default=200, description="How many of the last runs are kept; 0: none."
    )
    keep_days: Annotated[float, Field(gt=0, le=36_500)] | None = Field(
        default=None, description="For how many days they are kept, but for the last one."
    )
    keep_outcomes: Annotated[int, Field(ge=1)] = Field(
        default=1_000_000, description="How many outcomes all of them may have."
    )


class ProjectSettings(BaseModel):
    """The whole file; tables of acts are validated by the acts."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    name: str = Field(default="", description="Name of the project, shown in reports.")
    environment: str = Field(default="", description="Environment to use unless --env names another.")
    app: AppSettings | None = Field(default=None, description="The app under test.")
    environments: dict[str, EnvironmentSettings] = Field(
        default_factory=dict, description="Environments by name."
    )
    known: list[KnownSettings] = Field(default_factory=list, description="Known failures.")
    store: StoreSettings = Field(default=StoreSettings(), description="Where outcomes of runs are kept.")
