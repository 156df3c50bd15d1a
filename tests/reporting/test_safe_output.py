"""Writing to a terminal never ends a run, whatever is at the other end."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from understudy.reporting.safe_output import SafeOutput


def test_what_an_encoding_lacks_is_written_as_an_escape() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="latin-1", write_through=True)
    SafeOutput(stream).write("ü → \ud800\n")
    assert raw.getvalue() == b"\xfc \\u2192 \\ud800\n"


def test_a_reader_that_went_away_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w", buffering=1) as stream:
        output = SafeOutput(stream)
        output.write("first\n")
        assert output.is_gone
        output.write("second\n")
        output.flush()
        # What is left in the buffer would fail again when the stream is closed: give it somewhere to go.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, writing)
        os.close(nowhere)


def test_a_stream_that_was_closed_is_no_error() -> None:
    stream = io.StringIO()
    stream.close()
    output = SafeOutput(stream)
    output.write("x")
    assert output.is_gone


def test_other_errors_are_not_hidden() -> None:
    class Full(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        SafeOutput(Full()).write("x")


def test_a_program_whose_output_is_cut_off_ends_without_a_complaint() -> None:
    program = (
        "import sys\n"
        "from understudy.reporting.safe_output import SafeOutput\n"
        "output = SafeOutput(sys.stdout)\n"
        "sys.stdin.readline()\n"
        "for _ in range(10000): output.write('line\\n')\n"
        "output.flush()\n"
        "assert output.is_gone\n"
        "print('said by someone else')\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        assert process.stderr
        process.stdout.close()
        process.stdin.write(b"go\n")
        process.stdin.flush()
        complaint = process.stderr.read()
    assert (process.returncode, complaint) == (0, b"")
