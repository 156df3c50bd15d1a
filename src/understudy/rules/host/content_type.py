"""The media type of a file's first bytes, by the table of the WHATWG's MIME sniffing as Go implements it."""

from __future__ import annotations

SNIFFED = 512
UNKNOWN = "application/octet-stream"

_BLANKS = b"\t\n\x0c\r "
_HTML = "text/html; charset=utf-8"
_TEXT = "text/plain; charset=utf-8"
_TAGS = (
    b"<!DOCTYPE HTML",
    b"<HTML",
    b"<HEAD",
    b"<SCRIPT",
    b"<IFRAME",
    b"<H1",
    b"<DIV",
    b"<FONT",
    b"<TABLE",
    b"<A",
    b"<STYLE",
    b"<TITLE",
    b"<B",
    b"<BODY",
    b"<BR",
    b"<P",
    b"<!--",
)

# A signature is written with None for a byte that may be any.
_ANY4 = (None,) * 4
_Signature = tuple[int | None, ...]


def _bytes(*parts: bytes | tuple[None, ...]) -> _Signature:
    return tuple(byte for part in parts for byte in part)


_BEFORE_MP4: tuple[tuple[_Signature, str], ...] = (
    (_bytes(b"%PDF-"), "application/pdf"),
    (_bytes(b"%!PS-Adobe-"), "application/postscript"),
    (_bytes(b"\xfe\xff", (None,) * 2), "text/plain; charset=utf-16be"),
    (_bytes(b"\xff\xfe", (None,) * 2), "text/plain; charset=utf-16le"),
    (_bytes(b"\xef\xbb\xbf", (None,)), _TEXT),
    (_bytes(b"\x00\x00\x01\x00"), "image/x-icon"),
    (_bytes(b"\x00\x00\x02\x00"), "image/x-icon"),
    (_bytes(b"BM"), "image/bmp"),
    (_bytes(b"GIF87a"), "image/gif"),
    (_bytes(b"GIF89a"), "image/gif"),
    (_bytes(b"RIFF", _ANY4, b"WEBPVP"), "image/webp"),
    (_bytes(b"\x89PNG\r\n\x1a\n"), "image/png"),
    (_bytes(b"\xff\xd8\xff"), "image/jpeg"),
    (_bytes(b"FORM", _ANY4, b"AIFF"), "audio/aiff"),
    (_bytes(b"ID3"), "audio/mpeg"),
    (_bytes(b"OggS\x00"), "application/ogg"),
    (_bytes(b"MThd\x00\x00\x00\x06"), "audio/midi"),
    (_bytes(b"RIFF", _ANY4, b"AVI "), "video/avi"),
    (_bytes(b"RIFF", _ANY4, b"WAVE"), "audio/wave"),
)
_AFTER_MP4: tuple[tuple[_Signature, str], ...] = (
    (_bytes(b"\x1a\x45\xdf\xa3"), "video/webm"),
    (_bytes((None,) * 34, b"LP"), "application/vnd.ms-fontobject"),
    (_bytes(b"\x00\x01\x00\x00"), "font/ttf"),
    (_bytes(b"OTTO"), "font/otf"),
    (_bytes(b"ttcf"), "font/collection"),
    (_bytes(b"wOFF"), "font/woff"),
    (_bytes(b"wOF2"), "font/woff2"),
    (_bytes(b"\x1f\x8b\x08"), "application/x-gzip"),
    (_bytes(b"PK\x03\x04"), "application/zip"),
    (_bytes(b"Rar!\x1a\x07\x00"), "application/x-rar-compressed"),
    (_bytes(b"Rar!\x1a\x07\x01\x00"), "application/x-rar-compressed"),
    (_bytes(b"\x00asm"), "application/wasm"),
)
_BINARY = frozenset((*range(0x09), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)))


def content_type(data: bytes) -> str:
    """The media type of a file that begins with `data`.

    >>> content_type(b"  <html>"), content_type(b"%PDF-1.7"), content_type(b""), content_type(b"a\\0")
    ('text/html; charset=utf-8', 'application/pdf', 'text/plain; charset=utf-8', 'application/octet-stream')
    """
    data = data[:SNIFFED]
    unindented = data.lstrip(_BLANKS)
    if _is_html(unindented):
        return _HTML
    if unindented.startswith(b"<?xml"):
        return "text/xml; charset=utf-8"
    found = _signed(data, _BEFORE_MP4) or ("video/mp4" if _is_mp4(data) else "") or _signed(data, _AFTER_MP4)
    if found:
        return found
    return UNKNOWN if _BINARY.intersection(unindented) else _TEXT


def _is_html(data: bytes) -> bool:
    """Whether a known tag stands here, in any case, and is ended by a blank or '>'."""
    upper = data[:16].upper()
    return any(upper.startswith(tag) and data[len(tag) : len(tag) + 1] in (b" ", b">") for tag in _TAGS)


def _is_mp4(data: bytes) -> bool:
    size = int.from_bytes(data[:4], "big")
    if len(data) < 12 or len(data) < size or size % 4 or data[4:8] != b"ftyp":
        return False
    # The four bytes at 12 are a version, not a brand.
    return any(data[place : place + 3] == b"mp4" for place in range(8, size, 4) if place != 12)


def _signed(data: bytes, table: tuple[tuple[_Signature, str], ...]) -> str:
    for signature, media_type in table:
        if len(data) >= len(signature) and all(
            byte is None or byte == found for byte, found in zip(signature, data, strict=False)
        ):
            return media_type
    return ""
