"""Problems of entries are told together, at their places in the files, whatever happened to the files since."""

from __future__ import annotations

from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.testbed.apply import apply_scripts
from understudy.testbed.models import Suite
from understudy.testbed.script_checks import check_scripts
from understudy.testbed.script_models import HTTPScript, ScriptFile
from understudy.testbed.scripts import load_script, load_scripts


@pytest.fixture
def suite() -> Suite:
    routes = {"routes": [{"operation": "getItem", "path": "/items/{id}"}, {"operation": "addItem"}]}
    return Suite.model_validate({"schema": "anvil.testbed.v1", "http": routes})


def test_every_problem_of_every_file_is_reported_together(
    tmp_path: Path, suite: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.yaml").write_text("graphql: [{endpoint: x}]\nhttp:\n  - operation: x\n  - operation: getItem\n")
    Path("b.yaml").write_text("queue: [{queue: x, job: y}]\n")
    with pytest.raises(InputError) as caught:
        apply_scripts(suite, load_scripts(["a.yaml", "b.yaml"]))
    places = [(problem.file, problem.line, problem.column) for problem in caught.value.problems]
    assert places == [("a.yaml", 1, 11), ("a.yaml", 1, 22), ("a.yaml", 3, 16), ("b.yaml", 1, 17)]


def test_a_name_that_several_have_is_refused_instead_of_guessed(suite: Suite) -> None:
    suite.http.routes[1].operation = "getItem"
    (problem,) = check_scripts(suite, [ScriptFile(http=[HTTPScript(operation="getItem", name="x")])])
    assert str(problem).startswith("case 'x': operation 'getItem' is 2 times in the suite")


def test_a_script_that_changed_since_it_was_loaded_is_told_by_the_place_it_had(
    tmp_path: Path, suite: Suite
) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("http:\n  - operation: x\n")
    script = load_script(path)
    for text in ("#\n#\nhttp:\n  - operation: y\n", "http: ["):
        path.write_text(text)
        (problem,) = check_scripts(suite, [script])
        assert (problem.line, problem.column) == (2, 5)
    path.unlink()
    assert check_scripts(suite, [script])[0].line == 2


def test_an_entry_moved_to_another_script_is_told_by_its_own_file(tmp_path: Path, suite: Suite) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text("http:\n  - operation: x\n")
    first, second = load_scripts([tmp_path / "a.yaml", tmp_path / "b.yaml"])
    first.http = second.http
    assert [problem.file for problem in check_scripts(suite, [first])] == [str(tmp_path / "b.yaml")]
