"""Functions that are named as `module:function`: found in their files without importing anything, and imported."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator

from understudy.core.errors import InputError, Problem
from understudy.core.files import inside, read_text
from understudy.core.nearness import closest_name
from understudy.core.outcome import Location

_FUNCTION = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _function(text: str) -> str:
    if not _FUNCTION.fullmatch(text):
        raise ValueError(f"must read module:function, such as shop.feed:publish, not {text!r}")
    return text


FunctionName = Annotated[str, AfterValidator(_function)]


def find_folders(root: Path, names: Iterable[str], act: str, problems: list[Problem]) -> list[Path]:
    """The folders of the project that an act's table names for imports; what is wrong is added to the problems."""
    found: list[Path] = []
    for name in names:
        try:
            folder = inside(root, root / name)
        except InputError as error:
            problems.extend(error.problems)
            continue
        if not folder.is_dir():
            problems.append(Problem("is no folder", name, hint=f"correct path under [{act}]"))
        found.append(folder)
    return found


def find_function(
    root: Path, folders: Iterable[Path], name: str, act: str, problems: list[Problem]
) -> Location | None:
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
            f"did you mean {near!r}?" if near else f"correct it, or name its folder with path under [{act}]"
        )
        problems.append(Problem(f"no module {module!r} for {name!r}", str(root), hint=hint))
    return None


def load_function(name: str, folders: Sequence[str], what: str) -> Callable[..., Any]:
    """Import what `module:function` names; `folders` are looked in first. `what` it is, is said of one that is wrong.

    >>> load_function("json:dumps", [], "tool").__name__
    'dumps'
    """
    module_name, _, path = name.partition(":")
    if not module_name or not path:
        raise _wrong(what, f"{name!r} names no function", "write it as module:function")
    for folder in reversed(folders):
        if folder not in sys.path:
            sys.path.insert(0, folder)
    try:
        found: Any = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        where = f" (looked in {', '.join(folders)} too)" if folders else ""
        raise _wrong(
            what,
            f"{module_name!r} cannot be imported: {type(error).__name__}: {error}",
            f"is it in the folder that path names?{where}",
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            near = closest_name(part, [key for key in dir(found) if not key.startswith("_")])
            hint = f"did you mean {near!r}?" if near else "check the name"
            raise _wrong(what, f"{module_name!r} has no {part!r}", hint)
        found = getattr(found, part)
    if not callable(found):
        raise _wrong(
            what, f"{name!r} is no function but a {type(found).__name__}", "name the function itself"
        )
    function: Callable[..., Any] = found
    return function


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


def _wrong(what: str, message: str, hint: str) -> InputError:
    return InputError([Problem(f"{what}: {message}", hint=hint)])
