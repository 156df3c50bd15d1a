"""The answers that a test gives to HTTP requests, in either dialect of test files.

In: what the test wrote, as plain data: a mapping of keys to answers. Out: a `MockTable`, which answers requests and
counts which mocks were hit, and `MockWeb`, which is the web for rules. `specs` reads one answer, `table` finds it.
"""

from understudy.rules.mocks.specs import MOCK_BODY_LIMIT, MockError
from understudy.rules.mocks.table import MockTable
from understudy.rules.mocks.web import MockWeb

__all__ = ["MOCK_BODY_LIMIT", "MockError", "MockTable", "MockWeb"]
