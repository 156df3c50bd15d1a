"""Every run of a project is kept where its file says; what prevents that is said, and fails no run."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.test_runs import outcome, report
from understudy.core.errors import InputError
from understudy.core.events import RunFinished, RunStarted
from understudy.core.report import Plan
from understudy.project.history import VARIABLE, History, Shelf, find_shelf
from understudy.store.retention import Retention
from understudy.store.runs import kept_runs

FINISHED = RunFinished(report(outcome("a")))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a project file, in which we are."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "understudy.toml").write_text('name = "shop"\n[rules]\n')
    return tmp_path


@pytest.fixture
def warnings() -> list[str]:
    return []


def write(text: str) -> None:
    Path("understudy.toml").write_text(f"[rules]\n{text}")


def projects_in(shelf: Shelf) -> list[str]:
    with shelf.opened() as store:
        return [run.project for run in kept_runs(store)]


def test_a_run_is_kept_when_it_ends_and_not_before(project: Path) -> None:
    history = History(find_shelf, "staging")
    history.handle(RunStarted(Plan(), ""))
    assert not (project / ".understudy").exists()
    history.handle(FINISHED)
    assert (project / ".understudy" / ".gitignore").read_text() == "*\n"
    with find_shelf().opened() as store:
        (run,) = kept_runs(store, "shop")
    assert (run.project, run.environment, run.summary.passed) == ("shop", "staging", 1)


def test_a_project_without_a_name_goes_by_its_folder(project: Path) -> None:
    write("")
    History(find_shelf).handle(FINISHED)
    assert projects_in(find_shelf()) == [project.name]


@pytest.mark.parametrize("url", ["kept/runs.sqlite", "sqlite:///kept/runs.sqlite"])
def test_the_project_file_says_where(project: Path, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    write(f'[store]\nurl = "{url}"\n')
    (project / "kept").mkdir()
    (project / "elsewhere").mkdir()
    monkeypatch.chdir("elsewhere")
    History(find_shelf).handle(FINISHED)
    assert (project / "kept" / "runs.sqlite").is_file()
    assert not (project / ".understudy").exists()


def test_the_environment_says_where_before_the_project_file(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write('[store]\nurl = "kept.sqlite"\n')
    monkeypatch.setenv(VARIABLE, str(project / "mine.sqlite"))
    History(find_shelf).handle(FINISHED)
    assert (project / "mine.sqlite").is_file()
    assert not (project / "kept.sqlite").exists()


def test_a_secret_url_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    write('[store]\nurl = {env = "RUNS_URL"}\n')
    monkeypatch.setenv("RUNS_URL", "postgresql://ann:s3cret@127.0.0.1:1/runs")
    assert find_shelf().secrets == ("s3cret",)


def test_a_password_must_not_stand_in_the_file() -> None:
    write('[store]\nurl = "postgresql://ann:s3cretpassword@127.0.0.1:1/runs"\n')
    with pytest.raises(InputError, match=r"understudy\.toml:3:7: store\.url is a secret and must not stand"):
        find_shelf()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[store]\nurl = 7\n", "'url' must be"),
        ("[store]\nkeep_runs = -1\n", "'keep_runs' must"),
        ("[store]\nkeep_days = 0\n", "'keep_days' must"),
        ('[store]\nulr = "x"\n', "did you mean 'url'?"),
        ('store = "x"\n', "must be"),
        ('[store]\nurl = "mysql://host/x"\n', "mysql:// is no store that we know"),
        ('[store]\nurl = {env = "NOT_SET_AT_ALL"}\n', "environment variable NOT_SET_AT_ALL is not set"),
    ],
)
def test_a_wrong_table_is_refused_with_its_place(text: str, said: str) -> None:
    Path("understudy.toml").write_text(text)
    with pytest.raises(InputError) as caught:
        find_shelf()
    assert said in str(caught.value)


def test_what_the_file_says_is_retained(project: Path) -> None:
    write("[store]\nkeep_runs = 3\nkeep_days = 7\nkeep_outcomes = 50\n")
    assert find_shelf().retention == Retention(3, 7, 50)
    for _ in range(5):
        History(find_shelf).handle(FINISHED)
    assert len(projects_in(find_shelf())) == 3


def test_nothing_is_kept_if_no_run_is_to_be(project: Path) -> None:
    write("[store]\nkeep_runs = 0\n")
    History(find_shelf).handle(FINISHED)
    assert os.listdir(project) == ["understudy.toml"]


def test_a_store_that_cannot_be_used_is_told_in_one_line(project: Path, warnings: list[str]) -> None:
    write('[store]\nurl = "gone/runs.sqlite"\n')
    History(find_shelf, warn=warnings.append).handle(FINISHED)
    (said,) = warnings
    assert said == (
        f"this run is not kept in the history: {project}/gone/runs.sqlite: its folder does not exist, "
        "or may not be entered (make the folder first)"
    )


def test_what_nobody_thought_of_is_told_too(
    project: Path, warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def defect(*arguments: object, **options: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr("understudy.project.history.keep_run", defect)
    History(find_shelf, warn=warnings.append).handle(FINISHED)
    assert warnings == ["this run is not kept in the history: ZeroDivisionError: a defect"]


def test_an_address_that_is_none_is_told_before_the_run(
    warnings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "mysql://ann:s3cret@host/x")
    history = History(find_shelf, warn=warnings.append)
    assert len(warnings) == 1
    assert "mysql:// is no store that we know" in warnings[0]
    assert "s3cret" not in warnings[0]
    history.handle(FINISHED)
    assert len(warnings) == 1


def test_outside_of_a_project_the_environment_may_name_a_store(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("outside"))
    with pytest.raises(InputError, match=r"no understudy\.toml here"):
        find_shelf()
    monkeypatch.setenv(VARIABLE, "runs.sqlite")
    assert find_shelf() == Shelf("runs.sqlite", "", Retention())
