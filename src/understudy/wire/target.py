"""Where requests go and what goes with every one of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Tls:
    """Files (PEM) for TLS: the authority to trust beside the system's, and the client's own certificate."""

    ca: str = ""
    client_cert: str = ""
    client_key: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """One environment of the system under test: its base URL, and headers, cookies and variables for all cases."""

    base_url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    tls: Tls = field(default_factory=Tls)
    proxy: str = ""
