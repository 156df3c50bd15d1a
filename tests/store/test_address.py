"""A place is a path or a URL as people write them; what is none is refused with what to write instead."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from understudy.store import StoreError, open_store
from understudy.store.address import parse_address, without_secrets


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ("runs.sqlite", "runs.sqlite"),
        (Path("folder/runs.sqlite"), "folder/runs.sqlite"),
        ("sqlite:///runs.sqlite", "runs.sqlite"),
        ("sqlite:////tmp/runs.sqlite", "/tmp/runs.sqlite"),
        ("SQLite:///runs.sqlite", "runs.sqlite"),
        ("odd name?#%41.sqlite", "odd name?#%41.sqlite"),
    ],
)
def test_a_file_is_a_path_or_a_url(where: str | os.PathLike[str], path: str) -> None:
    address = parse_address(where)
    assert (address.kind, address.path, address.in_memory) == ("sqlite", path, False)


@pytest.mark.parametrize("where", ["sqlite://", "sqlite:///:memory:"])
def test_memory_has_a_url(where: str) -> None:
    assert parse_address(where).in_memory


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg", "PostgreSQL"])
def test_a_server_is_shown_without_its_password(scheme: str) -> None:
    address = parse_address(
        f"{scheme}://ann:s3cret%40x@db.example:5433/runs?sslpassword=hidden&sslmode=require"
    )
    assert address.kind == "postgresql"
    assert address.shown == "postgresql://ann:***@db.example:5433/runs"
    assert address.url is not None
    assert (address.url.drivername, address.url.password) == ("postgresql+psycopg", "s3cret@x")
    assert without_secrets(address, "for s3cret@x and hidden") == "for <secret 1> and <secret 2>"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", "is no place for a store (name a file, or a URL)"),
        ("  ", "is no place for a store"),
        ("a\0b", "is no place for a store"),
        (b"bytes", "is no place for a store"),
        ("postgrsql://host/name", "postgrsql:// is no store that we know (did you mean postgresql://?)"),
        ("mysql://host/name", "there are sqlite:///file and postgresql://host/name"),
        ("sqlite://runs.sqlite", "is no URL of a SQLite file (a file is written sqlite:///folder/file"),
        ("sqlite:///", "is no URL of a SQLite file"),
        ("sqlite:///a?mode=ro", "is no URL of a SQLite file"),
        ("postgresql://host:port/name", "is no URL of a PostgreSQL database"),
        ("postgresql://ann:pa@ss:w/ord@host/name", "characters such as @ in a password are written %40"),
    ],
    ids=repr,
)
def test_what_is_no_place_is_refused(where: str, said: str) -> None:
    with pytest.raises(StoreError) as caught:
        parse_address(where)
    assert said in str(caught.value)
    assert "ord@host" not in str(caught.value)


def test_a_name_with_odd_characters_is_a_file_like_any_other(tmp_path: Path) -> None:
    place = tmp_path / "100% odd?&#;'\"\u00e9\u202e name.sqlite"
    open_store(place).close()
    assert place.is_file()
