"""A little app to try the example on; put your own into [app] start and delete this file."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ITEMS = {"1": {"id": 1, "name": "lamp"}, "2": {"id": 2, "name": "chair"}}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        item = ITEMS.get(self.path.removeprefix("/items/"))
        if self.path == "/health":
            self.answer(200, {"status": "ok"})
        elif item is None:
            self.answer(404, {"error": "not found"})
        else:
            self.answer(200, item)

    def answer(self, status: int, data: dict[str, object]) -> None:
        body = json.dumps(data).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
