"""`import understudy` costs next to nothing: it brings in no library, and no room of ours."""

from __future__ import annotations

import subprocess
import sys

from unmeasured import unmeasured

PROGRAM = """
import sys
before = set(sys.modules)
{}
print(*sorted(set(sys.modules) - before))
"""


def modules_brought_in_by(statement: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM.format(statement)]
    done = subprocess.run(command, env=unmeasured(), capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_import_understudy_brings_in_nothing_but_itself() -> None:
    assert modules_brought_in_by("import understudy") == ["understudy"]


def test_the_vocabulary_brings_in_nothing_but_itself_and_the_standard_library() -> None:
    brought = modules_brought_in_by("import understudy.core.report, understudy.core.events")
    foreign = {name.partition(".")[0] for name in brought} - set(sys.stdlib_module_names) - {"understudy"}
    assert foreign == set()
    assert {name for name in brought if name.startswith("understudy.")} == {
        name for name in brought if name == "understudy.core" or name.startswith("understudy.core.")
    }


def test_expect_can_be_imported_from_the_top() -> None:
    assert "understudy.core.expect" in modules_brought_in_by("from understudy import expect")
