"""The web as a test's mocks make it up."""

from __future__ import annotations

from understudy.rules.mocks.table import MockTable
from understudy.rules.web import Answer, LoggedRequest, RequestLog, WebError, WebRequest, is_absolute, resolve


class MockWeb:
    """A `Web` that mocks answer.

    A relative URL is asked below the provider's base; a mock that has the path as the rule has it answers, too.

    >>> web = MockWeb(MockTable.first_dialect({"/projects/7": {"status": 204}}), "https://gitlab.com/api/v4")
    >>> web.send(WebRequest("GET", "projects/7")).url
    'https://gitlab.com/api/v4/projects/7'
    """

    __slots__ = ("_base", "_log", "_table")

    def __init__(
        self, table: MockTable, base: str = "https://api.github.com", log: RequestLog | None = None
    ) -> None:
        self._table = table
        self._base = base
        self._log = RequestLog() if log is None else log

    @property
    def log(self) -> RequestLog:
        """What was asked so far."""
        return self._log

    @property
    def mimics_mindev(self) -> bool:
        """Whether the mocks are of the second dialect."""
        return not self._table.is_strict

    def send(self, request: WebRequest) -> Answer:
        """The answer of the mock that matches best. Raises TimedOut, UnmatchedRequest, or MockError."""
        method, url = request.method, request.url
        relative = "" if is_absolute(url) else url
        if relative:
            url = resolve(relative, self._base)
        try:
            answer = self._table.answer(method, url, request.headers, request.body, relative=relative)
        except WebError as error:
            self._log.note_error(method, url, error)
            raise
        self._log.note(LoggedRequest(method, url, answer.status, answer.mock))
        return answer

    def pause(self, seconds: float) -> None:
        """No wait is needed where everything is made up."""
