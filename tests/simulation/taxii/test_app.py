"""The TAXII application on a real port: bounds, hostile clients, TLS, many at once, and settings that cannot be."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest
import requests

from understudy.core.errors import InputError
from understudy.simulation import SimulationConnector, serve_taxii, taxii_app
from understudy.simulation.faults import latency
from understudy.simulation.taxii import TaxiiCollection
from understudy.wire.serving import ServerTls, serve
from wire.authority import Authority

from .asking import TYPE, indicator


def exchange(url: str, sent: bytes) -> bytes:
    """Send bytes as they are, and read until the server ends the connection."""
    host, _, port = url.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(sent)
        received = b""
        while data := connection.recv(65536):
            received += data
    return received


def post(path: str, *headers: str) -> bytes:
    lines = [
        f"POST {path} HTTP/1.1",
        "Host: taxii.test",
        f"Content-Type: {TYPE}",
        "Connection: close",
        *headers,
        "",
        "",
    ]
    return "\r\n".join(lines).encode()


def test_a_body_beyond_the_bounds_is_refused_by_its_length_and_by_what_comes() -> None:
    connector = SimulationConnector()
    with serve_taxii(connector, max_content_length=1000) as served:
        url = served.collection_urls["Objects"] + "objects/"
        headers = {"Content-Type": TYPE, "Accept": TYPE}
        declared = requests.post(url, data=b"x" * 1001, headers=headers, timeout=10)
        chunked = requests.post(url, data=iter([b"x" * 600, b"x" * 600]), headers=headers, timeout=10)
        for answer in (declared, chunked):
            assert (answer.status_code, answer.json()["http_status"]) == (413, "413")
            assert "longer than 1,000 bytes" in answer.json()["description"]
        assert requests.get(served.api_root_url, timeout=10).json()["max_content_length"] == 1000
        assert list(connector.iter_fixtures()) == []


def test_a_client_that_asks_before_it_sends_too_much_is_refused_and_let_go() -> None:
    with serve_taxii(SimulationConnector(), max_content_length=10) as served:
        path = served.collection_urls["Objects"].removeprefix(served.base_url) + "objects/"
        sent = post(path, "Content-Length: 1000", "Expect: 100-continue").replace(
            b"Connection: close\r\n", b""
        )
        answered = exchange(served.base_url, sent)
        assert answered.startswith(b"HTTP/1.1 413")
        assert b"\r\nconnection: close\r\n" in answered.lower()


@pytest.mark.parametrize(
    "sent",
    [b"nonsense\r\n\r\n", b"POST /taxii2/ HTTP/1.1\r\nContent-Length: x\r\n\r\n"],
)
def test_what_is_no_http_is_refused_and_the_server_goes_on(sent: bytes) -> None:
    with serve_taxii(SimulationConnector()) as served:
        assert b"400" in exchange(served.base_url, sent).split(b"\r\n")[0]
        assert requests.get(served.discovery_url, timeout=10).status_code == 200


def test_a_client_that_goes_away_in_the_middle_of_its_body_writes_nothing() -> None:
    connector = SimulationConnector()
    with serve_taxii(connector) as served:
        path = served.collection_urls["Objects"].removeprefix(served.base_url) + "objects/"
        host, _, port = served.base_url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(post(path, "Content-Length: 1000") + b'{"objects": [')
        assert requests.get(served.discovery_url, timeout=10).status_code == 200
    assert list(connector.iter_fixtures()) == []


def test_a_slow_request_does_not_hold_up_the_others() -> None:
    asked, goes_on = threading.Event(), threading.Event()

    def wait(seconds: float) -> None:
        asked.set()
        assert goes_on.wait(20)

    connector = SimulationConnector([indicator(1)], faults=[latency(5, operation="get_object")], sleep=wait)
    with serve_taxii(connector) as served:
        url = served.collection_urls["Objects"] + "objects/"
        slow: list[int] = []
        thread = threading.Thread(
            target=lambda: slow.append(requests.get(f"{url}{indicator(1)['id']}/", timeout=30).status_code)
        )
        thread.start()
        assert asked.wait(20)
        assert requests.get(served.discovery_url, timeout=10).status_code == 200
        assert slow == []
        goes_on.set()
        thread.join(20)
        assert slow == [200]


def test_many_writers_at_once_lose_nothing() -> None:
    connector = SimulationConnector()
    with serve_taxii(connector) as served:
        url = served.collection_urls["Objects"] + "objects/"

        def write(first: int) -> None:
            with requests.Session() as session:
                for number in range(first, first + 10):
                    body = {"objects": [indicator(number), indicator(1000 + number)]}
                    session.post(
                        url, json=body, headers={"Content-Type": TYPE}, timeout=20
                    ).raise_for_status()

        threads = [threading.Thread(target=write, args=(10 * number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({one["id"] for one in connector.iter_fixtures()}) == 120


def test_it_is_served_over_tls(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    with serve_taxii(SimulationConnector(), tls=ServerTls(*authority.certificate("server"))) as served:
        answer = requests.get(
            served.discovery_url, verify=str(authority.ca_file), timeout=10, headers={"Connection": "close"}
        )
        assert answer.json()["default"] == served.api_root_url
        assert served.api_root_url.startswith("https://")


def test_an_application_without_a_connection_answers_its_lifespan() -> None:
    with serve(taxii_app(SimulationConnector())) as served:
        assert (
            requests.get(f"{served.base_url}/taxii2/", timeout=10).json()["default"]
            == f"{served.base_url}/api/"
        )


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"root": "taxii2"}, 'root is "taxii2"'),
        ({"root": "/api/"}, 'root is "/api/"'),
        ({"root": "a/../b"}, 'root is "a/../b"'),
        ({"root": ""}, 'root is ""'),
        ({"root": None}, "root is null"),
        ({"page_limit": 0}, "page_limit is 0"),
        ({"page_limit": True}, "page_limit is true"),
        ({"max_content_length": 1.5}, "max_content_length is 1.5"),
        ({"title": ""}, "title is empty"),
        ({"collections": [TaxiiCollection("A"), TaxiiCollection("A")]}, "two collections are called"),
        ({"collections": [TaxiiCollection("A", alias="x"), TaxiiCollection("B", alias="x")]}, "called 'x'"),
    ],
)
def test_settings_that_cannot_be_are_refused_before_anything_is_served(
    settings: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as refused:
        taxii_app(SimulationConnector(), **settings)
    assert said in str(refused.value)


def test_all_wrong_settings_are_told_at_once() -> None:
    with pytest.raises(InputError) as refused:
        taxii_app(SimulationConnector(), root="", page_limit=0, title="")
    assert len(refused.value.problems) == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"title": ""}, "the title of a collection is empty"),
        ({"id": "a b"}, "the id of a collection is 'a b'"),
        ({"alias": "a/b"}, "the alias of a collection is 'a/b'"),
        ({"id": ".."}, "the id of a collection is '..'"),
        ({"settle_after": -1}, "settle_after is -1"),
    ],
)
def test_a_collection_that_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as refused:
        TaxiiCollection(**given)
    assert said in str(refused.value)
