"""The cases of queues: bodies and headers are text, which brokers map to bytes and metadata."""

from __future__ import annotations

import base64
import binascii
from typing import Literal

from pydantic import Field

from understudy.testbed.cases import Case, Polling
from understudy.testbed.shape import Number, Shape


class QueueInput(Shape):
    """A message for a queue. A body that is no UTF-8 text stands as base64, with `encoding` "base64".

    >>> QueueInput.from_bytes(b"hi").body, QueueInput.from_bytes(b"\\xff").encoding
    ('hi', 'base64')
    """

    body: str = ""
    headers: dict[str, str] = Field(default_factory=dict)
    encoding: Literal["", "base64"] = ""

    @classmethod
    def from_bytes(cls, body: bytes, headers: dict[str, str] | None = None) -> QueueInput:
        """The input whose `body_bytes` are these."""
        given = {"headers": headers} if headers else {}
        try:
            return cls.model_validate({"body": body.decode("utf-8"), **given})
        except UnicodeDecodeError:
            text = base64.b64encode(body).decode("ascii")
            return cls.model_validate({"body": text, **given, "encoding": "base64"})

    def body_bytes(self) -> bytes:
        """The body as a broker sends it; raises ValueError if it is marked as base64 and is none."""
        if not self.encoding:
            return self.body.encode("utf-8")
        return decode_base64(self.body)


class QueueExpectation(Shape):
    """What must hold of the handler: the text of its error, empty for none."""

    error: str = ""
    latency_ms: Number | None = None


class QueueUntil(Polling, QueueExpectation):
    """A queue case is published again until this holds."""


class QueueCase(Case):
    """One message for one job of a queue.

    >>> QueueCase(name="ships", input=QueueInput(body="{}")).expect.error
    ''
    """

    input: QueueInput = Field(default_factory=QueueInput)
    expect: QueueExpectation = Field(default_factory=QueueExpectation)
    until: QueueUntil | None = None
    fail_if: QueueExpectation | None = None


def decode_base64(text: str) -> bytes:
    """The bytes of base64 text, which may be broken into lines as YAML does; raises ValueError otherwise."""
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"the text is no base64: {error}") from None
