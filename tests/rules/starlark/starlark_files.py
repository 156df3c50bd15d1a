"""Test files of Starlark, run in this process against an evaluator that answers what it was told."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.rules.starlark.cases import Ran, run_test
from understudy.rules.starlark.errors import Misuse
from understudy.rules.starlark.host import Host
from understudy.rules.starlark.modules import Modules, TestModule
from understudy.rules.starlark.turn import Turn

PASSED: dict[str, Any] = {
    "status": "pass",
    "violations": [],
    "message": "",
    "output": None,
    "remediation": None,
    "alert": None,
}


@dataclass
class Evaluator:
    """Gives `result`, and keeps what it was asked."""

    result: dict[str, Any] = field(default_factory=lambda: dict(PASSED))
    asked: list[dict[str, Any]] = field(default_factory=list)

    def evaluate(
        self, given: dict[str, Any], mocks: str, folder: Path, turn: Turn, *, mindev: bool
    ) -> dict[str, Any]:
        self.asked.append({**given, "mocks": json.loads(mocks)})
        if given["rule"] == "unknown":
            raise Misuse("rule 'unknown' not found")
        return self.result


class StarlarkFiles:
    """A folder of Starlark files."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.evaluator = Evaluator()
        self.host = Host(self.evaluator)
        self.modules = Modules(root, self.host)

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), "utf-8")
        return path

    def load(self, text: str, name: str = "a.star") -> TestModule:
        return self.modules.load(self.write(name, text), name)

    def run(self, text: str, test: str = "test_it", name: str = "a.star") -> Ran:
        return run_test(self.load(text, name), test, self.host)

    def run_body(self, *lines: str) -> Ran:
        """Run a test of these lines."""
        return self.run("def test_it():\n" + "".join(f"    {line}\n" for line in lines))
