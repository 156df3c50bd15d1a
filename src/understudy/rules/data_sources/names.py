"""How a function of a data source is called in Rego."""

from __future__ import annotations

import re

_OTHERS = re.compile(r"[^a-z0-9_.]+")


def function_name(source: str, function: str) -> str:
    """The name in Rego: in small letters, `-` becomes `_`, and what cannot stand in a name is left out.

    >>> function_name("OSV-API", "query by package")
    'minder.datasource.osv_api.querybypackage'
    """
    return f"minder.datasource.{_plain(source)}.{_plain(function)}"


def _plain(name: str) -> str:
    return _OTHERS.sub("", name.lower().replace("-", "_"))
