"""Names of a package that are imported when they are first asked for, so that one of them does not cost all."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def late_names(
    package: str, homes: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The `__getattr__` and `__dir__` of a package whose public names stand in these modules of it.

    >>> get, names = late_names("understudy.core", {"FixedClock": "clock"})
    >>> get("FixedClock")
    <class 'understudy.core.clock.FixedClock'>
    >>> get("Clocks")
    Traceback (most recent call last):
    AttributeError: module 'understudy.core' has no attribute 'Clocks'
    """

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *homes})

    return get, names
