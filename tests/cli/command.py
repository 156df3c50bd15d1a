"""Runs the command as a user would, in this process or in one of its own, and keeps what it said."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from understudy.cli.main import invoke

UNDERSTUDY = str(Path(sys.executable).with_name("understudy"))
# What would change the output: that of a CI, and of a terminal.
IN_CI = ("CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "FORCE_COLOR", "NO_COLOR", "COLUMNS")


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        return self.out + self.err


class Command:
    """The command in this process, which is quicker than starting one."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *arguments: str | Path) -> Done:
        self._capture.readouterr()
        code = invoke([str(argument) for argument in arguments])
        said = self._capture.readouterr()
        return Done(int(code), said.out, said.err)


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a command of its own."""
    return {**{name: value for name, value in os.environ.items() if name not in IN_CI}, **(more or {})}


def understudy(
    arguments: Sequence[str | Path], cwd: Path, more: Mapping[str, str] | None = None, **options: Any
) -> Done:
    """The installed command in a process of its own."""
    command = [UNDERSTUDY, *map(str, arguments)]
    done = subprocess.run(
        command, cwd=cwd, env=environment(more), capture_output=True, text=True, timeout=60, **options
    )
    return Done(done.returncode, done.stdout, done.stderr)


def suite_of(*routes: tuple[str, str, dict[str, Any]]) -> str:
    """A suite with one GET case a route: operation, path and what is expected."""
    return json.dumps(
        {
            "schema": "anvil.testbed.v1",
            "http": {
                "routes": [
                    {
                        "operation": name,
                        "method": "GET",
                        "path": path,
                        "cases": [{"name": name, "expect": expect}],
                    }
                    for name, path, expect in routes
                ]
            },
        }
    )


WELL = suite_of(("well", "/well", {"status": 200}))
