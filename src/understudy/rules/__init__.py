"""Rules: offline tests of policy rules, in Starlark over Rego and jq, and checks of real repositories against them.

In: folders of rule types (YAML, or Rego with METADATA), data sources, and test files beside them; for a check also a
git repository, a profile, and answers to HTTP requests. Out, through the act: an outcome for every test function, row
and check, with what explains it, and evidence of which mocks, lines and assertions were reached.

In pipeline order:

- `settings`, `catalogue`, `act`: what the project file says, which test files there are, and the act, which has each
  test run in a process of its own (`cells`, `workbench`).
- `starlark`: the test file as a module, the builtins, and the checks, collected.
- `rehearsal`: what `eval(...)` does, over `mocks`, `rulebook` with `rule_files` and `models`, and `prepared`.
- `evaluation`: one evaluation: `schemas`, `templates`, `ingest`, `evaluate` (Rego and jq) with `host` functions and
  `data_sources`, over the `web` (mocks, or `web_network`), then `remediate` through `consequences`.
- `explain`, `coverage`, `mutation`: why it came out so, what tests reach, and what they do not notice; the last two and
  `explain` read policies through `syntax`.
- `outcomes`, `conclusions`: from tests to the report, and what only the whole run tells.
- `check`: the same rules against a repository. `concerns` and `following`: what a changed file concerns (`--watch`).

Nothing is imported here, since processes that run tests start with this.
"""
