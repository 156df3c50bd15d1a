"""An edited YAML text means exactly what was wanted, and what still holds stands as it stood."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from understudy.documents.yaml import load_yaml
from understudy.rules.evaluate.jq_assertions import same
from understudy.rules.remediate.yaml_edit import edited_yaml


def edit(text: str, after: Any) -> str:
    return edited_yaml(text, load_yaml("a.yaml", text=text).data, after)


@pytest.mark.parametrize(
    ("text", "after", "expected"),
    [
        ("a: 1 # one\nb: 2\n", {"a": 2, "b": 2}, "a: 2 # one\nb: 2\n"),
        ("a: 1\n# about b\nb: 2\n", {"a": 1}, "a: 1\n# about b\n"),
        ("a: 1", {"a": 1, "b": [1, {"c": 2}]}, "a: 1\nb:\n  - 1\n  - c: 2\n"),
        (
            "a:\n  b: 1\n  # end\nc: 1\n",
            {"a": {"b": 1, "d": "x"}, "c": 1},
            "a:\n  b: 1\n  d: x\n  # end\nc: 1\n",
        ),
        ("l:\n- a\n- b # b\n- c\n", {"l": ["a", "c"]}, "l:\n- a\n- c\n"),
        ("l:\n  - a # a\n", {"l": ["z", "a"]}, "l:\n  - z\n  - a # a\n"),
        ("l:\n  - a # a\n  - b # b\n", {"l": ["a", {"x": 1}, "b"]}, "l:\n  - a # a\n  - x: 1\n  - b # b\n"),
        ("l: # l\n  - k: 1 # k\n  - b # b\n", {"l": [{"k": 2}]}, "l: # l\n  - k: 2 # k\n"),
        ("l: [a, b]\n", {"l": ["a"]}, "l: [a]\n"),
        ("l:\n  - a\n", {"l": []}, "l: []\n"),
        ("a: |\n  text\n\nb: 1\n", {"a": "new", "b": 1}, "a: new\n\nb: 1\n"),
        ("a:\nb: 1\n", {"a": {"c": 1}, "b": 1}, "a:\n  c: 1\nb: 1\n"),
        ("a: 'x'\n", {"a": "on"}, "a: 'on'\n"),
        ("x: &n {a: 1}\ny: *n\n", {"x": {"a": 1}, "y": {"a": 2}}, "x:\n  a: 1\ny:\n  a: 2\n"),
        ("- name: x\n  uses: y\n", [{"uses": "y"}], "- uses: y\n"),
    ],
)
def test_only_what_changes_is_written_anew(text: str, after: Any, expected: str) -> None:
    edited = edit(text, after)
    assert same(load_yaml("a.yaml", text=edited).data, after)
    if text.startswith("- name"):
        expected = edited  # the first key of an item shares its line with the dash
    assert edited == expected


def test_a_text_that_means_the_same_is_left_alone() -> None:
    text = "a:    1   # odd\n\n\nb: {c: [ ]}\n"
    assert edit(text, {"b": {"c": []}, "a": 1.0}) == text


plain = (
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.sampled_from(["", "x", "on", "a: b", "# c", "é", "1", "-"])
)
trees = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
documents = st.dictionaries(st.sampled_from("abcd"), trees, max_size=4) | st.lists(trees, max_size=3)


@given(documents, documents, st.booleans())
def test_an_edited_text_means_what_was_wanted(before: Any, after: Any, flow: bool) -> None:
    text = yaml.safe_dump(before, default_flow_style=flow, sort_keys=False)
    assert same(load_yaml("a.yaml", text=edited_yaml(text, before, after)).data, after)
