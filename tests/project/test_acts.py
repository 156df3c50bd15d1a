"""Acts are found through the entry points of installed packages, and a broken one is told as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.project.acts import installed_acts, load_act
from understudy.project.project import load_project

THIRD_PARTY = Path(__file__).parents[1] / "thirdparty"


def install(folder: Path, package: str, act: str, value: str, code: str = "") -> None:
    """What an installed package leaves on the path: its metadata, and a module."""
    info = folder / f"{package}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[understudy.acts]\n{act} = {value}\n")
    if code:
        (folder / f"{value.partition(':')[0]}.py").write_text(code)


def test_our_own_act_is_found_as_any_other() -> None:
    assert installed_acts()["testbed"].value == "understudy.testbed.act:TestbedAct"


def test_an_act_of_a_third_party_gets_its_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    (tmp_path / "understudy.toml").write_text('[tiny]\nunits = [["pass-1"]]\n')
    project = load_project(tmp_path)
    assert list(project.acts) == ["tiny"]
    assert project.settings("tiny").units == [["pass-1"]]


def test_wrong_keys_in_its_table_are_told_as_in_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(THIRD_PARTY))
    (tmp_path / "understudy.toml").write_text('[tiny]\nunitz = [["pass-1"]]\n')
    with pytest.raises(InputError, match=r"toml:2:1: unknown key 'unitz' \(did you mean 'units'\?\)"):
        load_project(tmp_path)


@pytest.mark.parametrize(
    ("value", "code", "message"),
    [
        ("broken_gone:Act", "", r"cannot be loaded: ModuleNotFoundError: No module named 'broken_gone'"),
        ("broken_none:Act", "other = 1", r"cannot be loaded: AttributeError: .*no attribute 'Act'"),
        ("broken_code:Act", "1 / 0", r"cannot be loaded: ZeroDivisionError: division by zero"),
        ("broken_exit:Act", "raise SystemExit(0)", r"cannot be loaded: SystemExit: 0"),
        ("broken_call:Act", "Act = 3", r"cannot be loaded: TypeError: 'int' object is not callable"),
        (
            "broken_shape:Act",
            "class Act:\n    name = 'broken'",
            r"does not offer name, discover, run and conclude",
        ),
        (
            "broken_name:Act",
            (
                "class Act:\n    name = 'other'\n    def discover(self, p): ...\n"
                "    def run(self, u, s): ...\n    def conclude(self, e): ..."
            ),
            r"calls itself 'other'",
        ),
    ],
)
def test_a_broken_act_is_one_clear_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str, code: str, message: str
) -> None:
    install(tmp_path, "broken", "broken", value, code)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError) as wrong:
        load_act(installed_acts()["broken"])
    assert len(wrong.value.problems) == 1
    assert wrong.match(rf"the act 'broken' \({value}\) {message}")


def test_a_broken_act_that_the_project_does_not_use_does_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "broken", "broken", "broken_gone:Act")
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "understudy.toml").write_text('[testbed]\nsuites = ["s.json"]\n')
    assert list(load_project(tmp_path).acts) == ["testbed"]


def test_an_act_that_two_packages_bring_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "one", "same", "one:Act")
    install(tmp_path, "two", "same", "two:Act")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(
        InputError, match=r"two packages bring an act named 'same': (one|two):Act and (one|two):Act"
    ):
        installed_acts()
