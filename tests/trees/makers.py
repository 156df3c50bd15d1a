"""The same content as a tree of each kind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

from understudy.trees import Link, Tree, commit_tree, folder_tree, memory_tree, overlay

Content = Mapping[str, str | bytes | Link]
Maker = Callable[[Content, Path], Tree]


def write(files: Content, root: Path) -> None:
    """Write files and links below a folder."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)


def git(root: Path, *arguments: str) -> str:
    """Run git as nobody in particular, at a fixed time."""
    settings = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main"]
    settings += ["-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"]
    date = "2026-01-01T00:00:00Z"
    environment = {
        "GIT_COMMITTER_DATE": date,
        "GIT_AUTHOR_DATE": date,
        "PATH": "/usr/bin:/bin",
        "HOME": str(root),
    }
    found = subprocess.run(
        ["git", *settings, *arguments], cwd=root, env=environment, check=True, capture_output=True, text=True
    )
    return found.stdout.strip()


def committed(files: Content, root: Path, message: str = "one") -> str:
    """Commit files in a repository, made if there is none; the commit's id."""
    root.mkdir(parents=True, exist_ok=True)
    if not (root / ".git").exists():
        git(root, "init", "-q")
    write(files, root)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


def in_memory(files: Content, root: Path) -> Tree:
    return memory_tree(files)


def on_disk(files: Content, root: Path) -> Tree:
    (root / "folder").mkdir()
    write(files, root / "folder")
    return folder_tree(root / "folder")


def in_git(files: Content, root: Path) -> Tree:
    committed(files, root / "repository")
    return commit_tree(root / "repository")


def in_layers(files: Content, root: Path) -> Tree:
    """Half of the files lie over the other half, and over some that must not be seen."""
    names = sorted(files)
    below: dict[str, str | bytes | Link] = {name: files[name] for name in names[::2]}
    above: dict[str, str | bytes | Link | None] = {name: files[name] for name in names[1::2]}
    below.update(dict.fromkeys(names[1:2], "must not be seen"))
    below["gone/away.txt"] = "must not be seen"
    return overlay(memory_tree(below), {**above, "gone": None})


MAKERS: dict[str, Maker] = {"memory": in_memory, "folder": on_disk, "commit": in_git, "layers": in_layers}
