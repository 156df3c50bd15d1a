"""The vocabulary that every room speaks: a case is run against a subject and yields an outcome.

In: nothing but the standard library. Out: outcomes, reports, events, expectations, diffs, clocks, redaction,
errors and files, as frozen dataclasses and small functions.
"""
