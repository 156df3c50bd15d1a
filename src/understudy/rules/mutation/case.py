"""The mutation score as a case of a run: changes that no test notices fail it, if so many must be noticed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from understudy.core.ids import case_id
from understudy.core.outcome import Attachment, Failure, Location, Outcome, Status
from understudy.engine.act import CaseRef, Unit
from understudy.rules.mutation.ledger import Ledger
from understudy.rules.mutation.report import counts_in_words, percent_in_words, survivors_text
from understudy.rules.mutation.score import Score, score_of, total, with_result
from understudy.rules.mutation.session import MutationSession, Wanted
from understudy.rules.outcomes import ACT
from understudy.rules.settings import RulesSettings

_MOST_SHOWN = 100
_AGAIN = "run it again, it goes on from there, or allow more by mutation_budget"


class MutationCase:
    """Tries the changes of all rules of a project, but for those that are known from earlier runs."""

    def __init__(self, root: Path, settings: RulesSettings) -> None:
        self._root = root
        self._settings = settings
        self.unit = mutation_unit()

    async def run(self) -> Outcome:
        """Try what is not known yet; the outcome of it all."""
        began = time.perf_counter()
        wanted = Wanted(budget=self._settings.mutation_budget)
        session = MutationSession(self._root, self._settings, wanted, Ledger(self._root))
        await session.run()
        return outcome_of(session, self._settings.mutation, (time.perf_counter() - began) * 1000)


def mutation_unit() -> Unit:
    """The unit of the one case."""
    identifier = case_id(ACT, "rules", "mutation")
    return Unit(identifier, ACT, (CaseRef(identifier, "mutation score of the rules"),))


def outcome_of(session: MutationSession, wanted: float, duration_ms: float) -> Outcome:
    """What came of a session, of whose mutants so many percent must be noticed."""
    score = total(session.rules)
    message = f"mutation score {percent_in_words(score)}, {wanted:g}% wanted: {counts_in_words(score)}"
    problems = [*session.problems, *(f"{r.plan.file}: {r.problem}" for r in session.rules if r.problem)]
    failures: list[Failure] = []
    if score.left:
        failures.append(Failure(f"{message}; the time for it is spent: {_AGAIN}", wanted, score.percent))
    elif not score.reaches(wanted):
        failures = [Failure(message, wanted, score.percent), *_survivors(session)]
    text = "\n".join(line for rule in session.rules for line in survivors_text(rule))
    status = Status.FAILED if failures else Status.PASSED
    (case,) = mutation_unit().cases
    return Outcome(
        id=case.id,
        act=ACT,
        name=case.name,
        status=Status.ERRORED if problems else status,
        failures=() if problems else tuple(failures),
        reason="\n".join(problems),
        duration_ms=duration_ms,
        notes=() if problems or failures else (message,),
        attachments=(Attachment("changes that no test noticed", text),) if text and not failures else (),
        details=_details(session, score),
    )


def _survivors(session: MutationSession) -> Iterator[Failure]:
    found = [(rule, tried) for rule in session.rules for tried in with_result(rule, "survived")]
    for rule, tried in found[:_MOST_SHOWN]:
        mutant = tried.mutant
        why = "no test notices" if rule.plan.tests else "no test evaluates this rule, so none notices"
        yield Failure(
            f"{why} this change ({mutant.kind}, {mutant.id})",
            diff=mutant.diff,
            location=Location(rule.plan.file, mutant.line, mutant.column),
        )
    if len(found) > _MOST_SHOWN:
        yield Failure(f"… and {len(found) - _MOST_SHOWN} more; `understudy rules mutate` lists all")


def _details(session: MutationSession, score: Score) -> dict[str, object]:
    return {
        "score": score.percent,
        "mutants": score.mutants,
        "noticed": score.noticed,
        "overdue": score.overdue,
        "survived": score.survived,
        "invalid": score.invalid,
        "rules": {rule.plan.file: score_of(rule).percent for rule in session.rules},
    }
