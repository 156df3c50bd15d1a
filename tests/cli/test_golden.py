"""Golden cases: every folder of `golden/` is a command, its input, and side by side what it prints and exits with.

`command` holds the command line. Beside it stand the files that the command finds in its folder, and `stdout`,
`stderr` and `code`. In all of them `{server}` is the URL of a server that answers as `ANSWERS` says, and what
differs from run to run is written `<time>`. With UPDATE_GOLDEN=1 in the environment the expectations are written
anew, and the test fails to say so: look at the difference before you keep it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from cli.command import Command, Done
from testbed.recording_server import Answer, RecordingServer

GOLDEN = Path(__file__).parent / "golden"
EXPECTED = ("stdout", "stderr", "code")
ANSWERS = {
    "/items/1": Answer({"id": 1, "name": "lamp", "tags": ["light", "home"]}),
    "/items/2": Answer({"id": 2, "name": "chair", "tags": []}),
    "/broken": Answer({"error": "out of order", "token": "hunter2hunter2"}, 500),
    "/login": Answer({"token": "abc"}, 201),
}
VARYING = (
    (re.compile(r"\b\d+(?:\.\d+)? (?:ms|s)\b"), "<time>"),
    (re.compile(r"(?m)^( *)date: .*"), r"\1date: <date>"),
    (re.compile(r"(?m)^( *)server: .*"), r"\1server: <version>"),
)


def cases() -> list[str]:
    return sorted(folder.name for folder in GOLDEN.iterdir())


@pytest.mark.parametrize("name", cases())
def test_the_command_says_and_exits_as_written_down(
    name: str, command: Command, server: RecordingServer, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    server.answers.update(ANSWERS)
    folder = GOLDEN / name
    shutil.copytree(folder, here, dirs_exist_ok=True)
    for file in (each for each in here.rglob("*") if each.is_file()):
        if file.name in (*EXPECTED, "command"):
            file.unlink()
        else:
            file.write_text(file.read_text().replace("{server}", server.url))
    first, *arguments = shlex.split((folder / "command").read_text().replace("{server}", server.url))
    assert first == "understudy"
    found = said(command(*arguments), server, here)
    if os.environ.get("UPDATE_GOLDEN"):
        for part, text in found.items():
            (folder / part).write_text(text)
        pytest.fail(f"{folder} was written anew; look at the difference")
    assert found == {part: (folder / part).read_text() for part in EXPECTED}


def said(done: Done, server: RecordingServer, here: Path) -> dict[str, str]:
    """What the command said, without what differs from run to run."""
    texts = {"stdout": done.out, "stderr": done.err, "code": f"{done.code}\n"}
    for part, text in texts.items():
        plain = text.replace(server.url, "{server}").replace(server.url.partition("//")[2], "{host}")
        plain = plain.replace(f"{here}/", "").replace(str(here), ".")
        for pattern, instead in VARYING:
            plain = pattern.sub(instead, plain)
        texts[part] = plain
    return texts
