"""A process that sent requests ends as it should, and not with an abort of the interpreter."""

from __future__ import annotations

import subprocess
import sys
import threading

from understudy.wire.quiet_exit import wait_until_threads_rest

from .hostile import HostileServer

SENDS_AND_ENDS = """
import asyncio, sys
from understudy.wire.messages import Request
from understudy.wire.pyreqwest_transport import open_transport

async def main():
    transport = open_transport()
    async def several():
        for _ in range(20):
            await transport.send(Request("GET", sys.argv[1]))
    await asyncio.gather(*[several() for _ in range(32)])

asyncio.run(main())
"""


def test_a_process_ends_cleanly_right_after_its_last_request(server: HostileServer) -> None:
    for _ in range(6):
        command = [sys.executable, "-c", SENDS_AND_ENDS, server.url("/echo")]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert (result.returncode, result.stderr) == (0, "")


def test_opening_a_transport_makes_the_process_wait_at_its_end() -> None:
    script = (
        "import understudy.wire.quiet_exit as quiet_exit\n"
        "from understudy.wire.pyreqwest_transport import open_transport\n"
        "quiet_exit.wait_until_threads_rest = lambda: print('waited')\n"
        "open_transport(), open_transport()\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    assert result.stdout == "waited\n"


def test_it_does_not_wait_for_ever_for_a_busy_thread() -> None:
    stop = threading.Event()

    def spin() -> None:
        while not stop.is_set():
            pass

    thread = threading.Thread(target=spin)
    thread.start()
    try:
        assert wait_until_threads_rest(patience=0.05) is False
    finally:
        stop.set()
        thread.join()
    assert wait_until_threads_rest(patience=5) is True
