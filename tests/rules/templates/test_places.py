"""A template in a YAML file is found where its text begins, however it is written there."""

from __future__ import annotations

import pytest

from understudy.core.errors import InputError
from understudy.documents.yaml import load_yaml
from understudy.rules.templates import compile_template, text_start


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("a:\n  b: '{{.x'\n", (2, 7)),
        ('a:\n  b: "{{.x"\n', (2, 7)),
        ("a:\n  b: x{{.x\n", (2, 7)),
        ("a:\n  b: |\n    {{.x\n", (3, 5)),
        ("a:\n  b: >-\n\n      {{.x\n", (4, 7)),
        ("a:\n  b: |2\n      {{.x\n", (3, 7)),
        ("a:\n  - b: |-\n      {{.x\n", (3, 7)),
        ("a:\n  b: | # why\n    one\n    {{.x\n", (4, 5)),
    ],
)
def test_a_fault_is_shown_in_the_line_and_column_of_the_file(source: str, place: tuple[int, int]) -> None:
    document = load_yaml("rule.yaml", text=source)
    path = ("a", 0, "b") if isinstance(document.data["a"], list) else ("a", "b")
    value = document.data["a"]
    for step in path[1:]:
        value = value[step]
    start = text_start(source, *document.positions.value(path))
    with pytest.raises(InputError) as caught:
        compile_template(value, "rule.yaml", *start)
    (problem,) = caught.value.problems
    assert (problem.line, problem.column) == place


def test_the_comment_of_a_rego_file_counts_as_blank() -> None:
    source = "# METADATA\n# custom:\n#   body: |\n#     text\n"
    assert text_start(source, 3, 11) == (4, 7)
    assert text_start(source, 99, 1) == (99, 1)
