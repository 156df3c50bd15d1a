"""A name that a package offers is never hidden by a module of the same name, once somebody has imported that."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

ROOMS = ("context", "governance", "simulation", "store")


@pytest.mark.parametrize("room", ROOMS)
def test_no_module_of_a_room_has_the_name_of_something_that_the_room_offers(room: str) -> None:
    package = importlib.import_module(f"understudy.{room}")
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}

    assert package.__all__
    assert modules & set(package.__all__) == set()
