"""The project file: every key is checked, all problems are told at once, each at its place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from understudy.core.errors import InputError
from understudy.project.project import Project, load_project

Load = Callable[..., Project]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Loads a project file that has a testbed beside what is given."""
    monkeypatch.chdir(tmp_path)

    def go(text: str, testbed: str = '\n[testbed]\nsuites = ["s.json"]\n', **more: str) -> Project:
        Path("understudy.toml").write_text(text + testbed)
        return load_project(".", **more)  # type: ignore[arg-type]  # environment and only

    return go


def problems(load: Load, *arguments: str) -> list[str]:
    with pytest.raises(InputError) as wrong:
        load(*arguments)
    return [str(problem) for problem in wrong.value.problems]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('naem = "x"', "1:1: unknown key 'naem' (did you mean 'name'?)"),
        ("[app]\nstrat = 'x'\nstart = 'x'", "2:1: unknown key 'strat' (did you mean 'start'?)"),
        ("[app]\nstart = 5", "2:9: 'start' must be text, not the number 5"),
        ("[app]\nhealth = '/'", "1:2: 'start' is missing"),
        ("[app]\nstart = ''", "2:9: 'start': must be a command with its arguments"),
        ("[app]\nstart = '  '", "2:9: 'start': must be a command with its arguments"),
        (
            "[app]\nstart = 'cd a && b'",
            "2:9: 'start': runs without a shell, so '&&' means nothing; write sh -c",
        ),
        (
            "[app]\nstart = 'A=1 b'",
            "2:9: 'start': runs without a shell, so 'A=1' sets nothing; [app] env sets",
        ),
        ("[app]\nstart = 'a \"b'", "2:9: 'start': is no command: no closing quotation"),
        (
            "[app]\nstart = 'shop {prot} {\"a\":1}'",
            "2:9: 'start': has {prot}, which nothing stands for; did you mean {port}?",
        ),
        ('[app]\nstart = "a\\u0000b"', "2:9: 'start': must be a command with its arguments"),
        (
            "[app]\nstart = 'x'\nready_timeout = 0",
            "3:17: 'ready_timeout' must be more than 0.0, not the number 0",
        ),
        (
            "[app]\nstart = 'x'\n[app.env]\n'A=B' = 'x'",
            "4:1: the key 'A=B': is no name of an environment variable",
        ),
        ("app = 3", "1:7: 'app' must be a mapping, not the number 3"),
        ("environment = true", "1:15: 'environment' must be text, not true"),
        ("environments = []", "1:16: 'environments' must be a mapping, not a list"),
        (
            "[environments.local]\nbase_ulr = 'x'",
            "2:1: unknown key 'base_ulr' (did you mean 'base_url'?)",
        ),
        (
            "[environments.local.headers]\nA = {env = 'x', other = 'y'}",
            "2:17: unknown key 'other'",
        ),
        ("[environments.local.headers]\nA = {env = ''}", "2:12: 'env' must not be empty"),
        ("[environments.local.tls]\ncert = 'x'", "2:1: unknown key 'cert'"),
        ("[[known]]\ncase = 'x'", "1:3: 'reason' is missing"),
        ("[[known]]\ncase = 'x'\nreason = 'y'\nuntil = 'soon'", "4:9: 'until' "),
        ("[testbd]\nsuites = []", "1:2: unknown key 'testbd' (did you mean 'testbed'?)"),
        ("[zzz]", "1:2: unknown key 'zzz' (keys are name, environment, app, environments, known, store, and"),
    ],
)
def test_a_wrong_key_is_told_with_its_place(load: Load, text: str, expected: str) -> None:
    found = problems(load, text)
    assert len(found) == 1, found
    assert found[0].startswith(f"understudy.toml:{expected}")


def test_all_problems_of_the_file_and_its_acts_are_told_in_their_order(load: Load) -> None:
    text = 'naem = "x"\n[app]\nstart = 1\n[zebra]\n'
    found = problems(load, text, '[testbed]\nsuites = "s.json"\ntimeout = "long"\n')
    assert [problem.split(": ")[0] for problem in found] == [
        f"understudy.toml:{place}" for place in ("1:1", "3:9", "4:2", "6:10", "7:11")
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"",
            "1:1: has no table of an act, such as [testbed]; there is nothing to run (installed acts: ",
        ),
        (b"\x00\x01", "1: is binary: a NUL byte at offset 0 (give a text file)"),
        (b'name = "\xff"', "1: is not UTF-8: byte 0xff at offset 8, line 1 (save it as UTF-8)"),
        (b"\xff\xfea\x00", "1: is UTF-16, not UTF-8 (save it as UTF-8)"),
        (b"#" * (2 << 20), "is too large: 2,097,152 bytes, and at most 1,048,576 are read"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "1:1: is nested more than 100 levels deep (flatten it)"),
        (b".".join([b"a"] * 100_000) + b" = 1", "1: is nested more than 100 levels deep (flatten it)"),
        (b"a = 1\na = 2", "2:6: is not valid TOML: cannot overwrite a value"),
        (b"[testbed\n", "1:9: is not valid TOML: expected ']'"),
        (b"a = inf\n[testbed]\nsuites=['x']", "1:5: infinity and NaN have no form in JSON"),
    ],
    ids=["empty", "binary", "latin", "utf16", "large", "deep", "deep key", "twice", "syntax", "infinity"],
)
def test_a_file_that_cannot_be_one_is_one_clear_problem(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("understudy.toml").write_bytes(content)
    with pytest.raises(InputError) as wrong:
        load_project()
    assert len(wrong.value.problems) == 1
    shown = str(wrong.value).replace(f"{tmp_path}/", "")
    assert shown.removeprefix("understudy.toml:").strip().startswith(message)


def test_a_folder_of_that_name_is_one_clear_problem(tmp_path: Path) -> None:
    (tmp_path / "understudy.toml").mkdir()
    with pytest.raises(InputError, match=r"understudy\.toml: is a directory, not a file"):
        load_project(tmp_path)


def test_the_table_of_pyproject_is_read_with_places_in_that_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = "[project]\nname = 'shop'\n\n[tool.understudy]\nname = 'ours'\n"
    Path("pyproject.toml").write_text(text + "[tool.understudy.testbed]\nsuites = ['s.json']\n")
    assert load_project().config.name == "ours"
    Path("pyproject.toml").write_text(text + "nmae = 1\n[tool.understudy.testbed]\nsuites = ['s.json']\n")
    with pytest.raises(
        InputError, match=r"pyproject\.toml:6:1: unknown key 'nmae' \(did you mean 'name'\?\)"
    ):
        load_project()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[tool]\nunderstudy = 3",
            r"2:14: 'tool\.understudy' must be a table \(write \[tool\.understudy\]\)",
        ),
        ("[project]", r"1:1: has no table \[tool\.understudy\]"),
    ],
)
def test_a_pyproject_without_our_table_is_told_so(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(InputError, match=rf"pyproject\.toml:{message}"):
        load_project(tmp_path / "pyproject.toml")


def test_known_failures_are_read(load: Load) -> None:
    project = load("[[known]]\ncase = 'a'\nreason = 'b'\nuntil = 2030-01-02\n")
    assert {case: (known.reason, known.until) for case, known in project.known.items()} == {
        "a": ("b", "2030-01-02")
    }


def test_only_one_act_is_loaded_if_only_one_is_wanted(load: Load) -> None:
    assert list(load("").acts) == ["testbed"]
    assert list(load("", only="testbed").acts) == ["testbed"]
    assert list(load("", only="rules").acts) == []
