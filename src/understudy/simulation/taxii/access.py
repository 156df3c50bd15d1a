"""Who is let in: users with their passwords, tokens, or everybody."""

from __future__ import annotations

import base64
import binascii
import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from understudy.core.errors import InputError
from understudy.simulation.taxii.errors import TaxiiError

_TOKEN_SCHEMES = ("token", "bearer")


@dataclass(frozen=True, slots=True)
class TaxiiAccess:
    """Users (name to password, HTTP Basic) and tokens (`Authorization: Token ...` or `Bearer ...`).

    With neither, everybody is let in.
    """

    users: Mapping[str, str] = field(default_factory=dict, repr=False)
    tokens: Collection[str] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.tokens, str):
            raise InputError("tokens are a list of texts, and one text was given: write tokens=[...]")
        if any(":" in name or not name for name in self.users):
            raise InputError("the name of a user is not empty and has no ':', which ends it in HTTP Basic")
        if not all(self.tokens):
            raise InputError("a token is not empty; leave tokens out to ask for none")

    @property
    def is_open(self) -> bool:
        """True if everybody is let in."""
        return not self.users and not self.tokens

    def require(self, authorization: str | None) -> None:
        """Let a request in by its Authorization header, or raise the TaxiiError that says what is needed."""
        if self.is_open or (authorization is not None and self._is_known(authorization)):
            return
        what = "these credentials are not known" if authorization else "no credentials were sent"
        raise TaxiiError(
            401,
            "authentication is needed",
            f"{what}; send an Authorization header of the kind: {', '.join(self._schemes())}",
            headers=tuple(("WWW-Authenticate", f'{scheme} realm="taxii"') for scheme in self._schemes()),
        )

    def _schemes(self) -> list[str]:
        return [*(["Basic"] if self.users else []), *(["Token", "Bearer"] if self.tokens else [])]

    def _is_known(self, authorization: str) -> bool:
        scheme, _, credentials = authorization.strip().partition(" ")
        credentials = credentials.strip()
        if scheme.lower() in _TOKEN_SCHEMES:
            return True in [
                _is_same(credentials, token) for token in self.tokens
            ]  # all are compared: see below
        if scheme.lower() != "basic":
            return False
        try:
            name, colon, password = (
                base64.b64decode(credentials, validate=True).decode("utf-8").partition(":")
            )
        except (binascii.Error, ValueError):
            return False
        # Compared with something in any case, so that the time does not tell what there is.
        is_right = _is_same(password, self.users.get(name, ""))
        return bool(colon) and name in self.users and is_right


def _is_same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8"), expected.encode("utf-8"))
