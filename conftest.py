"""Which files pytest collects: doctests are looked for only in modules that have some."""

from __future__ import annotations

from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out modules without tests and doctests, which would be imported only to find that out."""
    if collection_path.suffix != ".py" or collection_path.name.startswith("test_"):
        return None
    return None if b">>> " in collection_path.read_bytes() else True
