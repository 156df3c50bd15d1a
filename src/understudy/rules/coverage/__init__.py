"""Coverage: which lines of each rule's Rego and which jq assertions the tests reached.

In comes what evaluations say they reached, out come figures and files. In the order of the data: `statements` (lines
that stand or fall together), `measure` (what an evaluation reached, as evidence), `folders` (where rules are),
`figures` (evidence as figures), `verdict` (against the percentage that is demanded), and what shows the figures:
`table`, `json_file`, `lcov` and `page`.

**What counts.** An item is a line of Rego or a jq assertion (at the line of its `ingested.def`). A line of Rego
counts if a statement, a default or the value or key of a head stands on it; comments, brackets, imports, heads that
only name their rule (`allow if {`) and the value of an `else` without a body do not. A line is reached if what
stands on it was evaluated, whatever came of it; the head of a rule is reached when a body of it held. A statement
that goes over several lines is reached as a whole; what stands inside a comprehension or `every` in it is judged by
itself. A jq assertion is reached if it was compared. All rules in the folders count, those without any test too.
"""
