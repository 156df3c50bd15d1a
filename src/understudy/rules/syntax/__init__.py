"""The text of a policy as rules, bodies and statements, each with where it really begins and ends.

In: a policy's text. Out: `Module`, or None for what is no Rego. Who changes texts (traces for `explain`, mutants for
`mutation`) works by these offsets, since the engine's own leave out the quotes of strings. Files in order: `nodes`
(walking the engine's syntax tree), `module` (what it comes to).
"""
