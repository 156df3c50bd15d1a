"""Files of data sources are read strictly, and what is wrong with one is told at its place."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.rules.data_sources.loading import FILE_LIMIT, load_data_source
from understudy.rules.data_sources.mocked import mocked_functions

GOOD = """---
version: v1
type: data-source
name: OSV-db
context: {}
rest:
  def:
    query-all:
      endpoint: https://api.osv.dev/v1/query
      method: POST
      body_from_field: query
      input_schema: {type: object, required: [query]}
    List:
      endpoint: https://api.osv.dev/v1/vulns{?page}
"""


def load(folder: Path, text: str, name: str = "sources/osv.yaml") -> Any:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return load_data_source(name, folder)


def test_functions_are_named_as_rego_calls_them(tmp_path: Path) -> None:
    source = load(tmp_path, GOOD)
    assert (source.name, source.file) == ("OSV-db", "sources/osv.yaml")
    assert list(source.calls) == ["minder.datasource.osv_db.query_all", "minder.datasource.osv_db.list"]


def test_a_path_may_be_absolute_and_climb_but_not_leave_the_root(tmp_path: Path) -> None:
    load(tmp_path / "project", GOOD)
    root = tmp_path / "project"
    assert load_data_source(root / "rules" / ".." / "sources" / "osv.yaml", root).name == "OSV-db"
    (tmp_path / "outside.yaml").write_text(GOOD, encoding="utf-8")
    os.symlink(tmp_path / "outside.yaml", root / "link.yaml")
    for path in ("../outside.yaml", tmp_path / "outside.yaml", "link.yaml"):
        with pytest.raises(InputError, match="outside of"):
            load_data_source(path, root)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "type: data-source\n",
            "type: rule-type\n",
            "3:7: is of type 'rule-type', and no data source (a data",
        ),
        ("type: data-source\n", "", "2:1: is no data source"),
        ("name: OSV-db\n", "", "2:1: 'name' is missing"),
        ("rest:", "rset:", "6:1: unknown key 'rset' (did you mean 'rest'?)"),
        ("method: POST", "methd: POST", "10:7: unknown key 'methd' (did you mean 'method'?)"),
        ("method: POST", "method: [POST]", "10:15: 'method' must be text, not a list"),
        ("method: POST", "parse: jsn", "10:14: 'parse' must be 'json' or '', not text \"jsn\""),
        (
            "method: POST",
            "body: {}",
            "9:7: 'query-all': body and body_from_field are given, and only one can be sent",
        ),
        ("method: POST", "fallback: [{http_code: 4}]", "10:30: 'http_code' must be at least 100"),
        ("{type: object, required: [query]}", "{type: objct}", "12:21: 'input_schema' is no JSON Schema: "),
        ("{?page}", "{page", "14:17: 'endpoint': has a brace that is not closed or not opened; write a name"),
        ("{?page}", "{pa ge}", "14:17: 'endpoint': has {pa ge}, which is no expression"),
        (
            "List:",
            "QUERY_all:",
            "13:5: the function 'QUERY_all' has the same name in Rego as another: minder.",
        ),
        ("rest:\n  def:", "structured:\n  def:", "9:7: 'path' is missing"),
        ("rest:", "deps: {}\nrest:", "6:1: data sources of the kind 'deps' are not supported"),
        ("rest:", "structured: {def: {a: {path: {file_name: b}}}}\nrest:", "a data source is either rest or"),
        ("context: {}", "context: {", "is not valid YAML"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(tmp_path: Path, old: str, new: str, problem: str) -> None:
    assert old in GOOD
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        load(tmp_path, GOOD.replace(old, new))
    assert str(caught.value).startswith("sources/osv.yaml:")


@pytest.mark.parametrize(("text", "message"), [("", "is no data source"), ("[1]", "is no data source")])
def test_what_is_no_data_source_at_all_is_told(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(tmp_path, text)


def test_a_file_that_is_missing_or_too_large_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        load_data_source("none.yaml", tmp_path)
    with pytest.raises(InputError, match="is too large"):
        load(tmp_path, GOOD + "#" * FILE_LIMIT)


def test_results_that_a_test_gives_are_given_whatever_is_asked() -> None:
    functions = mocked_functions({"mock-DS.get_val": "hello", "mock-DS.other.part": None})
    assert list(functions) == ["minder.datasource.mock_ds.get_val", "minder.datasource.mock_ds.other.part"]
    function = functions["minder.datasource.mock_ds.get_val"]
    assert (function.name, function.arity) == ("minder.datasource.mock_ds.get_val", 1)
    assert function.call({"any": 1}) == function.call("thing") == "hello"


@pytest.mark.parametrize("key", ["", "source", "source.", ".function", 7])
def test_a_result_for_no_function_is_refused(key: Any) -> None:
    with pytest.raises(InputError, match="names no function of a data source"):
        mocked_functions({key: 1})


def test_two_results_for_one_function_are_refused() -> None:
    with pytest.raises(InputError, match=re.escape("two results are given for minder.datasource.a_b.c")):
        mocked_functions({"a-b.c": 1, "A_B.C": 2})
