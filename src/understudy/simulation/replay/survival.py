"""Whether a pipeline survived a disturbance: its ledger and its world against those of the clean run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from understudy.simulation.replay.drawn_ids import DRAWN, without_drawn
from understudy.simulation.replay.record import Write
from understudy.simulation.replay.trial import Setting, Trial
from understudy.simulation.replay.world_state import state_differences

DamageKind = Literal["error", "hung", "runaway", "lost", "repeated", "added", "changed", "world"]
DAMAGES_SHOWN = 20
_Effect = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Damage:
    """One way in which what a disturbed pipeline left behind is not what it leaves behind when nothing happens.

    `where` is what was damaged: the operation of a connector, or a part of the world.
    """

    kind: DamageKind
    where: str
    message: str
    expected: Any = None
    actual: Any = None

    @property
    def label(self) -> str:
        """What damages of the same origin have in common."""
        return f"{self.kind} {self.where}"

    def __str__(self) -> str:
        return self.message


def damages_of(setting: Setting, clean: Trial, trial: Trial) -> tuple[Damage, ...]:
    """Everything that is not as the clean run left it; nothing if the pipeline survived."""
    stopped = _stopped(setting, trial)
    if stopped is not None:
        return (stopped,)
    found = [
        *judge_once_only(_judged(setting, clean), _judged(setting, trial)),
        *judge_keyed(_judged(setting, clean), _judged(setting, trial)),
    ]
    for one in state_differences(clean.state, trial.state):
        found.append(Damage("world", one.part, f"the world: {one.message}", one.expected, one.actual))
    return tuple(found)


def judge_once_only(clean: Sequence[Write], disturbed: Sequence[Write]) -> Iterator[Damage]:
    """Effects that are there as often as they are made, made more or less often than in the clean run.

    >>> mail = Write(1, "mail", "send", "", "sha256:1")
    >>> [str(damage) for damage in judge_once_only([mail], [mail, mail])]
    ['mail.send() was made 2 times, and once in the clean run: it has no key, so that it happened again']
    """
    before, after = _contents(clean), _contents(disturbed)
    writes = {_effect(one): one for one in (*clean, *disturbed) if _happens_again(one)}
    for effect, write in writes.items():
        was, is_now = before[effect].total(), after[effect].total()
        if is_now > was:
            text = (
                f"{_name(write)} was made {_times(is_now)}, and {_often(was)} in the clean run: {_why(write)}"
            )
            yield Damage("repeated", _where(write), f"{text}, so that it happened again", was, is_now)
        elif is_now < was:
            text = f"{_name(write)} was made {_often(is_now)}, and {_times(was)} in the clean run"
            yield Damage("lost", _where(write), text, was, is_now)
        elif before[effect] != after[effect]:
            text = f"{_name(write)} was made with another content than in the clean run"
            yield Damage("changed", _where(write), text, sorted(before[effect]), sorted(after[effect]))


def judge_keyed(clean: Sequence[Write], disturbed: Sequence[Write]) -> Iterator[Damage]:
    """Writes with a key: all of the clean run's were made, no others, and what was written last is the same."""
    before, after = _keyed(clean), _keyed(disturbed)
    for effect, write in before.items():
        if effect not in after:
            text = f"{_name(write)} was made in the clean run only"
            yield Damage("lost", _where(write), text, _name(write), None)
    for effect, write in after.items():
        if effect not in before:
            text = f"{_name(write)} was not made in the clean run"
            yield Damage("added", _where(write), text, None, _name(write))
    ends, ended = _last(before.values()), _last(after.values())
    for place, write in ends.items():
        last = ended.get(place)
        if last is None or _effect(last) not in before or _effect(write) not in after:
            continue
        if (last.operation, last.content_hash) != (write.operation, write.content_hash):
            last_said = f", which was {_name(write)}" if _name(write) != _name(last) else ""
            text = f"{_name(last)} came last, with another content than in the clean run{last_said}"
            yield Damage("changed", _where(last), text, write.content_hash, last.content_hash)


def _stopped(setting: Setting, trial: Trial) -> Damage | None:
    number = len(trial.runs)
    if trial.has_caught_crash:
        text = f"run {number + 1} caught its crash and went on for {setting.timeout:g} s"
        return Damage(
            "hung", "", f"{text}: what is dead cannot; catch Exception, not everything", None, "no end"
        )
    if trial.is_hung:
        return Damage(
            "hung",
            "",
            f"a run did not end within {setting.timeout:g} s, which the clean run did",
            None,
            "no end",
        )
    if trial.is_runaway:
        text = f"run {number} made more than {setting.max_writes:,} writes and was stopped"
        return Damage("runaway", "", text, f"at most {setting.max_writes:,}", "more")
    if trial.error:
        site = trial.runs[-1].error_site
        where = f" (at {site})" if site else ""
        text = f"run {number} raised {trial.error}{where}, which the clean run did not"
        return Damage("error", trial.error.partition(":")[0], text, "no error", trial.error)
    return None


def _judged(setting: Setting, trial: Trial) -> list[Write]:
    """The writes that count. One whose key is drawn anew in every run happens again, whatever it is called."""
    judged = []
    for write in trial.writes:
        if setting.ignore is None or not setting.ignore(write):
            key = without_drawn(write.key, trial.drawn)
            if key != write.key:
                write = Write(write.step, write.subject, write.operation, key, "", write.site, True)
            judged.append(write)
    return judged


def _happens_again(write: Write) -> bool:
    return not write.key or write.is_once_only


def _why(write: Write) -> str:
    if DRAWN in write.key:
        return "its id is another one in every run"
    return "it is not idempotent" if write.is_once_only else "it has no key"


def _effect(write: Write) -> _Effect:
    return write.subject, write.operation, write.key


def _contents(writes: Iterable[Write]) -> defaultdict[_Effect, Counter[str]]:
    """How often each effect that happens again was made with which content."""
    counted: defaultdict[_Effect, Counter[str]] = defaultdict(Counter)
    for write in writes:
        if _happens_again(write):
            counted[_effect(write)][write.content_hash] += 1
    return counted


def _keyed(writes: Iterable[Write]) -> dict[_Effect, Write]:
    """The last write of each effect, in the order in which these came."""
    last: dict[_Effect, Write] = {}
    for write in writes:
        if not _happens_again(write):
            last.pop(_effect(write), None)
            last[_effect(write)] = write
    return last


def _last(writes: Iterable[Write]) -> dict[tuple[str, str], Write]:
    return {(write.subject, write.key): write for write in writes}


def _name(write: Write) -> str:
    return f"{write.name} at {write.site}" if write.site else write.name


def _where(write: Write) -> str:
    return f"{write.subject}.{write.operation}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _often(count: int) -> str:
    return "not at all" if count == 0 else _times(count)
