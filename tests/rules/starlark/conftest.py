"""A folder of Starlark files for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from rules.starlark.starlark_files import StarlarkFiles


@pytest.fixture
def files(tmp_path: Path) -> StarlarkFiles:
    return StarlarkFiles(tmp_path)
