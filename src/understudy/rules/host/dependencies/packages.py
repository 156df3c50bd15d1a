"""A package that a dependency file names, and how it is written as a package URL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

Ecosystem = Literal["pypi", "npm", "golang", "cargo", "maven"]


class NotReadable(Exception):
    """A dependency file is not what its name says."""


@dataclass(frozen=True, slots=True, order=True)
class Package:
    """A package, its version ('' if the file fixes none), and the files that led to it."""

    name: str
    version: str
    ecosystem: Ecosystem
    files: tuple[str, ...] = ()

    @property
    def url(self) -> str:
        """The package URL, by its specification.

        >>> Package("@babel/Core", "7.1.0", "npm").url, Package("Foo_Bar", "", "pypi").url
        ('pkg:npm/%40babel/core@7.1.0', 'pkg:pypi/foo-bar')
        """
        name = self.name.replace(":", "/", 1) if self.ecosystem == "maven" else self.name
        if self.ecosystem == "pypi":
            name = re.sub(r"[-_.]+", "-", name)
        if self.ecosystem != "cargo":
            name = name.lower()
        version = f"@{quote(self.version, safe='.+-~:')}" if self.version else ""
        return f"pkg:{self.ecosystem}/{quote(name, safe='/.-_~')}{version}"


Read = Callable[[str], str]
Reader = Callable[[str, str, Read], Iterable[Package]]
"""Takes the text of a file, its path and a way to read other files; gives the packages without their files."""
