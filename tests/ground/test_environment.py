"""`tools/environment.py`: hashes are verified, a second run does nothing, an unfinished one is made anew."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "environment.py"


class Checkout:
    """A checkout that only knows the peers' environment, with a package folder as its whole registry."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.wheels = root / "wheels"
        self.venv = root / ".venv-peers"
        for folder in ("tools", "benchmarks", "wheels"):
            (root / folder).mkdir()
        shutil.copy(TOOL, root / "tools")

    def offer(self, name: str) -> str:
        """Put a package into the registry; its hash."""
        wheel = self.wheels / f"{name}-1.0-py3-none-any.whl"
        info = f"{name}-1.0.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr(f"{name}.py", "value = 1\n")
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")
        return hashlib.sha256(wheel.read_bytes()).hexdigest()

    def lock(self, **hashes: str) -> None:
        """Write the lock file."""
        pins = [
            f"{name}==1.0" + (f" \\\n    --hash=sha256:{digest}" if digest else "") + "\n"
            for name, digest in hashes.items()
        ]
        (self.root / "benchmarks" / "peers.txt").write_text("".join(pins))

    def set_up(self) -> subprocess.CompletedProcess[str]:
        """Run the tool."""
        own = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "PIP_CONFIG_FILE": os.devnull}
        return subprocess.run(
            [sys.executable, self.root / "tools" / "environment.py", "peers"],
            env={**os.environ, **own},
            capture_output=True,
            text=True,
        )

    def has(self, name: str) -> bool:
        """True if the environment can import a package."""
        command = [str(self.venv / "bin" / "python"), "-I", "-c", f"import {name}"]
        return subprocess.run(command, capture_output=True).returncode == 0


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_a_second_run_does_nothing_and_a_changed_lock_file_makes_it_anew(checkout: Checkout) -> None:
    first, second = checkout.offer("first"), checkout.offer("second")
    checkout.lock(first=first)
    assert checkout.set_up().returncode == 0
    assert checkout.has("first")

    python = checkout.venv / "bin" / "python"
    python.rename(python.with_name("away"))  # whatever the environment were asked to do now would fail
    again = checkout.set_up()
    assert (again.returncode, again.stdout, again.stderr) == (0, "", "")

    checkout.lock(second=second)
    assert checkout.set_up().returncode == 0
    assert checkout.has("second")
    assert not checkout.has("first")


@pytest.mark.parametrize("wrong", ["0" * 64, ""], ids=["another hash", "no hash"])
def test_a_package_without_its_hash_is_refused_and_the_unfinished_environment_is_not_used(
    checkout: Checkout, wrong: str
) -> None:
    digest = checkout.offer("first")
    checkout.lock(first=wrong)
    refused = checkout.set_up()
    assert refused.returncode == 1
    assert "hash" in refused.stderr.lower()
    assert "pip could not finish in .venv-peers; the command was: " in refused.stderr

    (checkout.venv / "half-done").touch()
    checkout.lock(first=digest)
    assert checkout.set_up().returncode == 0
    assert checkout.has("first")
    assert not (checkout.venv / "half-done").exists()


def test_a_missing_lock_file_is_named(checkout: Checkout) -> None:
    refused = checkout.set_up()
    assert refused.returncode == 1
    assert refused.stderr.startswith("understudy: benchmarks/peers.txt cannot be read (No such file")
