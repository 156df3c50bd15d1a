"""Which builtins of OPA are provided to the engine in Python, since it lacks them or has them otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from understudy.rules.evaluate.regorus_support import ADD_DATE, FORMAT_TIME, SPRINTF, SPRINTF_TYPED


@cache
def provided() -> Mapping[str, tuple[int, Callable[..., Any]]]:
    """The builtins provided in Python, by name: how many arguments they take, and what they do.

    >>> provided()["regex.match"][0]
    2
    """
    from understudy.rules.evaluate import rego_digests as digests
    from understudy.rules.evaluate import rego_networks as networks
    from understudy.rules.evaluate import rego_regex as regex
    from understudy.rules.evaluate import rego_sprintf as text
    from understudy.rules.evaluate import rego_times as times

    return {
        SPRINTF: (2, text.sprintf),
        SPRINTF_TYPED: (2, text.sprintf_typed),
        "regex.match": (2, regex.match),
        "re_match": (2, regex.match),
        "regex.is_valid": (1, regex.is_valid),
        "regex.split": (2, regex.split),
        "regex.find_n": (3, regex.find_n),
        "regex.find_all_string_submatch_n": (3, regex.find_all_string_submatch_n),
        "regex.replace": (3, regex.replace),
        "regex.template_match": (4, regex.template_match),
        **{f"crypto.{name}": (1, digests.digest(name)) for name in ("md5", "sha1", "sha256")},
        **{
            f"crypto.hmac.{name}": (2, digests.keyed_digest(name))
            for name in ("md5", "sha1", "sha256", "sha512")
        },
        "uuid.rfc4122": (1, digests.fixed_uuid),
        "rand.intn": (2, digests.fixed_number),
        "time.parse_ns": (2, times.parse_ns),
        "time.parse_rfc3339_ns": (1, times.parse_rfc3339_ns),
        ADD_DATE: (4, times.add_date),
        FORMAT_TIME: (4, times.format_time),
        "crypto.hmac.equal": (2, digests.equal_digests),
        "io.jwt.decode": (1, digests.decode_token),
        **{f"io.jwt.verify_hs{bits}": (2, digests.check_token(f"sha{bits}")) for bits in (256, 384, 512)},
        "net.cidr_intersects": (2, networks.intersects),
        "net.cidr_overlap": (2, networks.contains),
        "net.cidr_merge": (1, networks.merge),
        "net.cidr_contains_matches": (2, networks.contains_matches),
    }


def add_extensions(engine: Any) -> None:
    """Give an engine the builtins that are provided here."""
    for name, (arguments, function) in provided().items():
        engine.add_extension(name, arguments, function)
