"""The built wheel: holds every file of the package, and works where the checkout was never seen."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import understudy

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it; the libraries are lent by the one that runs the tests."""
    venv = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python")]
    subprocess.run(
        [*pip, "install", "-qq", "--no-index", "--no-deps", str(wheel)], check=True, capture_output=True
    )
    (packages,) = venv.glob("lib/python*/site-packages")
    # A plain path: the editable install there is a .pth file, which is not followed from here.
    (packages / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return venv


def ask(venv: Path, *command: str) -> str:
    done = subprocess.run([venv / "bin" / command[0], *command[1:]], cwd=venv, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(wheel: Path) -> None:
    source = ROOT / "src" / "understudy"
    kept = {
        f"understudy/{file.relative_to(source).as_posix()}"
        for file in source.rglob("*")
        if file.is_file() and not {"__pycache__", ".mypy_cache"} & set(file.parts)
    }
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == kept
    assert "understudy/py.typed" in packed


def test_the_wheel_carries_the_license(wheel: Path) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())


def test_the_installed_wheel_is_what_is_imported_there(installed: Path) -> None:
    found = ask(installed, "python", "-I", "-c", "import understudy; print(understudy.__file__)")
    assert Path(found).is_relative_to(installed)


def test_the_installed_command_tells_its_version(installed: Path) -> None:
    assert understudy.__version__ in ask(installed, "understudy", "--version")
