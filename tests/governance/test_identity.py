"""Names that look like themselves and like nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from understudy.core.errors import InputError
from understudy.governance.identity import checked_name, same_person

PLAIN = ["ann", "triage-bot", "Ann O'Neill", "x" * 200, "a", "żółw", "分析官", "bot_7@example.com"]
REFUSED: dict[str, tuple[Any, str]] = {
    "empty": ("", "is empty"),
    "blank": ("  ", "is empty"),
    "a blank before": (" ann", "has blanks around it"),
    "a blank after": ("ann ", "has blanks around it"),
    "a blank of another width": ("ann\u3000", "has characters that cannot be seen"),
    "nothing to be seen": ("ann\u200b", "has characters that cannot be seen"),
    "turned direction": ("\u202enna", "has characters that cannot be seen"),
    "escape": ("ann\x1b[31m", "has characters that cannot be seen"),
    "line break": ("ann\nbob", "has characters that cannot be seen"),
    "NUL": ("ann\0", "has characters that cannot be seen"),
    "half a character": ("ann\ud800", "has characters that cannot be seen"),
    "full width": ("\uff41nn", 'has more than one spelling (write it as "ann")'),
    "two characters for one": ("Rene\u0301", "has more than one spelling"),
    "ligature": ("o\ufb03ce", "has more than one spelling"),
    "long": ("x" * 201, "has 201 characters (200 are the most)"),
    "nothing": (None, "is a NoneType, not a text"),
    "a number": (7, "is a int, not a text"),
    "bytes": (b"ann", "is a bytes, not a text"),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_name_is_taken_as_it_is(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize("what", REFUSED)
def test_a_name_that_could_be_taken_for_another_is_refused(what: str) -> None:
    name, says = REFUSED[what]
    with pytest.raises(InputError) as refused:
        checked_name(name, "reviewer")

    assert "the reviewer's name" in str(refused.value)
    assert says in str(refused.value)
    assert str(refused.value).isprintable()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ann", "ANN"),
        ("ann", "ann "),
        ("ann", "\uff41nn"),
        ("ann", "a\u200bnn"),
        ("strasse", "STRASSE"),
        ("ß", "SS"),
    ],
)
def test_spellings_of_one_name_are_one_person(one: str, other: str) -> None:
    assert same_person(one, other)
    assert same_person(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("ann", "anna"), ("ann", "bob"), ("bot-1", "bot-11"), ("ann", "")]
)
def test_different_names_are_different_people(one: str, other: str) -> None:
    assert not same_person(one, other)
