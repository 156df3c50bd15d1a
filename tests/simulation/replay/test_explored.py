"""The result of an exploration says all in one text, and fails a test with it."""

from __future__ import annotations

import pytest

from understudy.simulation import Crash
from understudy.simulation.replay.explored import Explored, Find, Tally
from understudy.simulation.replay.survival import DAMAGES_SHOWN, Damage
from understudy.simulation.replay.trial import Trial

FIND = Find(
    (Crash("after", 1),),
    (Damage("repeated", "mail.send", "mail.send() was made twice"),),
    "def test(): ...",
    3,
)


def explored(*finds: Find, stopped: str = "", notes: tuple[str, ...] = ()) -> Explored:
    return Explored(
        "sync", 5, finds, (Tally(1, 9, 7, 2), Tally(2, 1_200, 10, 0, 90)), Trial(), stopped, notes
    )


def test_a_find_is_told_with_its_test_and_fails_the_test_that_explored() -> None:
    with pytest.raises(AssertionError) as caught:
        explored(FIND, stopped="max_trials=17", notes=("no world",)).check()
    assert str(caught.value).splitlines() == [
        "sync does not survive 1 thing (seed 5):",
        "1) a crash after write 1:",
        "  mail.send() was made twice",
        "  (3 other disturbances did the same damage)",
        "   the test of it:",
        "",
        "    def test(): ...",
        "",
        "  single disturbances: 7 of 9 tried, 2 left; 2 of them did not come to pass",
        "  combinations of 2: 10 of 1,200 tried, 90 not needed (a part of them is a find), 1,100 left",
        "  stopped by max_trials=17",
        "note: no world",
    ]


def test_without_a_find_all_is_well() -> None:
    result = explored()
    assert result.check() is result
    assert (result.ok, result.tried, result.left) == (True, 17, 1_102)
    assert str(result).startswith("sync survived 17 disturbances (seed 5)\n")


def test_damage_without_end_is_cut() -> None:
    damages = tuple(Damage("lost", f"sink.{number}", f"lost {number}") for number in range(DAMAGES_SHOWN + 7))
    lines = str(Find((Crash("after", 1),), damages, "")).splitlines()
    assert (len(lines), lines[-1]) == (DAMAGES_SHOWN + 2, "  and 7 more")
