"""OPA's `http.send` over the web of an evaluation."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any

from understudy.core.brief import brief, json_type
from understudy.core.errors import InputError
from understudy.core.nearness import closest_name
from understudy.rules.evaluate.functions import HostError, HostFunction
from understudy.rules.host.texts import parse_yaml
from understudy.rules.web import DATA_SOURCE_TIMEOUT, Answer, Web, WebError, WebRequest
from understudy.rules.web_body import UnreadableBody, read_json
from understudy.wire.messages import Headers

NAME = "http.send"
LONGEST = 60.0

_USED = frozenset(
    {"method", "url", "body", "raw_body", "headers", "timeout", "raise_error", "enable_redirect"}
    | {"force_json_decode", "force_yaml_decode"}
)
# What OPA knows beside these, and has no meaning where answers are made up and certificates are the system's.
_LEFT = frozenset(
    {"cache", "force_cache", "force_cache_duration_seconds", "caching_mode", "cache_ignored_headers"}
    | {
        "max_retry_attempts",
        "tls_use_system_certs",
        "tls_ca_cert",
        "tls_ca_cert_file",
        "tls_ca_cert_env_variable",
    }
    | {"tls_client_cert", "tls_client_cert_file", "tls_client_cert_env_variable", "tls_client_key"}
    | {"tls_client_key_file", "tls_client_key_env_variable", "tls_insecure_skip_verify", "tls_server_name"}
)
_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


def http_send_function(web: Web) -> HostFunction:
    """The function `http.send` that asks this web.

    It takes and gives what OPA's does: `status` (with its words), `status_code`, `body` (null unless the answer says
    that it is JSON or YAML, or the request forces it), `raw_body` and `headers` (names in small letters, lists of
    values). With `raise_error: false` what goes wrong is told as `error`, with a status code of 0.
    """
    return HostFunction(NAME, 1, partial(_send, web))


def _send(web: Web, given: Any) -> dict[str, Any]:
    request, raises = _request(given)
    try:
        answer = web.send(request)
    except (WebError, InputError) as error:
        message = str(error).partition("\n")[0]
        if raises:
            raise HostError(message) from None
        return _failed("eval_http_send_network_error", message)
    try:
        body = _decoded(answer, given)
    except (UnreadableBody, HostError) as error:
        message = f"{request.method} {answer.url or request.url}: {error}"
        if raises:
            raise HostError(message) from None
        return _failed("eval_http_send_internal_error", message)
    headers: dict[str, list[str]] = {}
    for name, value in answer.headers:
        headers.setdefault(name.lower(), []).append(value)
    return {
        "status": _status(answer.status),
        "status_code": answer.status,
        "body": body,
        "raw_body": answer.body.decode("utf-8", "replace"),
        "headers": headers,
    }


def _request(given: Any) -> tuple[WebRequest, bool]:
    if not isinstance(given, Mapping):
        raise HostError(f"takes an object, and got {brief(given)}, a {json_type(given)}")
    for key in given:
        if key not in _USED and key not in _LEFT:
            nearest = closest_name(str(key), _USED | _LEFT)
            hint = f" (did you mean {nearest!r}?)" if nearest else ""
            raise HostError(f"the request has the unknown key {str(key)!r}{hint}")
    for key in ("method", "url"):
        if key not in given:
            raise HostError(f"the request has no {key!r}")
    method, url = _text(given, "method").upper(), _text(given, "url")
    if not _TOKEN.fullmatch(method):
        raise HostError(f"{brief(method)} is no HTTP method")
    body: bytes | None = None
    if given.get("raw_body") is not None:
        body = _text(given, "raw_body").encode("utf-8", "replace")
    elif "body" in given:
        body = json.dumps(given["body"], ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    request = WebRequest(
        method,
        url,
        _headers(given.get("headers")),
        body,
        _seconds(given.get("timeout")),
        follows_redirects=_flag(given, "enable_redirect", default=False),
    )
    return request, _flag(given, "raise_error", default=True)


def _decoded(answer: Answer, given: Mapping[str, Any]) -> Any:
    text = answer.body.decode("utf-8", "replace")
    media_type = answer.header("content-type").partition(";")[0].strip().lower()
    if _flag(given, "force_json_decode", default=False):
        return read_json(text)
    if _flag(given, "force_yaml_decode", default=False):
        return parse_yaml(text)
    if not text.strip():
        return None
    if media_type == "application/json" or media_type.endswith("+json"):
        return read_json(text)
    return parse_yaml(text) if media_type in ("application/yaml", "application/x-yaml") else None


def _headers(given: Any) -> Headers:
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise HostError(f"'headers' must be an object of texts, not {brief(given)}")
    pairs: list[tuple[str, str]] = []
    for name, value in given.items():
        for text in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(text, str) or not _TOKEN.fullmatch(str(name)) or "\n" in text or "\r" in text:
                raise HostError(f"the header {str(name)!r} must be a text of one line, not {brief(text)}")
            pairs.append((str(name), text))
    return tuple(pairs)


def _seconds(given: Any) -> float:
    """A time as OPA takes it: nanoseconds, or a text as Go writes durations, such as `1m30s`."""
    if given is None:
        return DATA_SOURCE_TIMEOUT
    seconds = -1.0
    if isinstance(given, int | float) and not isinstance(given, bool):
        seconds = given / 1e9
    elif isinstance(given, str) and (parts := _DURATION.findall(given)) and "".join(parts) == given:
        seconds = sum(_part_seconds(part) for part in parts)
    if seconds < 0:
        raise HostError(f"'timeout' must be a duration such as \"5s\", not {brief(given)}")
    return min(seconds, LONGEST) or DATA_SOURCE_TIMEOUT


def _part_seconds(part: str) -> float:
    number = part.rstrip("nuµmsh")
    return float(number) * _UNITS[part[len(number) :]]


def _text(given: Mapping[str, Any], key: str) -> str:
    value = given[key]
    if not isinstance(value, str):
        raise HostError(f"{key!r} must be a text, not {brief(value)}")
    return value


def _flag(given: Mapping[str, Any], key: str, *, default: bool) -> bool:
    value = given.get(key, default)
    if not isinstance(value, bool):
        raise HostError(f"{key!r} must be true or false, not {brief(value)}")
    return value


def _status(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _failed(code: str, message: str) -> dict[str, Any]:
    return {"status_code": 0, "error": {"code": code, "message": message}}
