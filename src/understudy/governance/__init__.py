"""What agents may do: a governor with permissions and rate limits, and a gateway through which people approve the rest.

In: an agent, an action with its arguments, and how far the agent is trusted. Out: a decision, always recorded, that is
a refusal unless it is a clear approval. In pipeline order: `identity` says who somebody is, `action_types` what can be
done and who may, `policy_overrides` who is an exception, `rate_limit` how often; `governor` asks all four and puts
`actions` on the `action_log` (and by `stored_actions` into a store). `binding` turns arguments into what an approval is
bound to, `gateway` answers with a `decision` or asks people (`kept_reviews` is its memory): `reviews` are the
questions, `review_steps` what may become of one, `review_shelf` and `store_shelf` where they are kept, `given_store`
what is no store, `damaged_rows` what cannot be read there, `review_service` the whole, `notification` tells somebody at
once, `review_text` shows what they read. `later_clock` tells when time is over. `governed_call` is all of it for one
action.

The names below are imported when they are first asked for, so that one of them does not cost all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.core.late_names import late_names

if TYPE_CHECKING:
    from understudy.context.trust import TrustLevel
    from understudy.governance.action_types import ActionTypes, AgentActionType, ImpactLevel
    from understudy.governance.actions import AgentAction, AgentPermissionDenied, RateLimitExceeded
    from understudy.governance.binding import hash_arguments
    from understudy.governance.decision import Decision
    from understudy.governance.gateway import HITLGateway
    from understudy.governance.governed_call import govern
    from understudy.governance.governor import AgentGovernor
    from understudy.governance.review_service import ReviewService
    from understudy.governance.review_text import display
    from understudy.governance.reviews import (
        BoundReviews,
        ReviewError,
        ReviewEvent,
        ReviewItem,
        Reviews,
        ReviewStatus,
    )
    from understudy.governance.stored_actions import StoredActions

_HOME = {
    "ActionTypes": "action_types",
    "AgentAction": "actions",
    "AgentActionType": "action_types",
    "AgentGovernor": "governor",
    "AgentPermissionDenied": "actions",
    "BoundReviews": "reviews",
    "Decision": "decision",
    "HITLGateway": "gateway",
    "ImpactLevel": "action_types",
    "RateLimitExceeded": "actions",
    "ReviewError": "reviews",
    "ReviewEvent": "reviews",
    "ReviewItem": "reviews",
    "ReviewService": "review_service",
    "ReviewStatus": "reviews",
    "Reviews": "reviews",
    "StoredActions": "stored_actions",
    "TrustLevel": "action_types",
    "display": "review_text",
    "govern": "governed_call",
    "hash_arguments": "binding",
}

__all__ = [
    "ActionTypes",
    "AgentAction",
    "AgentActionType",
    "AgentGovernor",
    "AgentPermissionDenied",
    "BoundReviews",
    "Decision",
    "HITLGateway",
    "ImpactLevel",
    "RateLimitExceeded",
    "ReviewError",
    "ReviewEvent",
    "ReviewItem",
    "ReviewService",
    "ReviewStatus",
    "Reviews",
    "StoredActions",
    "TrustLevel",
    "display",
    "govern",
    "hash_arguments",
]


__getattr__, __dir__ = late_names(__name__, _HOME)
