"""What is wrong with a template is said in Go's words, with its place in the file and what to do."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError, Problem
from understudy.rules.templates import compile_template, entity_view


def fault_of(template: str, data: Any = None, **options: Any) -> Problem:
    with pytest.raises(InputError) as caught:
        compile_template(template, "rule.yaml", **options).render(data)
    (problem,) = caught.value.problems
    assert problem.hint
    return problem


# A template, what is wrong with it, and in which column.
UNPARSED = [
    ("a {{", "unclosed action", 3),
    ("{{.a", "unclosed action", 1),
    ("{{}}", "missing value for command", 3),
    ("{{.a.}}", 'unexpected "." in operand', 5),
    ("{{a}}", 'function "a" not defined', 3),
    ("{{.a | }}", None, 1),
    ("{{if}}{{end}}", "missing value for if", 5),
    ("{{if .a}}", "unexpected EOF", 10),
    ("x{{end}}", "unexpected {{end}}", 4),
    ("{{else}}", "unexpected {{else}}", 3),
    ("{{if 1}}{{else}}{{else}}{{end}}", "expected end; found {{else}}", 19),
    ("{{$x}}", 'undefined variable "$x"', 3),
    ("{{$x = 1}}", 'undefined variable "$x"', 3),
    ("{{if 1}}{{$y := 1}}{{end}}{{$y}}", 'undefined variable "$y"', 29),
    ("{{break}}", "{{break}} outside {{range}}", 3),
    ("{{range .}}{{end}}{{continue}}", "{{continue}} outside {{range}}", 21),
    ("{{template}}", 'unexpected "}}" in template clause', 11),
    ("{{template x}}", 'unexpected "x" in template clause', 12),
    ('{{define "x"}}', "unexpected EOF", 15),
    ('{{if 1}}{{define "x"}}{{end}}{{end}}', "unexpected {{define}}", 11),
    ('{{define "x"}}a{{end}}{{define "x"}}b{{end}}', 'multiple definition of template "x"', 32),
    ('{{block "x"}}{{end}}', "missing value for block clause", 12),
    ("{{(1}}", "unclosed left paren", 5),
    ("{{1)}}", "unexpected right paren", 4),
    ('{{"a}}', "unterminated quoted string", 3),
    ("{{`a}}", "unterminated raw quoted string", 3),
    ("{{'ab'}}", "malformed character constant", 3),
    ("{{1x}}", 'bad number syntax: "1x"', 3),
    ("{{0x}}", 'illegal number syntax: "0x"', 3),
    ("{{1__0}}", 'illegal number syntax: "1__0"', 3),
    ("{{08}}", 'illegal number syntax: "08"', 3),
    ("{{9223372036854775808}}", "overflows int", 3),
    ("{{1i}}", "complex number", 3),
    ('{{"\\q"}}', "invalid syntax", 3),
    ("{{1 | 2}}", "non executable command in pipeline stage 2", 7),
    ("{{print(1)}}", 'unexpected "(" in operand', 8),
    ("{{.a,.b}}", 'unexpected "," in operand', 5),
    ("{{.a=1}}", "bad character U+003D '='", 5),
    ("{{$a, $b := 1}}", "too many declarations in command", 5),
    ("{{range $a, $b, $c := .}}{{end}}", "too many declarations in range", 15),
    ("{{:}}", "expected :=", 3),
    ("{{#}}", "unrecognized character in action: U+0023 '#'", 3),
    ("{{/* a}}", "unclosed comment", 1),
    ("{{/* a */ x}}", "comment ends before closing delimiter", 8),
    ('{{"a".x}}', "unexpected . after term", 6),
    ("{{range .}}{{else if 1}}{{end}}", "unexpected if", 19),
]

# A template that parses, its data, and how its execution ends.
UNEXECUTED: list[tuple[str, Any, str]] = [
    ('{{template "x"}}', None, 'template "x" not defined'),
    ("{{nil}}", None, "at <nil>: nil is not a command"),
    ("{{1 2}}", None, "can't give argument to non-function"),
    ("{{.a 1}}", {"a": 2}, "a is not a method but has arguments"),
    ("{{1 | .a}}", {"a": 2}, "a is not a method but has arguments"),
    ("{{len}}", None, "wrong number of args for len: want 1 got 0"),
    ("{{and}}", None, "wrong number of args for and: want at least 1 got 0"),
    ("{{ne 1 2 3}}", None, "wrong number of args for ne: want 2 got 3"),
    ("{{len 1}}", None, "at <len 1>: error calling len: len of type int"),
    ("{{index .a 5}}", {"a": [1]}, "error calling index: index out of range: 5"),
    ("{{index .a -1}}", {"a": [1]}, "index out of range: -1"),
    ('{{index .a "x"}}', {"a": [1]}, "cannot index slice/array with type string"),
    ("{{index .m 1}}", {"m": {}}, "value has type int; should be string"),
    ("{{index nil 1}}", None, "index of untyped nil"),
    ('{{index .m "a" "b"}}', {"m": {}}, "index of nil pointer"),
    ("{{index 1 1}}", None, "can't index item of type int"),
    ("{{slice 1}}", None, "can't slice item of type int"),
    ("{{slice nil}}", None, "slice of untyped nil"),
    ("{{slice .a 0 1 2 3}}", {"a": [1]}, "too many slice indexes: 4"),
    ("{{len nil}}", None, "len of nil pointer"),
    ("{{index .a true}}", {"a": [1]}, "cannot index slice/array with type bool"),
    ("{{lt 1 true}}", None, "incompatible types for comparison: int and bool"),
    ("{{(1) | print | (2)}}", None, "can't give argument to non-function"),
    ("{{(slice .l 1).x}}", {"l": [1, 2]}, "can't evaluate field x in type []interface {}"),
    ("{{slice .a 2 1}}", {"a": [1, 2, 3]}, "invalid slice index: 2 > 1"),
    ('{{slice "abc" 0 9}}', None, "index out of range: 9"),
    ('{{slice "abc" 0 1 2}}', None, "cannot 3-index slice a string"),
    ("{{eq 1}}", None, "missing argument for comparison"),
    ("{{eq 1 1.0}}", None, "incompatible types for comparison: int and float64"),
    ('{{eq 1 "1"}}', None, "incompatible types for comparison: int and string"),
    ("{{eq .a .a}}", {"a": [1]}, "non-comparable type [1]: []interface {}"),
    ("{{lt true false}}", None, "invalid type for comparison"),
    ("{{lt nil 1}}", None, "invalid type for comparison"),
    ("{{.x}}", {}, 'at <.x>: map has no entry for key "x"'),
    ("{{.a.b.c}}", {"a": {}}, 'at <.a.b.c>: map has no entry for key "b"'),
    ("{{.x.y}}", {"x": 1}, "can't evaluate field y in type int"),
    ("{{.x.y}}", {"x": None}, "nil pointer evaluating interface {}.y"),
    ("{{.x}}", None, 'nil data; no entry for key "x"'),
    ("{{range 1.5}}{{end}}", None, "range can't iterate over 1.5"),
    ("{{range $i, $e := 3}}{{end}}", None, "can't use 3 to iterate over more than one variable"),
    ("{{printf 1}}", None, "expected string; got int"),
    ("{{call 1}}", None, "non-function of type int"),
    ("{{call nil}}", None, "call of nil"),
    ('{{mapGet .m "x"}}', {"m": {"y": 1}}, "key not found: x"),
    ('{{mapGet .m "x"}}', {"m": None}, "map is nil"),
    ("{{asMap .m}}", {"m": None}, "asMap called with nil"),
    ("{{asMap .m}}", {"m": 1}, "invalid type: int"),
]


@pytest.mark.parametrize(("template", "message", "column"), UNPARSED)
def test_a_template_that_cannot_be_parsed(template: str, message: str | None, column: int) -> None:
    if message is None:
        # An empty last stage is left out by Go as well.
        assert compile_template(template).render({"a": "x"}) == "x"
        return
    problem = fault_of(template)
    assert message in problem.message
    assert problem.message.startswith("template: ")
    assert (problem.file, problem.line, problem.column) == ("rule.yaml", 1, column)


@pytest.mark.parametrize(("template", "data", "message"), UNEXECUTED)
def test_a_template_that_cannot_be_executed(template: str, data: Any, message: str) -> None:
    problem = fault_of(template, data)
    assert message in problem.message
    assert problem.message.startswith("template: executing at <")


def test_a_place_is_counted_in_the_file_the_template_stands_in() -> None:
    problem = fault_of("first\n  {{.Nme}}", {"Name": 1}, line=12, column=9)
    assert str(problem) == (
        "rule.yaml:13:13: template: executing at <.Nme>: map has no entry for key \"Nme\" (did you mean 'Name'?)"
    )


@pytest.mark.parametrize(
    ("template", "data", "hint"),
    [
        ("{{prinf 1}}", None, "did you mean 'printf'?"),
        ("{{$name := 1}}{{$nam}}", None, "did you mean '$name'?"),
        ("{{.Ownr}}", entity_view({"owner": "a"}), "did you mean 'Owner'?"),
        ('{{define "part"}}{{end}}{{template "prt"}}', None, "did you mean 'part'?"),
        ('{{mapGet . "github/ownr"}}', {"github/owner": 1}, "did you mean 'github/owner'?"),
        ("{{if eq .a = 1}}{{end}}", None, "compare with the function eq"),
    ],
)
def test_what_was_meant_is_said(template: str, data: Any, hint: str) -> None:
    assert hint in fault_of(template, data).hint


def test_only_the_part_that_is_executed_can_fail() -> None:
    assert compile_template("{{if .on}}{{.nothing}}{{end}}ok").render({"on": False}) == "ok"


def test_an_html_template_escapes_by_itself_and_says_so() -> None:
    assert "disallowed" in fault_of("{{.a | html | print}}", {"a": 1}, escape_html=True).message


def test_functions_of_the_caller_are_known_by_name_and_fail_in_its_words() -> None:
    template = compile_template("{{join .list}} {{.call 2}} {{call .call 3}}", functions={"join": ",".join})
    assert template.render({"list": ["a", "b"], "call": lambda number: number * 2}) == "a,b 4 6"


def test_a_struct_prints_its_fields() -> None:
    view = entity_view({"owner": "a", "context": {"provider": "github"}})
    assert compile_template("{{.}}").render(view) == "{Context:{Provider:github} Owner:a}"


def test_data_that_are_nested_without_end_are_an_error_of_the_input() -> None:
    template = (
        '{{define "t"}}'
        + "{{with .}}" * 60
        + '{{template "t" .}}'
        + "{{end}}" * 60
        + '{{end}}{{template "t" 1}}'
    )
    assert (
        "nested too deeply" in fault_of(template).message
        or "maximum template depth" in fault_of(template).message
    )
