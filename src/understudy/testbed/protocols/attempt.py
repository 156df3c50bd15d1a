"""One try of a case over HTTP: what was sent, what came back or why nothing did, and how long it took."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.testbed.cases import Case
from understudy.testbed.session import Session
from understudy.wire.messages import Request, Response

_UNREAD = object()


class NotJson(UnderstudyError):
    """The body is not JSON; the message says where it stops being."""


@dataclass(slots=True)
class Attempt:
    """What came of one try. `skipped` says that it could not be tried here.

    `failures` and `notes` are those of a runner that is not ours.
    """

    request: Request | None = None
    response: Response | None = None
    error: str = ""
    duration_ms: float = 0.0
    skipped: bool = False
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    _text: str | None = None
    _document: Any = _UNREAD

    @property
    def status(self) -> int:
        """The status of the response, 0 without one."""
        return self.response.status if self.response is not None else 0

    @property
    def text(self) -> str:
        """The body as text; what is not UTF-8 in it is replaced."""
        if self._text is None:
            self._text = self.response.body.decode("utf-8", "replace") if self.response is not None else ""
        return self._text

    @property
    def is_event_stream(self) -> bool:
        """True if the response is a stream of server-sent events."""
        kind = self.response.header("Content-Type") if self.response is not None else None
        return (kind or "").partition(";")[0].strip().lower() == "text/event-stream"

    @property
    def document(self) -> Any:
        """The body as JSON data; a list of the events' data for a stream of events. Raises NotJson."""
        if self._document is _UNREAD:
            if self.is_event_stream:
                self._document = [self._parsed(data) for data in event_data(self.text)]
            else:
                self._document = self._parsed(self.text)
        return self._document

    def _parsed(self, text: str) -> Any:
        cut = " (it was cut at the response limit)" if self.response and self.response.truncated else ""
        if "\ufffd" in text and (wrong := self._not_utf8()):
            raise NotJson(f"the body is no JSON{cut}: {wrong}")
        try:
            return json.loads(text.removeprefix("\ufeff"), parse_constant=_no_constant)
        except ValueError as error:
            if not text.strip():
                raise NotJson(f"the body is empty, so it is no JSON{cut}") from None
            raise NotJson(f"the body is no JSON{cut}: {_why_not(error)}") from None
        except RecursionError:
            raise NotJson("the body is JSON nested too deeply to be read") from None

    def _not_utf8(self) -> str:
        try:
            (self.response.body if self.response is not None else b"").decode("utf-8")
        except UnicodeDecodeError as error:
            return f"it is not valid UTF-8 from byte {error.start} on"
        return ""


def _why_not(error: ValueError) -> str:
    # Python refuses long numbers, whose digits take ever longer to read, and names the switch that would allow them.
    is_long = str(error).startswith("Exceeds the limit")
    return f"it has a number of more than {sys.get_int_max_str_digits():,} digits" if is_long else str(error)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def event_data(text: str) -> list[str]:
    """The data of every server-sent event that has any.

    >>> event_data("event: next\\ndata: {\\ndata: }\\n\\n: ping\\n\\nevent: complete\\ndata:\\n\\n")
    ['{\\n}']
    """
    events = []
    for block in text.replace("\r\n", "\n").replace("\r", "\n").split("\n\n"):
        lines = [line[5:].removeprefix(" ") for line in block.split("\n") if line.startswith("data:")]
        if (data := "\n".join(lines)).strip():
            events.append(data)
    return events


async def exchange(
    build_request: Callable[[Any, Any, Session], Request], owner: Any, case: Case, session: Session
) -> Attempt:
    """Send what a case says over the session's transport, timed; what goes wrong becomes the attempt's error."""
    try:
        request = build_request(owner, case, session)
    except UnderstudyError as error:
        return Attempt(error=str(error))
    timeout = case.timeout_ms / 1000 if case.timeout_ms else session.timeout
    follow_redirects = case.follow_redirects is not False
    clock = session.clock
    began = clock.monotonic()
    try:
        response = await session.transport.send(
            request, limit=session.limit, timeout=timeout, follow_redirects=follow_redirects
        )
    except UnderstudyError as error:
        return Attempt(request, None, str(error), (clock.monotonic() - began) * 1000)
    return Attempt(request, response, "", (clock.monotonic() - began) * 1000)
