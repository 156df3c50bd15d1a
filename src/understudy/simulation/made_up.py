"""Names, addresses and hashes that look real and belong to nobody: only what is reserved for documentation."""

from __future__ import annotations

import uuid
from random import Random

_FIRST = (
    "amber", "ashen", "basalt", "bitter", "brazen", "cinder", "cobalt", "copper", "crimson", "distant", "dusky",
    "feral", "gilded", "hollow", "iron", "ivory", "jagged", "lunar", "marble", "muted", "nimble", "opal", "pale",
    "quiet", "rusty", "sable", "silent", "slate", "solar", "sunken", "tidal", "umber", "velvet", "winter",
)  # fmt: skip
_SECOND = (
    "badger", "beetle", "bison", "condor", "coyote", "cricket", "falcon", "ferret", "gecko", "heron", "ibex",
    "jackal", "kestrel", "lynx", "magpie", "mantis", "marten", "moth", "newt", "osprey", "otter", "panther",
    "pike", "raven", "shrew", "stoat", "swift", "tapir", "viper", "vole", "walrus", "weasel", "wren", "yak",
)  # fmt: skip
_HOSTS = ("cdn", "login", "mail", "news", "portal", "static", "update", "vpn", "wiki", "www")
_ZONES = ("example", "example.com", "example.net", "example.org", "test")
_NETWORKS = ("192.0.2", "198.51.100", "203.0.113")
_PATHS = ("account/verify", "assets/load.js", "docs/invoice.html", "download/setup.exe", "gate.php", "inbox")
_STEMS = ("invoice", "loader", "module", "patch", "report", "service", "setup", "viewer")
_ENDINGS = ("dll", "docm", "exe", "js", "ps1", "scr", "xlsm")


def pair(chance: Random) -> tuple[str, str]:
    """An adjective and an animal."""
    return chance.choice(_FIRST), chance.choice(_SECOND)


def title(chance: Random) -> str:
    """What a group or a campaign is called."""
    return " ".join(pair(chance)).title()


def product(chance: Random) -> str:
    """What a piece of software is called."""
    return "".join(pair(chance)).capitalize()


def domain(chance: Random) -> str:
    """A host name in a zone that is reserved for examples and tests (RFC 2606)."""
    return f"{chance.choice(_HOSTS)}.{'-'.join(pair(chance))}{chance.randrange(100)}.{chance.choice(_ZONES)}"


def ipv4(chance: Random) -> str:
    """An address in a network that is reserved for documentation (RFC 5737)."""
    return f"{chance.choice(_NETWORKS)}.{chance.randrange(1, 255)}"


def ipv6(chance: Random) -> str:
    """An address in the network that is reserved for documentation (RFC 3849)."""
    return f"2001:db8:{chance.randrange(1, 1 << 16):x}::{chance.randrange(1, 1 << 16):x}"


def url(chance: Random) -> str:
    """An address of a page on a host that cannot exist."""
    return f"http://{domain(chance)}/{chance.choice(_PATHS)}"


def email(chance: Random) -> str:
    """A mail address on a host that cannot exist."""
    return f"{chance.choice(_SECOND)}@{domain(chance)}"


def file_name(chance: Random) -> str:
    """The name of a file that one should not open."""
    return f"{chance.choice(_STEMS)}_{chance.randrange(1000):03d}.{chance.choice(_ENDINGS)}"


def sha256(chance: Random) -> str:
    """The hash of nothing in particular."""
    return f"{chance.getrandbits(256):064x}"


def uuid4(chance: Random) -> str:
    """A UUID that depends on the source of chance only."""
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))
