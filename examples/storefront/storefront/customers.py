"""Who buys: customers and their tokens, and the sessions of visitors who have not logged in."""

from __future__ import annotations

from storefront.errors import NotFound, Unauthenticated

CUSTOMERS = ("ada", "barbara", "edsger", "grace", "linus", "margaret")
REMEMBERED = 5


class Customers:
    """Logging in. Anyone may log in as anyone, without a password: it is a demonstration."""

    def __init__(self) -> None:
        self._by_token: dict[str, str] = {}

    def login(self, customer: str) -> str:
        """A new token for a customer."""
        if customer not in CUSTOMERS:
            raise Unauthenticated(f"there is no customer named {customer!r}")
        token = f"{customer}-{len(self._by_token) + 1}"
        self._by_token[token] = customer
        return token

    def of_token(self, token: str) -> str:
        """The customer who was given this token."""
        if token not in self._by_token:
            raise Unauthenticated("the token is not valid; POST /login gives one")
        return self._by_token[token]


class Sessions:
    """What visitors looked at last, by the cookie `sid`."""

    def __init__(self) -> None:
        self._seen: dict[str, list[str]] = {}
        self._count = 0

    def start(self) -> str:
        """A new session's id."""
        self._count += 1
        sid = f"s{self._count}"
        self._seen[sid] = []
        return sid

    def saw(self, sid: str | None, sku: str) -> None:
        """Remember that a visitor looked at an item; no session, nothing to remember."""
        if sid in self._seen:
            others = [other for other in self._seen[sid] if other != sku]
            self._seen[sid] = [sku, *others][:REMEMBERED]

    def recent(self, sid: str | None) -> list[str]:
        """What the visitor looked at, newest first."""
        if sid not in self._seen:
            raise NotFound("there is no session; POST /session starts one")
        return list(self._seen[sid])

    def end(self, sid: str | None) -> None:
        """Forget a session."""
        self.recent(sid)
        self._seen.pop(sid or "", None)
