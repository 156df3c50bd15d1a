"""Text that every database and every file can hold."""

from __future__ import annotations


def portable_text(text: str) -> str:
    r"""The text, with halves of characters and NULs, which not every database takes, written as their escapes.

    >>> portable_text("caf\u00e9"), portable_text("a\ud800\0b")
    ('café', 'a\\ud800\\x00b')
    """
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8").replace("\0", "\\x00")
