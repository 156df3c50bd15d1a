"""What a disturbed pipeline left behind is judged by its ledger and its world, and each damage is named."""

from __future__ import annotations

from understudy.simulation.replay.record import Run, Site, Write
from understudy.simulation.replay.survival import damages_of, judge_keyed, judge_once_only
from understudy.simulation.replay.trial import Setting, Trial

A_HASH, B_HASH = "sha256:a", "sha256:b"


def mail(content: str = A_HASH, *, key: str = "", site: str = "") -> Write:
    return Write(1, "mail", "send", key, content, site, bool(key))


def upsert(key: str, content: str = A_HASH, operation: str = "upsert_object") -> Write:
    return Write(1, "sink", operation, key, content)


def setting(**options: object) -> Setting:
    return Setting(lambda ctx: None, **options)  # type: ignore[arg-type]  # of whatever kind a test gives


def said(clean: list[Write], disturbed: list[Write]) -> list[str]:
    return [str(damage) for damage in (*judge_once_only(clean, disturbed), *judge_keyed(clean, disturbed))]


def test_writes_that_have_a_key_may_be_made_again_and_in_another_order() -> None:
    assert said([upsert("a"), upsert("b")], [upsert("b"), upsert("a"), upsert("b")]) == []


def test_an_effect_without_a_key_must_not_happen_again() -> None:
    assert said([mail()], [mail(site="p.py:3"), mail(site="p.py:3")]) == [
        "mail.send() at p.py:3 was made 2 times, and once in the clean run: it has no key, so that it happened again"
    ]


def test_an_effect_that_says_it_is_not_idempotent_must_not_happen_again() -> None:
    assert said([mail(key="a")], [mail(key="a")] * 3) == [
        "mail.send(a) was made 3 times, and once in the clean run: it is not idempotent, so that it happened again"
    ]


def test_an_effect_without_a_key_must_not_be_left_out_or_be_another() -> None:
    assert said([mail(), mail()], [mail()]) == ["mail.send() was made once, and 2 times in the clean run"]
    assert said([mail()], []) == ["mail.send() was made not at all, and once in the clean run"]
    assert said([mail()], [mail(B_HASH)]) == [
        "mail.send() was made with another content than in the clean run"
    ]


def test_writes_that_are_lost_or_new_are_named() -> None:
    assert said([upsert("a")], [upsert("b")]) == [
        "sink.upsert_object(a) was made in the clean run only",
        "sink.upsert_object(b) was not made in the clean run",
    ]


def test_what_counts_is_the_last_content() -> None:
    clean = [upsert("a", A_HASH), upsert("a", B_HASH)]
    assert said(clean, [upsert("a", "sha256:between"), upsert("a", B_HASH)]) == []
    assert said(clean, [upsert("a", B_HASH), upsert("a", A_HASH)]) == [
        "sink.upsert_object(a) came last, with another content than in the clean run"
    ]


def test_a_deletion_that_comes_before_what_it_should_delete_is_told() -> None:
    write, delete = upsert("a"), upsert("a", "", "delete_object")
    (damage,) = said([write, delete], [delete, write])
    assert damage.endswith("with another content than in the clean run, which was sink.delete_object(a)")


def test_what_is_written_again_after_its_deletion_is_told() -> None:
    write, delete = upsert("a"), upsert("a", "", "delete_object")
    (damage,) = said([write, delete], [write, delete, write])
    assert damage.startswith("sink.upsert_object(a) came last")


def test_what_is_to_be_ignored_is_not_judged() -> None:
    trial = Trial(writes=(mail(), mail()))
    ignoring = setting(ignore=lambda write: write.subject == "mail")
    assert damages_of(ignoring, Trial(writes=(mail(),)), trial) == ()
    assert len(damages_of(setting(), Trial(writes=(mail(),)), trial)) == 1


def test_a_write_whose_id_is_drawn_happens_again() -> None:
    ids = [f"{number:032x}" for number in (1, 2, 3)]
    clean = Trial(writes=(upsert(ids[0]),), drawn=frozenset(ids))
    again = Trial(writes=(upsert(ids[1]), upsert(ids[2], B_HASH)), drawn=frozenset(ids))
    (damage,) = damages_of(setting(), clean, again)
    assert str(damage).startswith(
        "sink.upsert_object(<drawn id>) was made 2 times, and once in the clean run"
    )
    assert "its id is another one in every run" in str(damage)
    once = Trial(writes=(upsert(ids[1], B_HASH),), drawn=frozenset(ids))
    assert damages_of(setting(), clean, once) == ()


def test_the_world_is_judged_beside_the_ledger() -> None:
    found = damages_of(setting(), Trial(state={"mails": ["a"]}), Trial(state={"mails": []}))
    assert [(one.kind, one.where, one.label) for one in found] == [("world", "$.mails", "world $.mails")]
    assert str(found[0]) == 'the world: $.mails does not hold "a", which it does after the clean run'


def test_a_run_that_did_not_end_well_is_all_that_is_told() -> None:
    ended = Trial(
        writes=(mail(), mail()), runs=(Run(), Run(error_site=Site("p.py", 3))), error="KeyError: 'a'"
    )
    assert [str(one) for one in damages_of(setting(), Trial(), ended)] == [
        "run 2 raised KeyError: 'a' (at p.py:3), which the clean run did not"
    ]
    hung = Trial(is_hung=True, writes=(mail(),))
    assert [one.kind for one in damages_of(setting(timeout=2.0), Trial(), hung)] == ["hung"]
    assert "within 2 s" in str(damages_of(setting(timeout=2.0), Trial(), hung)[0])
    flood = Trial(is_runaway=True, runs=(Run(),))
    assert [str(one) for one in damages_of(setting(max_writes=9), Trial(), flood)] == [
        "run 1 made more than 9 writes and was stopped"
    ]
