"""Packages in Maven's pom.xml, as far as the file alone says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from understudy.rules.host.dependencies.packages import NotReadable, Package, Read

_PROPERTY = re.compile(r"\$\{(.+)\}")
_LOWEST = re.compile(r"[\[(]?(.*?)(?:,|[)\]]|$)")


def pom_xml(text: str, path: str, read: Read) -> Iterator[Package]:
    """The dependencies of a pom.xml; where only a parent file knows the version, it is 0."""
    # Entities are how a small XML file becomes a large one, and no pom.xml needs them.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise NotReadable
    try:
        project = ElementTree.fromstring(text)  # noqa: S314  # without entities there is nothing to expand
    except (ElementTree.ParseError, ValueError, RecursionError):
        raise NotReadable from None
    for element in project.iter():
        element.tag = element.tag.rpartition("}")[2]
    if project.tag != "project":
        raise NotReadable
    properties = {entry.tag: entry.text or "" for entry in project.iterfind("properties/*")}
    versions: dict[str, str] = {}
    for place in ("dependencyManagement/dependencies/dependency", "dependencies/dependency"):
        for dependency in project.iterfind(place):
            group, artifact = (dependency.findtext(part) or "" for part in ("groupId", "artifactId"))
            versions[f"{group}:{artifact}"] = _version(dependency.findtext("version") or "", properties)
    for name, version in versions.items():
        yield Package(name, version, "maven")


def _version(written: str, properties: dict[str, str]) -> str:
    found = _PROPERTY.search(written)
    if found:
        written = properties.get(found[1], "0")
    lowest = _LOWEST.match(written)
    return (lowest[1] if lowest else "") or "0"
