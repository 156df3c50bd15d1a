"""Whose repository it is, by the URL that git has for its remote."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

_SHORT = re.compile(r"(?:[^@/\s]+@)?(?P<host>\[[^\]]+\]|[^:/\s]+):(?P<path>[^\s].*)")
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Remote:
    """A repository's home: the host, whose it is, what it is called, and where it is cloned from, without credentials.

    What the URL does not say is ''.
    """

    host: str = ""
    owner: str = ""
    name: str = ""
    clone_url: str = ""

    @property
    def forge(self) -> str:
        """Whose properties it has."""
        return "gitlab" if "gitlab" in self.host else "github"


def read_remote(url: str) -> Remote:
    """What the URL of a remote says.

    >>> read_remote("git@github.com:acme/widgets.git")
    Remote(host='github.com', owner='acme', name='widgets', clone_url='https://github.com/acme/widgets.git')
    >>> read_remote("https://bob:secret@gitlab.com/acme/tools/widgets").owner
    'acme/tools'
    >>> read_remote("/srv/git/widgets.git")
    Remote(host='', owner='', name='widgets', clone_url='')
    """
    url = url.strip()[:_LONGEST]
    if "://" in url:
        try:
            parts = urlsplit(url)
            host, path, port = parts.hostname or "", unquote(parts.path), parts.port
        except ValueError:
            return Remote()
        if parts.scheme == "file" or not host:
            return Remote(name=_last(path))
        is_web = parts.scheme in ("http", "https")
        place = f"{host}:{port}" if is_web and port else host
        base = f"{parts.scheme if is_web else 'https'}://{place}"
    else:
        found = _SHORT.fullmatch(url)
        if found is None or url.startswith((".", "/")):
            return Remote(name=_last(url))
        host, path = found["host"].strip("[]").lower(), found["path"]
        base = f"https://{host}"
    path = path.strip("/")
    owner, _, name = path.removesuffix(".git").rpartition("/")
    return Remote(host, owner, name, f"{base}/{path}" if path else "")


def _last(path: str) -> str:
    name = path.rstrip("/").rpartition("/")[2]
    return "" if name in (".", "..") else name.removesuffix(".git")
