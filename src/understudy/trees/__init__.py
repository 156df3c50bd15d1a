"""File trees, read only: files in memory, a folder on disk, a git commit, and files laid over another tree.

In: `memory_tree({path: content})`, `folder_tree(path)`, `commit_tree(repository, revision)`, `overlay(tree, files)`.
Out: a `Tree`, which answers the same for the same content wherever it comes from: what stands at a path, what a
folder holds, what a file says, where a link leads. Paths are cleaned as Go's filepath.Clean does and never leave
the root, nor do links; what cannot be read raises `TreeError`, whose message a user can be shown.

In pipeline order: `paths` (what a path means), `tree` (what a tree answers), `stored` (links, limits and walking,
over any store), and the stores: `memory`, `folder`, `commit`, `layers`.
"""

from understudy.trees.commit import commit_tree
from understudy.trees.folder import folder_tree
from understudy.trees.layers import overlay
from understudy.trees.memory import Link, memory_tree
from understudy.trees.tree import Kind, Tree, TreeError

__all__ = [
    "Kind",
    "Link",
    "Tree",
    "TreeError",
    "commit_tree",
    "folder_tree",
    "memory_tree",
    "overlay",
]
