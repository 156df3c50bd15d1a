"""The simulated connector: the interface of a real one over objects in memory, with its budget, log and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MethodType
from typing import Any, Literal, TypeVar, cast

from understudy.context import ExecutionContext, TrustLevel, current_context
from understudy.core.clock import Clock, SystemClock
from understudy.core.collector import without_collector
from understudy.core.errors import InputError, Problem
from understudy.simulation.errors import ConnectorError, ErrorSource, UnknownObject
from understudy.simulation.fault_run import Call, FaultRun, Sleep, rearranged
from understudy.simulation.faults import Fault, Faults
from understudy.simulation.fixtures import as_object, gathered, read_fixtures
from understudy.simulation.interface import fit_to_interface
from understudy.simulation.object_copies import owned
from understudy.simulation.object_store import Entry, ObjectStore
from understudy.simulation.ordering import OrderBy
from understudy.simulation.replay.deliveries import about_to_write, delivery_order, run_around
from understudy.simulation.selection import PAGE_SIZE, Page, Request, pick, select
from understudy.simulation.settings import checked_context, checked_cost, checked_error_source, checked_extra
from understudy.simulation.validation import Validation, validator

__all__ = ["SimulationConnector"]

R = TypeVar("R")

_Said = tuple[R, Any, "dict[str, Any] | None"]  # the result, what is hashed into the log, and details for it


class SimulationConnector:
    """A connector whose platform is a store of STIX objects in memory. Nothing leaves the process.

    What it gives out are copies. Every request charges the budget of its context, and is noted in that context's
    log; the context is `_context`, or else the current one. It can be used from several threads.

    >>> connector = SimulationConnector([{"type": "tool", "id": "tool--1", "name": "nmap"}])
    >>> connector.get_object("tool--1")["name"]
    'nmap'
    >>> connector.list_objects("malware")
    []
    """

    COST_UNIT: int = 1
    TRUST_LEVEL: TrustLevel | str = TrustLevel.SEMI_TRUSTED

    def __init__(
        self,
        fixtures: Any = (),
        *,
        trust_level: TrustLevel | str | None = None,
        raise_on_request: bool = False,
        context: ExecutionContext | None = None,
        error: ErrorSource = ConnectorError,
        cost_unit: int | None = None,
        interface: type | None = None,
        extra: Mapping[str, Any] | None = None,
        validate: Validation = None,
        faults: Faults | Fault | Iterable[Fault] | None = None,
        clock: Clock | None = None,
        sleep: Sleep | None = None,
        name: str = "simulation",
    ) -> None:
        """Make a connector that holds `fixtures`, in any form that `load_fixtures` takes.

        `raise_on_request`: every read and write raises the client error, which `error` makes of a message (a class
        of a real library, for example). `interface`: a Protocol or class that the connector has to fit; what is
        async there has to be awaited here, and methods that it has beyond ours are given as `extra`, which are
        called with the connector first. `validate`: "strict"
        refuses what is not valid STIX 2.1, "warn" warns. `sleep` is told how long a latency fault takes.
        """
        self.name = name
        self.TRUST_LEVEL = TrustLevel(trust_level if trust_level is not None else self.TRUST_LEVEL)
        if cost_unit is not None:
            self.COST_UNIT = checked_cost(cost_unit)
        self.raise_on_request = raise_on_request
        self._context = checked_context(context)
        self._make_error = checked_error_source(error)
        self._clock = clock or SystemClock()
        self._faults = FaultRun(faults, self._clock, sleep)
        self._check = validator(validate)
        self._store = ObjectStore()
        for method, value in checked_extra(extra).items():
            setattr(self, method, MethodType(value, self) if callable(value) else value)
        self.add_fixture(fixtures)
        if interface is not None:
            fit_to_interface(self, interface)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self._store):,} objects)"

    # The interface of a connector

    def authenticate(self) -> None:
        """Nothing to do: always succeeds, and costs nothing (unless a fault names it)."""
        self._faults.begin("authenticate", self._error)

    def health_check(self) -> dict[str, Any]:
        """`{"status": "ok"}`, also with `raise_on_request`: only a fault that names it makes it fail."""
        return self._request("health_check", "read", "", lambda call: ({"status": "ok"}, None, None))

    def list_objects(
        self,
        stix_type: str | None = None,
        filters: Any = None,
        page: int | None = None,
        page_size: int | None = None,
        *,
        modified_since: Any = None,
        added_after: Any = None,
        order_by: OrderBy = None,
        cursor: str | None = None,
        limit: int | None = None,
        versions: Any = None,
    ) -> list[dict[str, Any]]:
        """Copies of all objects, in the order in which they came, or of those that are asked for.

        `filters` is what `read_filters` takes: property paths to values or operators. `page` counts from 1;
        `page_size` is 100 unless given; `limit` cuts whatever comes. `order_by` is a property ("-modified": latest
        first), "added", or a key function. `versions`: "current" (what was stored last), "first", "last", "all", or
        a moment. `modified_since` includes that moment; what has no `modified` counts by `created`, or when it
        was added. For a cursor, ask `page()`.

        >>> connector = SimulationConnector([{"type": "tool", "id": f"tool--{n}", "rank": n} for n in range(5)])
        >>> [found["rank"] for found in connector.list_objects("tool", {"rank": {">": 1}}, order_by="-rank")]
        [4, 3, 2]
        """
        asked = (
            stix_type,
            filters,
            modified_since,
            added_after,
            order_by,
            page,
            page_size,
            cursor,
            limit,
            versions,
        )
        return self._list(Request(*asked)).objects

    def get_object(self, stix_id: str, version: Any = None) -> dict[str, Any]:
        """A copy of the object with this id, as it was stored last, or in a version ("first", "last", a moment).

        Raises KeyError if there is none.
        """

        def read(call: Call) -> _Said[dict[str, Any]]:
            found = pick(self._entry(stix_id), version)
            if found is None:
                raise KeyError(f"{stix_id} has no version {version!r}; versions({stix_id!r}) has all of them")
            return found.copy(), found.value, None

        return self._request("get_object", "read", stix_id, read)

    def upsert_object(self, obj: Any) -> dict[str, Any]:
        """Append an object whose id is new, or replace the one that has it; returns a copy of what was stored.

        An object without an id is appended, is listed, and cannot be addressed.
        """
        value = self._taken(as_object(obj), "the object")

        def write(call: Call) -> _Said[dict[str, Any]]:
            for _ in range(call.times()):
                version = self._store.put(value, self._clock.now())
            return version.copy(), version.value, None

        return self._request("upsert_object", "write", value.get("id"), write)

    def delete_object(self, stix_id: str) -> None:
        """Remove the object with this id, in all its versions; nothing happens if there is none."""

        def write(call: Call) -> _Said[None]:
            return None, None, {"removed": self._store.remove(stix_id)}

        self._request("delete_object", "write", stix_id, write)

    def to_stix(self, obj: R) -> R:
        """The object itself: what this platform holds is STIX."""
        return obj

    def from_stix(self, stix_obj: R) -> R:
        """The object itself: what this platform holds is STIX."""
        return stix_obj

    # What many connectors have beyond it

    def page(
        self,
        stix_type: str | None = None,
        filters: Any = None,
        page: int | None = None,
        page_size: int = PAGE_SIZE,
        *,
        modified_since: Any = None,
        added_after: Any = None,
        order_by: OrderBy = None,
        cursor: str | None = None,
        limit: int | None = None,
        versions: Any = None,
    ) -> Page:
        """A page of what `list_objects` lists, with the cursor that goes on after it.

        Cursors stay true while objects are added, deleted and moved: nothing comes twice, and nothing is passed over.

        >>> connector = SimulationConnector([{"type": "tool", "id": f"tool--{n}"} for n in range(3)])
        >>> first = connector.page(page_size=2)
        >>> [found["id"] for found in connector.page(page_size=2, cursor=first.next_cursor).objects]
        ['tool--2']
        """
        asked = (
            stix_type,
            filters,
            modified_since,
            added_after,
            order_by,
            page,
            page_size,
            cursor,
            limit,
            versions,
        )
        return self._list(Request(*asked))

    def versions(self, stix_id: str) -> list[dict[str, Any]]:
        """Copies of every version of an object by its `modified`, oldest first. Raises KeyError if there is none."""

        def read(call: Call) -> _Said[list[dict[str, Any]]]:
            with self._store.lock:
                found = self._entry(stix_id).versions()
            return [version.copy() for version in found], None, {"count": len(found)}

        return self._request("versions", "read", stix_id, read)

    # For tests

    def add_fixture(self, obj: Any) -> None:
        """Put an object in, or all of a bundle, an envelope, a file, or several of these: no request, free, not logged.

        All of them are put in, or none if one of them is refused.
        """
        with without_collector():
            values = gathered(self._checked_fixtures(obj))
            with self._store.lock:
                for value in values:
                    self._store.put(value, self._clock.now())

    def add_fixtures(self, *sources: Any) -> None:
        """`add_fixture` for several."""
        self.add_fixture(sources)

    def iter_fixtures(self) -> Iterator[dict[str, Any]]:
        """Copies of the objects that are held now, in the order in which they came; no request, free, not logged."""
        with self._store.lock:
            entries = list(self._store.all)
        for entry in entries:
            yield entry.current.copy()

    def unused_faults(self) -> list[Fault]:
        """The faults of the script that no call has met."""
        return self._faults.unused()

    def assert_all_faults_hit(self) -> None:
        """Fail if the script has a fault that no call has met: what it was to show has not been shown."""
        unused = self.unused_faults()
        if unused:
            listed = "\n".join(f"  {fault}" for fault in unused)
            raise AssertionError(
                f"{len(unused)} faults of {self.name!r} met no call, so that nothing is known of how they are "
                f"dealt with:\n{listed}\nmake the calls that they wait for, or remove them"
            )

    @property
    def waited(self) -> float:
        """The seconds that latency faults took in all."""
        return self._faults.waited

    @property
    def store(self) -> ObjectStore:
        """What it holds, for those who show it in another form. To look there is no request."""
        return self._store

    # How a request goes

    def _list(self, request: Request) -> Page:
        def read(call: Call) -> _Said[Page]:
            page = call.delivered(
                select(self._store, request), lambda count: select(self._store, replace(request, limit=count))
            )
            page = self._handed_over(page, request)
            return page, None, {"count": len(page.objects)}

        return self._request("list_objects", "read", request.stix_type or "", read)

    def _handed_over(self, page: Page, request: Request) -> Page:
        """The page as an exploration of the pipeline disturbs it, if there is one."""
        is_ordered = request.order_by is not None
        order = delivery_order(
            len(page.objects), source=self.name, is_ordered=is_ordered, context=self._context
        )
        return page if order is None else rearranged(page, order)

    def _request(
        self, operation: str, kind: Literal["read", "write"], target: Any, work: Callable[[Call], _Said[R]]
    ) -> R:
        context = self._context if self._context is not None else current_context()
        if context is None:
            return self._carried_out(operation, work)[0]
        units = self.COST_UNIT
        context.charge(units, self.name)
        if kind == "write":
            about_to_write(context)
        said: dict[str, Any] = {
            "subject": self.name,
            "kind": kind,
            "target_ref": target if isinstance(target, str) else "" if target is None else str(target),
            "units": units,
        }
        try:
            result, content, details = self._carried_out(operation, work)
        except Exception as error:
            _note(context, operation, said, status="error", details={"error": _said_by(error)})
            raise
        _note(context, operation, said, content=content, details=details)
        return result

    def _carried_out(self, operation: str, work: Callable[[Call], _Said[R]]) -> _Said[R]:
        call = self._faults.begin(operation, self._error)
        if self.raise_on_request and operation != "health_check":
            raise self._error(
                f"{operation}: {self.name!r} was told to fail every request (raise_on_request=True)"
            )
        return work(call)

    def _error(self, message: str, retry_after: float | None = None) -> Exception:
        error = self._make_error(message)
        if retry_after is not None:
            with suppress(AttributeError):  # a class may have its own idea of it
                cast("Any", error).retry_after = retry_after
        return error

    def _entry(self, stix_id: Any) -> Entry:
        entry = self._store.find(stix_id)
        if entry is None:
            raise UnknownObject(stix_id, self.name, self._store.ids)
        return entry

    def _checked_fixtures(self, source: Any) -> Iterator[dict[str, Any] | Problem]:
        for item in read_fixtures(source):
            if isinstance(item, Problem):
                yield item
                continue
            try:
                yield self._taken(item.data, item.place)
            except InputError as error:
                yield from error.problems

    def _taken(self, value: Mapping[str, Any], name: str) -> dict[str, Any]:
        mine = owned(value, name)
        if self._check is not None:
            self._check(mine, name)
        return mine


def _note(context: ExecutionContext, operation: str, said: dict[str, Any], **outcome: Any) -> None:
    """Log a request; a run of the pipeline that goes on gets to know of it too, whoever it was made for."""
    run = run_around(context)
    context.record(operation, **said, **outcome)
    if run is not None:
        run.record(operation, **said, **outcome)


def _said_by(error: Exception) -> str:
    # ids are asked for in vain all the time, and nobody has asked yet which one may have been meant
    return error.plainly if isinstance(error, UnknownObject) else str(error)[:500]
