"""The port through which rules reach HTTP: what they ask, what they are answered, and what can go wrong.

Behind it stand the mocks of a test (`understudy.rules.mocks`) or, if the user allows it, the network
(`understudy.rules.web_network`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from understudy.core.errors import UnderstudyError
from understudy.wire.messages import Headers
from understudy.wire.route_misses import NearMiss

BODY_LIMIT = 1 << 20
DATA_SOURCE_TIMEOUT = 5.0
INGEST_TIMEOUT = 10.0
LOG_LIMIT = 1_000

_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


# Tuples with names, as they are made in a third of the time of frozen dataclasses, several for each evaluation.
class WebRequest(NamedTuple):
    """What a rule asks for. A URL without scheme is relative to the base of the rule's provider.

    With `with_token` the user's token for the provider goes along, if it is the provider who is asked. Redirects are
    followed on the network only: a mock's answer is the last one.
    """

    method: str
    url: str
    headers: Headers = ()
    body: bytes | None = None
    timeout: float = INGEST_TIMEOUT
    with_token: bool = False
    follows_redirects: bool = True


class Answer(NamedTuple):
    """What came back; `url` is the one that was asked, `mock` the key of the mock that answered."""

    status: int
    headers: Headers = ()
    body: bytes = b""
    url: str = ""
    mock: str = ""

    def header(self, name: str) -> str:
        """The first value of a header, its name compared without case; '' if there is none.

        >>> Answer(200, (("Content-Type", "text/plain"),)).header("content-type")
        'text/plain'
        """
        folded = name.lower()
        return next((value for key, value in self.headers if key.lower() == folded), "")


class WebError(UnderstudyError):
    """No answer could be had; the message says why."""


class TimedOut(WebError):
    """The time allowed ran out, or the mock says so."""


class TooLarge(WebError):
    """The answer's body is larger than rules are given."""


class UnmatchedRequest(WebError):
    """A request that no mock matches: what was asked, and which mocks came near."""

    def __init__(self, method: str, url: str, misses: Sequence[NearMiss] = (), others: int = 0) -> None:
        self.method = method
        self.url = url
        self.misses = tuple(misses)
        self.others = others
        super().__init__(_unmatched(method, url, self.misses, others))

    def __reduce__(self) -> tuple[type[UnmatchedRequest], tuple[str, str, tuple[NearMiss, ...], int]]:
        return type(self), (self.method, self.url, self.misses, self.others)


class LoggedRequest(NamedTuple):
    """One request that a rule made: the status of its answer and the mock that gave it, or why there is none."""

    method: str
    url: str
    status: int | None = None
    mock: str = ""
    error: str = ""

    def __str__(self) -> str:
        answer = f"answered {self.status}" if self.status is not None else self.error
        return f"{self.method} {self.url}: {answer}{f' by the mock {self.mock!r}' if self.mock else ''}"


@dataclass(slots=True)
class RequestLog:
    """The requests of an evaluation in their order, the first thousand of them, and those that no mock matched.

    A policy does not see an unmatched request as an error: what called it is undefined. So whoever runs the policy
    must look here.
    """

    requests: list[LoggedRequest] = field(default_factory=list)
    unmatched: list[UnmatchedRequest] = field(default_factory=list)
    count: int = 0

    def note(self, request: LoggedRequest) -> None:
        """Remember a request."""
        self.count += 1
        if self.count <= LOG_LIMIT:
            self.requests.append(request)

    def note_error(self, method: str, url: str, error: WebError) -> None:
        """Remember a request that was not answered."""
        words = str(error).partition("\n")[0].removeprefix(f"{method} {url}: ")
        if isinstance(error, UnmatchedRequest):
            words = "no mock matches it"
            if len(self.unmatched) < LOG_LIMIT:
                self.unmatched.append(error)
        self.note(LoggedRequest(method, url, error=words))


class Web(Protocol):
    """Answers the requests of rules."""

    @property
    def log(self) -> RequestLog:
        """What was asked so far."""
        ...

    @property
    def mimics_mindev(self) -> bool:
        """Whether answers are taken as in mindev's tests, where no status is an error to a rule's ingest."""
        ...

    def send(self, request: WebRequest) -> Answer:
        """The answer to a request, whatever its status. Raises WebError if there is none."""
        ...

    def pause(self, seconds: float) -> None:
        """Wait before a request is sent again; mocks need no wait."""
        ...


def resolve(url: str, base: str) -> str:
    """The URL itself, or, if it is relative, what it means below a base.

    >>> resolve("/projects/7", "https://gitlab.com/api/v4"), resolve("http://a.test/", "https://gitlab.com")
    ('https://gitlab.com/api/v4/projects/7', 'http://a.test/')
    """
    return url if is_absolute(url) else f"{base.rstrip('/')}/{url.lstrip('/')}"


def is_absolute(url: str) -> bool:
    """Does the URL say its scheme itself?"""
    return _ABSOLUTE.match(url) is not None


def _unmatched(method: str, url: str, misses: Sequence[NearMiss], others: int) -> str:
    lines = [f"no mock matches {method} {url}"]
    if not misses:
        lines.append("  no mocks are given at all")
    for miss in misses:
        lines.append(f"  not {miss}")
    if others > 0:
        lines.append(f"  nor {others} other {'mock' if others == 1 else 'mocks'}")
    lines.append(f'  to answer it, add a mock: "{method} {url}": body(...)')
    return "\n".join(lines)
