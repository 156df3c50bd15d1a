"""The lock files: everything that is asked for is pinned, with hashes, and nothing says from where."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def requirements_of_the_project() -> list[str]:
    extras = PROJECT["project"]["optional-dependencies"]
    listed = [
        *PROJECT["build-system"]["requires"],
        *PROJECT["project"]["dependencies"],
        *(entry for extra in extras.values() for entry in extra),
        *PROJECT["dependency-groups"]["dev"],
    ]
    return [entry for entry in listed if Requirement(entry).name != "understudy"]


def requirements_of_the_peers() -> list[str]:
    return (ROOT / "benchmarks" / "peers.in").read_text().split()


def entries(lock: str) -> list[str]:
    """The entries of a lock file, each with its hashes, on one line."""
    return [line for line in (ROOT / lock).read_text().replace("\\\n", " ").splitlines() if line.strip()]


def pins(lock: str, python: str) -> dict[str, Requirement]:
    """What a lock file pins for one version of Python on this machine."""
    environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.9"}
    found: dict[str, Requirement] = {}
    for entry in entries(lock):
        pin = Requirement(entry.partition(" --hash")[0])
        if pin.marker is None or pin.marker.evaluate({key: str(value) for key, value in environment.items()}):
            assert canonicalize_name(pin.name) not in found, f"{pin.name} is pinned twice for Python {python}"
            found[canonicalize_name(pin.name)] = pin
    return found


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("constraints.txt", requirements_of_the_project()),
        ("benchmarks/peers.txt", requirements_of_the_peers()),
    ],
    ids=["constraints", "peers"],
)
def test_everything_that_is_asked_for_is_pinned(lock: str, wanted: list[str], python: str) -> None:
    pinned = pins(lock, python)
    unmet = []
    for entry in map(Requirement, wanted):
        pin = pinned.get(canonicalize_name(entry.name))
        version = next(iter(pin.specifier)).version if pin else ""
        if not version or not entry.specifier.contains(version, prereleases=True):
            unmet.append(f"{entry} (pinned: {version or 'not at all'})")
    assert unmet == [], f"{lock} does not fit; run make lock"


@pytest.mark.parametrize("lock", ["constraints.txt", "benchmarks/peers.txt"])
def test_every_pin_is_exact_and_has_hashes_and_nothing_else_stands_there(lock: str) -> None:
    shape = re.compile(r"[a-z0-9][a-z0-9._-]*==[^\s;]+( ; [^\\@]+?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    assert [entry for entry in entries(lock) if not shape.fullmatch(entry)] == []
