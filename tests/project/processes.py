"""Apps that behave as a test wants, and waiting for what they and other processes do."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

# Answers 200 to everything on the port that is its first argument; the rest says how it misbehaves.
APP = """
import os, signal, subprocess, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

port, kinds = int(sys.argv[1]), sys.argv[2:]


def note(name, pid):
    with open(name + ".new", "w") as file:
        file.write(str(pid))
    os.rename(name + ".new", name)


SLEEPER = [sys.executable, "-c", "import signal; signal.pause()"]
if "stubborn" in kinds:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    SLEEPER = [sys.executable, "-c", "import signal; signal.signal(15, signal.SIG_IGN); print(); signal.pause()"]
if "child" in kinds:
    child = subprocess.Popen(SLEEPER, stdout=subprocess.PIPE)
    if "stubborn" in kinds:
        child.stdout.readline()
    note("child.pid", child.pid)
if "daemon" in kinds:
    note("daemon.pid", subprocess.Popen(SLEEPER, start_new_session=True).pid)
if "polite" in kinds:
    signal.signal(signal.SIGTERM, lambda *_: (print("goodbye", flush=True), os._exit(0)))
if "loud" in kinds:
    for number in range(60_000):
        print(f"line {number} " + "x" * 80)
if "environment" in kinds:
    print("PORT=" + os.environ["PORT"], "given", port, "executable", sys.executable, flush=True)
    print("GREETING=" + os.environ.get("GREETING", "(none)"), flush=True)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        print("asked for", self.path, flush=True)
        sick = self.path == "/health" and "sick" in kinds
        self.send_response(503 if sick else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
        if "dies" in kinds and self.path == "/die":
            self.wfile.flush()
            os._exit(7)

    def log_message(self, *args):
        pass


server = HTTPServer(("127.0.0.1", port), Handler)
note("app.pid", os.getpid())
server.serve_forever()
"""


def write_app(folder: Path) -> None:
    """Put the app into a folder."""
    (folder / "app.py").write_text(APP, encoding="utf-8")


def wait_until(condition: Callable[[], object], what: str, seconds: float = 20) -> None:
    """Return as soon as the condition holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds:g} s in vain: {what}"
        time.sleep(0.005)


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def pid_in(file: Path) -> int:
    """The process id that the app has noted, as soon as it has."""
    wait_until(file.exists, f"{file.name} was never written")
    return int(file.read_text())
