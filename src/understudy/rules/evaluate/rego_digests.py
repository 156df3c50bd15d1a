"""OPA's digests: hashes, HMACs, JSON Web Tokens read and checked with a shared secret, and what passes for chance."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import uuid
from collections.abc import Callable
from typing import Any

from understudy.rules.evaluate.functions import HostError
from understudy.rules.evaluate.rego_values import safe


def digest(algorithm: str) -> Callable[[str], str]:
    """crypto.md5, crypto.sha1, crypto.sha256

    >>> digest("md5")("a")
    '0cc175b9c0f1b6a831c399e269772661'
    """

    def hexadecimal(text: str) -> str:
        return hashlib.new(algorithm, _bytes(text), usedforsecurity=False).hexdigest()

    return hexadecimal


def keyed_digest(algorithm: str) -> Callable[[str, str], str]:
    """crypto.hmac.md5 and its like: the text comes first, then the key.

    >>> keyed_digest("sha256")("foo", "bar")[:16]
    '147933218aaabc0b'
    """

    def hexadecimal(text: str, key: str) -> str:
        return hmac.new(_bytes(key), _bytes(text), algorithm).hexdigest()

    return hexadecimal


def equal_digests(one: str, other: str) -> bool:
    """crypto.hmac.equal

    >>> equal_digests("ab", "ab"), equal_digests("ab", "ac")
    (True, False)
    """
    return hmac.compare_digest(_bytes(one), _bytes(other))


def fixed_uuid(key: str) -> str:
    """uuid.rfc4122: of a key always the same, so that what a test sees does not change from run to run.

    >>> fixed_uuid("a") == fixed_uuid("a") != fixed_uuid("b"), fixed_uuid("a")[14]
    (True, '4')
    """
    return str(uuid.UUID(bytes=hashlib.sha256(_bytes(key)).digest()[:16], version=4))


def fixed_number(key: str, limit: int) -> int:
    """rand.intn: a number below the limit, of a key always the same.

    >>> 0 <= fixed_number("a", 10) < 10
    True
    """
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise HostError("operand 2 must be integer number")
    return int.from_bytes(hashlib.sha256(_bytes(key)).digest()[:8], "big") % abs(limit) if limit else 0


def decode_token(token: str) -> list[Any]:
    """io.jwt.decode: header, payload, and the signature in hexadecimal; nothing is verified.

    >>> decode_token("eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.YWI")
    [{'alg': 'HS256'}, {'a': 1}, '6162']
    """
    parts = _bytes(token).decode().split(".")
    if len(parts) != 3:
        raise HostError("encoded JWT must have 3 sections, found " + str(len(parts)))
    header, payload = (_json_part(part) for part in parts[:2])
    if not isinstance(header, dict) or "enc" in header:
        raise HostError("JWT is a JWE object, which is not supported")
    return [header, payload, _decoded(parts[2]).hex()]


def check_token(algorithm: str) -> Callable[[str, str], bool]:
    """io.jwt.verify_hs256 and its like.

    >>> check_token("sha256")("eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.YWI", "secret")
    False
    """

    def verified(token: str, secret: str) -> bool:
        signed, _, signature = _bytes(token).rpartition(b".")
        if signed.count(b".") != 1:
            raise HostError("encoded JWT must have 3 sections")
        wanted = hmac.new(_bytes(secret), signed, algorithm).digest()
        return hmac.compare_digest(wanted, _decoded(signature.decode()))

    return verified


def _json_part(part: str) -> Any:
    try:
        return safe(json.loads(_decoded(part)))
    except (ValueError, RecursionError):
        raise HostError("JWT has a section that is not JSON") from None


def _decoded(part: str) -> bytes:
    try:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise HostError("JWT has a section that is not base64") from None


def _bytes(value: Any) -> bytes:
    if not isinstance(value, str):
        raise HostError("operand must be string")
    return value.encode("utf-8", "surrogatepass")
