"""Packages in Rust's Cargo.lock."""

from __future__ import annotations

from collections.abc import Iterator

from understudy.rules.host.dependencies.packages import Package, Read
from understudy.rules.host.dependencies.structured import tables, toml_table


def cargo_lock(text: str, path: str, read: Read) -> Iterator[Package]:
    """The packages of a Cargo.lock, the project's own among them."""
    for name, version, _ in tables(toml_table(text), "package"):
        yield Package(name, version, "cargo")
