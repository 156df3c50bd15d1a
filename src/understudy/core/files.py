"""Files of ours and of the user: read with a limit, written whole or not at all, kept inside their folder."""

from __future__ import annotations

import codecs
import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TextIO

from understudy.core.errors import InputError, Problem

READ_LIMIT = 16 << 20

_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def read_text(path: str | os.PathLike[str], *, limit: int = READ_LIMIT) -> str:
    """The text of a UTF-8 file of at most `limit` bytes; a byte order mark is dropped.

    Anything else (missing, a directory, a pipe, binary, another encoding, too large) is an InputError that
    names the file and says what to do.
    """
    name = os.fspath(path)
    data = _read_bounded(name, limit)
    if data.startswith(_UTF16):
        raise _wrong(name, "is UTF-16, not UTF-8", "save it as UTF-8", line=1)
    nul = data.find(b"\0")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        raise _wrong(name, f"is binary: a NUL byte at offset {nul}", "give a text file", line=line)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}, line {line}"
        raise _wrong(name, message, "save it as UTF-8", line=line) from None


def atomic_write(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a whole file: after a crash there stands either what stood before or all of `content`.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> atomic_write(Path(folder.name, "a.txt"), "hello")
    >>> read_text(Path(folder.name, "a.txt"))
    'hello'
    >>> folder.cleanup()
    """
    with _replacing(os.fspath(path)) as file:
        file.write(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """A text file to write to, which takes the place of `path` when the block ends well, and only then."""
    with _replacing(os.fspath(path)) as binary:
        # A lone surrogate (legal in JSON) must not cost the report: it is written as its escape.
        writer = io.TextIOWrapper(binary, "utf-8", errors="backslashreplace", newline="\n")
        try:
            yield writer
        finally:
            writer.detach()


def inside(root: str | os.PathLike[str], path: str | os.PathLike[str]) -> Path:
    """`path` (relative to `root`) with every link resolved; an InputError if it leaves `root`.

    >>> inside("/srv/app", "tapes/../a.yaml").name
    'a.yaml'
    """
    try:
        base = os.path.realpath(root)
        resolved = os.path.realpath(os.path.join(base, path))
        within = os.path.commonpath([base, resolved]) == base
    except (OSError, ValueError) as error:
        raise _wrong(repr(os.fspath(path)), f"is no usable path: {error}", "correct the path") from None
    if not within:
        raise _wrong(
            os.fspath(path), f"leads to {resolved}, outside of {base}", f"keep it inside {os.fspath(root)}"
        )
    return Path(resolved)


def _read_bounded(name: str, limit: int) -> bytes:
    try:
        _require_regular(name, os.stat(name))
        # Without O_NONBLOCK a pipe that takes the file's place at this moment would hang us.
        descriptor = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            _require_regular(name, status)
            data = file.read(limit + 1) if status.st_size <= limit else b""
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise _unreadable(name, error) from None
    if len(data) > limit or status.st_size > limit:
        found = max(status.st_size, len(data))
        raise _wrong(
            name,
            f"is too large: {found:,} bytes, and at most {limit:,} are read",
            "split it into smaller files",
        )
    return data


def _require_regular(name: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise _wrong(name, "is a directory, not a file", "name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise _wrong(name, "is a pipe, socket or device, not a file", "write its content to a file first")


def _unreadable(name: str, error: OSError | ValueError) -> InputError:
    if isinstance(error, FileNotFoundError):
        return _wrong(name, "does not exist", "check the path")
    if isinstance(error, PermissionError):
        return _wrong(name, "may not be read by you", "check its permissions")
    if isinstance(error, OSError):
        return _wrong(name, f"cannot be read: {error.strerror or error}", "check the path")
    return _wrong(repr(name), f"is no usable path: {error}", "check the path")


@contextmanager
def _replacing(name: str) -> Iterator[BinaryIO]:
    try:
        status = _status(name)
        if status is not None and not stat.S_ISREG(status.st_mode):
            file: BinaryIO = _open_special(name, status)
            replacement = target = None
        else:
            # The file behind a symbolic link is replaced; the link itself stays.
            target = os.path.realpath(name)
            if status is not None and not os.access(target, os.W_OK):
                raise _wrong(name, "is read-only", "make it writable, or name another file")
            replacement, file = _open_replacement(os.path.dirname(target), status)
    except (OSError, ValueError) as error:
        raise error if isinstance(error, InputError) else _unwritable(name, error) from None
    try:
        with file:
            yield file
            file.flush()
            if replacement is not None:
                os.fsync(file.fileno())
        if replacement is not None and target is not None:
            os.replace(replacement, target)
            replacement = None
            _sync_folder(os.path.dirname(target))
    except OSError as error:
        if error.errno in _DISK_FULL:
            raise _unwritable(name, error) from None
        raise
    finally:
        if replacement is not None:
            with suppress(OSError):
                os.unlink(replacement)


def _status(name: str) -> os.stat_result | None:
    try:
        return os.stat(name)
    except FileNotFoundError:
        return None


def _open_special(name: str, status: os.stat_result) -> BinaryIO:
    """Open what cannot be replaced, such as /dev/stdout: it is written to as it is."""
    if stat.S_ISDIR(status.st_mode):
        raise _wrong(name, "is a directory, not a file", "name a file in it")
    # Opening a pipe that nobody reads would hang; without waiting it is an error.
    descriptor = os.open(name, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    os.set_blocking(descriptor, True)
    return open(descriptor, "wb")


def _open_replacement(folder: str, status: os.stat_result | None) -> tuple[str, BinaryIO]:
    path = os.path.join(folder, f".understudy-{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, 0o666)
    try:
        if status is not None and hasattr(os, "fchmod"):
            with suppress(OSError):
                os.fchown(descriptor, status.st_uid, status.st_gid)
            os.fchmod(descriptor, stat.S_IMODE(status.st_mode))
        return path, open(descriptor, "wb")
    except BaseException:
        os.close(descriptor)
        os.unlink(path)
        raise


def _sync_folder(folder: str) -> None:
    if not hasattr(os, "O_DIRECTORY"):
        return
    # Some file systems cannot sync a folder; the file itself is whole all the same.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _unwritable(name: str, error: OSError | ValueError) -> InputError:
    folder = os.path.dirname(name) or "."
    if isinstance(error, FileNotFoundError):
        return _wrong(
            name, f"cannot be written: the folder {folder} does not exist", "create the folder first"
        )
    if isinstance(error, NotADirectoryError):
        return _wrong(name, f"cannot be written: {folder} is not a folder", "check the path")
    if isinstance(error, PermissionError):
        hint = "check the folder's permissions"
        return _wrong(name, f"cannot be written: you may not write in the folder {folder}", hint)
    if isinstance(error, OSError):
        hint = "free some space" if error.errno in _DISK_FULL else "check the path"
        return _wrong(name, f"cannot be written: {error.strerror or error}", hint)
    return _wrong(repr(name), f"is no usable path: {error}", "check the path")


def _wrong(file: str, message: str, hint: str, line: int | None = None) -> InputError:
    return InputError([Problem(message, file, line, hint=hint)])
