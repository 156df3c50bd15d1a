"""The reports of all shards of a plan, joined into the report that one run of the whole would have given."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce
from itertools import count
from typing import Any

from understudy.core.errors import InputError, Problem
from understudy.core.evidence import EvidenceClash, merge_evidence
from understudy.core.outcome import Attachment, Outcome
from understudy.core.report import Plan, Report, Summary, outcome_from_json, outcome_to_json
from understudy.reporting.escaping import visible

_PROBLEM_LIMIT = 20
_SECRET = re.compile(r"<secret (\d{1,9})>")


def merge_reports(reports: Sequence[Report], names: Sequence[str], *, partial: bool = False) -> Report:
    """Join the reports of the shards of one plan; `names` are the files they came from, for error messages.

    Shards of different plans, the same shard twice, a missing shard (unless `partial`) and an id that occurs
    twice are refused, all problems together. The order in which the reports are given does not matter.

    >>> merge_reports([Report(Summary(), [], Plan("p", shard=2, shards=2))], ["b.json"])
    Traceback (most recent call last):
        ...
    understudy.core.errors.InputError: shard 1 of 2 is missing (give its report too, or merge with --partial)
    """
    if not reports:
        raise InputError(
            [Problem("there is no report to merge", hint="name the files that the shards wrote")]
        )
    pairs = sorted(
        zip(reports, names, strict=True),
        key=lambda pair: (pair[0].plan.shard, pair[0].plan.fingerprint, pair[1]),
    )
    problems = _plan_problems(pairs, partial)
    if problems:
        raise InputError(problems)
    shards, joined = _with_own_secrets(pairs)
    problems = _double_ids(shards)
    if problems:
        raise InputError(problems)
    return Report(
        summary=_added(report.summary for report, _ in pairs),
        outcomes=_Joined(shards, positions=False),
        plan=_plan([report.plan for report, _ in pairs]),
        evidence=_evidence(joined, [name for _, name in pairs]),
        stopped=_stopped(joined),
        started_at=min((report.started_at for report, _ in pairs if report.started_at), default=""),
        duration_ms=max(report.duration_ms for report, _ in pairs),
        attachments=tuple(attachment for report in joined for attachment in report.attachments),
        positions=_Joined(shards, positions=True),
    )


def _plan_problems(pairs: Sequence[tuple[Report, str]], partial: bool) -> list[Problem]:
    first, first_name = pairs[0][0].plan, pairs[0][1]
    problems: list[Problem] = []
    owners: dict[int, str] = {}
    for report, name in pairs:
        plan = report.plan
        if _identity(plan) != _identity(first):
            problems.append(
                Problem(
                    f"is a shard of another plan than {first_name}", name, hint="merge the shards of one run"
                )
            )
        elif plan.shard > plan.shards:
            problems.append(Problem(f"calls itself shard {plan.shard} of {plan.shards}", name))
        elif plan.shard in owners:
            message = f"is shard {plan.shard} of {plan.shards}, and so is {owners[plan.shard]}"
            problems.append(Problem(message, name, hint="give every shard once"))
        owners.setdefault(plan.shard, name)
    if problems or partial:
        return problems
    if first.shards > len(owners) + 1000:
        message = f"{first.shards - len(owners):,} of {first.shards:,} shards are missing"
        return [Problem(message, hint="give their reports too, or merge with --partial")]
    return [
        Problem(
            f"shard {shard} of {first.shards} is missing", hint="give its report too, or merge with --partial"
        )
        for shard in range(1, first.shards + 1)
        if shard not in owners
    ]


def _identity(plan: Plan) -> tuple[object, ...]:
    return plan.fingerprint, plan.shards, plan.selection, plan.seed


@dataclass(frozen=True, slots=True)
class _Shard:
    """A shard's outcomes, read anew each time, its secrets numbered after those of the shards before."""

    report: Report
    name: str
    first_secret: int

    def __iter__(self) -> Iterator[tuple[int, Outcome]]:
        positions: Iterable[int] = self.report.positions or count()
        for position, outcome in zip(positions, self.report.outcomes, strict=False):
            if self.first_secret:
                record = _renumbered(outcome_to_json(outcome), self.first_secret)
                outcome = outcome_from_json(record) if record is not None else outcome
            yield position, outcome


