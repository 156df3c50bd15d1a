"""Chromium, driven by plain WebDriver calls, so that a test sees a page as its reader does."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--allow-file-access-from-files",
)
_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """One window of a browser."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, path: Path) -> None:
        """Load a file."""
        self._call("POST", "/url", {"url": "about:blank"})
        self.requests()
        self._call("POST", "/url", {"url": path.as_uri()})

    def run(self, script: str) -> Any:
        """Run the body of a JavaScript function and return what it returns."""
        return self._call("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, script: str) -> Any:
        """Return what a JavaScript expression is as soon as it is true; five seconds are enough."""
        wait = (
            "const done = arguments[0]; const end = Date.now() + 5000;"
            f"(function look() {{ const value = ({script});"
            "if (value || Date.now() > end) done(value); else setTimeout(look, 10); })();"
        )
        value = self._call("POST", "/execute/async", {"script": wait, "args": []})
        assert value, f"never came true: {script}"
        return value

    def press(self, *keys: str) -> None:
        """Press keys one after the other, as a person does."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def click(self, selector: str) -> None:
        """Click on the first element that a CSS selector finds."""
        found = self._call("POST", "/element", {"using": "css selector", "value": selector})
        self._call("POST", f"/element/{found[_ELEMENT]}/click", {})

    def devtools(self, command: str, **parameters: Any) -> Any:
        """Call the browser's own protocol, for what WebDriver lacks."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def resize(self, width: int, height: int) -> None:
        """Make the page as wide as some screen, narrower than a window can be."""
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )

    def prefer(self, scheme: str) -> None:
        """Set whether the system is `dark` or `light`."""
        self.devtools(
            "Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}]
        )

    def requests(self) -> list[str]:
        """The URLs that the page asked for since it was opened, its own among them."""
        log = self._call("POST", "/se/log", {"type": "performance"})
        events = [json.loads(entry["message"])["message"] for entry in log]
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]

    def console(self) -> list[str]:
        """What the browser complained about: script errors, and what the page's policy refused."""
        return [entry["message"] for entry in self._call("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path: Path) -> None:
        """Keep a picture of the page."""
        path.write_bytes(base64.b64decode(self._call("GET", "/screenshot")))

    def _call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        return _call(method, self._session + path, body)


@contextmanager
def chromium(profile: Path) -> Iterator[Browser]:
    """A browser with a new profile; without one the test is skipped, but fails in CI."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        advice = "Chromium is not installed: apt-get install chromium chromium-driver"
        if os.environ.get("CI") == "true":
            pytest.fail(advice)
        pytest.skip(advice)
    process = subprocess.Popen(
        [driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        started = (re.search(r"started successfully on port (\d+)", line) for line in process.stdout)
        port = next(match[1] for match in started if match)
        options = {
            "binary": browser,
            "args": [*_FLAGS, f"--user-data-dir={profile}", "--window-size=1200,900"],
        }
        wanted = {
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
            "timeouts": {"script": 10_000},
        }
        base = f"http://127.0.0.1:{port}/session"
        session = _call("POST", base, {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        try:
            yield Browser(f"{base}/{session}")
        finally:
            _call("DELETE", f"{base}/{session}")
    finally:
        process.terminate()
        process.communicate()


def _call(method: str, url: str, body: dict[str, Any] | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as response:
            return json.load(response)["value"]
    except urllib.error.HTTPError as error:
        with error:
            raise AssertionError(json.load(error)["value"]["message"]) from None
