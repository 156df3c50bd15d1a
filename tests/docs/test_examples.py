"""The examples of the documentation are executed: code is run, files are read by their readers."""

from __future__ import annotations

import doctest
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
README = Path(__file__).parents[2] / "README.md"
FENCE = re.compile(r"(?P<fence>`{3,})(?P<language>[a-z]*)(?: \{(?P<mark>[^}]*)\})?\s*")


@dataclass(frozen=True)
class Block:
    """A marked fenced block; `line` is that of its first line."""

    page: Path
    line: int
    kind: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass
class Reading:
    """What the blocks of one page share: a folder, names, and the last suite."""

    folder: Path
    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "example"})
    suite: Any = None

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
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
            kind = f"{opening['language']} {opening['mark'].removesuffix(' hidden')}"
            yield Block(page, start + 1, kind, "\n".join(lines[start:position]) + "\n")
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


READERS: dict[str, Callable[[Block, Reading], None]] = {
    "python test": run_python,
    "toml project": read_project,
    "json suite": read_suite,
    "yaml script": read_script,
    "json report": read_report,
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
    reading = Reading(tmp_path)
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


@pytest.mark.parametrize("text", ["assert 1 == 2\n", ">>> 1 + 1\n3\n", "raise SystemExit(0)\n"])
def test_an_example_that_does_not_work_fails(text: str, tmp_path: Path) -> None:
    with pytest.raises((AssertionError, SystemExit)):
        run_python(Block(README, 1, "python test", text), Reading(tmp_path))
