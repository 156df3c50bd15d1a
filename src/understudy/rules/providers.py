"""Whose API a rule speaks to: where it is, and which token of the user's opens it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from understudy.core.errors import InputError, Problem
from understudy.core.nearness import closest_name
from understudy.wire.route_url import locate

KNOWN: Mapping[str, str] = {"github": "https://api.github.com", "gitlab": "https://gitlab.com/api/v4"}
ANY_TOKEN = "MINDER_AUTH_TOKEN"  # noqa: S105 - the name of a variable


@dataclass(frozen=True, slots=True)
class Provider:
    """An API: the base of its relative URLs, and the token that it is given, if there is one."""

    name: str
    base: str
    token: str = field(default="", repr=False)

    def owns(self, url: str) -> bool:
        """Is this a URL of the provider's own host, by its own scheme?

        >>> Provider("github", "https://api.github.com").owns("http://api.github.com/user")
        False
        """
        here, there = locate(self.base), locate(url)
        return (here.scheme, here.authority) == (there.scheme, there.authority)


def find_provider(
    name: str, others: Mapping[str, str] | None = None, environment: Mapping[str, str] | None = None
) -> Provider:
    """The provider of a name: GitHub, GitLab, or one of `others`, which are base URLs by name.

    The token is `GITHUB_TOKEN`, `GITLAB_TOKEN` or `<NAME>_TOKEN` of the environment, else `MINDER_AUTH_TOKEN`.

    >>> find_provider("github", environment={"GITHUB_TOKEN": "t"}).token
    't'
    """
    bases = {**KNOWN, **(others or {})}
    if name not in bases:
        nearest = closest_name(name, bases)
        known = (
            f"known are {', '.join(sorted(bases))}; others are named in the project file: [rules.providers]"
        )
        hint = f"did you mean {nearest!r}?" if nearest else known
        raise InputError([Problem(f"the provider {name!r} is not known", hint=hint)])
    variables = environment or {}
    own = "".join(c if c.isascii() and c.isalnum() else "_" for c in name.upper())
    token = variables.get(f"{own}_TOKEN") or variables.get(ANY_TOKEN) or ""
    return Provider(name, bases[name], token.strip())
