"""What a simulated connector raises: its client error, and the KeyError of an id that it does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from understudy.core.errors import UnderstudyError
from understudy.core.nearness import closest_name

__all__ = ["ConnectorError", "ErrorSource", "GNATClientError", "UnknownObject"]

ErrorSource = Callable[[str], Exception]


class ConnectorError(UnderstudyError):
    """A request that the other side refused or never answered; `retry_after` is in seconds, if it was told.

    >>> ConnectorError("too many calls", retry_after=30.0).retry_after
    30.0
    """

    def __init__(self, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[type[ConnectorError], tuple[str, float | None]]:
        return type(self), (str(self), self.retry_after)


GNATClientError = ConnectorError


class UnknownObject(KeyError):
    """No object has this id (`args[0]`). The nearest id is looked up only if the error is shown.

    Pipelines ask for ids that may not be there all the time, so that raising has to be cheap.

    >>> str(UnknownObject("malware--A", "simulation", lambda: ["malware--a", "tool--b"]))
    "the connector 'simulation' holds no object 'malware--A' (nearest: 'malware--a'; ids that differ in case differ)"
    """

    def __init__(
        self, stix_id: Any, connector: str = "simulation", known: Callable[[], Iterable[str]] = tuple
    ) -> None:
        super().__init__(stix_id)
        self._connector = connector
        self._known = known

    @property
    def plainly(self) -> str:
        """What happened, without the search for what may have been meant."""
        shown = repr(self.args[0])
        return f"the connector {self._connector!r} holds no object {shown[:200]}{'…' if shown[200:] else ''}"

    def __str__(self) -> str:
        asked, said = self.args[0], self.plainly
        near = closest_name(asked, self._known()) if isinstance(asked, str) else ""
        if not near:
            return f"{said} (add it with add_fixture or upsert_object)"
        case = "; ids that differ in case differ" if near.casefold() == asked.casefold() else ""
        return f"{said} (nearest: {near!r}{case})"

    def __reduce__(self) -> tuple[type[UnknownObject], tuple[Any, str]]:
        return type(self), (self.args[0], self._connector)
