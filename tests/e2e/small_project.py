"""A small project in a temporary folder, run through the real command in this process or in one of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from testbed.recording_server import Answer, RecordingServer
from understudy.cli.main import invoke

THIRD_PARTY = Path(__file__).parent.parent / "thirdparty"
COMMAND = (sys.executable, "-c", "from understudy.cli.main import main; main()")

Route = Mapping[str, Any]


def route(operation: str, *cases: Mapping[str, Any], path: str = "", **more: Any) -> Route:
    """A GET route of a suite; its path is its operation unless another is given."""
    return {
        "operation": operation,
        "method": "GET",
        "path": path or f"/{operation}",
        "cases": list(cases),
        **more,
    }


def case(name: str, status: int = 200, **more: Any) -> dict[str, Any]:
    """A case that expects a status."""
    expect = {"status": status, **more.pop("expect", {})}
    return {"name": name, "expect": expect, **more}


@dataclass(frozen=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str


class SmallProject:
    """A folder with a project file, and a server that its cases ask."""

    def __init__(self, folder: Path, server: RecordingServer, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.server = server
        self._capsys = capsys

    def path(self, name: str) -> Path:
        return self.folder / name

    def write(self, name: str, text: str | bytes) -> Path:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def project(self, rest: str = "", environment: str = "", testbed: str = "") -> None:
        """Write the project file: one environment at the server, the testbed with its suite, and what is given."""
        self.write(
            "understudy.toml",
            f'[environments.here]\nbase_url = "{self.server.url}"\n{environment}\n'
            f'[testbed]\nsuites = ["suite.json"]\n{testbed}\n{rest}\n',
        )

    def suite(self, *routes: Route, **more: Any) -> None:
        """Write the suite file."""
        suite = {"schema": "anvil.testbed.v1", "http": {"routes": list(routes)}, **more}
        self.write("suite.json", json.dumps(suite))

    def answers(self, **by_operation: Any) -> None:
        """What the server answers: a status, or an Answer."""
        for operation, answer in by_operation.items():
            found = answer if not isinstance(answer, int) else Answer({}, answer)
            self.server.answers[f"/{operation}"] = found

    def run(self, *arguments: str) -> Result:
        """`understudy run` on this project."""
        return self.command("run", str(self.folder), *arguments)

    def command(self, *arguments: str) -> Result:
        """Any command, in this process."""
        self._capsys.readouterr()
        code = invoke(list(arguments))
        captured = self._capsys.readouterr()
        return Result(code, captured.out, captured.err)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        """`understudy run` on this project in a process of its own."""
        return subprocess.Popen(
            [*COMMAND, "run", str(self.folder), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            start_new_session=True,
        )

    def report(self, name: str = "report.json") -> dict[str, Any]:
        """A JSON report that a run has written."""
        record: dict[str, Any] = json.loads(self.read(name))
        return record

    def outcomes(self, name: str = "report.json") -> dict[str, str]:
        """Statuses by the case's name, in the order of the report."""
        return {outcome["name"]: outcome["status"] for outcome in self.report(name)["outcomes"]}

    @property
    def asked(self) -> list[str]:
        """The paths that the server was asked for."""
        return [seen.path.removeprefix("/") for seen in self.server.seen]
