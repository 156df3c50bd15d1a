"""What a failing evaluation would lead to: its remediation and its alert, rendered as plain data."""

from __future__ import annotations

import json
from typing import Any

from understudy.core.errors import InputError
from understudy.rules.evaluation import Evaluation, Inputs
from understudy.rules.prepared import PreparedRule
from understudy.rules.remediate import ActionContext, render_alert, render_remediation
from understudy.rules.web import Web, WebError, WebRequest


def consequences(
    prepared: PreparedRule, inputs: Inputs, evaluation: Evaluation, web: Web
) -> dict[str, dict[str, Any] | None]:
    """`remediation` and `alert` of a failed evaluation; what cannot be rendered says why under `error`."""
    definition = prepared.definition
    if definition.remediate is None and definition.alert is None:
        return {"remediation": None, "alert": None}
    rule, judgement = prepared.rule, evaluation.judgement
    context = ActionContext(
        entity=inputs.entity,
        entity_kind=definition.in_entity,
        profile=evaluation.document.get("profile", {}),
        params=prepared.param_schema.filled(inputs.params),
        output=judgement.output,
        details=judgement.message,
        rule_name=rule.name,
        profile_name=str(inputs.profile_name),
        severity=rule.severity.value,
        guidance=rule.guidance,
        has_remediation=definition.remediate is not None,
        tree=inputs.tree,
        fetch=lambda method, url, body: _fetch(web, method, url, body),
    )
    found: dict[str, dict[str, Any] | None] = {}
    for name, section, render in (
        ("remediation", definition.remediate, render_remediation),
        ("alert", definition.alert, render_alert),
    ):
        key = "remediate" if name == "remediation" else name

        def place(*path: str | int, key: str = key) -> tuple[int, int]:
            return prepared.source.place("def", key, *path)

        try:
            rendered = render(section, context, prepared.source.shown, place)
        except (InputError, WebError) as error:
            kind = section.get("type", "") if section else ""
            found[name] = {"type": kind, "error": str(error)}
            continue
        found[name] = rendered.as_data() if rendered is not None else None
    return found


def _fetch(web: Web, method: str, url: str, body: Any) -> tuple[int, Any]:
    sent = None if body is None else json.dumps(body).encode("utf-8")
    answer = web.send(WebRequest(method, url, body=sent, with_token=True))
    text = answer.body.decode("utf-8", "replace")
    try:
        return answer.status, json.loads(text) if text else None
    except ValueError:
        return answer.status, text
