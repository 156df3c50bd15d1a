"""Requests and responses over ASGI: bodies are bounded in size and time, and what stood on the wire is kept."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from understudy.wire.asgi import (
    BodyTooLarge,
    BodyTooSlow,
    ClientGone,
    Message,
    first_header,
    read_request,
    send_response,
)
from understudy.wire.messages import Request, Response


def scope(**changes: Any) -> dict[str, Any]:
    return {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": "/a b",
        "raw_path": b"/a%20b",
        "query_string": b"x=%2F",
        "headers": [(b"host", b"shop.test:81"), (b"x-twice", b"1"), (b"x-twice", b"\xe9")],
        **changes,
    }


class Sending:
    """A client that sends the given chunks, and then says nothing, ends, or goes away."""

    def __init__(self, *chunks: bytes, then: str = "end") -> None:
        self.chunks = list(chunks)
        self.then = then

    async def __call__(self) -> Message:
        if self.chunks:
            chunk = self.chunks.pop(0)
            return {
                "type": "http.request",
                "body": chunk,
                "more_body": bool(self.chunks) or self.then != "end",
            }
        if self.then == "gone":
            return {"type": "http.disconnect"}
        if self.then == "for ever":
            return {"type": "http.request", "body": b"x" * (1 << 20), "more_body": True}
        await asyncio.Event().wait()
        raise AssertionError("never")


def read(sending: Sending, limit: int = 10, patience: float = 30.0, **changes: Any) -> Request:
    return asyncio.run(read_request(scope(**changes), sending, limit=limit, patience=patience))


def test_a_request_is_what_stood_on_the_wire() -> None:
    request = read(Sending(b"ab", b"cd"))
    assert (request.method, request.url, request.body) == ("POST", "http://shop.test:81/a%20b?x=%2F", b"abcd")
    assert request.headers == (("host", "shop.test:81"), ("x-twice", "1"), ("x-twice", "é"))


def test_without_host_or_raw_path_the_server_and_the_path_are_taken() -> None:
    request = read(Sending(b""), headers=[], raw_path=None, path="/é", query_string=b"", server=("h", 9))
    assert (request.url, request.body) == ("http://h:9/\u00c3\u00a9", None)


def test_a_body_of_exactly_the_limit_is_read_and_one_byte_more_is_not() -> None:
    assert read(Sending(b"12345", b"67890")).body == b"1234567890"
    with pytest.raises(BodyTooLarge, match="longer than 10 bytes") as caught:
        read(Sending(b"12345", b"67890", b"1"))
    assert caught.value.is_drained


def test_a_declared_length_above_the_limit_is_refused_and_the_body_thrown_away() -> None:
    with pytest.raises(BodyTooLarge) as caught:
        read(Sending(b"1", b"2"), headers=[(b"content-length", b"11")])
    assert caught.value.is_drained


def test_a_client_that_waits_for_leave_to_send_too_much_does_not_get_it() -> None:
    sending = Sending(b"1")
    with pytest.raises(BodyTooLarge) as caught:
        read(sending, headers=[(b"content-length", b"11"), (b"expect", b"100-continue")])
    assert not caught.value.is_drained
    assert sending.chunks == [b"1"]


def test_an_endless_body_is_given_up() -> None:
    with pytest.raises(BodyTooLarge) as caught:
        read(Sending(then="for ever"))
    assert not caught.value.is_drained


def test_a_body_that_does_not_come_is_too_slow() -> None:
    with pytest.raises(BodyTooSlow, match=r"within 0\.01 s"):
        read(Sending(b"1", then="nothing"), patience=0.01)


def test_a_client_that_goes_away_is_told_apart() -> None:
    with pytest.raises(ClientGone):
        read(Sending(b"1", then="gone"))


def test_a_response_is_sent_with_its_length_and_may_end_the_connection() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(send_response(send, Response(201, (("X-A", "é"),), b"abc"), close=True))
    assert sent == [
        {
            "type": "http.response.start",
            "status": 201,
            "headers": [(b"X-A", b"\xe9"), (b"content-length", b"3"), (b"connection", b"close")],
        },
        {"type": "http.response.body", "body": b"abc"},
    ]


def test_a_header_is_found_whatever_its_case() -> None:
    assert first_header([("A", "1"), ("a", "2")], "a") == "1"
    assert first_header([], "a") is None
