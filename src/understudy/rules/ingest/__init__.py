"""What a rule ingests before it is evaluated.

In: the rule's `def.ingest`, the entity, parameters, and the web or the trees of files. Out: plain data, which is
`input.ingested` of a policy. One module for each type: `rest`, `git` (which files a rule sees), `builtin`, and `diff`
with `diff_patch` and `diff_dependencies`.
"""
