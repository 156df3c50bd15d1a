"""Files and folders of a tree as one archive, the same bytes for the same content."""

from __future__ import annotations

import base64
import gzip
import io
import tarfile
from collections.abc import Sequence

from understudy.rules.evaluate.functions import HostError
from understudy.trees.tree import Kind, Tree

TOTAL_LIMIT = 64 << 20
_FORMS = {
    "file": (tarfile.REGTYPE, 0o644),
    "folder": (tarfile.DIRTYPE, 0o755),
    "link": (tarfile.SYMTYPE, 0o777),
}


def archive(tree: Tree, paths: Sequence[str]) -> str:
    """A tar.gz archive in base64 of what is at and below the paths, without times and owners.

    Raises HostError for a path where nothing is, and for more than 64 MiB in all.

    >>> from understudy.trees import memory_tree
    >>> packed = gzip.decompress(base64.b64decode(archive(memory_tree({"a/b.txt": "text"}), ["a"])))
    >>> tarfile.open(fileobj=io.BytesIO(packed)).getnames()
    ['a', 'a/b.txt']
    """
    packed = io.BytesIO()
    total = 0
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in paths:
            if tree.kind(path, follow=False) is None:
                raise HostError(f"{path or '.'} does not exist, so it cannot be archived")
            for name, kind in tree.walk(path):
                data = tree.read(name) if kind == "file" else b""
                total += len(data)
                if total > TOTAL_LIMIT:
                    raise HostError(
                        f"the files are more than {TOTAL_LIMIT:,} bytes, which is all that is archived"
                    )
                tar.addfile(_member(tree, name, kind, len(data)), io.BytesIO(data))
    return base64.b64encode(gzip.compress(packed.getvalue(), mtime=0)).decode("ascii")


def _member(tree: Tree, name: str, kind: Kind, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.mode = _FORMS[kind]
    member.size = size
    if kind == "link":
        member.linkname = tree.link_target(name)
    return member
