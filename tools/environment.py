"""Makes the project's virtual environments from their lock files, and does nothing when they are up to date.

Usage: environment.py dev|peers. Needs nothing but the standard library. An environment counts as ready only
once its stamp is written, which is the last step: one that was interrupted is made anew.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAMP = ".understudy-ready"


class SetupFailed(Exception):
    """Setting up came to an end; the message is all that the user needs to see."""


@dataclass(frozen=True)
class Environment:
    """A virtual environment, the lock file that it is made from, and whether the project itself goes into it.

    `builders` are the packages of the lock that others, which come as source only, are built with.
    """

    folder: str
    lock: str
    with_project: bool = False
    builders: tuple[str, ...] = ()

    @property
    def python(self) -> Path:
        return ROOT / self.folder / "bin" / "python"


ENVIRONMENTS = {
    "dev": Environment(".venv", "constraints.txt", with_project=True),
    "peers": Environment(".venv-peers", "benchmarks/peers.txt", builders=("setuptools",)),
}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("environment", choices=sorted(ENVIRONMENTS))
    environment = ENVIRONMENTS[parser.parse_args(arguments).environment]
    try:
        with only_one_at_a_time():
            ensure(environment)
    except SetupFailed as failure:
        print(f"understudy: {failure}", file=sys.stderr)
        return 1
    return 0


def ensure(environment: Environment) -> None:
    """Bring the environment up to date: nothing, the project alone, or everything from nothing."""
    stamp = ROOT / environment.folder / STAMP
    wanted = [fingerprint(environment.lock, "tools/environment.py")]
    if environment.with_project:
        wanted.append(fingerprint("pyproject.toml"))
    found = stamp.read_text().split() if stamp.is_file() else []
    if found == wanted:
        return
    stamp.unlink(missing_ok=True)
    if found[:1] != wanted[:1]:
        install_lock(environment)
    if environment.with_project:
        pip(environment, "install", "-qq", "--no-deps", "--no-build-isolation", "--editable", str(ROOT))
    pip(environment, "check", quiet=True)
    stamp.write_text("\n".join(wanted) + "\n")


def install_lock(environment: Environment) -> None:
    """Make the environment anew; every file that pip takes must have one of the hashes of the lock."""
    lock = ROOT / environment.lock
    say(f"setting up {environment.folder} with {sys.executable} (what {environment.lock} pins; once)")
    shutil.rmtree(ROOT / environment.folder, ignore_errors=True)
    if importlib.util.find_spec("ensurepip") is None:
        add_venv_package()
    run([sys.executable, "-m", "venv", str(ROOT / environment.folder)], "no virtual environment was made")
    install = ["install", "-qq", "--no-input", "--no-deps", "--require-hashes"]
    if builders := "".join(requirements(lock.read_text(), environment.builders)):
        first = ROOT / environment.folder / "builders.txt"
        first.write_text(builders)
        pip(environment, *install, "--requirement", str(first))
        install.append("--no-build-isolation")
    pip(environment, *install, "--requirement", str(lock))


def add_venv_package() -> None:
    """Debian splits `ensurepip` off into a package of its own; root gets it installed, others are told."""
    command = ["apt-get", "install", "--yes", f"python{sys.version_info.major}.{sys.version_info.minor}-venv"]
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise SetupFailed(
            f"{sys.executable} cannot make virtual environments; install what it lacks with: "
            f"sudo apt-get update && sudo {shlex.join(command)}"
        )
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for step in (["apt-get", "update", "--quiet"], command):
        run(step, f"{sys.executable} cannot make virtual environments", quiet=True, env=quiet)


def requirements(lock: str, names: Iterable[str]) -> Iterator[str]:
    """The entries of a lock file for the packages of these names, their hashes included.

    >>> list(requirements("a==1 \\\\\\n    --hash=sha256:00\\nb==2 \\\\\\n    --hash=sha256:11\\n", ["b"]))
    ['b==2 \\\\\\n    --hash=sha256:11\\n']
    """
    for entry in re.split(r"^(?=[A-Za-z0-9])", lock, flags=re.MULTILINE):
        if entry.partition("==")[0] in set(names):
            yield entry


def fingerprint(*files: str) -> str:
    """What the environment depends on: the files, where it stands, and the interpreter under it."""
    digest = hashlib.sha256(f"{ROOT}\0{sys.executable}\0{sys.version}".encode())
    for file in files:
        try:
            digest.update(b"\0" + (ROOT / file).read_bytes())
        except OSError as error:
            raise SetupFailed(f"{file} cannot be read ({error.strerror}); is the checkout whole?") from None
    return digest.hexdigest()


def pip(environment: Environment, *arguments: str, quiet: bool = False) -> None:
    """Run the environment's own pip; the machine's pip settings stay in force.

    It is told to be quiet (`-qq`) because it warns about every package that one of several indexes lacks.
    """
    command = [str(environment.python), "-m", "pip", "--disable-pip-version-check", *arguments]
    run(command, f"pip could not finish in {environment.folder}", quiet=quiet)


def run(
    command: Sequence[str], failure: str, *, quiet: bool = False, env: dict[str, str] | None = None
) -> None:
    """Run a command with no input, or end the set-up with what failed and how to see it again."""
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if quiet else None,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        if done.stdout:
            print(done.stdout, file=sys.stderr, end="")
        raise SetupFailed(f"{failure}; the command was: {shlex.join(command)}")


@contextmanager
def only_one_at_a_time() -> Iterator[None]:
    """Hold the checkout, so that two `make` runs at once do not build into one folder."""
    handle = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def say(message: str) -> None:
    print(f"understudy: {message}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
