"""Cases of ours as items of pytest: those of a project, and the tests in rule files.

`outcome_items` are the items, `running` runs their units on one stage for the whole session, `project_items` collects
a project's units behind pytest's own tests, and `rule_files` collects `*.star` files where they stand.
"""
