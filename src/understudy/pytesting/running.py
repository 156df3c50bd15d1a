"""Runs units for items of pytest, on one stage for the whole session, and keeps what they leave to be judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from understudy.core.clock import SystemClock
from understudy.core.events import Evidence
from understudy.core.outcome import Outcome
from understudy.core.portal import run_blocking
from understudy.core.redact import Numbered, Redactor
from understudy.engine.act import Act, Item, Unit
from understudy.engine.conclusion import conclusions
from understudy.engine.evidence_book import EvidenceBook
from understudy.engine.known import judge_known
from understudy.engine.stage import Stage
from understudy.engine.trouble import close_stage
from understudy.engine.unit import run_unit


class Running:
    """Units that are run one by one, as pytest asks for them; `rerun` gives the command that runs a case again."""

    def __init__(self, rerun: Callable[[str], str]) -> None:
        self._rerun = rerun
        self._stage = Stage()
        self._worker = self._stage.narrower()
        self._numbered = Numbered()
        self.redactor = Redactor()
        self.book = EvidenceBook()
        self.ran: set[str] = set()
        self.late: list[Outcome] = []
        self.has_bad = False

    def run(self, act: Act, unit: Unit) -> list[Outcome]:
        """The outcomes of a unit, redacted and with known failures judged."""
        outcomes: list[Outcome] = []
        cases = {case.id for case in unit.cases}
        known = {case.id: case.known for case in unit.cases if case.known is not None}
        today = SystemClock().now().date()

        def emit(_: Unit, item: Item) -> None:
            if isinstance(item, Evidence):
                self.book.add({act.name: item.data})
            elif isinstance(item, Outcome):
                case = item.parent or item.id
                if case in known:
                    item = judge_known(item, known[case], today)
                if item.is_bad and not item.rerun and case in cases:
                    item = replace(item, rerun=self._rerun(case))
                outcomes.append(item)

        run_blocking(run_unit, act, unit, self._worker, emit)
        self.ran.add(unit.id)
        return self.kept(outcomes)

    def concluded(self, act: Act) -> list[Outcome]:
        """What an act makes of all evidence that there is."""
        return self.kept(conclusions({act.name: act}, self.book.whole()))

    def kept(self, outcomes: Iterable[Outcome]) -> list[Outcome]:
        """Outcomes as they may be shown."""
        kept = [self._numbered.outcome(self.redactor.outcome(outcome)) for outcome in outcomes]
        self.has_bad = self.has_bad or any(outcome.is_bad for outcome in kept)
        return kept

    def hidden(self, text: str) -> str:
        """A text as it may be shown."""
        return self._numbered(self.redactor.text(text))

    def close(self) -> None:
        """Tear down what the units have used; what fails there is told `late`."""
        run_blocking(self._close)

    async def _close(self) -> None:
        await close_stage(self._worker, "a worker", self.late.append)
        await close_stage(self._stage, "the run", self.late.append)
