"""What a failing rule would do: its `remediate` and `alert` sections, rendered and ready to be asserted.

In come a section as it is written and an `ActionContext` (what was evaluated and what came out); out comes what
would be sent or published, whose `as_data()` is plain data. Nothing is sent: the few requests that rendering
itself needs go through the context's `fetch`.

In pipeline order: `models` (the sections), `context` (what templates see), `rest`, `branch_protection`,
`pull_request` with `pinned_actions`, `yq`, `yaml_edit` and `patches`, `alerts`; `actions` is the face.
"""

from understudy.rules.remediate.actions import (
    Action,
    Remediation,
    read_alert,
    read_remediation,
    render_alert,
    render_remediation,
)
from understudy.rules.remediate.context import ActionContext, Fetch, Place

__all__ = [
    "Action",
    "ActionContext",
    "Fetch",
    "Place",
    "Remediation",
    "read_alert",
    "read_remediation",
    "render_alert",
    "render_remediation",
]
