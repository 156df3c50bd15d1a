"""What each address of a TAXII server answers: who may ask, what they may ask, and of which connector."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from understudy.core.brief import brief
from understudy.core.clock import Clock, IdSource
from understudy.core.nearness import closest_name
from understudy.simulation.taxii import resources
from understudy.simulation.taxii.access import TaxiiAccess
from understudy.simulation.taxii.collection import TaxiiCollection
from understudy.simulation.taxii.deleting import delete_object
from understudy.simulation.taxii.errors import TaxiiError
from understudy.simulation.taxii.media import TAXII_TYPE, accepts_taxii, is_taxii
from understudy.simulation.taxii.query import DELETING, LISTING, OBJECT, VERSIONS, Query, read_query
from understudy.simulation.taxii.reading import Reading, read_object, read_objects, read_versions
from understudy.simulation.taxii.writing import StatusBook, read_envelope
from understudy.wire.asgi import first_header
from understudy.wire.messages import Headers, Request, Response
from understudy.wire.routes import Route, RouteTable, parse_mux

if TYPE_CHECKING:
    from understudy.simulation.connector import SimulationConnector

METHODS = ("GET", "POST", "DELETE")


@dataclass(frozen=True)
class About:
    """What a server says of itself, and its bounds."""

    title: str = "A simulated TAXII server"
    description: str = ""
    contact: str = ""
    root: str = "api"
    page_limit: int = 100
    max_content_length: int = 10 << 20


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request that has found its way: the texts in its address, and its query, not yet read."""

    request: Request
    names: Mapping[str, str]

    def query(self, allowed: Sequence[str] = ()) -> Query:
        """What is asked for, if it is allowed here."""
        return read_query(self.request.url.partition("?")[2], allowed)

    @property
    def origin(self) -> str:
        """The scheme and host that the client asked."""
        return "/".join(self.request.url.split("/", 3)[:3])


Handler = Callable[[_Asked], Response]


