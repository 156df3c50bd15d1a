"""Whole pipelines in a unit test: simulated connectors, replay that names the cause of a difference, governed agents.

In: fixtures, a pipeline, an agent's actions. Out: what the pipeline made of them offline, whether it does the same
again, and what the agent did and was stopped from doing.
"""
