"""What objects of each STIX type are made of when a builder makes them up, and which of them go together."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any
from uuid import UUID, uuid5

from understudy.core.canonical import canonical
from understudy.simulation import made_up

Properties = dict[str, Any]

_SECTORS = ("energy", "financial-services", "healthcare", "manufacturing", "retail", "telecommunications")
_MALWARE = (
    "backdoor",
    "bot",
    "downloader",
    "dropper",
    "keylogger",
    "ransomware",
    "spyware",
    "trojan",
    "wiper",
)
_ACTORS = ("activist", "competitor", "crime-syndicate", "criminal", "hacker", "insider-disgruntled", "spy")
_TOOLS = ("credential-exploitation", "exploitation", "network-capture", "remote-access")
_INFRASTRUCTURE = ("command-and-control", "exfiltration", "hosting-malware", "phishing", "staging")
_TECHNIQUES = (
    "Phishing",
    "Process Injection",
    "Credential Dumping",
    "Data Staged",
    "Web Shell",
    "Lateral Tool Transfer",
)
_PHASES = (
    "reconnaissance",
    "delivery",
    "exploitation",
    "installation",
    "command-and-control",
    "actions-on-objectives",
)
_LABELS = ("phishing", "high-volume", "targeted", "triaged", "from-sandbox", "needs-review")

# The namespace in which STIX 2.1 has the ids of observables made from what they are (part 2.9).
_OBSERVABLES = UUID("00abedb4-aa42-466c-9c01-fed23315a9b7")
_PATTERN = re.compile(r"\[(?P<kind>[a-z0-9-]+):(?P<path>value|hashes\.'SHA-256') = '(?P<text>[^'\\]+)'\]")
_MADE_FROM = {"file": ("hashes", "name")}


def _identity(chance: Random) -> Properties:
    return {
        "name": f"{made_up.title(chance)} Ltd",
        "identity_class": "organization",
        "sectors": [chance.choice(_SECTORS)],
    }


def _threat_actor(chance: Random) -> Properties:
    return {"name": made_up.title(chance), "threat_actor_types": [chance.choice(_ACTORS)]}


def _intrusion_set(chance: Random) -> Properties:
    return {
        "name": made_up.title(chance),
        "goals": ["theft of " + chance.choice(("credentials", "money", "plans"))],
    }


def _campaign(chance: Random) -> Properties:
    return {"name": f"Operation {made_up.title(chance)}"}


def _malware(chance: Random) -> Properties:
    return {
        "name": made_up.product(chance),
        "is_family": chance.random() < 0.3,
        "malware_types": [chance.choice(_MALWARE)],
    }


def _tool(chance: Random) -> Properties:
    return {"name": made_up.product(chance), "tool_types": [chance.choice(_TOOLS)]}


def _attack_pattern(chance: Random) -> Properties:
    return {
        "name": f"{chance.choice(_TECHNIQUES)} by {made_up.product(chance)}",
        "kill_chain_phases": [_phase(chance)],
    }


def _course_of_action(chance: Random) -> Properties:
    return {"name": f"Block {made_up.domain(chance)}"}


def _vulnerability(chance: Random) -> Properties:
    # longer than any number that is given out
    name = f"CVE-2026-{chance.randrange(90_000_000, 100_000_000)}"
    return {"name": name, "external_references": [{"source_name": "cve", "external_id": name}]}


def _infrastructure(chance: Random) -> Properties:
    return {"name": made_up.title(chance), "infrastructure_types": [chance.choice(_INFRASTRUCTURE)]}


def _location(chance: Random) -> Properties:
    return {"region": chance.choice(("northern-europe", "south-america", "eastern-asia", "western-africa"))}


def _indicator(chance: Random) -> Properties:
    observable = made_observable(chance)
    return {
        "name": name_of(observable),
        "pattern": pattern_for(observable),
        "pattern_type": "stix",
        "indicator_types": [chance.choice(("malicious-activity", "anomalous-activity"))],
        "confidence": chance.randrange(101),
        "labels": [chance.choice(_LABELS)],
        "kill_chain_phases": [_phase(chance)],
    }


DOMAIN_OBJECTS: dict[str, Callable[[Random], Properties]] = {
    "identity": _identity,
    "location": _location,
    "threat-actor": _threat_actor,
    "intrusion-set": _intrusion_set,
    "campaign": _campaign,
    "malware": _malware,
    "tool": _tool,
    "attack-pattern": _attack_pattern,
    "course-of-action": _course_of_action,
    "vulnerability": _vulnerability,
    "infrastructure": _infrastructure,
    "indicator": _indicator,
}

OBSERVABLES: dict[str, Callable[[Random], Properties]] = {
    "domain-name": lambda chance: {"value": made_up.domain(chance)},
    "ipv4-addr": lambda chance: {"value": made_up.ipv4(chance)},
    "ipv6-addr": lambda chance: {"value": made_up.ipv6(chance)},
    "url": lambda chance: {"value": made_up.url(chance)},
    "email-addr": lambda chance: {"value": made_up.email(chance)},
    "file": lambda chance: {"hashes": {"SHA-256": made_up.sha256(chance)}, "name": made_up.file_name(chance)},
}

# Each object of the first type stands in this relationship to one of those of the other types.
RELATIONSHIPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("threat-actor", "uses", ("malware",)),
    ("threat-actor", "uses", ("tool",)),
    ("intrusion-set", "attributed-to", ("threat-actor",)),
    ("campaign", "attributed-to", ("threat-actor", "intrusion-set")),
    ("campaign", "uses", ("malware",)),
    ("malware", "uses", ("attack-pattern",)),
    ("malware", "exploits", ("vulnerability",)),
    ("malware", "beacons-to", ("infrastructure",)),
    ("course-of-action", "mitigates", ("attack-pattern", "malware", "vulnerability")),
    (
        "indicator",
        "indicates",
        ("malware", "tool", "campaign", "threat-actor", "attack-pattern", "infrastructure"),
    ),
)


def made_observable(chance: Random) -> Properties:
    """An observable of some type that indicators are made about."""
    return observable(chance.choice(list(OBSERVABLES)), chance)


def observable(kind: str, chance: Random) -> Properties:
    """An observable of this type, with the id that STIX 2.1 makes from what it is."""
    return with_its_id({"type": kind, "spec_version": "2.1", **OBSERVABLES[kind](chance)})


def with_its_id(found: Properties) -> Properties:
    """An observable with its id, behind its type.

    >>> with_its_id({"type": "domain-name", "value": "a.test"})["id"]
    'domain-name--5edf19e8-0e39-5f97-a708-f2c26caf401d'
    """
    names = _MADE_FROM.get(found["type"], ("value",))
    said = canonical({name: found[name] for name in names if name in found})
    return {"type": found["type"], "id": f"{found['type']}--{uuid5(_OBSERVABLES, said)}", **found}


def name_of(found: Properties) -> str:
    """What an observable is called."""
    return str(found.get("value") or found["name"])


def pattern_for(found: Properties) -> str:
    """The pattern that matches an observable."""
    if found["type"] == "file":
        return f"[file:hashes.'SHA-256' = '{found['hashes']['SHA-256']}']"
    return f"[{found['type']}:value = '{found['value']}']"


def observable_in(pattern: Any) -> Properties | None:
    """The observable that a pattern matches, if it is one that `pattern_for` could have made.

    >>> pattern_for(observable_in("[domain-name:value = 'a.test']"))
    "[domain-name:value = 'a.test']"
    """
    found = _PATTERN.fullmatch(pattern) if isinstance(pattern, str) else None
    if found is None or found["kind"] not in OBSERVABLES:
        return None
    what = {"value": found["text"]} if found["path"] == "value" else {"hashes": {"SHA-256": found["text"]}}
    return with_its_id({"type": found["kind"], "spec_version": "2.1", **what})


def _phase(chance: Random) -> Properties:
    return {"kill_chain_name": "lockheed-martin-cyber-kill-chain", "phase_name": chance.choice(_PHASES)}
