"""Who answers the requests of the rules that are checked: mocks, the network if the user allows it, or nobody."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from understudy.rules.check.mock_file import MockFile
from understudy.rules.mocks import MockTable, MockWeb
from understudy.rules.providers import ANY_TOKEN, find_provider
from understudy.rules.web import Answer, RequestLog, Web, WebError, WebRequest, resolve
from understudy.rules.web_network import NetworkWeb

NEEDS_HTTP = "needs HTTP: give --mocks FILE, or --allow-network"


class NoWeb:
    """A `Web` that answers nothing, and remembers what it was asked."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._log = RequestLog()

    @property
    def log(self) -> RequestLog:
        """What was asked so far."""
        return self._log

    @property
    def mimics_mindev(self) -> bool:
        """Never: nothing is answered."""
        return False

    def send(self, request: WebRequest) -> Answer:
        """Raises WebError."""
        url = resolve(request.url, self._base)
        error = WebError(NEEDS_HTTP)
        self._log.note_error(request.method, url, error)
        raise error

    def pause(self, seconds: float) -> None:
        """No wait is needed."""

    @property
    def asked(self) -> str:
        """What it was asked first; '' if nothing."""
        first = self._log.requests[0] if self._log.requests else None
        return f"it asks {first.method} {first.url}" if first is not None else ""


@dataclass(frozen=True, slots=True)
class OpenedWeb:
    """The web for one rule, the mocks behind it if there are any, and the token that may show in answers."""

    web: Web
    table: MockTable | None = None
    token: str = ""

    def close(self) -> None:
        """Give connections back."""
        if isinstance(self.web, NetworkWeb):
            self.web.close()


class Webs:
    """Opens the web for a rule. Tokens are taken out of the environment, where a rule has no business with them."""

    def __init__(self, providers: Mapping[str, str], mocks: MockFile | None, *, allow_network: bool) -> None:
        self._providers = providers
        self._mocks = mocks
        self._allow_network = allow_network
        self._tokens = {
            name: os.environ.pop(name)
            for name in list(os.environ)
            if name.endswith("_TOKEN") or name == ANY_TOKEN
        }

    def open(self, provider_name: str) -> OpenedWeb:
        """The web for a rule of a provider. Raises InputError if that is not known."""
        if self._allow_network:
            provider = find_provider(provider_name, self._providers, self._tokens)
            return OpenedWeb(NetworkWeb(provider), token=provider.token)
        base = find_provider(provider_name, self._providers).base
        if self._mocks is not None:
            table = self._mocks.table()
            return OpenedWeb(MockWeb(table, base), table)
        return OpenedWeb(NoWeb(base))
