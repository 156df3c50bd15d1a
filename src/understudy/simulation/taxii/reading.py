"""Asks the connector for what a TAXII request reads: each request is one call, with its cost, log entry and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from math import ceil
from typing import TYPE_CHECKING, Any

from understudy.context import BudgetExceeded
from understudy.core.errors import InputError
from understudy.simulation.cursors import Cursor
from understudy.simulation.filters import spec_version_of
from understudy.simulation.object_store import Version
from understudy.simulation.taxii.errors import TaxiiError
from understudy.simulation.taxii.query import Query, read_timestamp

if TYPE_CHECKING:
    from understudy.simulation.connector import SimulationConnector


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read: versions of objects with the moment each was added, and where to go on (empty at the end)."""

    objects: Sequence[dict[str, Any]]
    added: Sequence[datetime]
    next: str = ""

    def pairs(self) -> Iterator[tuple[dict[str, Any], datetime]]:
        """Each object with the moment it was added."""
        return zip(self.objects, self.added, strict=True)


def read_objects(connector: SimulationConnector, query: Query, page_limit: int) -> Reading:
    """A page of a collection's objects, in the order in which they were added."""
    with answering():
        as_they_came = _is_in_order(connector, query)
        page = connector.page(
            filters=query.filters(),
            added_after=query.added_after,
            order_by=None if as_they_came else "added",
            page_size=_size(query, page_limit),
            cursor=query.next or None,
            versions=None if as_they_came else list(query.versions) or "last",
        )
    return Reading(page.objects, page.added, page.next_cursor or "")


def read_object(connector: SimulationConnector, stix_id: str, query: Query, page_limit: int) -> Reading:
    """The versions of one object that are asked for: the last one, unless the query says which."""
    return _versions(connector, stix_id, query, page_limit, connector.get_object, query.versions or ("last",))


def read_versions(connector: SimulationConnector, stix_id: str, query: Query, page_limit: int) -> Reading:
    """Every version of one object."""
    return _versions(connector, stix_id, query, page_limit, connector.versions, ("all",))


@contextmanager
def answering() -> Iterator[None]:
    """What the connector raises, as the protocol answers it."""
    try:
        yield
    except TaxiiError:
        raise
    except KeyError as error:
        raise TaxiiError(404, "no such object", str(error)) from error
    except InputError as error:
        raise TaxiiError(400, "the request is wrong", str(error)) from error
    except Exception as error:
        raise failure(error) from error


def failure(error: Exception) -> TaxiiError:
    """What a fault of the connector is over HTTP: 429 if it says when to come again, else 500."""
    if isinstance(error, BudgetExceeded):
        return TaxiiError(429, "the budget is used up", str(error))
    retry_after = getattr(error, "retry_after", None)
    if retry_after is None:
        return TaxiiError(500, "the request failed", str(error))
    return TaxiiError(
        429, "too many requests", str(error), headers=(("Retry-After", str(max(ceil(retry_after), 0))),)
    )


def held(connector: SimulationConnector, stix_id: str) -> list[Version]:
    """Every version of an object, oldest first; none if there is no such object. To look is no request."""
    with connector.store.lock:
        entry = connector.store.find(stix_id)
        return entry.versions() if entry is not None else []


def chosen(
    found: Sequence[Version], versions: Sequence[str], spec_versions: Sequence[str] = ()
) -> list[Version]:
    """Those of an object's versions (oldest first) that words and timestamps mean."""
    if spec_versions:
        found = [one for one in found if spec_version_of(one.value) in spec_versions]
    if not found or "all" in versions:
        return list(found)
    wanted = {"first": found[0], "last": found[-1]}
    meant = [wanted[word] for word in versions if word in wanted]
    moments = {read_timestamp(text) for text in versions} - {None}
    return [one for one in found if one in meant or one.moment in moments]


def _is_in_order(connector: SimulationConnector, query: Query) -> bool:
    """True if the objects can be read as they came, which costs by the page, and not by the collection.

    A listing goes on as it began, whatever was added meanwhile.
    """
    if query.versions:
        return False
    return Cursor.read(query.next).key is None if query.next else connector.store.is_in_order_added


def _versions(
    connector: SimulationConnector,
    stix_id: str,
    query: Query,
    page_limit: int,
    ask: Callable[[str], Any],
    versions: Sequence[str],
) -> Reading:
    with answering():
        ask(stix_id)
    found = chosen(held(connector, stix_id), versions, query.spec_versions)
    found = [one for one in found if query.added_after is None or one.added > query.added_after]
    start, size = _start(query.next), _size(query, page_limit)
    page = found[start : start + size]
    goes_on = str(start + size) if start + size < len(found) else ""
    return Reading([one.copy() for one in page], [one.added for one in page], goes_on)


def _start(text: str) -> int:
    if not text:
        return 0
    if not (text.isascii() and text.isdigit() and len(text) < 18):
        raise TaxiiError(
            400, "the query is wrong", "next is not what the page before said (give it as it is)"
        )
    return int(text)


def _size(query: Query, page_limit: int) -> int:
    return min(query.limit or page_limit, page_limit)
