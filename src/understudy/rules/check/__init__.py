"""Rules run against a real repository: what a user runs in CI.

In: the `check` table of the rules' settings (`understudy.rules.settings.CheckSettings`). Out: a case for every rule, or
for every entry of a profile. Everything that touches rules, repository or network happens in cells.

In pipeline order: `rule_folders` (which rules and data sources there are), `profile` (which of them are wanted,
with what), `remote`, `working_tree` and `repository` (what git says, and the files), `overrides` and `entity` (what the
rules are about), `mock_file` and `webs` (who answers requests), `checks` (all cases), `loading` (all of it), `bench`
(runs cases in a cell), `verdict` (outcomes), `account` (what explains a bad one), `checking` (the act's side) and
`conclusions`.
"""
