"""Bad files and bad options: one clear problem each, exit code 2, never a traceback."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from cli.command import WELL, Command, Done

ANYWHERE = ("--base-url", "http://127.0.0.1:9")
SCRIPT = "http:\n  - operation: well\n    name: more\n"
DEEP = 100_000
BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))

ANY_TEXT: dict[str, tuple[bytes, str]] = {
    "binary": (b"\x00\x01\x02", "is binary: a NUL byte at offset 0 (give a text file)"),
    "not UTF-8": (b'"caf\xe9"', "is not UTF-8: byte 0xe9 at offset 4"),
    "UTF-16": ("{}".encode("utf-16"), "is UTF-16, not UTF-8 (save it as UTF-8)"),
}
SUITES: dict[str, tuple[bytes, str]] = {
    **ANY_TEXT,
    "empty": (b"", "is empty"),
    "only spaces": (b"  \n", "is empty"),
    "no object": (b"[]", "is not a suite: the file must hold an object"),
    "null": (b"null", "is not a suite: the file must hold an object"),
    "another schema": (b'{"schema": "anvil.testbed.v2"}', "anvil.testbed.v1"),
    "a syntax error": (b'{"schema": "anvil.testbed.v1",}', "JSON"),
    "cut off": (b'{"schema": "anvil.testbed.v1"', "JSON"),
    "deep": (b"[" * DEEP + b"]" * DEEP, "nested"),
    "wrong types": (b'{"schema": "anvil.testbed.v1", "http": {"routes": 3}}', "'routes' must be a list"),
    "the same key twice": (b'{"schema": "anvil.testbed.v1", "schema": "x"}', "twice"),
    "a number for all time": (b'{"schema": ' + b"9" * 10_000 + b"}", "digits"),
    "NaN": (b'{"schema": "anvil.testbed.v1", "x": NaN}', "NaN"),
}
SCRIPTS: dict[str, tuple[bytes, str]] = {
    **ANY_TEXT,
    "empty": (b"", "is empty"),
    "only a comment": (b"# nothing\n", "is empty"),
    "a list": (b"- a\n", "must be a mapping, not a list"),
    "a syntax error": (b"http: [", "YAML"),
    "a tab": (b"http:\n\t- a\n", "YAML"),
    "a tag": (b"http: !!python/object/apply:os.system [ls]\n", "tag"),
    "deep": (b"a: " + b"[" * DEEP, "nested"),
    "an alias bomb": (BOMB.encode(), "alias"),
    "a loop": (b"http: &a [*a]\n", "*a stands within &a, so it would never end (remove it)"),
    "wrong types": (b"http: 3\n", "'http' must be a list"),
    "unknown keys": (b"httpp: []\n", "unknown key 'httpp' (did you mean 'http'?)"),
    "the same key twice": (b"http: []\nhttp: []\n", "twice"),
    "two documents": (b"http: []\n---\nhttp: []\n", "document"),
}


def one_problem(done: Done, file: str, message: str) -> None:
    assert done.code == 2, done.text
    assert done.out == ""
    assert "Traceback" not in done.err
    assert len(done.err.splitlines()) == 1, done.err
    assert done.err.startswith("error: ")
    assert file in done.err
    assert message in done.err, done.err
    assert len(done.err) < 600


@pytest.mark.parametrize("kind", SUITES)
def test_a_suite_that_is_none_is_one_clear_problem(command: Command, kind: str) -> None:
    content, message = SUITES[kind]
    Path("bad.json").write_bytes(content)
    one_problem(command("testbed", "run", "bad.json", *ANYWHERE), "bad.json", message)


@pytest.mark.parametrize("kind", SCRIPTS)
def test_a_script_that_is_none_is_one_clear_problem(command: Command, kind: str) -> None:
    content, message = SCRIPTS[kind]
    Path("good.json").write_text(WELL)
    Path("bad.yaml").write_bytes(content)
    done = command("testbed", "run", "good.json", "--script", "bad.yaml", *ANYWHERE)
    one_problem(done, "bad.yaml", message)


@pytest.mark.parametrize("name", ["bad.json", "bad.yaml"])
@pytest.mark.parametrize("kind", ["missing", "a folder", "too large", "a pipe", "unreadable link"])
def test_a_file_that_cannot_be_read_is_one_clear_problem(command: Command, name: str, kind: str) -> None:
    Path("good.json").write_text(WELL)
    file = Path(name)
    message = {
        "missing": "no such file",
        "a folder": "is a directory, not a file",
        "too large": "is too large",
        "a pipe": "is a pipe, socket or device",
        "unreadable link": "no such file",
    }[kind]
    if kind == "a folder":
        file.mkdir()
    elif kind == "too large":
        with file.open("wb") as out:
            out.truncate(1 << 30)
    elif kind == "a pipe":
        os.mkfifo(file)
    elif kind == "unreadable link":
        file.symlink_to("gone")
    files = [name] if name == "bad.json" else ["good.json", "--script", name]
    one_problem(command("testbed", "run", *files, *ANYWHERE), name, message)


def test_the_problems_of_all_files_are_told_together(command: Command) -> None:
    Path("good.json").write_text(WELL)
    Path("bad.json").write_text("[]")
    Path("one.yaml").write_text("http:\n  - operation: wel\n    name: a\n    params: {id: 1}\n")
    Path("two.yaml").write_text("httpp: 1\n")
    done = command(
        "testbed", "run", "good.json", "bad.json", "--script", "one.yaml", "--script", "two.yaml", *ANYWHERE
    )
    assert done.code == 2
    assert {line.split(":")[1].rpartition("/")[2].strip() for line in done.err.splitlines()} >= {
        "bad.json",
        "two.yaml",
    }


def test_a_pattern_of_the_project_that_matches_nothing_is_told_the_nearest(command: Command) -> None:
    Path("shop.suite.json").write_text(WELL)
    Path("understudy.toml").write_text('[testbed]\nsuites = ["shop.suit.*"]\nscripts = ["gone.yaml"]\n')
    done = command("run", "--list")
    assert done.code == 2
    assert "no suite file matches 'shop.suit.*' (did you mean 'shop.suite.json'?)" in done.err
    assert "gone.yaml: does not exist" in done.err


def test_a_suite_without_cases_is_no_success(command: Command) -> None:
    Path("empty.json").write_text('{"schema": "anvil.testbed.v1"}')
    done = command("testbed", "run", "empty.json", *ANYWHERE)
    assert (done.code, done.out, done.err) == (5, "", "error: no case was found by testbed\n")


@pytest.mark.parametrize(
    ("environments", "message"),
    [
        ("", "the environment has no base_url, and [app] is missing"),
        ("[environments.a]\n[environments.b]\n", "choose one of a, b with --env"),
    ],
)
def test_a_project_without_an_app_to_test_is_wrong_input(
    command: Command, environments: str, message: str
) -> None:
    Path("good.json").write_text(WELL)
    Path("understudy.toml").write_text(f'[testbed]\nsuites = ["good.json"]\n{environments}')
    done = command("run")
    assert (done.code, done.out) == (2, "")
    assert "understudy.toml: there is no app to test" in done.err
    assert message in done.err
    assert command("run", "--list").code == 0


def test_a_file_outside_of_the_project_is_refused(command: Command, here: Path) -> None:
    (here / "inner").mkdir()
    Path("out.json").write_text(WELL)
    Path("inner/understudy.toml").write_text('[testbed]\nsuites = ["../out.json"]\n')
    done = command("run", "inner", "--list")
    assert done.code == 2
    assert "outside of" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--no-such-option"], "No such option"),
        (["-k", "a and"], "the expression ends where a word was expected"),
        (["-m", "(a"], "column"),
        (
            ["--case", "testbed::good.json::http/well/wel"],
            "did you mean 'testbed::good.json::http/well/well'?",
        ),
        (["--shard", "3/2"], "'3/2' is no shard"),
        (["--shard", "x"], "'x' is no shard"),
        (["--shard", "1/2", "--durations", "gone.json"], "gone.json: does not exist"),
        (["--seed", "-1"], "--seed"),
        (["--seed", "x"], "--seed"),
        (["--concurrency", "0"], "--concurrency"),
        (["--workers", "999999"], "--workers"),
        (["--memory", "1"], "--memory"),
        (["--unit-timeout", "0"], "--unit-timeout"),
        (["--executor", "nope"], "--executor"),
        (["--workers", "2", "--concurrency", "2"], "--workers and --concurrency contradict each other"),
        (["--executor", "serial", "--concurrency", "2"], "contradict each other"),
        (["--executor", "concurrent", "--workers", "2"], "contradict each other"),
        (["--yes"], "it has no meaning without it"),
        (["--durations", "good.json"], "--durations balances shards; it has no meaning without --shard"),
        (["--list", "--json", "r.json"], "--list runs nothing, so --json has no meaning beside it"),
        (["--list", "--update"], "--list runs nothing, so --update has no meaning beside it"),
        (["--json", "r", "--html", "./r"], "--json and --html name the same file"),
        (["--json", "r", "--report", "r"], "--json and --report name the same file"),
        (["--junit", "."], ".: is a directory, not a file"),
        (["--junit", "good.json/r.xml"], "the folder for the report cannot be made"),
        (["--env", "staging"], "--env has no meaning for suites on the command line"),
        (["--project", "."], "--project has no meaning for suites on the command line"),
        (["--rerun-failed"], "--rerun-failed has no meaning for suites on the command line"),
        (["--base-url", "nope"], "the base URL 'nope' must have a scheme and a host"),
        (["--base-url", "http://127.0.0.1:99999"], "must have a scheme and a host"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_wrong_option_is_told_before_anything_runs(
    command: Command, arguments: list[str], message: str
) -> None:
    Path("good.json").write_text(WELL)
    done = command("testbed", "run", "good.json", *ANYWHERE, *arguments)
    assert done.code == 2
    assert "Traceback" not in done.err
    assert message in done.err
    assert done.out == ""


def test_suites_without_a_base_url_are_told_so(command: Command) -> None:
    Path("good.json").write_text(WELL)
    done = command("testbed", "run", "good.json")
    assert (done.code, done.err) == (
        2,
        "error: suites on the command line need --base-url; where is the server?\n",
    )


def test_a_hint_of_several_lines_stands_below_its_problem(command: Command) -> None:
    Path("good.json").write_text(WELL)
    done = command("testbed", "run", "good.json", *ANYWHERE, "-k", "a and")
    assert done.err.splitlines()[1:] == ["  at the caret:", "      a and", "           ^"]


def test_a_project_of_another_encoding_of_arguments_is_still_one_problem(command: Command) -> None:
    done = command("run", "caf\udce9")
    assert (done.code, done.err) == (
        2,
        "error: 'caf\\udce9': no such file or folder (give the folder of the project)\n",
    )


def test_a_suite_of_many_wrong_cases_tells_them_all(command: Command) -> None:
    suite = json.loads(WELL)
    suite["http"]["routes"][0]["cases"] = [{"name": 5}, {"name": "b", "expect": {"status": "x"}}, 7]
    Path("bad.json").write_text(json.dumps(suite, indent=1))
    done = command("testbed", "run", "bad.json", *ANYWHERE)
    assert done.code == 2
    assert len(done.err.splitlines()) == 3
    assert all("bad.json:" in line for line in done.err.splitlines())
