"""The examples of the documentation are executed: code is run, files are read by their readers."""

from __future__ import annotations

import doctest
import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from cli.command import IN_CI, Command

DOCS = Path(__file__).parents[2] / "docs"
README = Path(__file__).parents[2] / "README.md"
FENCE = re.compile(r"(?P<fence>`{3,})(?P<language>[a-z]*)(?: \{(?P<mark>[^}]*)\})?\s*")
ANY_LANGUAGE = "file"
RULE_NAME = re.compile(r"^(?:# )?name: (\S+)$", re.MULTILINE)
DURATION = re.compile(r"\b\d+(?:\.\d+)? (?:ms|s)\b")


@dataclass(frozen=True)
class Block:
    """A marked fenced block; `line` is that of its first line, `argument` what its mark says beside the kind."""

    page: Path
    line: int
    kind: str
    text: str
    argument: str = ""

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass
class Reading:
    """What the blocks of one page share: a folder, the command to run in it, names, and the last suite."""

    folder: Path
    command: Command
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "example"})
    suite: Any = None

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file


def marked_blocks(page: Path, text: str) -> Iterator[Block]:
    """Every fenced block with a mark that is ours; other fences are passed over whole."""
    lines = text.splitlines()
    position = 0
    while position < len(lines):
        opening = FENCE.fullmatch(lines[position])
        position += 1
        if opening is None:
            continue
        start = position
        while position < len(lines) and lines[position].rstrip() != opening["fence"]:
            position += 1
        if opening["mark"] is not None:
            mark, _, argument = opening["mark"].removesuffix(" hidden").partition(" ")
            kind = mark if mark == ANY_LANGUAGE else f"{opening['language']} {mark}"
            yield Block(page, start + 1, kind, "\n".join(lines[start:position]) + "\n", argument)
        position += 1


def run_python(block: Block, reading: Reading) -> None:
    """Run code, or compare what a prompt shows; line numbers in errors are those of the page."""
    if block.text.startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(
            block.text, reading.names, block.page.name, str(block.page), block.line - 1
        )
        said: list[str] = []
        outcome = doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
        assert outcome.failed == 0, "".join(said)
        reading.names.update(test.globs)
    else:
        exec(compile("\n" * (block.line - 1) + block.text, str(block.page), "exec"), reading.names)


def read_project(block: Block, reading: Reading) -> None:
    """A project file must be valid, acts and all."""
    from understudy.project.project import load_project

    load_project(reading.write("understudy.toml", block.text))


def read_suite(block: Block, reading: Reading) -> None:
    """A suite must be valid; scripts further down the page are applied to it."""
    from understudy.testbed import Suite

    reading.suite = Suite.model_validate(json.loads(block.text))


def read_script(block: Block, reading: Reading) -> None:
    """A script must be valid, and fit the suite that stands above it."""
    from understudy.testbed import apply_scripts, load_script

    assert reading.suite is not None, "a script needs a suite above it on the page, which may be hidden"
    script = load_script(reading.write("script.yaml", block.text))
    apply_scripts(reading.suite, [script])


def read_report(block: Block, reading: Reading) -> None:
    """A report must satisfy its schema and survive being read."""
    from understudy.core.report import report_from_json
    from understudy.reporting.schema_check import violations

    record = json.loads(block.text)
    assert violations(record, limit=20) == []
    report_from_json(record)


def write_file(block: Block, reading: Reading) -> None:
    """A file that the blocks below it use."""
    reading.write(block.argument, block.text)


def read_rule(block: Block, reading: Reading) -> None:
    """A rule must be one; tests and commands further down the page find it under its name."""
    from understudy.rules.rule_files import read_rule_file

    file = block.argument
    if not file:
        name = RULE_NAME.search(block.text)
        assert name is not None, "a rule has a name, or its mark a file"
        file = f"{name[1]}.{block.kind.partition(' ')[0]}"
    path = reading.write(file, block.text)
    assert read_rule_file(path, path.name) is not None, "it is no rule type"


def run_rule_tests(block: Block, reading: Reading) -> None:
    """Rule tests must pass, mocks and all, with the rules and files that stand above them."""
    path = reading.write(block.argument or f"line_{block.line}.star", block.text)
    done = reading.command("rules", "test", path, "--root", reading.folder)
    assert done.code == 0, done.text


