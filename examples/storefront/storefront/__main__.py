"""The command: open the shop on a port and serve it until it is told to stop."""

from __future__ import annotations

import argparse
import os
import socket
import sys

import uvicorn

from storefront.bugs import parse_bugs
from storefront.errors import Invalid
from storefront.http import make_app
from storefront.shop import open_shop


def main() -> int:
    """Serve the shop. Port 0 takes a free one; the line on standard output says which."""
    parser = argparse.ArgumentParser(prog="python -m storefront", description="A small web shop.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument(
        "--bugs",
        default=os.environ.get("STOREFRONT_BUGS", ""),
        help="plant bugs: their names with commas between them, or all (default: $STOREFRONT_BUGS)",
    )
    options = parser.parse_args()
    try:
        bugs = parse_bugs(options.bugs)
    except Invalid as error:
        parser.error(str(error))
    try:
        listening = socket.create_server((options.host, options.port))
        # Connections inherit it; without it each answer waits 40 ms for an acknowledgement (Nagle's algorithm).
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except (OSError, OverflowError) as error:
        parser.error(f"cannot listen on {options.host}:{options.port}: {error}")
    config = uvicorn.Config(
        make_app(open_shop(bugs)),
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="on",
        log_level="warning",
        timeout_graceful_shutdown=1,
    )
    host, port = listening.getsockname()[:2]
    planted = f" with {len(bugs)} planted bug{'s' if len(bugs) > 1 else ''}" if bugs else ""
    print(f"the shop is open at http://{host}:{port}{planted}", flush=True)
    uvicorn.Server(config).run(sockets=[listening])
    return 0


if __name__ == "__main__":
    sys.exit(main())
