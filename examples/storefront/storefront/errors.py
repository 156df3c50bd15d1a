"""What the shop says no with: one error per kind, which HTTP and GraphQL each show in their own way."""

from __future__ import annotations


class ShopError(Exception):
    """A request that the shop refuses. `code` is for programs, the message for people."""

    status = 400
    title = "Bad request"
    code = "BAD_REQUEST"

    @property
    def extensions(self) -> dict[str, str]:
        """What GraphQL puts beside the message."""
        return {"code": self.code}


class Unauthenticated(ShopError):
    """Nobody has logged in."""

    status = 401
    title = "Log in first"
    code = "UNAUTHENTICATED"


class NotFound(ShopError):
    """It does not exist, or it belongs to somebody else, which looks the same from outside."""

    status = 404
    title = "Not found"
    code = "NOT_FOUND"


class Conflict(ShopError):
    """It could have been done, but not in the present state."""

    status = 409
    title = "Not possible now"
    code = "CONFLICT"


class TooLarge(ShopError):
    """More was sent than the shop is willing to read."""

    status = 413
    title = "Too large"
    code = "TOO_LARGE"


class Invalid(ShopError):
    """It was understood, and it makes no sense."""

    status = 422
    title = "Invalid"
    code = "INVALID"


class WrongMethod(ShopError):
    """It exists, and it is asked for in another way."""

    status = 405
    title = "Method not allowed"
    code = "METHOD_NOT_ALLOWED"


class Unacceptable(ShopError):
    """It cannot be given in the form that was asked for."""

    status = 406
    title = "Not acceptable"
    code = "NOT_ACCEPTABLE"
