"""A shelf gives what was put there in the order of positions, whatever was put and taken in between."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from understudy.simulation.shelf import Shelf

FAR = 512 * 64  # where the second group begins
POSITIONS = st.integers(0, 40) | st.sampled_from([511, 512, 1023, FAR - 1, FAR, 3 * FAR + 7])


@settings(deadline=None)
@given(
    steps=st.lists(st.tuples(st.booleans(), POSITIONS), max_size=60),
    skip=st.integers(0, 30),
    count=st.integers(0, 10),
    after=POSITIONS | st.just(-1),
)
def test_a_shelf_reads_like_a_sorted_dict(
    steps: list[tuple[bool, int]], skip: int, count: int, after: int
) -> None:
    shelf: Shelf[str] = Shelf()
    model: dict[int, str] = {}
    for number, (puts, position) in enumerate(steps):
        if puts:
            shelf.put(position, f"thing {number}")
            model[position] = f"thing {number}"
        elif position in model:
            shelf.take(position)
            del model[position]
        shelf.page(0, 1)  # whatever a page keeps in mind has to be kept true

    expected = sorted(model.items())
    assert len(shelf) == len(expected)
    assert list(shelf) == [thing for _, thing in expected]
    assert shelf.page(skip, count) == expected[skip : skip + count]
    assert list(shelf.walk(after)) == [item for item in expected if item[0] > after]


def test_a_page_deep_in_a_large_shelf_with_gaps_is_the_right_one() -> None:
    shelf: Shelf[int] = Shelf()
    for position in range(2 * FAR):
        shelf.put(position, position)
    for position in range(0, 2 * FAR, 2):
        shelf.take(position)
    assert shelf.page(FAR - 3, 5) == [(place, place) for place in range(2 * FAR - 5, 2 * FAR, 2)]
    assert len(shelf) == FAR


def test_a_page_does_not_look_at_what_comes_before_it() -> None:
    shelf: Shelf[Any] = Shelf()
    for position in range(4 * FAR):
        shelf.put(position, position)
    looked_at = _counting(shelf)
    shelf.take(7)  # so that nothing is known by heart
    assert shelf.page(4 * FAR - 200, 10)[0] == (4 * FAR - 199, 4 * FAR - 199)
    assert len(looked_at) < 100


def _counting(shelf: Shelf[Any]) -> list[int]:
    """The numbers of the blocks that are looked at from now on."""
    looked_at: list[int] = []

    class Blocks(dict[int, Any]):
        def get(self, number: int, default: Any = None) -> Any:
            looked_at.append(number)
            return super().get(number, default)

    shelf._blocks = Blocks(shelf._blocks)
    return looked_at
