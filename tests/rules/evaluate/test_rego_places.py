"""Places stay those of the user's text, whatever is put into it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from understudy.rules.evaluate.rego_places import Edit, EditedText, Lines

texts = st.text("aé\t\n(", max_size=40)


@given(texts, st.data())
def test_every_offset_finds_its_line_and_column(text: str, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(text)))
    before = text[:index]
    place = Lines(text.encode()).place(len(before.encode()))
    assert place == (before.count("\n") + 1, len(before) - before.rfind("\n"))


@given(texts, st.data())
def test_what_was_not_edited_finds_back(text: str, data: st.DataObject) -> None:
    content = text.encode()
    edits: list[Edit] = []
    kept: list[int] = []
    position = 0
    while position < len(content):
        start = data.draw(st.integers(position, len(content)))
        end = data.draw(st.integers(start, min(start + 3, len(content))))
        edits.append(Edit(start, end, data.draw(st.binary(max_size=4))))
        kept += range(position, start)
        position = max(end, start + 1)
        kept += range(end, min(position, len(content)))
    edited = EditedText(content, edits)
    assert len(edited.text) == len(content) + sum(len(e.text) - (e.end - e.start) for e in edits)
    back = {edited.original(offset): edited.text[offset] for offset in reversed(range(len(edited.text)))}
    for offset in kept:
        assert offset in back
    assert all(0 <= offset <= len(content) for offset in back)


def test_a_tab_is_four_columns_for_the_engine_and_one_for_us() -> None:
    lines = Lines("x\n\té: y".encode())
    assert lines.offset(2, 5) == 3
    assert lines.place(3) == (2, 2)
    assert lines.offset(9, 9) == 8


def test_what_begins_at_one_place_keeps_its_order() -> None:
    edits = [
        Edit(0, 1, b"b"),
        Edit(0, 0, b"inner(", -3),
        Edit(0, 0, b"outer(", -9),
        Edit(1, 1, b"))", 9),
        Edit(1, 1, b")", 3),
    ]
    assert EditedText(b"a", edits).text == b"outer(inner(b)))"
