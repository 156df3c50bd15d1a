"""Which files of a tree name dependencies, and what they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from understudy.core.files import READ_LIMIT
from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.dependencies.golang import go_mod
from understudy.rules.host.dependencies.maven import pom_xml
from understudy.rules.host.dependencies.node import package_json, package_lock
from understudy.rules.host.dependencies.packages import NotReadable, Package, Reader
from understudy.rules.host.dependencies.python import pipfile_lock, poetry_lock, requirements, uv_lock
from understudy.rules.host.dependencies.rust import cargo_lock
from understudy.trees.paths import below_root, child
from understudy.trees.tree import Tree, TreeError

TOTAL_LIMIT = 128 << 20
PACKAGE_LIMIT = 200_000
_READERS: dict[str, Reader] = {
    "Cargo.lock": cargo_lock,
    "Pipfile.lock": pipfile_lock,
    "go.mod": go_mod,
    "package-lock.json": package_lock,
    "package.json": package_json,
    "poetry.lock": poetry_lock,
    "pom.xml": pom_xml,
    "uv.lock": uv_lock,
}


def packages_below(tree: Tree, path: str) -> list[Package]:
    """The packages that the files at and below a path name, sorted; their files are named as seen from there.

    A file that is not what its name says names nothing. Raises HostError if nothing is at the path, and for
    more than 128 MiB of files.

    >>> from understudy.trees import memory_tree
    >>> tree = memory_tree({"app/requirements.txt": "PyYAML>=5.3.1\\nrequests"})
    >>> [(package.name, package.version, package.files) for package in packages_below(tree, "app")]
    [('PyYAML', '5.3.1', ('requirements.txt',)), ('requests', '', ('requirements.txt',))]
    """
    root = tree.resolve(path)
    if root is None:
        raise HostError(f"{path or '.'} does not exist, so there are no dependencies in it")
    if tree.kind(root) == "file":
        folder, _, name = root.rpartition("/")
        # Minder scans a single file as if it stood alone: what it includes is not there.
        found = set(_packages(_Files(tree, folder, only=name), name))
    else:
        files = _Files(tree, root)
        names = [below for below, kind in tree.walk(root) if kind == "file"]
        start = f"{root}/" if root else ""
        found = {package for name in names for package in _packages(files, name.removeprefix(start))}
    return sorted(found)


class _Files:
    """The files below a folder, counted while they are read."""

    def __init__(self, tree: Tree, root: str, only: str = "") -> None:
        self._tree = tree
        self._root = root
        self._only = only
        self._total = 0

    def text(self, name: str) -> str:
        inner = below_root(name)
        if not inner or (self._only and inner != self._only):
            raise NotReadable
        try:
            data = self._tree.read(child(self._root, inner), limit=READ_LIMIT)
        except TreeError:
            raise NotReadable from None
        self._total += len(data)
        if self._total > TOTAL_LIMIT:
            raise HostError(
                f"the dependency files are more than {TOTAL_LIMIT:,} bytes, which is all that is read"
            )
        return data.decode("utf-8", "replace").removeprefix("\ufeff")


def _packages(files: _Files, name: str) -> Iterator[Package]:
    reader = _reader(name.rpartition("/")[2])
    if reader is None:
        return
    count = 0
    try:
        for package in reader(files.text(name), name, files.text):
            count += 1
            if count > PACKAGE_LIMIT:
                raise HostError(f"{name} names more than {PACKAGE_LIMIT:,} packages")
            yield replace(package, files=(name, *package.files))
    except NotReadable:
        return


def _reader(name: str) -> Reader | None:
    if name.endswith(".txt") and "requirements" in name:
        return requirements
    return _READERS.get(name)
