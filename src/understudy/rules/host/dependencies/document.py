"""The packages of a tree as a policy gets them: protobom's document, as Go writes it to JSON."""

from __future__ import annotations

import uuid
from typing import Any

from understudy.rules.host.dependencies.packages import Package
from understudy.rules.host.dependencies.scan import packages_below
from understudy.trees.tree import Tree

# The number of "package URL" among protobom's kinds of identifiers.
_PACKAGE_URL = "1"
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://protobom.dev/node")


def dependency_document(tree: Tree, path: str) -> dict[str, Any]:
    """The packages at and below a path; what is empty is left out, as Go does.

    >>> from understudy.trees import memory_tree
    >>> document = dependency_document(memory_tree({"requirements.txt": "flask==1.0"}), "requirements.txt")
    >>> [(node["name"], node["version"], node["identifiers"]) for node in document["node_list"]["nodes"]]
    [('flask', '1.0', {'1': 'pkg:pypi/flask@1.0'})]
    """
    nodes = [_node(package) for package in packages_below(tree, path)]
    return {"node_list": {"nodes": nodes} if nodes else {}}


def _node(package: Package) -> dict[str, Any]:
    # Minder's ids are random; ours follow from the content, so that the same input gives the same output.
    node = {"id": str(uuid.uuid5(_NAMESPACE, "\n".join((package.url, *package.files)))), "name": package.name}
    if package.version:
        node["version"] = package.version
    return {
        **node,
        "identifiers": {_PACKAGE_URL: package.url},
        "properties": [{"name": "sourceFile", "data": file} for file in package.files],
    }
