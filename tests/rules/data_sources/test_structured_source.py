"""Functions of data sources read the first of several files that a repository has."""

from __future__ import annotations

import re
from typing import Any

import pytest

from understudy.documents.yaml import load_go_yaml
from understudy.rules.data_sources.loading import read_data_source
from understudy.rules.evaluate.functions import HostError
from understudy.trees import Tree, memory_tree

from .recording_web import RecordingWeb

SOURCE = """
type: data-source
name: insights
structured:
  def:
    parse:
      path:
        file_name: SECURITY-INSIGHTS.yaml
        alternatives: [docs, ./.github/insights.json, settings.toml, insights]
"""


def parse(tree: Tree | None) -> Any:
    functions = read_data_source(load_go_yaml("ds.yaml", text=SOURCE)).functions(RecordingWeb(), tree)
    return functions["minder.datasource.insights.parse"].call({})


@pytest.mark.parametrize(
    ("files", "value"),
    [
        ({"SECURITY-INSIGHTS.yaml": "on: yes\nn: 1", "settings.toml": "n = 2"}, {"on": "yes", "n": 1}),
        ({".github/insights.json": '{"n": 2}', "settings.toml": "n = 3"}, {"n": 2}),
        ({"docs/a.md": "a folder is passed over", "settings.toml": "[a]\nn = 3"}, {"a": {"n": 3}}),
        ({"insights": '{"n": 4}'}, {"n": 4}),
        ({"insights": "[a]\nn = 5"}, {"a": {"n": 5}}),
        ({"insights": "a:\n- n: 6"}, {"a": [{"n": 6}]}),
        ({"SECURITY-INSIGHTS.yaml": '{"n": [1, 2'}, "error"),
        ({"settings.toml": '{"n": 7}'}, {"n": 7}),
        ({"README.md": "nothing of it"}, None),
        ({}, None),
    ],
)
def test_the_first_file_that_there_is_is_parsed_by_its_suffix_or_as_what_it_is(
    files: dict[str, str], value: Any
) -> None:
    if value == "error":
        message = "SECURITY-INSIGHTS.yaml is no YAML, JSON, TOML: the YAML, line 2"
        with pytest.raises(HostError, match=re.escape(message)):
            parse(memory_tree(files))
    else:
        assert parse(memory_tree(files)) == value


def test_without_files_it_says_so() -> None:
    with pytest.raises(HostError, match=r"there are no files to look at: set ingest\.type to git"):
        parse(None)


def test_a_path_cannot_leave_the_repository() -> None:
    text = SOURCE.replace("SECURITY-INSIGHTS.yaml", "../../etc/passwd")
    functions = read_data_source(load_go_yaml("ds.yaml", text=text)).functions(
        RecordingWeb(), memory_tree({"a": ""})
    )
    with pytest.raises(HostError, match=r"\.\./\.\./etc/passwd"):
        functions["minder.datasource.insights.parse"].call({})
