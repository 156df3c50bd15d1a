"""What the benchmarks stand on: a server that answers right, rounds that are fair, and the same cases for everyone."""

from __future__ import annotations

import http.client
import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from benchmarks.fast_server import FastProtocol, fast_server
from benchmarks.items import peers_python, suite, write_tavern_file
from benchmarks.measuring import difference, ratio, rounds, timed_commands

from understudy.testbed.models import Suite
from understudy.testbed.runner import RunOptions, run


def test_the_server_answers_every_request_of_a_connection_and_ends_with_its_process() -> None:
    with fast_server() as base_url:
        address = urlsplit(base_url)
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=10)
        for number in (1, 22):
            connection.request("GET", f"/any/{number}")
            assert json.loads(connection.getresponse().read())["id"] == number
        connection.close()
    with pytest.raises(ConnectionRefusedError):
        connection.connect()


def test_a_request_that_comes_in_pieces_is_answered_once_it_is_whole() -> None:
    class Wire:
        def __init__(self) -> None:
            self.written = b""

        def write(self, data: bytes) -> None:
            self.written += data

    wire, protocol = Wire(), FastProtocol()
    protocol._transport = wire  # type: ignore[assignment]  # all that is used of a transport
    protocol.data_received(b"GET /items/7 HTTP/1.1\r\nHost")
    assert wire.written == b""
    protocol.data_received(b": x\r\n\r\nGET /items/8 HTTP/1.1\r\n\r\n")
    assert [part[:1] for part in wire.written.split(b'"id":')[1:]] == [b"7", b"8"]


def test_every_round_has_all_contenders_in_changing_order_and_the_first_does_not_count() -> None:
    ran: list[str] = []

    def contender(name: str) -> float:
        ran.append(name)
        return float(len(ran))

    measures = rounds({name: lambda name=name: contender(name) for name in ("a", "b", "c")}, 2)  # type: ignore[misc]  # bound early
    assert ran == ["a", "b", "c", "b", "c", "a", "c", "a", "b"]
    assert measures == {"a": [6.0, 8.0], "b": [4.0, 9.0], "c": [5.0, 7.0]}


def test_one_slow_round_does_not_move_what_is_compared() -> None:
    measures = {"ours": [10.0, 900.0, 12.0], "theirs": [20.0, 30.0, 24.0]}
    assert ratio(measures, "ours", "theirs") == 0.5
    assert difference(measures, "ours", "theirs") == -10.0


def test_a_command_that_fails_is_no_measurement(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo it broke >&2; exit 4"]
    with pytest.raises(SystemExit, match=r"ended with 4:\s+it broke"):
        timed_commands({"broken": command}, tmp_path, 1)


def test_ours_and_taverns_file_ask_for_the_same_items_and_check_them(tmp_path: Path) -> None:
    plan = Suite.model_validate(suite([3, 4]))
    with fast_server() as base_url:
        assert run(plan, RunOptions(base_url=base_url)).summary.passed == 2
        plan.http.routes[0].cases[0].expect.body_contains = ['"id":5,']
        assert run(plan, RunOptions(base_url=base_url)).summary.failed == 1
        text = (tmp_path / write_tavern_file(tmp_path, [3, 4], base_url)).read_text()
    stages = [test["stages"][0] for test in yaml.safe_load_all(text)]
    assert [stage["request"]["url"] for stage in stages] == [f"{base_url}/items/3", f"{base_url}/items/4"]
    assert [stage["response"]["json"] for stage in stages] == [{"id": 3}, {"id": 4}]


def test_missing_peers_say_how_they_are_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_PEERS_PYTHON", str(tmp_path / "python"))
    with pytest.raises(SystemExit, match="make peers"):
        peers_python()
