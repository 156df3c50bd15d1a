"""Judges what was ingested, by Rego or jq.

In: a policy's text with its place in the rule file, or jq assertions; the input document; host functions. Out: values,
prints, lines and slips (`policy.PolicyResult`), from which `verdicts` makes pass, fail, skip or error.

`policy` is the port, and `functions` what a policy may call. Behind it is regorus: `rego_engine` opens it, `rego_*` are
what OPA has and it lacks (builtins, numbers, times, regular expressions, bounds), `regorus_*` how a policy is
rewritten, compiled and run so that errors make expressions undefined. jq stands in `jq_assertions` over `jq_programs`.
"""
