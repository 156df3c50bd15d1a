"""Names of packages that come late: imported once, listed before, and no others."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with a late name in a module that counts how often it runs."""
    folder = tmp_path / "late_example"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from understudy.core.late_names import late_names\n"
        "runs = []\n"
        '__getattr__, __dir__ = late_names(__name__, {"answer": "deep"})\n'
    )
    (folder / "deep.py").write_text(
        "import late_example\nlate_example.runs.append(1)\nanswer = 42\nhidden = 7\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("late_example", "late_example.deep"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return "late_example"


def test_a_name_is_imported_when_it_is_first_asked_for_and_never_again(package: str) -> None:
    module = importlib.import_module(package)
    assert (module.runs, "answer" in dir(module), "answer" in vars(module)) == ([], True, False)
    assert (module.answer, module.answer, module.runs) == (42, 42, [1])


def test_another_name_is_no_attribute(package: str) -> None:
    module = importlib.import_module(package)
    with pytest.raises(AttributeError, match="module 'late_example' has no attribute 'hidden'"):
        _ = module.hidden
