"""Why an evaluation came out as it did: which expression of which rule was false or undefined, with what it saw.

In: a rule, its inputs and the evaluation (`account.explain`). Out: lines of text for a user. The policy is evaluated
again with calls in its text that tell which statement was reached, and then once more with calls that tell the values
at those that did not hold. Files in order: `replay` (what data sources answered, told again), `probes` (which values
a statement is made of), `instrument` (the text with calls in it), `traces` (evaluating it), `passage` (what was
reached), `sections` (one rule in words), `jq` (assertions in words), `account` (all of it). Nothing is imported
here, since it is loaded where every rule is evaluated.
"""
