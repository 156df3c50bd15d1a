"""Media types of first bytes."""

from __future__ import annotations

import pytest

from understudy.rules.host.content_type import content_type

TEXT = "text/plain; charset=utf-8"
HTML = "text/html; charset=utf-8"
UNKNOWN = "application/octet-stream"


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"", TEXT),
        (b"\x01\x02\x03", UNKNOWN),
        (b"\x1b[0m", TEXT),
        (b"caf\xe9", TEXT),
        (b"a\x7fb", TEXT),
        (b"text\x00", UNKNOWN),
        (b"x" * 512 + b"\x00", TEXT),
        (b"<HtMl><bOdY>blah blah blah</body></html>", HTML),
        (b"  \n <!doctype html ", HTML),
        (b"<!DOCTYPE HTML>", HTML),
        (b"<!DOCTYPE HTML", TEXT),
        (b"<htmlx>", TEXT),
        (b"<p>", HTML),
        (b"<p", TEXT),
        (b"<pre>", TEXT),
        (b"<!-- x", HTML),
        (b"<!--x", TEXT),
        (b"\n<?xml!", "text/xml; charset=utf-8"),
        (b"<?XML", TEXT),
        (b"\x0b<html>", UNKNOWN),
        (b"%PDF-1.4", "application/pdf"),
        (b" %PDF-1.4", TEXT),
        (b"%!PS-Adobe-3", "application/postscript"),
        (b"\xfe\xff\x00a", "text/plain; charset=utf-16be"),
        (b"\xff\xfea\x00", "text/plain; charset=utf-16le"),
        (b"\xfe\xff\x00", UNKNOWN),
        (b"\xef\xbb\xbf\x00", TEXT),
        (b"\xef\xbb\xbf", TEXT),
        (b"\x00\x00\x01\x00", "image/x-icon"),
        (b"\x00\x00\x02\x00", "image/x-icon"),
        (b"BM...", "image/bmp"),
        (b"GIF87a..", "image/gif"),
        (b"GIF89a...", "image/gif"),
        (b"RIFFb\xb8\x00\x00WEBPVP8 ", "image/webp"),
        (b"\x89PNG\r\n\x1a\n", "image/png"),
        (b"\xff\xd8\xff", "image/jpeg"),
        (b"FORM....AIFF", "audio/aiff"),
        (b"ID3\x03", "audio/mpeg"),
        (b"OggS\x00", "application/ogg"),
        (b"MThd\x00\x00\x00\x06\x00\x01", "audio/midi"),
        (b"RIFF....AVI ", "video/avi"),
        (b"RIFF....WAVEfmt ", "audio/wave"),
        (b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom<\x06t\xbfmdat", "video/mp4"),
        (b"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00iso2mp41", "video/mp4"),
        (b"\x00\x00\x00\x14ftypisommp42iso2", UNKNOWN),
        (b"\x00\x00\x00\x18ftypmp42", UNKNOWN),
        (b"\x00\x00\x00\x17ftypmp42\x00\x00\x00\x00mp42iso", UNKNOWN),
        (b"\x1a\x45\xdf\xa3", "video/webm"),
        (bytes(34) + b"LP", "application/vnd.ms-fontobject"),
        (b"\x00\x01\x00\x00", "font/ttf"),
        (b"OTTO", "font/otf"),
        (b"ttcf", "font/collection"),
        (b"wOFF", "font/woff"),
        (b"wOF2", "font/woff2"),
        (b"\x1f\x8b\x08", "application/x-gzip"),
        (b"PK\x03\x04", "application/zip"),
        (b"Rar!\x1a\x07\x00", "application/x-rar-compressed"),
        (b"Rar!\x1a\x07\x01\x00", "application/x-rar-compressed"),
        (b"Rar!\x1a\x07\x01", UNKNOWN),
        (b"\x00asm\x01", "application/wasm"),
        (b"\x7fELF\x02\x01", UNKNOWN),
    ],
)
def test_a_media_type_is_that_of_go(data: bytes, media_type: str) -> None:
    assert content_type(data) == media_type
