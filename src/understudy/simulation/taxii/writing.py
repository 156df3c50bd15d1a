"""Takes what is posted: reads the envelope, writes each object to the connector, and keeps the status of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from understudy.core.clock import Clock, IdSource
from understudy.core.errors import InputError
from understudy.documents.json import load_json
from understudy.simulation.taxii.errors import TaxiiError
from understudy.simulation.taxii.reading import failure
from understudy.simulation.taxii.stamps import timestamp, version_text

Upsert = Callable[[Any], Any]

# How many statuses are kept; the oldest are forgotten first.
STATUS_LIMIT = 10_000


def read_envelope(body: bytes) -> list[Any]:
    """The objects of an envelope, or of a bundle, which clients are seen to send. Raises TaxiiError 400."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        hint = f"byte 0x{body[error.start]:02x} at offset {error.start}; send UTF-8"
        raise TaxiiError(400, "the body is not UTF-8", hint) from None
    try:
        data = load_json("body", text=text).data
    except InputError as error:
        raise TaxiiError(400, "the body is no JSON that can be read", str(error)) from None
    if not isinstance(data, Mapping):
        raise TaxiiError(400, "the body is no envelope", 'send {"objects": [...]}')
    objects = data.get("objects")
    if not isinstance(objects, list) or not objects:
        raise TaxiiError(
            400, "the envelope has no objects", 'send {"objects": [...]} with at least one object'
        )
    return objects


@dataclass(slots=True)
class _Detail:
    """One object of a request, and what became of it; `error` says why it is refused, if it is."""

    value: Any
    id: str
    version: str
    error: Exception | None = None

    def resource(self) -> dict[str, Any]:
        said = {"message": str(self.error)} if self.error is not None else {}
        return {"id": self.id, "version": self.version, **said}


@dataclass(slots=True)
class _Status:
    """A request to add objects: done at once, or pending until its status was asked for `settle_after` times."""

    id: str
    requested: datetime
    upsert: Upsert
    details: list[_Detail]
    asked: int
    settle_after: int
    is_complete: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def settle(self) -> None:
        """Write the objects, one after the other; one that is refused does not stop the others."""
        for detail in self.details:
            if detail.error is None:
                try:
                    self.upsert(detail.value)
                except Exception as error:
                    detail.error = error
        self.is_complete = True

    def resource(self) -> dict[str, Any]:
        """The status resource."""
        done = self.details if self.is_complete else []
        successes = [detail.resource() for detail in done if detail.error is None]
        failures = [detail.resource() for detail in done if detail.error is not None]
        pendings = [] if self.is_complete else [detail.resource() for detail in self.details]
        said: dict[str, Any] = {
            "id": self.id,
            "status": "complete" if self.is_complete else "pending",
            "request_timestamp": timestamp(self.requested),
            "total_count": len(self.details),
        }
        groups = (("success", successes, "successes"), ("failure", failures, "failures"))
        for name, details, plural in (*groups, ("pending", pendings, "pendings")):
            said[f"{name}_count"] = len(details)
            if details:
                said[plural] = details
        return said


class StatusBook:
    """The statuses of a server. Can be used from several threads."""

    def __init__(self, clock: Clock, new_id: IdSource) -> None:
        self._clock = clock
        self._new_id = new_id
        self._statuses: dict[str, _Status] = {}
        self._lock = threading.Lock()

    def add(self, objects: Sequence[Any], upsert: Upsert, settle_after: int = 0) -> dict[str, Any]:
        """Write objects, now or later, and give the status resource.

        If the connector failed for every object, the request as a whole has failed: TaxiiError 429 or 500.
        """
        now = self._clock.now()
        details = [_detail(value, number, now) for number, value in enumerate(objects)]
        with self._lock:
            status = _Status(self._new_id(), now, upsert, details, 0, settle_after)
        if not settle_after:
            status.settle()
            _refuse_if_nothing_went(details)
        with self._lock:
            self._statuses[status.id] = status
            while len(self._statuses) > STATUS_LIMIT:
                del self._statuses[next(iter(self._statuses))]
        return status.resource()

    def get(self, identifier: str) -> dict[str, Any] | None:
        """The status resource of an earlier request; asking may be what settles it."""
        with self._lock:
            status = self._statuses.get(identifier)
        if status is None:
            return None
        with status.lock:
            if not status.is_complete:
                status.asked += 1
                if status.asked >= status.settle_after:
                    status.settle()
            return status.resource()


def _detail(value: Any, number: int, now: datetime) -> _Detail:
    known = value if isinstance(value, Mapping) else {}
    identifier = known.get("id")
    is_named = isinstance(identifier, str) and bool(identifier)
    return _Detail(
        value, str(identifier) if is_named else f"objects[{number}]", version_text(known, now), _unfit(value)
    )


def _unfit(value: Any) -> Exception | None:
    if not isinstance(value, Mapping):
        return InputError(f"it is no object, but {type(value).__name__}")
    lacking = [name for name in ("id", "type") if not (isinstance(value.get(name), str) and value[name])]
    return InputError(f"it has no {' and no '.join(lacking)}") if lacking else None


def _refuse_if_nothing_went(details: Sequence[_Detail]) -> None:
    errors = [detail.error for detail in details]
    refused = [error for error in errors if error is not None and not isinstance(error, InputError)]
    if refused and None not in errors:
        raise failure(refused[0])
