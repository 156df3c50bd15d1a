"""Loads the file of a data source, and gives its functions for an evaluation."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.files import inside, read_text
from understudy.documents.positions import Document
from understudy.documents.validate import problem_at, validate
from understudy.documents.yaml import load_go_yaml
from understudy.rules.data_sources.arguments import ArgumentSchema
from understudy.rules.data_sources.models import DataSourceFile
from understudy.rules.data_sources.names import function_name
from understudy.rules.data_sources.rest_source import RestCall
from understudy.rules.data_sources.structured_source import StructuredCall
from understudy.rules.evaluate.functions import HostFunction
from understudy.rules.web import Web
from understudy.trees.tree import Tree

FILE_LIMIT = 1 << 20

Place = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class DataSource:
    """A data source: its name, its file as users see it, and its calls by their names in Rego."""

    name: str
    file: str
    calls: Mapping[str, RestCall | StructuredCall]

    def functions(self, web: Web, tree: Tree | None) -> Mapping[str, HostFunction]:
        """The functions for one evaluation: they ask `web` and read `tree`."""
        return {name: HostFunction(name, 1, _bound(call, web, tree)) for name, call in self.calls.items()}


def load_data_source(path: str | os.PathLike[str], root: str | os.PathLike[str]) -> DataSource:
    """Load a data source of a project. `path` is relative to `root`, the project's folder, and may not leave it.

    Raises InputError with every problem, each with its place in the file.
    """
    resolved = inside(root, path)
    shown = _shown(resolved, Path(root))
    return read_data_source(load_go_yaml(shown, text=read_text(resolved, limit=FILE_LIMIT)))


def read_data_source(document: Document) -> DataSource:
    """The data source that a document says."""
    data = document.data
    kind = data.get("type") if isinstance(data, dict) else None
    if kind != "data-source":
        hint = "a data source begins with 'type: data-source'"
        what = f"is of type {kind!r}, and no data source" if kind else "is no data source"
        raise InputError([Problem(what, document.file, *document.positions.value(("type",)), hint=hint)])
    if isinstance(data, dict) and "deps" in data:
        message = "data sources of the kind 'deps' are not supported"
        raise InputError(
            [problem_at(document, ("deps",), message, "only 'rest' and 'structured' are", key=True)]
        )
    source = validate(DataSourceFile, document)
    calls: dict[str, RestCall | StructuredCall] = {}
    problems: list[Problem] = []
    for place, call in _calls(source, document, problems):
        name = function_name(source.name, place[-1])
        if name in calls:
            message = f"the function {place[-1]!r} has the same name in Rego as another: {name}"
            problems.append(problem_at(document, place, message, "rename one of the two", key=True))
        calls[name] = call
    if problems:
        raise InputError(problems)
    return DataSource(source.name, document.file, calls)


def _calls(
    source: DataSourceFile, document: Document, problems: list[Problem]
) -> Iterator[tuple[Place, RestCall | StructuredCall]]:
    """The calls with the places of their functions in the document; what is wrong with one goes to `problems`."""
    if source.structured is not None:
        for key, reading in source.structured.functions.items():
            yield ("structured", "def", key), StructuredCall(reading.path)
    if source.rest is not None:
        for key, asking in source.rest.functions.items():
            place = ("rest", "def", key)
            position = document.positions.value((*place, "input_schema"))
            schema = ArgumentSchema(asking.input_schema, document.file, position)
            try:
                schema.prepare()
            except InputError as error:
                problems += error.problems
            yield place, RestCall(asking, schema, with_token=source.rest.provider_auth)


def _bound(call: RestCall | StructuredCall, web: Web, tree: Tree | None) -> Callable[[Any], Any]:
    if isinstance(call, RestCall):
        return partial(call, web)
    return lambda arguments: call(tree)  # what a policy passes to it does not matter


def _shown(path: Path, root: Path) -> str:
    try:
        return path.relative_to(root.resolve()).as_posix()
    except ValueError:
        return os.fspath(path)
