"""Where a store is: a path or a URL, as the user writes it, and the engine for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from understudy.core.errors import missing_extra
from understudy.core.nearness import closest_name
from understudy.core.redact import Numbered, Redactor
from understudy.store.errors import store_error

if TYPE_CHECKING:
    from sqlalchemy import URL

_POSTGRES = frozenset({"postgresql", "postgres", "postgresql+psycopg"})
_SCHEMES = ("sqlite", *sorted(_POSTGRES))


@dataclass(frozen=True, slots=True)
class Address:
    """Where a store is. `shown` is what messages say: it has no password in it."""

    kind: str
    shown: str
    path: str = ""
    url: URL | None = None
    secrets: tuple[str, ...] = ()

    @property
    def in_memory(self) -> bool:
        """True if it is gone when it is closed."""
        return self.kind == "sqlite" and not self.path


def parse_address(where: str | os.PathLike[str]) -> Address:
    """Read `where`: a path, `sqlite:///path`, `sqlite://` (in memory) or `postgresql://user@host/name`.

    >>> parse_address("sqlite:///runs.sqlite3").path
    'runs.sqlite3'
    >>> parse_address("sqlite://").in_memory
    True
    """
    text = os.fspath(where)
    if not isinstance(text, str) or not text.strip() or "\0" in text:
        raise store_error("is no place for a store", repr(text), hint="name a file, or a URL")
    if "://" not in text:
        return Address("sqlite", text, path=text)
    scheme = text.partition("://")[0].lower()
    if scheme == "sqlite":
        return _sqlite(text)
    if scheme in _POSTGRES:
        return _postgres(text)
    near = closest_name(scheme, _SCHEMES)
    hint = f"did you mean {near}://?" if near else "there are sqlite:///file and postgresql://host/name"
    raise store_error(f"{scheme[:40]}:// is no store that we know", hint=hint)


def _sqlite(text: str) -> Address:
    rest = text.partition("://")[2]
    if rest in ("", "/:memory:"):
        return Address("sqlite", "sqlite://")
    if not rest.startswith("/") or len(rest) == 1 or "?" in rest:
        hint = "a file is written sqlite:///folder/file, with three slashes (four if it is absolute)"
        raise store_error("is no URL of a SQLite file", text, hint=hint)
    return Address("sqlite", rest[1:], path=rest[1:])


def _postgres(text: str) -> Address:
    try:
        from sqlalchemy import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        raise missing_extra("store", "SQLAlchemy") from None
    try:
        urlsplit(text).port  # noqa: B018 - raises for a port that is no number
        url = make_url(text).set(drivername="postgresql+psycopg")
    except (ArgumentError, ValueError):
        hint = "write postgresql://user@host:port/name; characters such as @ in a password are written %40"
        raise store_error("is no URL of a PostgreSQL database", "the store", hint=hint) from None
    hidden = [str(url.query[name]) for name in ("password", "sslpassword") if url.query.get(name)]
    secrets = tuple(filter(None, [url.password, *hidden]))
    shown = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
    return Address("postgresql", shown, url=url, secrets=secrets)


def without_secrets(address: Address, text: str) -> str:
    """A text about the store, such as a driver's message, that does not tell its password."""
    return Numbered()(Redactor(list(address.secrets)).text(text))


def parent_of(path: str) -> Path:
    """The folder of a database file."""
    return Path(path).absolute().parent
