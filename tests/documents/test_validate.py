"""What does not fit a model comes out as problems in plain words, each with its place."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator

from understudy.core.errors import InputError
from understudy.documents.json import load_json
from understudy.documents.validate import problem_at, validate
from understudy.documents.yaml import load_yaml


class Command(BaseModel):
    model_config = ConfigDict(extra="forbid")
    type: Literal["command"] = "command"
    run: str


class Page(BaseModel):
    model_config = ConfigDict(extra="forbid")
    type: Literal["page"] = "page"
    url: str
    port: int


class Check(BaseModel):
    model_config = ConfigDict(extra="forbid", validate_by_name=True, validate_by_alias=True)
    path: str = ""
    status: Annotated[int, Field(strict=True, ge=100, le=599)] = 200
    body_contains: list[Annotated[str, Field(min_length=1)]] = Field([], alias="bodyContains")
    level: Literal["low", "high"] = "low"
    any_step: Command | Page | None = None
    tagged: Annotated[Command | Page, Field(discriminator="type")] | None = None
    value: str | int | list[str] = ""
    ratio: Annotated[int, Field(strict=True)] | Annotated[float, Field(strict=True)] = 0
    parts: dict[Annotated[str, Field(min_length=1)], list[Check]] = {}
    colour: str = ""

    @field_validator("colour")
    @classmethod
    def _is_no_shade(cls, value: str) -> str:
        if "grey" in value:
            raise ValueError("grey is no colour; take a real one")
        return value


def problems_of(text: str, model: Any = Check) -> list[str]:
    with pytest.raises(InputError) as caught:
        validate(model, load_yaml("a.yaml", text=text))
    return [str(problem) for problem in caught.value.problems]


def test_what_fits_becomes_the_model() -> None:
    check = validate(
        Check, load_yaml("a.yaml", text="status: 404\nbodyContains: [x]\nparts: {a: [{path: /}]}")
    )
    assert (check.status, check.body_contains, check.parts["a"][0].path) == (404, ["x"], "/")


def test_a_part_of_a_document_is_validated_with_the_places_it_has_in_the_whole() -> None:
    document = load_json("a.json", text='{"list": [{"path": "/"},\n {"path": 3}]}')
    assert validate(Check, document, ("list", 0)).path == "/"
    with pytest.raises(InputError, match=r"^a\.json:2:11: 'path' must be text, not the number 3$"):
        validate(Check, document, ("list", 1))


def test_an_unknown_key_is_pointed_at_and_told_the_nearest_key_of_its_place() -> None:
    assert problems_of("path: /\nparts: {a: [{staus: 200}]}\npathh: /") == [
        "a.yaml:2:14: unknown key 'staus' (did you mean 'status'?)",
        "a.yaml:3:1: unknown key 'pathh' (did you mean 'path'?)",
    ]


def test_a_key_like_no_other_is_told_which_keys_there_are() -> None:
    assert problems_of("any_step: {run: a, zzz: 1}") == [
        "a.yaml:1:20: unknown key 'zzz' (the keys here are type, run, url, port)"
    ]


def test_keys_are_spelled_as_in_files_only() -> None:
    assert problems_of("body_contains: [a]") == [
        "a.yaml:1:1: unknown key 'body_contains' (did you mean 'bodyContains'?)"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("status: abc", "1:9: 'status' must be a whole number, not text \"abc\""),
        ("status: 1.5", "1:9: 'status' must be a whole number, not the number 1.5"),
        ("status: 99", "1:9: 'status' must be at least 100, not the number 99"),
        ("status: 600", "1:9: 'status' must be at most 599, not the number 600"),
        ("path: [1]", "1:7: 'path' must be text, not a list"),
        ("path:", "1:6: 'path' must be text, not nothing (null)"),
        ("path: yes", "1:7: 'path' must be text, not true"),
        ("bodyContains: x", "1:15: 'bodyContains' must be a list, not text \"x\""),
        ("bodyContains: [a, '']", "1:19: 'bodyContains[1]' must not be empty"),
        ("level: hihg", "1:8: 'level' must be 'low' or 'high', not text \"hihg\" (did you mean 'high'?)"),
        ("parts: {a: [3]}", "1:13: 'a[0]' must be a mapping, not the number 3"),
        ("parts: {'': []}", "1:9: the key '' must not be empty"),
        ("colour: greyish", "1:9: 'colour': grey is no colour; take a real one"),
        ("- a", "1:1: the content must be a mapping, not a list"),
        ("any_step: {type: command}", "1:11: 'run' is missing"),
    ],
)
def test_a_wrong_value_is_pointed_at_and_told_in_plain_words(text: str, problem: str) -> None:
    assert problems_of(text) == ["a.yaml:" + problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("value: {a: 1}", "1:8: 'value' must be text, a whole number or a list, not a mapping"),
        ("value: [a, 1]", "1:12: 'value[1]' must be text, not the number 1"),
        ("ratio: x", "1:8: 'ratio' must be a number, not text \"x\""),
        ("any_step: 3", "1:11: 'any_step' must be a mapping, not the number 3"),
        ("any_step: {run: 1}", "1:17: 'run' must be text, not the number 1"),
        ("tagged: {type: comand}", "1:16: 'type' must be 'command' or 'page', not text \"comand\" (did you"),
        ("tagged: {run: a}", "1:9: 'type' is missing"),
    ],
)
def test_a_value_that_fits_no_member_of_a_union_is_one_problem(text: str, problem: str) -> None:
    (found,) = problems_of(text)
    assert found.startswith("a.yaml:" + problem)


def test_where_a_tag_names_the_member_all_its_problems_are_told() -> None:
    assert problems_of("tagged: {type: page, prt: 1}") == [
        "a.yaml:1:9: 'url' is missing",
        "a.yaml:1:9: 'port' is missing",
        "a.yaml:1:22: unknown key 'prt' (did you mean 'port'?)",
    ]


def test_all_problems_come_together() -> None:
    assert len(problems_of("status: x\npath: 3\nlevel: 1\nzzz: 1\nvalue: {}")) == 5


def test_no_word_of_the_library_reaches_the_user() -> None:
    text = "status: x\npath: 3\nlevel: 1\nzzz: 1\nvalue: {}\nany_step: {a: 1}\ntagged: {}\nparts: {'': 1}"
    for problem in problems_of(text):
        assert not any(word in problem for word in ("Input", "extra_", "_type", "pydantic", "valid "))


def test_a_long_value_and_a_long_key_are_shortened() -> None:
    first, second = problems_of(f"status: {'x' * 1000}\n{'y' * 500}: 1")
    assert len(first) < 120
    assert len(second) < 300


def test_a_problem_can_be_placed_at_a_key_or_a_value_of_a_document() -> None:
    document = load_yaml("a.yaml", text="a: 1\nb:  2")
    assert str(problem_at(document, ("b",), "is wrong")) == "a.yaml:2:5: is wrong"
    assert (
        str(problem_at(document, ("b",), "is wrong", "fix it", key=True)) == "a.yaml:2:1: is wrong (fix it)"
    )
