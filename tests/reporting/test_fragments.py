"""Pieces of text come back whole, in any order."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from understudy.reporting.fragments import FragmentFile


@given(
    st.lists(st.text(max_size=5), max_size=20).flatmap(
        lambda texts: st.tuples(st.just(texts), st.permutations(range(len(texts))))
    )
)
def test_texts_are_copied_in_the_order_asked_for(case: tuple[list[str], list[int]]) -> None:
    texts, order = case
    out = io.StringIO(newline="")
    with FragmentFile() as fragments:
        assert [fragments.add(text) for text in texts] == list(range(len(texts)))
        fragments.copy(order, out)
    assert out.getvalue() == "".join(texts[number] for number in order)


def test_a_text_that_utf8_cannot_hold_is_no_error() -> None:
    out = io.StringIO()
    with FragmentFile() as fragments:
        fragments.copy([fragments.add("a\ud800b")], out)
    assert out.getvalue() == "a?b"
