"""Remediation by one request to the provider's API."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from understudy.core.brief import brief
from understudy.rules.remediate.context import Section
from understudy.rules.remediate.models import RestAction

METHOD_LIMIT = 10
ENDPOINT_LIMIT = 1024
BODY_LIMIT = 5120


@dataclass(frozen=True, slots=True)
class RestRequest:
    """The request that would be sent; without a body in the rule it is an empty object, as in Minder."""

    method: str
    endpoint: str
    body: dict[str, Any]

    def as_data(self) -> dict[str, Any]:
        """As plain data."""
        return {"type": "rest", "method": self.method, "endpoint": self.endpoint, "body": self.body}


def rest_request(action: RestAction, section: Section) -> RestRequest:
    """Render the request. A body that is no JSON object, or anything too long, is an InputError."""
    method = section.text(action.method or "PATCH", "method", limit=METHOD_LIMIT).strip().upper()
    endpoint = section.text(action.endpoint, "endpoint", limit=ENDPOINT_LIMIT)
    body: Any = {}
    if action.body is not None:
        text = section.text(action.body, "body", limit=BODY_LIMIT)
        body = json_object(text, "body", section) if text else {}
    return RestRequest(method, endpoint, body)


def json_object(text: str, key: str, section: Section) -> dict[str, Any]:
    """The JSON object that a template gave."""
    try:
        data = json.loads(text)
    except ValueError as error:
        near = text[max(getattr(error, "pos", 0) - 20, 0) :][:40]
        message = f"the rendered {key} is no JSON: {error}"
        raise section.error(
            message, f"look at {brief(near)}; a comma before '}}' or ']' is none", key
        ) from None
    except RecursionError:
        raise section.error(f"the rendered {key} is nested too deeply", "nest it less", key) from None
    if not isinstance(data, dict):
        hint = "write {...}"
        raise section.error(f"the rendered {key} must be a JSON object, not {brief(data)}", hint, key)
    return data
