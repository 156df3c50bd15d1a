"""Test files as modules of the interpreter: the prelude first, then the file, with what it loads from others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import starlark

from understudy.core.errors import InputError
from understudy.core.files import inside, read_text
from understudy.rules.listing import LoadError
from understudy.rules.starlark.errors import Misuse, read_error
from understudy.rules.starlark.host import Host
from understudy.rules.starlark.scanner import Reading, read_source

CALL_DEPTH = 200
SOURCE_LIMIT = 4 << 20
LOAD_DEPTH = 20
OWN_LIBRARIES = ("checks.star",)

_DIALECT = starlark.Dialect.extended()
_GLOBALS = starlark.Globals.extended_by(
    [
        starlark.LibraryExtension.StructType,
        starlark.LibraryExtension.Json,
        starlark.LibraryExtension.CallStack,
        starlark.LibraryExtension.Map,
        starlark.LibraryExtension.Filter,
        starlark.LibraryExtension.Partial,
    ]
)
_OPTIONS = starlark.EvalOptions(max_callstack_size=CALL_DEPTH)


class LoadFailed(Exception):
    """A file cannot be made a module."""

    def __init__(self, error: LoadError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class TestModule:
    """A test file that was loaded: its tests with the lines they stand in, and how they are called."""

    file: str
    folder: Path
    tests: dict[str, int]
    reading: Reading
    libraries: tuple[str, ...]
    frozen: starlark.FrozenModule

    __test__ = False

    def call(self, name: str) -> None:
        """Call a function of the file that takes no arguments; raises StarlarkError."""
        self.frozen.call_with(_OPTIONS, name)


class Modules:
    """Loads files below a root; a library that several files of a folder load is loaded once for that folder."""

    def __init__(self, root: Path, host: Host) -> None:
        self._root = root
        self._host = host
        self._libraries: dict[tuple[Path, Path], starlark.FrozenModule] = {}
        self._loading: list[Path] = []
        self._loaded: list[str] = []

    def load(self, path: Path, shown: str) -> TestModule:
        """Run the top level of a test file; raises LoadFailed."""
        self._loading, self._loaded = [path.resolve()], []
        self._host.file, self._host.folder = shown, path.parent
        module, reading = self._run(path, shown)
        tests = self._tests(module, reading, shown)
        return TestModule(shown, path.parent, tests, reading, tuple(self._loaded), module.freeze())

    def _run(self, path: Path, shown: str) -> tuple[starlark.Module, Reading]:
        try:
            text = read_text(path, limit=SOURCE_LIMIT)
        except InputError as error:
            problem = error.problems[0]
            hint = f" ({problem.hint})" if problem.hint else ""
            raise LoadFailed(LoadError(problem.message + hint, problem.line)) from None
        return self._run_text(text, shown, path.parent)

    def _run_text(self, text: str, shown: str, folder: Path) -> tuple[starlark.Module, Reading]:
        reading = read_source(text)
        module = self._prepared(mindev=reading.speaks_mindev)
        loader = starlark.FileLoader(lambda name: self._library(name, folder))
        self._host.raised = None
        try:
            tree = starlark.parse(shown, reading.text, _DIALECT)
            starlark.eval_with(_OPTIONS, module, tree, _GLOBALS, file_loader=loader)
        except starlark.StarlarkError as error:
            raised = self._host.raised
            if isinstance(raised, LoadFailed):
                raise raised from None
            raise LoadFailed(read_error(str(error), shown, raised)) from None
        return module, reading

    def _prepared(self, *, mindev: bool) -> starlark.Module:
        module = starlark.Module()
        for name, function in self._host.callables().items():
            module.add_callable(name, function)
        starlark.eval(module, _own("prelude.star"), _GLOBALS)
        starlark.eval(module, _choice("__eval_mindev" if mindev else "__eval_ours"), _GLOBALS)
        return module

    def _library(self, name: str, folder: Path) -> starlark.FrozenModule:
        try:
            return self._found_library(name, folder)
        except Exception as error:
            self._host.raised = error
            raise

    def _found_library(self, name: str, folder: Path) -> starlark.FrozenModule:
        beside = folder / name
        if name in OWN_LIBRARIES and not beside.exists():
            text = files("understudy.rules.starlark").joinpath(name).read_text("utf-8")
            return self._run_text(text, f"<{name}>", folder)[0].freeze()
        try:
            path = inside(self._root, beside)
        except InputError:
            raise Misuse(
                f'load("{name}"): the file is outside of the project; keep it inside {self._root.name}'
            ) from None
        key = (path, self._host.folder)
        if key in self._libraries:
            self._note(path)
            return self._libraries[key]
        if path in self._loading:
            round_trip = " -> ".join([*(item.name for item in self._loading), path.name])
            raise Misuse(f'load("{name}"): files load each other in a circle: {round_trip}')
        if len(self._loading) > LOAD_DEPTH:
            raise Misuse(f'load("{name}"): files load each other more than {LOAD_DEPTH} levels deep')
        if not path.is_file():
            raise Misuse(
                f'load("{name}"): there is no such file beside {self._loading[-1].name}; check the path'
            )
        self._loading.append(path)
        try:
            module, _ = self._run(path, self._shown(path))
            self._note(path)
        finally:
            self._loading.pop()
        self._libraries[key] = module.freeze()
        return self._libraries[key]

    def _note(self, path: Path) -> None:
        shown = self._shown(path)
        if shown not in self._loaded:
            self._loaded.append(shown)

    def _shown(self, path: Path) -> str:
        return path.relative_to(self._root.resolve()).as_posix()

    def _tests(self, module: starlark.Module, reading: Reading, shown: str) -> dict[str, int]:
        """The functions named test_* that take no arguments, in the order of the file."""
        lines = {name: line for name, (line, _) in reading.functions.items()} | reading.assigned
        names = [name for name in lines if name.startswith("test_")]
        if not names:
            return {}
        asked = starlark.parse("<tests>", f"[{', '.join(f'type({name})' for name in names)}]", _DIALECT)
        kinds: Any = starlark.eval(module, asked, _GLOBALS)
        tests: dict[str, int] = {}
        for name, kind in zip(names, kinds, strict=True):
            takes_nothing = reading.functions.get(name, (0, True))[1]
            if kind == "function" and takes_nothing:
                tests[name] = lines[name]
            elif reading.speaks_mindev:
                what = "to have no parameters" if kind == "function" else f"to be a function, got {kind}"
                raise LoadFailed(LoadError(f"expected {name} {what}", lines[name]))
        return dict(sorted(tests.items(), key=lambda item: item[1]))


@lru_cache(maxsize=8)
def _own(name: str) -> starlark.AstModule:
    text = files("understudy.rules.starlark").joinpath(name).read_text("utf-8")
    return starlark.parse("<understudy>", text, _DIALECT)


@lru_cache(maxsize=8)
def _choice(name: str) -> starlark.AstModule:
    return starlark.parse("<understudy>", f"eval = {name}", _DIALECT)
