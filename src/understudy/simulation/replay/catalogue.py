"""The pipelines that a project declares, as units, each found in its file without importing anything."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from understudy.core.errors import InputError, Problem
from understudy.core.files import inside, read_text
from understudy.core.ids import Numbering, case_id
from understudy.core.nearness import closest_name
from understudy.core.outcome import Location
from understudy.engine.act import CaseRef, Unit
from understudy.simulation.replay.job import Job, Place
from understudy.simulation.replay.settings import PipelineSettings, ReplaySettings

ACT = "replay"


@dataclass(frozen=True, slots=True)
class Declared:
    """A pipeline of the project, ready to be run."""

    unit: Unit
    settings: PipelineSettings
    job: Job
    place: Place


def read_catalogue(root: Path, settings: ReplaySettings) -> dict[str, Declared]:
    """Every declared pipeline by the id of its unit; all problems are raised together."""
    problems: list[Problem] = []
    folders = _folders(root, settings.path, problems)
    if problems:
        raise InputError(problems)
    numbering: dict[str, Numbering] = {}
    declared: dict[str, Declared] = {}
    for order, pipeline in enumerate(settings.pipelines):
        location = _found(root, folders, pipeline.run, problems)
        if pipeline.world is not None:
            _found(root, folders, pipeline.world, problems)
        module, _, function = pipeline.run.partition(":")
        file = location.file if location else module
        name = numbering.setdefault(file, Numbering())(pipeline.name or function)
        identifier = case_id(ACT, file, name)
        ref = CaseRef(identifier, name, tuple(pipeline.tags), location, order=order)
        unit = Unit(identifier, ACT, (ref,))
        place = Place(tuple(map(str, folders)), str(root), pipeline.allow_network)
        declared[identifier] = Declared(unit, pipeline, _job(pipeline, root), place)
    if problems:
        raise InputError(dict.fromkeys(problems))
    return declared


def _job(pipeline: PipelineSettings, root: Path) -> Job:
    return Job(
        pipeline.run,
        pipeline.world or "",
        pipeline.workspace,
        pipeline.compare,
        pipeline.ordered,
        pipeline.impose.deterministic() if pipeline.impose else None,
        pipeline.max_objects,
        str(root),
    )


def _folders(root: Path, names: Iterable[str], problems: list[Problem]) -> list[Path]:
    found: list[Path] = []
    for name in names:
        try:
            folder = inside(root, root / name)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if not folder.is_dir():
            problems.append(Problem("is no folder", name, hint="correct path under [replay]"))
        found.append(folder)
    return found


def _found(root: Path, folders: Iterable[Path], name: str, problems: list[Problem]) -> Location | None:
    """Where the function stands; None if its module is installed, or makes it in some way that does not show."""
    module, _, function = name.partition(":")
    parts = module.split(".")
    for folder in folders:
        for path in (folder.joinpath(*parts, "__init__.py"), folder.joinpath(*parts).with_suffix(".py")):
            if path.is_file():
                return _place(root, path, function, name, problems)
    if not _is_installed(parts[0]):
        modules = [path.stem for folder in folders for path in folder.iterdir()]
        near = closest_name(parts[0], modules)
        hint = (
            f"did you mean {near!r}?" if near else "correct it, or name its folder with path under [replay]"
        )
        problems.append(Problem(f"no module {module!r} for {name!r}", str(root), hint=hint))
    return None


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):
        return False


def _place(root: Path, path: Path, function: str, name: str, problems: list[Problem]) -> Location | None:
    file = path.relative_to(root).as_posix()
    try:
        tree = ast.parse(read_text(path))
    except InputError as error:
        problems.extend(error.problems)
        return None
    except (SyntaxError, ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        problems.append(Problem(f"is no Python: {error.args[0]}", file, line, hint=f"{name!r} is in it"))
        return None
    defined = {node.name: node.lineno for node in tree.body if isinstance(node, _NAMED)}
    line = defined.get(function.partition(".")[0])
    if line is None and not any(_mentions(node, function.partition(".")[0]) for node in tree.body):
        near = closest_name(function, defined)
        hint = f"did you mean {near!r}?" if near else f"it defines {', '.join(defined) or 'nothing'}"
        problems.append(Problem(f"has no {function!r}, which {name!r} names", file, hint=hint))
    return Location(file, line)


_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _mentions(node: ast.stmt, name: str) -> bool:
    """True if a statement at the top level may bind the name in some other way: an assignment, an import."""
    if isinstance(node, _NAMED):
        return False
    return any(
        (isinstance(part, ast.Name) and part.id == name)
        or (isinstance(part, ast.alias) and (part.asname or part.name) in (name, "*"))
        or (isinstance(part, _NAMED) and part.name == name)
        for part in ast.walk(node)
    )
