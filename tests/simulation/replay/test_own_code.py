"""The user's own code is told from libraries, from Python's and from ours; what is imported is found again."""

from __future__ import annotations

import functools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import understudy
from understudy.core.errors import InputError
from understudy.simulation.replay.own_code import OwnCode, keeps_our_books, package_of
from understudy.simulation.replay.pipelines import (
    folder_of,
    importable_name,
    is_async,
    load_pipeline,
    name_of,
    site_of,
)

WriteModule = Callable[..., ModuleType]


def test_libraries_python_and_ours_are_not_the_users(tmp_path: Path) -> None:
    own = OwnCode(str(tmp_path))

    assert own.is_own(str(tmp_path / "feed.py"))
    assert own.is_own("/somewhere/else/feed.py")
    assert own.is_own("<ipython-input-1>")
    assert not own.is_own(str(json.__file__))
    assert not own.is_own(str(understudy.__file__))
    assert not own.is_own(str(tmp_path / ".venv/lib/python3.11/site-packages/lib.py"))
    assert not own.is_own("<frozen importlib._bootstrap>")
    assert not own.is_own("<string>")


def test_an_installed_package_is_the_users_if_the_pipeline_is_in_it(tmp_path: Path) -> None:
    package = str(tmp_path / "site-packages" / "shop") + os.sep

    assert OwnCode(str(tmp_path), package).is_own(package + "feed.py")
    assert not OwnCode(str(tmp_path), package).is_own(str(tmp_path / "site-packages" / "other.py"))


def test_lines_are_named_from_the_folder_on(tmp_path: Path) -> None:
    own = OwnCode(str(tmp_path))

    assert str(own.named(str(tmp_path / "shop" / "feed.py"), 7)) == "shop/feed.py:7"
    assert str(own.named("/elsewhere/feed.py", 7)) == "/elsewhere/feed.py:7"


def test_the_line_that_runs_is_found_through_library_code(tmp_path: Path) -> None:
    own = OwnCode(str(Path(__file__).parent))
    line = sys._getframe().f_lineno + 1
    said = json.loads("{}", object_hook=lambda _: own.here())

    assert said == f"test_own_code.py:{line}"


def test_only_our_modules_keep_our_books() -> None:
    assert keeps_our_books("understudy")
    assert keeps_our_books("understudy.context.context")
    assert not keeps_our_books("understudy_of_mine")


def test_the_package_of_a_function_is_its_top_folder_or_its_file(module: WriteModule, tmp_path: Path) -> None:
    made = module("def pipeline(ctx):\n    return []\n")

    assert package_of(made.pipeline) == str(tmp_path / f"{made.__name__}.py")
    assert package_of(json.dumps) == os.path.join(os.path.dirname(json.__file__), "")
    assert package_of(len) == ""
    assert folder_of(made.pipeline) == str(tmp_path)
    assert folder_of(json.dumps) == os.path.dirname(os.path.dirname(json.__file__))


def test_a_function_is_importable_if_its_name_leads_to_itself(module: WriteModule) -> None:
    made = module(
        """
        import functools
        def pipeline(ctx):
            def inner(ctx):
                return []
            return inner
        def replaced(ctx):
            return []
        kept = replaced
        def replaced(ctx):
            return [1]
        class Feeds:
            @staticmethod
            def read(ctx):
                return []
        bound = functools.partial(pipeline)
        """
    )
    name = made.__name__

    assert importable_name(made.pipeline) == f"{name}:pipeline"
    assert importable_name(made.Feeds.read) == f"{name}:Feeds.read"
    assert importable_name(made.pipeline(None)) == ""
    assert importable_name(made.kept) == ""
    assert importable_name(made.bound) == ""
    assert importable_name(lambda ctx: []) == ""


def test_partials_and_callable_objects_have_names_and_places(module: WriteModule, tmp_path: Path) -> None:
    made = module(
        """
        class Feeds:
            async def __call__(self, ctx):
                return []

        def pipeline(n, ctx):
            return []
        """
    )
    own = OwnCode(str(tmp_path))
    file = f"{made.__name__}.py"

    assert name_of(functools.partial(made.pipeline, 1)) == "pipeline"
    assert str(site_of(functools.partial(made.pipeline, 1), own)) == f"{file}:5"
    assert (name_of(made.Feeds()), str(site_of(made.Feeds(), own))) == ("Feeds", f"{file}:2")
    assert is_async(made.Feeds())
    assert is_async(functools.partial(made.Feeds().__call__))
    assert not is_async(made.pipeline)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("feed", "names no function"),
        (":feed", "names no function"),
        ("nothing_such:feed", "'nothing_such' cannot be imported: ModuleNotFoundError"),
        ("json:dumpz", "'json' has no 'dumpz' .did you mean 'dump'"),
        ("json:__name__", "is no function but a str"),
    ],
)
def test_a_name_that_leads_nowhere_is_refused(name: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        load_pipeline(name)
