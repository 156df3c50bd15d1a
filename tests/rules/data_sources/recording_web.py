"""A web that remembers what it was asked and how long it was told to wait, and answers from a list."""

from __future__ import annotations

from understudy.rules.web import Answer, RequestLog, WebError, WebRequest


class RecordingWeb:
    """Answers each request with the next of its answers, the last one again and again."""

    mimics_mindev = False

    def __init__(self, *answers: Answer | WebError) -> None:
        self.log = RequestLog()
        self.requests: list[WebRequest] = []
        self.pauses: list[float] = []
        self._answers = answers or (Answer(200, (), b"{}"),)

    def send(self, request: WebRequest) -> Answer:
        self.requests.append(request)
        answer = self._answers[min(len(self.requests), len(self._answers)) - 1]
        if isinstance(answer, WebError):
            raise answer
        return answer

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
