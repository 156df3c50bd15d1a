"""Modules of pipelines, written for one test and imported by it alone."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest

from understudy.simulation.replay.runner import ReplayRunner

WriteModule = Callable[..., ModuleType]
_numbers = count(1)


@pytest.fixture(name="module")
def _module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WriteModule]:
    """Write a module into the test's folder and import it, under a name that no other test uses."""
    monkeypatch.syspath_prepend(str(tmp_path))
    written: list[str] = []

    def write(text: str, name: str = "") -> ModuleType:
        name = name or f"pipelines_{next(_numbers)}"
        (tmp_path / f"{name}.py").write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        importlib.invalidate_caches()
        written.append(name)
        return importlib.import_module(name)

    yield write
    for name in written:
        sys.modules.pop(name, None)


@pytest.fixture(name="runner_of")
def _runner_of(tmp_path: Path) -> Callable[..., ReplayRunner]:
    """A runner that names files from the test's folder on, and stays in this process unless told otherwise."""

    def make(pipeline: Callable[..., object], **options: object) -> ReplayRunner:
        settings = {"root": str(tmp_path), "other_process": False, **options}
        return ReplayRunner(pipeline, **settings)  # type: ignore[arg-type]  # of whatever kind a test gives

    return make
