"""What is answered, as JSON: the resources of TAXII 2.1. An empty list is left out, as the protocol wants it."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any
from uuid import UUID

from understudy.simulation.filters import spec_version_of
from understudy.simulation.taxii.collection import TaxiiCollection
from understudy.simulation.taxii.errors import TaxiiError
from understudy.simulation.taxii.media import STIX_TYPE, TAXII_TYPE
from understudy.simulation.taxii.reading import Reading
from understudy.simulation.taxii.stamps import timestamp, version_text
from understudy.wire.messages import Headers, Response

Resource = Mapping[str, Any]


def discovery(title: str, description: str, contact: str, root: str) -> Resource:
    """What the server is, and where its API root is."""
    said = {"title": title, "description": description, "contact": contact}
    return {**{name: text for name, text in said.items() if text}, "default": root, "api_roots": [root]}


def api_root(title: str, description: str, max_content_length: int) -> Resource:
    """What the API root is, and how much it takes."""
    said = {"title": title, **({"description": description} if description else {})}
    return {**said, "versions": [TAXII_TYPE], "max_content_length": max_content_length}


def collection_resource(collection: TaxiiCollection) -> Resource:
    """One collection."""
    said = {"description": collection.description, "alias": collection.alias}
    return {
        "id": collection.id,
        "title": collection.title,
        **{name: text for name, text in said.items() if text},
        "can_read": collection.can_read,
        "can_write": collection.can_write,
        "media_types": [STIX_TYPE],
    }


def collections_resource(collections: Iterable[TaxiiCollection]) -> Resource:
    """All collections."""
    return _listed("collections", [collection_resource(one) for one in collections])


def envelope(reading: Reading) -> Resource:
    """Objects."""
    return _paged("objects", list(reading.objects), reading.next)


def manifest(reading: Reading) -> Resource:
    """Objects without their content; those without an id have nothing to be called by, and are left out."""
    records = [
        {
            "id": obj["id"],
            "date_added": timestamp(added),
            "version": version_text(obj, added),
            "media_type": f"application/stix+json;version={spec_version_of(obj)}",
        }
        for obj, added in reading.pairs()
        if isinstance(obj.get("id"), str) and obj["id"]
    ]
    return _paged("objects", records, reading.next)


def versions(reading: Reading) -> Resource:
    """The versions of one object."""
    return _paged("versions", [version_text(obj, added) for obj, added in reading.pairs()], reading.next)


def added_headers(reading: Reading) -> Headers:
    """When the first and the last of what was read were added."""
    if not reading.added:
        return ()
    return (
        ("X-TAXII-Date-Added-First", timestamp(min(reading.added))),
        ("X-TAXII-Date-Added-Last", timestamp(max(reading.added))),
    )


def answer(resource: Resource, status: int = 200, headers: Headers = ()) -> Response:
    """The response that carries a resource. Raises TaxiiError 500 for what JSON has no form for."""
    try:
        text = json.dumps(resource, allow_nan=False, separators=(",", ":"), default=_written)
    except (TypeError, ValueError) as error:
        raise TaxiiError(500, "an object cannot be written as JSON", str(error)) from None
    return Response(status, (("Content-Type", TAXII_TYPE), *headers), text.encode("ascii"))


def refusal(error: TaxiiError) -> Response:
    """The response that carries an error message."""
    return answer(error.resource(), error.status, error.headers)


def _listed(name: str, items: list[Any]) -> dict[str, Any]:
    return {name: items} if items else {}


def _paged(name: str, items: list[Any], goes_on: str) -> Resource:
    # The protocol names `next` for objects only; without it nobody could go on with the others either.
    more = {"more": True, "next": goes_on} if goes_on else {"more": False} if items else {}
    return {**more, **_listed(name, items)}


def _written(value: Any) -> Any:
    """What an object in memory may hold beyond JSON, as STIX writes it."""
    if isinstance(value, datetime):
        return timestamp(value if value.tzinfo else value.replace(tzinfo=UTC))
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    raise TypeError(f"there is no form for a {type(value).__name__}")
