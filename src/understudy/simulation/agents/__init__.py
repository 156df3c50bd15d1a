"""Agents under test: a harness with all of governance around them, and the act that runs what a project declares.

In: what an agent does, or the agent itself with its tools. Out: what it was allowed, asked people about and was
stopped from, which of its tools ran, and a verdict. In pipeline order: `answers` is what reviewers of a test say,
`mock_reviews` the service that asks them, `passage` the way of one action, `harness` the whole; `guard` wraps tools,
`tool_calls` reads what they are called with, `gate` stands before them, `tool_runs` keeps which of them ran, and
`findings` is what assertions look at. `settings` is what a project file declares, `catalogue` finds it, `scenario`
plays it in a process of its own, `expectations` judges it, `outcomes` tells of it, and `act` is all that as an act.
"""
