"""The cases of the benchmarks: one GET of an item each, as a suite of ours and as a file of Tavern's."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from understudy.testbed.models import SCHEMA_V1


def case(number: int) -> dict[str, Any]:
    """The case that asks for an item and looks at the status and at the body."""
    return {
        "name": f"item {number}",
        "input": {"params": {"id": number}},
        "expect": {"status": 200, "bodyContains": [f'"id":{number},']},
    }


def suite(numbers: Iterable[int]) -> dict[str, Any]:
    """A suite of one route with a case for each number."""
    route = {"operation": "getItem", "method": "GET", "path": "/items/{id}", "params": ["id"]}
    return {
        "schema": SCHEMA_V1,
        "http": {"routes": [{**route, "cases": [case(number) for number in numbers]}]},
    }


def write_tavern_file(folder: Path, numbers: Iterable[int], base_url: str) -> str:
    """A file of Tavern's with the same requests and checks; its name."""
    tests = [
        {
            "test_name": f"item {number}",
            "stages": [
                {
                    "name": "get it",
                    "request": {"url": f"{base_url}/items/{number}", "method": "GET"},
                    "response": {"status_code": 200, "strict": ["json:off"], "json": {"id": number}},
                }
            ],
        }
        for number in numbers
    ]
    name = f"test_{len(tests)}_items.tavern.yaml"
    # JSON is YAML, too.
    (folder / name).write_text("\n---\n".join(json.dumps(test, indent=1) for test in tests), encoding="utf-8")
    return name


def peers_python() -> Path:
    """The interpreter of the environment that the peers are installed in."""
    python = Path(os.environ.get("UNDERSTUDY_PEERS_PYTHON", ".venv-peers/bin/python")).absolute()
    if not python.exists():
        raise SystemExit(f"there is no {python}: run `make peers`, which installs the peers")
    return python
