"""The project: what `understudy.toml` declares, the acts that are installed, and the app under test.

In: a folder with a project file. Out: a `Project` that acts discover their units in, with the target as a
resource. In pipeline order: `locate`, `settings`, `values` (literals and secrets), `acts`, `project`, `app` (and
its `keeper`), `memory` (what a run remembers), `workers` (the same project in another process).
"""
