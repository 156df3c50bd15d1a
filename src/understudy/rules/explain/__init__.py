"""Why an evaluation came out as it did: which expression of which rule was false or undefined, with what it saw.

In: a rule, its inputs and the evaluation. Out: lines of text for a user. The policy is evaluated again with calls in
its text that tell which statement was reached, and then once more with calls that tell the values at those that
did not hold. Files in order: `replay` (what host functions answered, told again), `probes` (which values a statement
is made of), `instrument` (the text with calls in it), `traces` (evaluating it), `passage` (what was reached),
`sections` (one rule in words), `jq` (assertions in words), `account` (all of it).
"""

from __future__ import annotations

from understudy.rules.explain.account import explain
from understudy.rules.explain.replay import recorded

__all__ = ["explain", "recorded"]
