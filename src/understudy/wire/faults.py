"""Says in our words, with what to do about it, why an HTTP client could not bring a response."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

_CLIENT_CERTIFICATE = "set client_cert and client_key to PEM files of a certificate that it accepts"
_USERINFO = re.compile(r"//[^/?#\s@]*(?:@[^/?#\s@]*)*@")


@dataclass(frozen=True, slots=True)
class Scene:
    """Between whom it happened: `where` is the host and port asked, `peer` the one that was connected to."""

    where: str
    peer: str
    host: str
    proxy: str = ""
    is_tls: bool = False


def without_userinfo(url: str) -> str:
    """The URL or text without any user name and password in it.

    >>> without_userinfo("http://ann:secret@shop.test/a@b")
    'http://shop.test/a@b'
    """
    return _USERINFO.sub("//", url) if "@" in url else url


def place_of(url: str) -> str:
    """Host and port of a URL, to be named in messages.

    >>> place_of("http://ann:secret@shop.test:8080/a")
    'shop.test:8080'
    """
    authority = re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*://", "", url)
    return re.split(r"[/?#\\]", authority, maxsplit=1)[0].rpartition("@")[2] or url


def causes_of(error: BaseException) -> list[str]:
    """What an exception and those that led to it say, outermost first."""
    texts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        details = getattr(current, "details", None)
        causes = details.get("causes") if isinstance(details, dict) else None
        texts.append(str(getattr(current, "message", current)))
        texts.extend(str(cause.get("message", "")) for cause in causes or ())
        if isinstance(current, OSError) and (current.errno or 0) > 0:
            # asyncio words a refused connection in its own way; the number is the same everywhere
            texts.append(os.strerror(current.errno or 0))
        current = current.__cause__ or current.__context__
    return [text for text in texts if text]


def explain(url: str, causes: Sequence[str], proxy: str = "") -> str:
    """Why the request to `url` got no response, from the texts of a client's exceptions.

    >>> explain("http://127.0.0.1:1/a", ["tcp connect error", "Connection refused (os error 111)"])
    'connection refused by 127.0.0.1:1: is the app running, and is the port right?'
    """
    text = without_userinfo(" / ".join(causes))
    where = place_of(url)
    through = place_of(proxy) if proxy else ""
    scene = Scene(where, through or where, _host_of(url), through, is_tls=url.lower().startswith("https:"))
    for pattern, message in _MEANINGS:
        if (match := pattern.search(text)) is not None:
            return message(scene, match)
    last = without_userinfo(causes[-1]) if causes else "the client gave no reason"
    return f"no response from {where}: {last}"


def _host_of(url: str) -> str:
    try:
        return urlsplit(url).hostname or place_of(url)
    except ValueError:
        return place_of(url)


def _refused(scene: Scene, match: re.Match[str]) -> str:
    if scene.proxy:
        return f"connection refused by the proxy {scene.proxy}: is it running, and is its port right?"
    return f"connection refused by {scene.where}: is the app running, and is the port right?"


def _unresolved(scene: Scene, match: re.Match[str]) -> str:
    if scene.proxy:
        return f"the name of the proxy {scene.proxy} cannot be resolved: is it spelt right?"
    return f"the name {scene.host} cannot be resolved: is it spelt right, and does this machine know it?"


def _wrong_host(scene: Scene, match: re.Match[str]) -> str:
    names = re.findall(r'(?:DnsName|IpAddress)\("?([^")]+)"?\)', match.string)
    for_whom = f": it is for {', '.join(names)}" if names else ""
    return (
        f"the TLS certificate of {scene.where} is not valid for the name {scene.host}{for_whom}; "
        f"use the name that it was made for, or make one for {scene.host}"
    )


def _closed(scene: Scene, match: re.Match[str]) -> str:
    text = (
        f"{scene.peer} closed the connection before a response had come: did the app crash? Its log may say"
    )
    # a server that misses a certificate may get the connection closed before its reason is read
    return f"{text}; if it asks for a client certificate, {_CLIENT_CERTIFICATE}" if scene.is_tls else text


def _says(template: str) -> Callable[[Scene, re.Match[str]], str]:
    def message(scene: Scene, match: re.Match[str]) -> str:
        return template.format(
            where=scene.where, peer=scene.peer, host=scene.host, proxy=scene.proxy, found=match[0]
        )

    return message


# The first that fits is taken, so what is special stands before what is general.
_MEANINGS: list[tuple[re.Pattern[str], Callable[[Scene, re.Match[str]], str]]] = [
    (re.compile(pattern, re.IGNORECASE), message if callable(message) else _says(message))
    for pattern, message in (
        (
            r"proxy authori[sz]ation required|proxy authentication required",
            (
                "the proxy {proxy} wants credentials, or other ones: give them in its URL, "
                "http://user:password@host:port"
            ),
        ),
        (r"connection refused", _refused),
        (
            (
                r"failed to lookup address|name or service not known|nodename nor servname|"
                r"getaddrinfo failed|temporary failure in name resolution|no address associated"
            ),
            _unresolved,
        ),
        (r"tunnel error: unsuccessful", "the proxy {proxy} refused to connect to {where}: may it reach it?"),
        (r"tunnel error", "the proxy {proxy} did not connect to {where}: is {where} reachable from it?"),
        (
            r"unknownissuer|unable to get (?:local )?issuer|self[- ]signed|causedasendentity",
            (
                "the TLS certificate of {where} comes from an authority that is not trusted: "
                "if it is your own, set ca to the PEM file of that authority"
            ),
        ),
        (
            r"certificate (?:has )?expired",
            "the TLS certificate of {where} has expired: renew it, or set this machine's clock right",
        ),
        (
            r"not valid yet|not yet valid",
            "the TLS certificate of {where} is not valid yet: is this machine's clock right?",
        ),
        (r"not valid for name|hostname mismatch|doesn't match", _wrong_host),
        (r"invalid peer certificate: [^/]*", "the TLS certificate of {where} is not accepted: {found}"),
        (
            (
                r"certificate ?required|certificateunknown|badcertificate|unknown ?ca\b|bad certificate|"
                r"requires a client certificate"
            ),
            "{where} refused our TLS client certificate, or misses one: " + _CLIENT_CERTIFICATE,
        ),
        (
            r"invalidcontenttype|corrupt message|wrong_version_number|record layer failure",
            "{where} does not speak TLS: should the URL start with http://?",
        ),
        (
            r"without sending tls close_notify",
            "{where} closed the TLS connection without an answer: if it asks for a client certificate, "
            + _CLIENT_CERTIFICATE,
        ),
        (
            r"received fatal alert[^/]*",
            "{where} refused the TLS connection ({found}): do both sides share a version and a cipher?",
        ),
        (
            r"message head is too large",
            (
                "the response of {where} has too many headers or too long ones: "
                "at most 100 of them and 400 kB in all are read"
            ),
        ),
        (
            (
                r"invalid http [a-z-]+ parsed|invalid content-length parsed|invalid transfer-encoding parsed|"
                r"invalid content-length header|got more than|illegal (?:status line|header line)"
            ),
            (
                "what {peer} answered is not HTTP/1.1 ({found}): is it another kind of service, "
                "or does it expect https://?"
            ),
        ),
        (
            (
                r"closed before message completed|reset by peer|connection closed|connection aborted|"
                r"broken pipe|disconnected without sending"
            ),
            _closed,
        ),
        (
            r"network (?:is )?unreachable|no route to host|host (?:is )?unreachable",
            "{peer} cannot be reached from this machine: {found}",
        ),
        (
            r"too many open files",
            "too many open files: lower the concurrency, or raise the limit (ulimit -n)",
        ),
        (r"client was closed|client has been closed|session is closed", "the HTTP client is already closed"),
        (
            r"scheme is not allowed|unsupported protocol|no connection adapters|invalid schema",
            "only http:// and https:// URLs can be asked",
        ),
    )
]