class TaxiiServer:
    """Answers requests; can do so in several threads. Never raises."""

    def __init__(
        self,
        connector: SimulationConnector,
        collections: Sequence[TaxiiCollection],
        about: About,
        access: TaxiiAccess,
        clock: Clock,
        new_id: IdSource,
    ) -> None:
        self._connector = connector
        self._collections = collections
        self._by_name = {name: one for one in collections for name in (one.id, one.alias) if name}
        self._about = about
        self._access = access
        self._statuses = StatusBook(clock, new_id)
        root = f"/{about.root}"
        collection = f"{root}/collections/{{collection}}"
        handlers: dict[str, Handler] = {
            "GET /taxii2/{$}": self._discovery,
            f"GET {root}/{{$}}": self._api_root,
            f"GET {root}/status/{{status}}/{{$}}": self._status,
            f"GET {root}/collections/{{$}}": self._all_collections,
            f"GET {collection}/{{$}}": self._one_collection,
            f"GET {collection}/manifest/{{$}}": self._manifest,
            f"GET {collection}/objects/{{$}}": self._objects,
            f"POST {collection}/objects/{{$}}": self._add,
            f"GET {collection}/objects/{{object}}/{{$}}": self._object,
            f"DELETE {collection}/objects/{{object}}/{{$}}": self._delete,
            f"GET {collection}/objects/{{object}}/versions/{{$}}": self._versions,
        }
        self._routes = RouteTable([Route(parse_mux(text), handler) for text, handler in handlers.items()])

    def answer(self, request: Request) -> Response:
        """The response to a request; every refusal is an error message of the protocol."""
        try:
            self._access.require(first_header(request.headers, "authorization"))
            handler, names = self._route(request)
            _require_acceptable(request.headers)
            return handler(_Asked(request, names))
        except TaxiiError as error:
            return resources.refusal(error)
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            return resources.refusal(TaxiiError(500, "the server has a defect", brief(told, 500)))

    def _route(self, request: Request) -> tuple[Handler, Mapping[str, str]]:
        match = self._routes.match(request.method, request.url)
        if match is not None:
            return match.value, match.names
        others = [name for name in METHODS if self._routes.match(name, request.url)]
        if others:
            allowed = ", ".join(others)
            hint = f"this address knows {allowed}"
            raise TaxiiError(405, f"no {brief(request.method)} here", hint, headers=(("Allow", allowed),))
        near = self._routes.near_misses(request.method, request.url, limit=1)
        hint = f"the nearest is {near[0].text.replace('{$}', '')}" if near else ""
        raise TaxiiError(
            404, "there is nothing at this address", f"{hint}; discovery is at /taxii2/".lstrip("; ")
        )

    def _discovery(self, asked: _Asked) -> Response:
        asked.query()
        about = self._about
        root = f"{asked.origin}/{about.root}/"
        return resources.answer(resources.discovery(about.title, about.description, about.contact, root))

    def _api_root(self, asked: _Asked) -> Response:
        asked.query()
        about = self._about
        return resources.answer(resources.api_root(about.title, about.description, about.max_content_length))

    def _status(self, asked: _Asked) -> Response:
        asked.query()
        found = self._statuses.get(asked.names["status"])
        if found is None:
            raise TaxiiError(404, "no such status", "give the id that was answered when objects were added")
        return resources.answer(found)

    def _all_collections(self, asked: _Asked) -> Response:
        asked.query()
        return resources.answer(resources.collections_resource(self._collections))

    def _one_collection(self, asked: _Asked) -> Response:
        asked.query()
        return resources.answer(resources.collection_resource(self._collection(asked)))

    def _manifest(self, asked: _Asked) -> Response:
        reading = self._listed(asked)
        return resources.answer(resources.manifest(reading), headers=resources.added_headers(reading))

    def _objects(self, asked: _Asked) -> Response:
        reading = self._listed(asked)
        return resources.answer(resources.envelope(reading), headers=resources.added_headers(reading))

    def _object(self, asked: _Asked) -> Response:
        connector = self._readable(asked)
        reading = read_object(connector, asked.names["object"], asked.query(OBJECT), self._about.page_limit)
        return resources.answer(resources.envelope(reading), headers=resources.added_headers(reading))

    def _versions(self, asked: _Asked) -> Response:
        connector = self._readable(asked)
        reading = read_versions(
            connector, asked.names["object"], asked.query(VERSIONS), self._about.page_limit
        )
        return resources.answer(resources.versions(reading), headers=resources.added_headers(reading))

    def _add(self, asked: _Asked) -> Response:
        collection = self._collection(asked)
        connector = self._writable(collection)
        asked.query()
        sent = first_header(asked.request.headers, "content-type") or ""
        if not is_taxii(sent):
            raise TaxiiError(415, "this is no TAXII 2.1", f"Content-Type is {brief(sent)}; send {TAXII_TYPE}")
        objects = read_envelope(asked.request.body or b"")
        status = self._statuses.add(objects, connector.upsert_object, collection.settle_after)
        return resources.answer(status, 202)

    def _delete(self, asked: _Asked) -> Response:
        connector = self._writable(self._collection(asked))
        self._readable(asked)
        delete_object(connector, asked.names["object"], asked.query(DELETING))
        return Response(200, (("Content-Type", TAXII_TYPE),), b"")

    def _listed(self, asked: _Asked) -> Reading:
        return read_objects(self._readable(asked), asked.query(LISTING), self._about.page_limit)

    def _collection(self, asked: _Asked) -> TaxiiCollection:
        name = asked.names["collection"]
        found = self._by_name.get(name)
        if found is None:
            near = closest_name(name, self._by_name)
            known = f"did you mean {near}?" if near else f"there is: {', '.join(self._by_name) or 'none'}"
            raise TaxiiError(404, "no such collection", known)
        return found

    def _readable(self, asked: _Asked) -> SimulationConnector:
        collection = self._collection(asked)
        if not collection.can_read:
            raise TaxiiError(403, "this collection cannot be read", "its can_read is false")
        return collection.connector or self._connector

    def _writable(self, collection: TaxiiCollection) -> SimulationConnector:
        if not collection.can_write:
            raise TaxiiError(403, "this collection cannot be written", "its can_write is false")
        return collection.connector or self._connector


def _require_acceptable(headers: Headers) -> None:
    accept = first_header(headers, "accept")
    if accept is not None and not accepts_taxii(accept):
        raise TaxiiError(
            406, "this cannot be answered", f"Accept is {brief(accept)}; only {TAXII_TYPE} is spoken"
        )
