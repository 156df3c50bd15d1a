"""The project file is found, or it is said where none was found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.project.locate import Place, locate

OURS = ("tool", "understudy")


def test_a_folder_with_understudy_toml_is_a_project(tmp_path: Path) -> None:
    (tmp_path / "understudy.toml").touch()
    assert locate(tmp_path) == Place(tmp_path / "understudy.toml")
    assert locate(tmp_path / "understudy.toml") == Place(tmp_path / "understudy.toml")


def test_a_folder_whose_pyproject_has_our_table_is_a_project(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.understudy.testbed]\nsuites = []\n")
    assert locate(tmp_path) == Place(tmp_path / "pyproject.toml", OURS)
    assert locate(tmp_path / "pyproject.toml") == Place(tmp_path / "pyproject.toml", OURS)


def test_our_own_file_goes_before_pyproject(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.understudy]\n")
    (tmp_path / "understudy.toml").touch()
    assert locate(tmp_path).file.name == "understudy.toml"


def test_without_a_path_it_is_looked_for_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "understudy.toml").touch()
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'other'\n")
    monkeypatch.chdir(tmp_path / "a" / "b")
    assert locate().file == tmp_path / "understudy.toml"


@pytest.mark.parametrize(
    "text", ["", "tool = 3", "[tool]\n", "[tool.other]\n# understudy", "not toml understudy", "a = [", "\0"]
)
def test_a_pyproject_that_is_not_about_us_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(InputError, match=r"no understudy\.toml in this folder \(`understudy init` makes one"):
        locate(tmp_path)


@pytest.mark.parametrize(
    "text", ["[tool.understudy\nname=1", "[tool.understudy]\nname=", "[ tool . understudy ]\n="]
)
def test_a_broken_pyproject_with_our_table_is_ours_to_complain_about(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert locate(tmp_path) == Place(tmp_path / "pyproject.toml", OURS)


def test_a_link_that_leads_nowhere_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / "understudy.toml").symlink_to("gone.toml")
    assert locate(tmp_path).file == tmp_path / "understudy.toml"


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("nowhere", "nowhere: no such file or folder"),
        ("a" * 5000, "no such file or folder"),
        ("with\0nul", r"'with\\x00nul': no such file or folder"),
    ],
)
def test_a_path_that_does_not_exist_is_said_so(path: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        locate(path)


def test_a_suite_is_no_project_and_the_right_command_is_told(tmp_path: Path) -> None:
    (tmp_path / "shop.json").touch()
    with pytest.raises(InputError, match=r"is no project file.*understudy testbed run SUITE --base-url"):
        locate(tmp_path / "shop.json")


def test_a_current_folder_that_is_gone_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    os.rmdir(gone)
    with pytest.raises(InputError, match="current folder does not exist any more"):
        locate()
