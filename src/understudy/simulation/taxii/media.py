"""The media types of TAXII 2.1 and STIX 2.1, and whether what a client accepts or sends is one of them."""

from __future__ import annotations

import re

TAXII_TYPE = "application/taxii+json;version=2.1"
STIX_TYPE = "application/stix+json;version=2.1"
SPEC_VERSIONS = ("2.1", "2.0")

_ESSENCE = "application/taxii+json"
_RANGES = {_ESSENCE: 2, "application/*": 1, "*/*": 0}
_PARAMETER = re.compile(r';[ \t]*([!#$%&\'*+.^_`|~0-9a-z-]+)=("(?:[^"\\]|\\.)*"|[^;"]*)', re.IGNORECASE)
_MEDIA = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^,"])+')


def accepts_taxii(accept: str) -> bool:
    """True if an Accept header lets us answer in TAXII 2.1; of several ranges the most exact one counts.

    >>> accepts_taxii("application/taxii+json;version=2.1"), accepts_taxii("application/taxii+json")
    (True, True)
    >>> accepts_taxii("application/taxii+json;version=2.0, text/html"), accepts_taxii("*/*;q=0")
    (False, False)
    """
    best, quality = -1, 0.0
    for part in _MEDIA.findall(accept):
        essence, parameters = _parsed(part)
        rank = _RANGES.get(essence, -1)
        if rank < 0 or not _is_version(parameters):
            continue
        rank += 2 * ("version" in parameters)
        if rank > best:
            best, quality = rank, _quality(parameters.get("q", "1"))
    return quality > 0


def is_taxii(content_type: str) -> bool:
    """True if a Content-Type says that a body is TAXII 2.1.

    >>> is_taxii("application/taxii+json; version=2.1"), is_taxii("application/json")
    (True, False)
    """
    essence, parameters = _parsed(content_type)
    return essence == _ESSENCE and _is_version(parameters)


def _parsed(text: str) -> tuple[str, dict[str, str]]:
    essence = text.partition(";")[0].strip().lower()
    found = _PARAMETER.findall(text)
    return essence, {name.lower(): value.strip().strip('"').strip() for name, value in found}


def _is_version(parameters: dict[str, str]) -> bool:
    return parameters.get("version", "2.1") == "2.1"


def _quality(text: str) -> float:
    return float(text) if re.fullmatch(r"[01](?:\.[0-9]{0,3})?", text) else 0.0
