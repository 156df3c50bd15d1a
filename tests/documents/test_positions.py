"""Data paths lead to lines and columns."""

from __future__ import annotations

from understudy.documents.positions import Mark, Positions

LEAF = Mark((2, 9), key=(2, 3))
ENTRY = Mark((2, 3), children={"name": LEAF})
POSITIONS = Positions(Mark((1, 1), children={"http": Mark((2, 1), key=(1, 1), children={0: ENTRY})}))


def test_key_and_value_of_an_entry_are_told_apart() -> None:
    assert POSITIONS.value(("http", 0, "name")) == (2, 9)
    assert POSITIONS.key(("http", 0, "name")) == (2, 3)


def test_the_entry_of_a_list_has_no_key_and_stands_where_its_value_does() -> None:
    assert POSITIONS.key(("http", 0)) == (2, 3)


def test_an_unknown_path_stands_where_its_nearest_known_parent_does() -> None:
    assert POSITIONS.value(("http", 0, "expect", "status")) == (2, 3)
    assert POSITIONS.key(("http", 5)) == (2, 1)
    assert POSITIONS.value(("absent",)) == (1, 1)


def test_the_positions_of_a_part_begin_at_the_part() -> None:
    assert POSITIONS.below(("http", 0)).value(("name",)) == (2, 9)