@dataclass(frozen=True, slots=True)
class _Joined:
    """The outcomes of all shards, or their positions, in the order of the plan, iterable again and again."""

    shards: Sequence[_Shard]
    positions: bool

    def __iter__(self) -> Iterator[Any]:
        # Without positions the only order known is that of the shards, one after the other.
        placed = all(_is_placed(shard.report) for shard in self.shards)
        entries: Iterable[tuple[int, Outcome]] = (
            heapq.merge(*self.shards, key=lambda entry: entry[0])
            if placed
            else (entry for shard in self.shards for entry in shard)
        )
        if self.positions and not placed:
            return iter(())
        return (position if self.positions else outcome for position, outcome in entries)


def _is_placed(report: Report) -> bool:
    return next(iter(report.positions), None) is not None or next(iter(report.outcomes), None) is None


def _with_own_secrets(pairs: Sequence[tuple[Report, str]]) -> tuple[list[_Shard], list[Report]]:
    """Every shard counted its secrets from 1; number on, so that two different secrets stay different."""
    shards: list[_Shard] = []
    joined: list[Report] = []
    first = 0
    for report, name in pairs:
        shards.append(_Shard(report, name, first))
        attachments = tuple(
            replace(entry, name=_shift(entry.name, first), text=_shift(entry.text, first))
            for entry in report.attachments
        )
        evidence = _renumbered(report.evidence, first)
        joined.append(
            replace(
                report,
                attachments=attachments,
                evidence=report.evidence if evidence is None else evidence,
                stopped=_shift(report.stopped, first),
            )
        )
        first += _highest_secret(report)
    return shards, joined


def _highest_secret(report: Report) -> int:
    texts: Iterable[str] = (
        *(_text(_attachment_record(entry)) for entry in report.attachments),
        _text(report.evidence),
        report.stopped,
    )
    highest = max((_highest_in(text) for text in texts), default=0)
    return max((_highest_in(_text(outcome_to_json(outcome))) for outcome in report.outcomes), default=highest)


def _attachment_record(attachment: Attachment) -> list[str]:
    return [attachment.name, attachment.text]


def _highest_in(text: str) -> int:
    return max((int(number) for number in _SECRET.findall(text)), default=0) if "<secret " in text else 0


def _renumbered(record: Mapping[str, Any], first: int) -> dict[str, Any] | None:
    """The record with its secrets numbered on from `first`; None if it holds none."""
    text = _text(record)
    shifted = _shift(text, first)
    renumbered: dict[str, Any] | None = json.loads(shifted) if shifted != text else None
    return renumbered


def _shift(text: str, first: int) -> str:
    if not first or "<secret " not in text:
        return text
    return _SECRET.sub(lambda match: f"<secret {int(match[1]) + first}>", text)


def _text(record: object) -> str:
    return json.dumps(record, ensure_ascii=False)


def _double_ids(shards: Iterable[_Shard]) -> list[Problem]:
    owners: dict[str, str] = {}
    problems: list[Problem] = []
    for shard in shards:
        for _, outcome in shard:
            owner = owners.get(outcome.id)
            if owner is not None and len(problems) < _PROBLEM_LIMIT:
                message = f"has the case {visible(outcome.id)}, and so has {owner}"
                if owner == shard.name:
                    message = f"has the case {visible(outcome.id)} twice"
                problems.append(Problem(message, shard.name, hint="give the reports of one run"))
            owners.setdefault(outcome.id, shard.name)
    return problems


def _added(summaries: Iterable[Summary]) -> Summary:
    total = Summary()
    for summary in summaries:
        for field in fields(Summary):
            setattr(total, field.name, getattr(total, field.name) + getattr(summary, field.name))
    return total


def _plan(plans: Sequence[Plan]) -> Plan:
    """The whole plan, or what is there of it: still a shard, so that nobody judges it as the whole."""
    cases = sum(plan.cases for plan in plans)
    if len(plans) == plans[0].shards:
        return replace(plans[0], cases=cases, shard=1, shards=1)
    return replace(plans[0], cases=cases)


def _evidence(reports: Sequence[Report], names: Sequence[str]) -> Mapping[str, Any]:
    try:
        return reduce(merge_evidence, (report.evidence for report in reports), {})
    except EvidenceClash as error:
        hint = "were they written by the same version?"
        raise InputError([Problem(f"{error}, among {', '.join(names)}", hint=hint)]) from None


def _stopped(reports: Sequence[Report]) -> str:
    shards = reports[0].plan.shards
    if shards == 1:
        return reports[0].stopped
    reasons = [f"shard {report.plan.shard}: {report.stopped}" for report in reports if report.stopped]
    if len(reports) < shards:
        reasons.append(f"merged from {len(reports)} of {shards} shards")
    return "; ".join(reasons)
