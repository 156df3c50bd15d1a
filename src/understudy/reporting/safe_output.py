"""A text stream that can always be written to: a closed pipe or a poor encoding does not end a run."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from typing import TextIO

_GONE = (errno.EPIPE, errno.ESHUTDOWN, errno.ECONNRESET, errno.EIO, errno.EBADF)


class SafeOutput:
    """Writes to a stream until its reader is gone, and what the stream's encoding lacks as escapes.

    >>> import io
    >>> raw = io.BytesIO()
    >>> output = SafeOutput(io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    >>> output.write("naïve ✓")
    7
    >>> raw.getvalue()
    b'na\\\\xefve \\\\u2713'
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.is_gone = False

    @property
    def encoding(self) -> str:
        """How the stream writes text; UTF-8 if it does not say."""
        return getattr(self._out, "encoding", None) or "utf-8"

    def can_show(self, text: str) -> bool:
        """True if the stream's encoding has every character of the text."""
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def isatty(self) -> bool:
        """True if a person is looking."""
        with suppress(OSError, ValueError, AttributeError):
            return self._out.isatty()
        return False

    def fileno(self) -> int:
        """The stream's file descriptor."""
        return self._out.fileno()

    def write(self, text: str) -> int:
        """Write a text, or do nothing once the reader is gone."""
        if not self.is_gone:
            try:
                try:
                    self._out.write(text)
                except UnicodeEncodeError:
                    encoding = self.encoding
                    self._out.write(text.encode(encoding, "backslashreplace").decode(encoding))
            except (OSError, ValueError) as error:
                self._lost(error)
        return len(text)

    def flush(self) -> None:
        """Send on what is buffered."""
        if not self.is_gone:
            try:
                self._out.flush()
            except (OSError, ValueError) as error:
                self._lost(error)

    def _lost(self, error: OSError | ValueError) -> None:
        if isinstance(error, OSError) and error.errno not in _GONE:
            raise error
        if isinstance(error, ValueError) and not self._out.closed:
            raise error
        self.is_gone = True
        # What others still print, and what Python flushes as it exits, must not fail either.
        with suppress(OSError, ValueError, AttributeError):
            if self._out.fileno() in (1, 2):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._out.fileno())
                os.close(nowhere)
