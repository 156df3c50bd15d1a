"""What runs in the cells of the tests: calls that end well, badly, never, or not at all."""

from __future__ import annotations

import itertools
import os
import subprocess
from collections.abc import Iterator
from typing import Any


class Unpicklable(Exception):
    def __init__(self, one: int, two: int) -> None:
        super().__init__("of its own make")
        self.held = lambda: (one, two)


class Servant:
    def __init__(self, greeting: str = "hello") -> None:
        if greeting == "refuse":
            raise ValueError("it will not start")
        self.greeting = greeting
        self.calls = 0

    def greet(self, name: str) -> Iterator[str]:
        self.calls += 1
        yield f"{self.greeting} {name}"
        yield f"call {self.calls}"

    def variable(self, name: str) -> Iterator[str | None]:
        yield os.environ.get(name)

    def process(self) -> Iterator[int]:
        yield os.getpid()

    def fail_after(self, item: Any, kind: str) -> Iterator[Any]:
        yield item
        raise {"key": KeyError("x"), "odd": Unpicklable(1, 2)}[kind]

    def loop(self) -> Iterator[None]:
        while True:
            pass
        yield

    def loop_natively(self) -> Iterator[None]:
        """Holds the interpreter: no thread and no handler of this process comes to run."""
        sum(itertools.count())
        yield

    def start_another(self) -> Iterator[int]:
        """A process of this one's own, which would outlive it by far."""
        yield subprocess.Popen(["sleep", "600"]).pid

    def start_another_and_leave(self, path: str) -> Iterator[None]:
        with open(path, "w") as file:
            print(subprocess.Popen(["sleep", "600"]).pid, file=file)
        os._exit(3)
        yield

    def allocate(self, mebibytes: int) -> Iterator[int]:
        held = bytearray(mebibytes << 20)
        yield len(held)

    def leave(self, code: int) -> Iterator[None]:
        os._exit(code)
        yield

    def die(self, number: int) -> Iterator[None]:
        os.kill(os.getpid(), number)
        yield

    def touch(self, path: str) -> Iterator[str]:
        open(path, "w").close()
        yield path

    def repeat(self, data: bytes) -> Iterator[bytes]:
        yield data

    def echo(self, data: bytes) -> Iterator[int]:
        yield len(data)
