"""What must hold for any input: ids split back, diffs tell equal from different, redaction leaks and breaks nothing."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from understudy.core.diff import differences, nearest, structural_diff, text_diff
from understudy.core.errors import InputError
from understudy.core.ids import Numbering, case_id, split_case_id
from understudy.core.matching import compile_expression
from understudy.core.redact import Numbered, Redactor

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["a", "b c", "token", "tokens", "password", "é"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)
SECRET = (
    st.text("abcXYZ019%&/+ \"'\\é<>", min_size=6, max_size=16)
    .map(str.strip)
    .filter(
        lambda text: len(text) >= 6 and not text.isdigit()
    )  # a number in a longer number is another number
)
PIECES = st.sampled_from(
    [
        *(
            "password=",
            "token: ",
            '"secret": "',
            "'api_key': '",
            '"',
            "'",
            "\\",
            "\\n",
            "\n",
            "{",
            "}",
            "[",
            "]",
            ",",
        ),
        *(
            "Authorization: ",
            "Bearer ",
            "Basic ",
            "Set-Cookie: ",
            "Cookie: a=b;",
            "curl -u a:b ",
            "-b 's=1'",
            "://",
        ),
        *(
            "u:p@h",
            "?token=",
            "&sig=",
            "$.token: ",
            "expected ",
            '"x"',
            "<password>",
            "</password>",
            "<secret 1>",
        ),
        *(
            "<secret:0123456789abcdef>",
            "…",
            "hunter2",
            "hunt",
            "12345",
            "--token ",
            " ",
            "abc",
            "%41",
            "ghp_",
            "=",
            ":",
        ),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "eyJabcde.eyJ.x",
            "sk-abc123def456ghi7",
            "aHVudGVyMg==",
            "é",
            ";",
            "#",
            "$",
        ),
    ]
)
MESS = st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join)
REDACTOR = Redactor(["hunter2", "12345", "secret"], key=b"fixed")


@given(st.tuples(st.text(), st.text(), st.text()))
def test_any_three_texts_make_an_id_that_splits_back(parts: tuple[str, str, str]) -> None:
    identifier = case_id(*parts)
    assert split_case_id(identifier) == parts
    assert identifier.isprintable()


@given(st.lists(st.sampled_from(["a", "a#2", "a#3", "b", "b#2", "a#2#2"]), max_size=20))
def test_numbered_names_are_all_different(names: list[str]) -> None:
    numbering = Numbering()
    numbered = [numbering(name) for name in names]
    assert len(set(numbered)) == len(numbered)


@given(JSON)
def test_a_value_does_not_differ_from_its_copy(value: Any) -> None:
    assert differences(value, copy.deepcopy(value)) == []
    assert differences(value, json.loads(json.dumps(value))) == []


@given(JSON, JSON)
def test_two_values_differ_exactly_if_their_json_does(left: Any, right: Any) -> None:
    def canonical(value: Any) -> Any:
        if isinstance(value, bool):
            return ("boolean", value)
        if isinstance(value, dict):
            return {key: canonical(entry) for key, entry in value.items()}
        return [canonical(item) for item in value] if isinstance(value, list) else value

    found = differences(left, right)
    assert bool(found) == (canonical(left) != canonical(right))
    assert len({(difference.path, difference.kind) for difference in found}) == len(found)
    assert {difference.kind for difference in found} <= {"changed", "missing", "added", "type"}
    swapped = {"missing": "added", "added": "missing"}
    back = differences(right, left)
    assert bool(back) == bool(found)
    if isinstance(left, dict) and isinstance(right, dict):
        flat = {(d.path, swapped.get(d.kind, d.kind)) for d in found if d.path.count("[") == 0}
        assert flat == {(d.path, d.kind) for d in back if d.path.count("[") == 0}
    assert bool(structural_diff(left, right)) == bool(found)


@given(st.lists(st.integers(), min_size=1, max_size=8, unique=True), st.integers(0, 8), st.integers())
def test_one_inserted_item_is_one_difference(items: list[int], at: int, new: int) -> None:
    assume(new not in items)
    longer = [*items[:at], new, *items[at:]]
    assert [(d.path, d.kind) for d in differences(items, longer)] == [(f"$[{min(at, len(items))}]", "added")]
    assert [(d.path, d.kind) for d in differences(longer, items)] == [
        (f"$[{min(at, len(items))}]", "missing")
    ]


@given(st.text("ab \t\r\n\u200b"), st.text("ab \t\r\n\u200b"))
def test_a_text_diff_is_empty_only_for_equal_texts(left: str, right: str) -> None:
    assert bool(text_diff(left, right)) == (left != right)


@given(st.text("abcdefgh {},:", min_size=8, max_size=40), st.text(max_size=200), st.text(max_size=200))
def test_what_stands_in_the_text_is_its_own_nearest(needle: str, before: str, after: str) -> None:
    assume(needle == needle.strip())
    assert needle.strip(",{}") in nearest(needle, before + needle + after) or len(set(needle)) < 8


@example("12345password=password=")
@example("password=x\\")
@given(MESS)
def test_redaction_is_idempotent_also_after_numbering(text: str) -> None:
    marked = REDACTOR.text(text)
    assert REDACTOR.text(marked) == marked
    numbered = Numbered()(marked)
    assert REDACTOR.text(numbered) == numbered


@given(MESS)
def test_no_literal_secret_is_left_in_any_text(text: str) -> None:
    assert "hunter2" not in REDACTOR.text(text)


@given(SECRET, MESS, MESS)
def test_a_secret_is_not_left_in_json_however_deep_it_is_quoted(secret: str, before: str, after: str) -> None:
    redactor = Redactor([secret])
    text = before + secret + after
    for _ in range(3):
        assert secret not in _unmarked(redactor.text(text))
        text = json.dumps({"text": text})
        read = json.loads(redactor.text(text))
        assert secret not in _unmarked(json.dumps(read, ensure_ascii=False))


@given(JSON, st.booleans())
def test_redacted_json_is_json_and_means_what_redacted_data_means(value: Any, wide: bool) -> None:
    text = json.dumps({"outer": value, "n": 12345}, ensure_ascii=not wide)
    read = json.loads(REDACTOR.text(text))
    assert list(read) == ["outer", "n"]
    nested = json.loads(REDACTOR.text(json.dumps({"body": text})))
    json.loads(nested["body"])


@given(JSON)
def test_a_value_under_a_secret_name_is_gone_from_data_and_the_rest_stays(value: Any) -> None:
    redacted = REDACTOR.data({"password": "swordfish", "kept": 1, "value": value})
    assert redacted["kept"] == 1
    assert "swordfish" not in json.dumps(redacted)
    assert REDACTOR.data(redacted) == redacted


@given(st.text("ab ()'\"\tandornot", max_size=30))
def test_any_expression_is_compiled_or_refused_as_input(text: str) -> None:
    refused: InputError | None = None
    try:
        expression = compile_expression(text)
    except InputError as error:
        refused = error
    else:
        assert expression.matches(lambda word: True) in (True, False)
    assert refused is None or refused.problems[0].column is not None


def _unmarked(text: str) -> str:
    return "".join(part.partition(">")[2] for part in ("x>" + text).split("<secret:"))
