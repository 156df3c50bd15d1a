"""What a hostile server does is one errored case each, quickly, while the other cases still run."""

from __future__ import annotations

import json
import resource
import socket
from pathlib import Path
from typing import Any

import pytest

from cli.command import Command, suite_of, understudy
from testbed.recording_server import Answer, RecordingServer
from wire.hostile import HostileServer

WELL = {"status": 200}
ERRORED = {
    "hang": "no whole response within 2 s",
    "stall": "no whole response within 2 s",
    "silent": "closed the connection",
    "reset": "closed the connection",
    "half": "closed the connection before the whole body had come",
    "half-chunked": "closed the connection before the whole body had come",
    "half-nothing": "closed the connection before the whole body had come",
    "garbage": "HTTP",
    "loop": "10 redirects",
    "many-headers": "headers",
    "huge-header": "header",
    "continue": "",
    "bad-gzip": "cannot be unpacked as its Content-Encoding says",
}
JUDGED = {
    "endless": "cut",
    "endless-plain": "cut",
    "bomb": "cut",
}


@pytest.fixture
def report(here: Path, hostile: HostileServer) -> dict[str, dict[str, Any]]:
    """All of it in one run, between two cases that are well."""
    names = ["first", *ERRORED, *JUDGED, "last"]
    Path("shop.json").write_text(suite_of(*[(name, f"/{name}", WELL) for name in names]))
    Path("understudy.toml").write_text(
        f'[environments.local]\nbase_url = "{hostile.base_url}"\n'
        '[testbed]\nsuites = ["shop.json"]\ntimeout = 2\n'
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = understudy(["run", "--json", "report.json"], here)
    assert "Traceback" not in done.text
    assert done.code == 1
    # The largest child of all; others may have been larger before.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss <= max(before, 200 << 10)
    outcomes = json.loads(Path("report.json").read_text())["outcomes"]
    return {outcome["name"].rpartition("/")[2]: outcome for outcome in outcomes}


def test_every_hostile_answer_is_one_errored_case_and_the_others_run(
    report: dict[str, dict[str, Any]],
) -> None:
    statuses = {name: outcome["status"] for name, outcome in report.items()}
    assert statuses == {
        "first": "passed",
        **dict.fromkeys(ERRORED, "errored"),
        **dict.fromkeys(JUDGED, "passed"),
        "last": "passed",
    }
    for name, words in ERRORED.items():
        assert words in report[name]["reason"], name
        assert "\n" not in report[name]["reason"], name
        assert report[name]["durationMs"] < 10_000, name
    for name, words in JUDGED.items():
        assert any(words in note for note in report[name].get("notes", ())), (name, report[name])


def test_a_server_that_refuses_is_one_errored_case_each(command: Command) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # taken, but not listened on
        base_url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        Path("shop.json").write_text(suite_of(("a", "/a", WELL), ("b", "/b", WELL)))
        done = command("testbed", "run", "shop.json", "--base-url", base_url, "--report", "v1.json")
    assert done.code == 1
    assert done.out.count("is the app running, and is the port right?") >= 2
    assert "2 errored" in done.out
    assert json.loads(Path("v1.json").read_text())["summary"] == {
        "total": 2,
        "passed": 0,
        "failed": 2,
        "skipped": 0,
    }


def test_a_body_that_is_not_utf_8_can_still_be_judged(command: Command, server: RecordingServer) -> None:
    server.answers["/odd"] = Answer(b"caf\xe9 and \xff\xfe")
    Path("shop.json").write_text(
        suite_of(
            ("plain", "/odd", {"bodyContains": ["caf"]}), ("accent", "/odd", {"bodyContains": ["caf\u00e9"]})
        )
    )
    done = command(
        "testbed", "run", "shop.json", "--base-url", server.url, "--json", "r.json", "--html", "r.html"
    )
    assert done.code == 1
    assert done.out.splitlines()[-1].startswith("1 passed, 1 failed")
    outcomes = json.loads(Path("r.json").read_text())["outcomes"]
    assert [outcome["status"] for outcome in outcomes] == ["passed", "failed"]
    assert 'body does not contain "caf\u00e9"' in outcomes[1]["failures"][0]["message"]


def test_a_longer_body_than_announced_is_what_was_announced(command: Command, hostile: HostileServer) -> None:
    Path("shop.json").write_text(
        suite_of(("short", "/short-length", {"bodyContains": ["hello"]}), ("after", "/after", WELL))
    )
    done = command("testbed", "run", "shop.json", "--base-url", hostile.base_url)
    assert done.out.splitlines()[-1].startswith("2 passed")