def run_commands(block: Block, reading: Reading) -> None:
    """Commands must end with the code that the mark names, or 0, and say the lines shown, in this order."""
    for call in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, shown = call.partition("\n")
        first, *arguments = shlex.split(line, comments=True)
        assert first == "understudy", f"only understudy is run, and not {first}"
        done = reading.command(*arguments)
        assert done.code == int(block.argument or 0), done.text
        said = iter(DURATION.sub("<time>", done.text).splitlines())
        for wanted in filter(str.strip, DURATION.sub("<time>", shown).splitlines()):
            assert wanted in said, f"{line!r} does not say {wanted!r}:\n{done.text}"


READERS: dict[str, Callable[[Block, Reading], None]] = {
    "python test": run_python,
    "toml project": read_project,
    "json suite": read_suite,
    "yaml script": read_script,
    "json report": read_report,
    "yaml rule": read_rule,
    "rego rule": read_rule,
    "starlark test": run_rule_tests,
    "console run": run_commands,
    ANY_LANGUAGE: write_file,
}

PAGES = {
    page: blocks
    for page in [README, *sorted(DOCS.rglob("*.md"))]
    if (blocks := list(marked_blocks(page, page.read_text(encoding="utf-8"))))
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS.parent).as_posix())
def test_the_examples_of_a_page_work(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in IN_CI:
        monkeypatch.delenv(name, raising=False)
    reading = Reading(tmp_path, Command(capsys))
    for block in PAGES[page]:
        try:
            READERS[block.kind](block, reading)
        except (Exception, SystemExit) as error:
            error.add_note(f"in the example at {block.place} ({block.kind})")
            raise


def test_every_mark_is_known_and_every_kind_of_example_is_there() -> None:
    assert {block.kind for blocks in PAGES.values() for block in blocks} == set(READERS)


def test_marked_blocks_are_found_with_their_lines_and_fences_inside_fences_are_not() -> None:
    text = "````text\n```python {test}\n```\n````\n\n```python\nno\n```\n\n```python {test}\nyes\n```\n"
    (block,) = marked_blocks(README, text)
    assert (block.line, block.kind, block.text) == (11, "python test", "yes\n")


def test_a_mark_may_name_a_file_and_hide_its_block() -> None:
    text = "```text {file data/a.txt hidden}\na\n```\n\n```starlark {test b.star}\nb\n```\n"
    assert [(block.kind, block.argument) for block in marked_blocks(README, text)] == [
        ("file", "data/a.txt"),
        ("starlark test", "b.star"),
    ]


RULE = "type: rule-type\nname: a\ndef: {ingest: {type: git}, eval: {type: jq, jq: [{}]}}\n"


@pytest.mark.parametrize(
    ("kind", "text", "argument"),
    [
        ("python test", "assert 1 == 2\n", ""),
        ("python test", ">>> 1 + 1\n3\n", ""),
        ("python test", "raise SystemExit(0)\n", ""),
        ("yaml rule", RULE.replace("rule-type", "data-source"), ""),
        ("yaml rule", RULE.replace("name", "title"), ""),
        ("starlark test", "def test_it():\n    check.eq(1, 2)\n", ""),
        ("starlark test", "x = 1\n", ""),
        ("console run", "$ understudy --help\nnothing of the kind\n", ""),
        (
            "console run",
            "$ understudy --help\nCommands:\nUsage: understudy [OPTIONS] COMMAND [ARGS]...\n",
            "",
        ),
        ("console run", "$ understudy --help\n", "1"),
        ("console run", "$ rm file\n", ""),
    ],
)
def test_an_example_that_does_not_work_fails(
    kind: str,
    text: str,
    argument: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((AssertionError, SystemExit)):
        READERS[kind](Block(README, 1, kind, text, argument), Reading(tmp_path, Command(capsys)))


def test_examples_of_rules_work_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    reading = Reading(tmp_path, Command(capsys))
    shown = "$ understudy rules test a.star\n\n1 passed in 3 ms\n"
    read_rule(Block(README, 1, "yaml rule", RULE), reading)
    run_rule_tests(
        Block(README, 1, "starlark test", "def test_it():\n    check.true(1)\n", "a.star"), reading
    )
    run_commands(Block(README, 1, "console run", shown), reading)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.star", "a.yaml"]
