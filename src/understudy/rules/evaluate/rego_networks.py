"""OPA's functions on networks that the engine lacks: which overlap, which contain which, and what they merge to."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from typing import Any

from understudy.rules.evaluate.functions import HostError

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def intersects(one: str, other: str) -> bool:
    """net.cidr_intersects

    >>> intersects("192.168.0.0/16", "192.168.1.0/24"), intersects("10.0.0.0/8", "11.0.0.0/8")
    (True, False)
    """
    first, second = _network(one), _network(other)
    return first.version == second.version and first.overlaps(second)


def contains(one: str, other: str) -> bool:
    """net.cidr_overlap, an old name for: the first contains the second.

    >>> contains("192.168.0.0/16", "192.168.1.7")
    True
    """
    return _contains(_network(one), _network(other))


def merge(cidrs: Iterable[str]) -> frozenset[str]:
    """net.cidr_merge

    >>> sorted(merge(["192.0.128.0/24", "192.0.129.0/24"]))
    ['192.0.128.0/23']
    """
    if isinstance(cidrs, str | dict) or not isinstance(cidrs, Iterable):
        raise HostError("operand must be an array or a set")
    networks = [_network(cidr) for cidr in cidrs]
    four = [network for network in networks if isinstance(network, ipaddress.IPv4Network)]
    six = [network for network in networks if isinstance(network, ipaddress.IPv6Network)]
    merged = [*ipaddress.collapse_addresses(four), *ipaddress.collapse_addresses(six)]
    return frozenset(str(network) for network in merged)


def contains_matches(cidrs: Any, others: Any) -> frozenset[tuple[Any, Any]]:
    """net.cidr_contains_matches: the pairs of keys, or of elements of sets, of which the first contains the second.

    >>> sorted(contains_matches(["10.0.0.0/8", "11.0.0.0/8"], {"a": "10.1.0.0/16"}))
    [(0, 'a')]
    >>> contains_matches("10.0.0.0/8", "10.1.2.3")
    frozenset({('10.0.0.0/8', '10.1.2.3')})
    """
    return frozenset(
        (key, other_key)
        for key, cidr in _keyed(cidrs)
        for other_key, other in _keyed(others)
        if _contains(_network(cidr), _network(other))
    )


def _contains(one: _Network, other: _Network) -> bool:
    if one.version != other.version:
        return False
    return one.prefixlen <= other.prefixlen and one.overlaps(other)


def _keyed(value: Any) -> list[tuple[Any, str]]:
    if isinstance(value, str):
        return [(value, value)]
    if isinstance(value, dict):
        return [(key, _first(item)) for key, item in value.items()]
    if isinstance(value, list | tuple):
        return [(index, _first(item)) for index, item in enumerate(value)]
    if isinstance(value, set | frozenset):
        return [(item, _first(item)) for item in value]
    raise HostError("operand must be a string, an array, an object or a set")


def _first(item: Any) -> str:
    return str(item[0]) if isinstance(item, list | tuple) and item else item


def _network(cidr: Any) -> _Network:
    if not isinstance(cidr, str):
        raise HostError("a network must be a string")
    try:
        return ipaddress.ip_network(cidr, strict=False)
    except ValueError:
        raise HostError(f"not a valid textual representation of an IP address or CIDR: {cidr}") from None
