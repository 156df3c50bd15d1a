"""A function of a data source that reads a structured file of the repository."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from understudy.rules.data_sources.models import FilePath
from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.texts import parse_toml, parse_yaml
from understudy.rules.web_body import UnreadableBody, read_json
from understudy.trees.tree import Tree, TreeError


def _json(text: str) -> Any:
    try:
        return read_json(text)
    except UnreadableBody as error:
        raise HostError(str(error)) from None


# Tried in this order where the suffix does not say: YAML last, as it takes nearly everything for text.
_READERS: dict[str, Callable[[str], Any]] = {"JSON": _json, "TOML": parse_toml, "YAML": parse_yaml}
_SUFFIXES = {".json": "JSON", ".toml": "TOML", ".yaml": "YAML", ".yml": "YAML"}


class StructuredCall:
    """The function, made ready to be called over any tree."""

    def __init__(self, path: FilePath) -> None:
        self._paths = tuple(filter(None, (path.file_name, *path.alternatives)))

    def __call__(self, tree: Tree | None) -> Any:
        """What the first file that there is says; None if there is none. HostError if it cannot be read."""
        if tree is None:
            raise HostError("there are no files to look at: set ingest.type to git, or give the test files")
        try:
            for path in self._paths:
                if tree.kind(path) == "file":
                    return read_structured(path, tree.read(path))
        except TreeError as error:
            raise HostError(str(error)) from None
        return None


def read_structured(path: str, content: bytes) -> Any:
    """JSON, YAML or TOML by the suffix of a path, or else as what it can be read. HostError if as nothing.

    >>> read_structured("a.toml", b"a = 1"), read_structured("config", b'{"a": 1}')
    ({'a': 1}, {'a': 1})
    """
    suffix = path[path.rfind(".") :].lower() if "." in path else ""
    named = _SUFFIXES.get(suffix)
    kinds = [kind for kind in (named, *_READERS) if kind is not None]
    text = content.decode("utf-8", "replace").removeprefix("\ufeff")
    first: HostError | None = None
    for kind in dict.fromkeys(kinds):
        try:
            return _READERS[kind](text)
        except HostError as error:
            first = first or error
    raise HostError(f"{path} is no {', '.join(dict.fromkeys(kinds))}: {first}")
