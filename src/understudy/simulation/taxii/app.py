"""The TAXII server as an ASGI application, and served on a real port."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from understudy.core.brief import brief
from understudy.core.clock import Clock, IdSource, SystemClock, random_ids
from understudy.core.errors import InputError, Problem
from understudy.simulation.taxii.access import TaxiiAccess
from understudy.simulation.taxii.collection import TaxiiCollection, checked_collections
from understudy.simulation.taxii.errors import TaxiiError
from understudy.simulation.taxii.resources import refusal
from understudy.simulation.taxii.server import About, TaxiiServer
from understudy.wire.asgi import (
    App,
    BodyTooLarge,
    BodyTooSlow,
    ClientGone,
    Receive,
    Scope,
    Send,
    read_request,
    send_response,
)
from understudy.wire.serving import ServerTls, serve

if TYPE_CHECKING:
    from understudy.simulation.connector import SimulationConnector

__all__ = ["ServedTaxii", "serve_taxii", "taxii_app"]

_ROOT = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_EVERYBODY = TaxiiAccess()


@dataclass(frozen=True, slots=True)
class ServedTaxii:
    """Where a TAXII server is: addresses to give to a client."""

    base_url: str
    discovery_url: str
    api_root_url: str
    collection_urls: Mapping[str, str]
    """By the title of the collection."""


def taxii_app(
    connector: SimulationConnector,
    collections: Iterable[TaxiiCollection] = (TaxiiCollection(),),
    *,
    access: TaxiiAccess = _EVERYBODY,
    title: str = About.title,
    description: str = "",
    contact: str = "",
    root: str = About.root,
    page_limit: int = About.page_limit,
    max_content_length: int = About.max_content_length,
    clock: Clock | None = None,
    new_id: IdSource = random_ids,
) -> App:
    """A TAXII 2.1 server over a connector, as an ASGI application. Discovery is at `/taxii2/`.

    Each request is one call of the connector, which its budget is charged for, its log notes and its faults meet:
    they are answered with 429 or 500. It is called in threads. `page_limit` is how many objects are answered at
    most; `max_content_length` how many bytes are taken. Raises InputError for settings that cannot be.
    """
    about = About(title, description, contact, root, page_limit, max_content_length)
    _refuse_wrong(about)
    shown = checked_collections(collections)
    server = TaxiiServer(connector, shown, about, access, clock or SystemClock(), new_id)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await _answer(server, about.max_content_length, scope, receive, send)

    return app


@contextmanager
def serve_taxii(
    connector: SimulationConnector,
    collections: Iterable[TaxiiCollection] = (TaxiiCollection(),),
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    tls: ServerTls | None = None,
    root: str = About.root,
    **settings: Any,
) -> Iterator[ServedTaxii]:
    """Serve a connector as a TAXII 2.1 server until the block ends; port 0 is any free one.

    `settings` are those of `taxii_app`. In async code, serve the application with `understudy.wire.serving`.

    >>> from urllib.request import urlopen
    >>> from understudy.simulation import SimulationConnector
    >>> with serve_taxii(SimulationConnector(), title="Rehearsal") as served:
    ...     with urlopen(served.discovery_url) as response:
    ...         b'"title":"Rehearsal"' in response.read()
    True
    """
    shown = checked_collections(collections)
    app = taxii_app(connector, shown, root=root, **settings)
    with serve(app, host, port, tls=tls) as served:
        api = f"{served.base_url}/{root}/"
        urls = {one.title: f"{api}collections/{one.id}/" for one in shown}
        yield ServedTaxii(served.base_url, f"{served.base_url}/taxii2/", api, MappingProxyType(urls))


async def _answer(server: TaxiiServer, limit: int, scope: Scope, receive: Receive, send: Send) -> None:
    try:
        request = await read_request(scope, receive, limit=limit)
    except ClientGone:
        return
    except BodyTooLarge as error:
        refused = TaxiiError(
            413, "the body is too long", f"{error}, which is the max_content_length of the API root"
        )
        await send_response(send, refusal(refused), close=not error.is_drained)
    except BodyTooSlow as error:
        await send_response(send, refusal(TaxiiError(408, "the body is too slow", str(error))), close=True)
    else:
        # in a thread, as a connector may wait, and blocks while it does
        await send_response(send, await asyncio.to_thread(server.answer, request))


async def _live(receive: Receive, send: Send) -> None:
    """Nothing has to be set up or torn down."""
    while (await receive())["type"] != "lifespan.shutdown":
        await send({"type": "lifespan.startup.complete"})
    await send({"type": "lifespan.shutdown.complete"})


def _refuse_wrong(about: About) -> None:
    problems = []
    if not (isinstance(about.root, str) and _ROOT.fullmatch(about.root)) or about.root == "taxii2":
        hint = "it is a path such as 'api' or 'taxii/one', without slashes around it, and not 'taxii2'"
        problems.append(Problem(f"root is {brief(about.root)}", hint=hint))
    for name in ("page_limit", "max_content_length"):
        number = getattr(about, name)
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            problems.append(Problem(f"{name} is {brief(number)}", hint="it is a whole number from 1 on"))
    if not about.title:
        problems.append(Problem("title is empty", hint="TAXII asks for one"))
    if problems:
        raise InputError(problems)
