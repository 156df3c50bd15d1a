"""Which of the discovered cases the user wants: by expression, by tag, by id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from understudy.core.matching import Expression, words_in, words_of
from understudy.engine.act import CaseRef, Unit


@dataclass(frozen=True, slots=True)
class Selection:
    """What is selected: everything, unless an expression, tags or ids say otherwise.

    `ids` are exact case ids (`--case`, `--rerun-failed`); `description` is what the user asked for, in words.
    """

    keyword: Expression | None = None
    tags: Expression | None = None
    ids: frozenset[str] | None = None
    description: str = ""

    @property
    def is_everything(self) -> bool:
        """True if nothing was left out by asking."""
        return self.keyword is None and self.tags is None and self.ids is None

    def wants(self, case: CaseRef) -> bool:
        """True if the case is selected."""
        if self.ids is not None and case.id not in self.ids:
            return False
        if self.keyword is not None and not self.keyword.matches(
            words_in("\n".join((case.id, case.name, *case.tags)))
        ):
            return False
        return self.tags is None or self.tags.matches(words_of(case.tags))

    def narrow(self, units: Iterable[Unit]) -> list[Unit]:
        """The units that have selected cases, with only those cases in them."""
        if self.is_everything:
            return list(units)
        narrowed = []
        for unit in units:
            cases = tuple(case for case in unit.cases if self.wants(case))
            if cases:
                narrowed.append(unit if len(cases) == len(unit.cases) else replace(unit, cases=cases))
        return narrowed
