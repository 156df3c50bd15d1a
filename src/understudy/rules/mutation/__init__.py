"""Proof that tests can fail: rules are changed in small ways, and the changes that no test notices are listed.

In: the rules below some folders, and their tests. Out: for each rule its mutants, and which of them survived. Files in
order: `mutant` (one change), `constants`, `policy` and `declared` (the changes of Rego, of jq and of schemas),
`mutants` (all of a rule, in order), `opened` (which files tests depend on), `bench` (what works in a cell), `plan`
(which rules there are, and which tests concern them), `ledger` (what is known from earlier runs), `session` (running
what is not known), `score` and `report` (what came of it).
"""
