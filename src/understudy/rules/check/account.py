"""What explains a verdict that is bad: what was judged, what was asked, what was undefined, and what to do."""

from __future__ import annotations

from collections.abc import Iterator

from understudy.core.brief import brief
from understudy.core.outcome import Attachment
from understudy.rules.evaluation import Evaluation, Inputs
from understudy.rules.prepared import PreparedRule
from understudy.rules.web import RequestLog

_WIDTH = 2_000
_REQUESTS = 50
_SLIPS = 50
_PRINTS = 1_000


def account(
    prepared: PreparedRule, evaluation: Evaluation | None, log: RequestLog, inputs: Inputs | None = None
) -> Iterator[Attachment]:
    """The attachments of a check that failed or could not be judged; with `inputs`, why it came out so."""
    rule = prepared.rule
    lines = [f"rule {rule.name} ({prepared.source.shown})"]
    if evaluation is not None:
        lines[0] += f": {evaluation.judgement.status}"
        document = evaluation.document
        lines += [
            f"{key}: {brief(value, _WIDTH)}" for key, value in document.items() if value not in (None, {})
        ]
    lines += [f"request: {request}" for request in log.requests[:_REQUESTS]]
    if log.count > _REQUESTS:
        lines.append(f"and {log.count - _REQUESTS:,} more requests")
    if evaluation is not None:
        lines += [
            f"undefined: {slip.function} at {prepared.source.shown}:{slip.line}:{slip.column}: {slip.message}"
            for slip in evaluation.slips[:_SLIPS]
        ]
        if inputs is not None:
            from understudy.rules.explain.account import explain  # late: only what fails is explained

            lines += filter(None, [explain(prepared, inputs, evaluation)])
    yield Attachment(f"evaluation of {rule.name}", "\n".join(lines))
    if evaluation is not None and evaluation.judgement.status == "fail" and rule.guidance.strip():
        yield Attachment("guidance", rule.guidance.strip())


def printed(evaluation: Evaluation) -> Iterator[Attachment]:
    """What the rule printed, if it did."""
    if evaluation.prints:
        yield Attachment("printed", "\n".join(evaluation.prints[:_PRINTS]))
