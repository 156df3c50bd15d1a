"""The packages that dependency files name."""

from __future__ import annotations

import json

import pytest

from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.dependencies.document import dependency_document
from understudy.rules.host.dependencies.packages import Package
from understudy.rules.host.dependencies.scan import packages_below
from understudy.trees import Link, memory_tree

GO_MOD = """\
module example.com/mine // comment
go 1.21

toolchain go1.22.3-custom
require example.com/one v1.2.3
require (
    example.com/two v2.0.0+incompatible // indirect
    "example.com/three" v0.0.0-2024
    example.com/four v1.0.0
)
replace example.com/one => example.com/fork v1.5.0
replace (
    example.com/four v9.9.9 => example.com/unused v1.0.0
    example.com/three => ../local
)
exclude example.com/two v1.0.0
"""
PACKAGE_LOCK = {
    "lockfileVersion": 3,
    "packages": {
        "": {"name": "mine", "version": "1.0.0"},
        "node_modules/express": {"version": "4.17.3"},
        "node_modules/@babel/core": {"version": "7.12.1"},
        "node_modules/a/node_modules/express": {"version": "3.0.0"},
        "node_modules/alias": {"name": "real", "version": "1.1.1"},
    },
}
OLD_LOCK = {
    "lockfileVersion": 1,
    "dependencies": {
        "express": {"version": "4.0.0", "dependencies": {"inner": {"version": "1.0.0"}}},
        "alias": {"version": "npm:@scope/real@2.0.0"},
        "here": {"version": "file:../here"},
    },
}
UV_LOCK = """\
[[package]]
name = "mine"
version = "0"
source = {virtual = "."}
[[package]]
name = "flask"
version = "2.0"
source = {registry = "x"}
"""
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <properties><lib.version>2.1</lib.version></properties>
  <dependencyManagement><dependencies>
    <dependency><groupId>org.a</groupId><artifactId>managed</artifactId><version>1.0</version></dependency>
    <dependency><groupId>org.a</groupId><artifactId>both</artifactId><version>1.0</version></dependency>
  </dependencies></dependencyManagement>
  <dependencies>
    <dependency><groupId>org.a</groupId><artifactId>both</artifactId><version>[2.0,3.0)</version></dependency>
    <dependency><groupId>org.B</groupId><artifactId>Lib</artifactId><version>${lib.version}</version></dependency>
    <dependency><groupId>org.c</groupId><artifactId>parent</artifactId></dependency>
  </dependencies>
</project>
"""
REQUIREMENTS = """\
# comment
PyYAML>=5.3.1
requests[security] == 2.25.1 ; python_version > "3"   # why
flask~=1.0 --hash=sha256:abc
unpinned
ranged>=1,<2
less<3
wild==1.*
joined==1.\\
2
newer>1
${NAME}==1.0
zope.interface==5.0
pkg @ https://example.com/pkg.zip
--index-url https://example.com
-r more/other.txt
exact===1.0
"""


def found_in(name: str, text: str) -> set[tuple[str, str]]:
    return {(package.name, package.version) for package in packages_below(memory_tree({name: text}), name)}


@pytest.mark.parametrize(
    ("name", "text", "packages"),
    [
        (
            "requirements.txt",
            REQUIREMENTS,
            {
                ("PyYAML", "5.3.1"),
                ("requests", "2.25.1"),
                ("flask", "1.0"),
                ("unpinned", ""),
                ("ranged", ""),
                ("less", ""),
                ("wild", ""),
                ("joined", "1.2"),
                ("exact", "1.0"),
            },
        ),
        ("dev-requirements-3.txt", "a1==1\r\nb2==2\r\n", {("a1", "1"), ("b2", "2")}),
        (
            "go.mod",
            GO_MOD,
            {
                ("example.com/fork", "1.5.0"),
                ("example.com/two", "2.0.0+incompatible"),
                ("../local", ""),
                ("example.com/four", "1.0.0"),
                ("stdlib", "1.22.3"),
            },
        ),
        ("go.mod", "go 1.14\nrequire a.b/c v1.0.0", {("a.b/c", "1.0.0"), ("stdlib", "1.14")}),
        (
            "package-lock.json",
            json.dumps(PACKAGE_LOCK),
            {("express", "4.17.3"), ("@babel/core", "7.12.1"), ("express", "3.0.0"), ("real", "1.1.1")},
        ),
        (
            "package-lock.json",
            json.dumps(OLD_LOCK),
            {("express", "4.0.0"), ("inner", "1.0.0"), ("@scope/real", "2.0.0"), ("here", "")},
        ),
        (
            "package.json",
            '{"name": "mine", "version": "1.0.0", "dependencies": {"a": "1"}}',
            {("mine", "1.0.0")},
        ),
        ("package.json", '{"name": "mine", "version": "1.0.0", "engines": {"vscode": "1"}}', set()),
        ("package.json", '{"name": "mine"}', set()),
        (
            "Cargo.lock",
            '[[package]]\nname = "serde"\nversion = "1.0.1"\n[[package]]\nname = "mine"\n',
            {("serde", "1.0.1"), ("mine", "")},
        ),
        ("poetry.lock", '[[package]]\nname = "flask"\nversion = "2.0"\n', {("flask", "2.0")}),
        (
            "uv.lock",
            UV_LOCK,
            {("flask", "2.0")},
        ),
        (
            "Pipfile.lock",
            '{"default": {"flask": {"version": "==2.0"}, "git": {}}, "develop": {"pytest": {"version": ">=8"}}}',
            {("flask", "2.0")},
        ),
        (
            "pom.xml",
            POM,
            {("org.a:managed", "1.0"), ("org.a:both", "2.0"), ("org.B:Lib", "2.1"), ("org.c:parent", "0")},
        ),
        ("notes.txt", "flask==1.0", set()),
    ],
)
def test_a_file_names_packages(name: str, text: str, packages: set[tuple[str, str]]) -> None:
    assert found_in(name, text) == packages


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("package-lock.json", "{"),
        ("package-lock.json", "[" * 100_000),
        ("package-lock.json", '{"packages": {"node_modules/a": 1}, "dependencies": []}'),
        ("package.json", "[]"),
        ("Cargo.lock", "a = "),
        ("Cargo.lock", "package = 1"),
        ("Cargo.lock", ".".join("a" * 100_000) + " = 1"),
        ("Pipfile.lock", '{"default": [1]}'),
        ("pom.xml", "<project>"),
        ("pom.xml", "<other/>"),
        ("pom.xml", '<!DOCTYPE p [<!ENTITY a "aaaa">]><project>&a;</project>'),
        ("go.mod", "require\nreplace =>\ngo\n)\n("),
    ],
)
def test_a_file_that_is_not_what_its_name_says_names_nothing(name: str, text: str) -> None:
    assert found_in(name, text) == set()


def test_files_are_named_as_seen_from_the_path_that_was_asked_for() -> None:
    tree = memory_tree(
        {
            "app/requirements.txt": "flask==1.0\n-r base/pins.txt\n-r ../../outside.txt\n-r requirements.txt",
            "app/base/pins.txt": "click==8.0",
            "app/go.mod": "require a.b/c v1.0.0",
            "app/web/node_modules/x/package-lock.json": json.dumps(PACKAGE_LOCK),
            "app/requirements-link.txt": Link("requirements.txt"),
            "other/requirements.txt": "unseen==1",
        }
    )
    found = [(package.name, package.files) for package in packages_below(tree, "./app/")]
    assert found == [
        ("a.b/c", ("go.mod",)),
        ("click", ("requirements.txt", "base/pins.txt")),
        ("flask", ("requirements.txt",)),
    ]
    assert [package.name for package in packages_below(tree, "app/requirements.txt")] == ["flask"]
    assert {package.name for package in packages_below(tree, "")} == {"a.b/c", "click", "flask", "unseen"}


def test_nothing_at_the_path_is_an_error_and_no_packages_are_none() -> None:
    with pytest.raises(HostError, match="absent does not exist, so there are no dependencies in it"):
        packages_below(memory_tree({}), "absent")
    assert dependency_document(memory_tree({}), "") == {"node_list": {}}


def test_the_bytes_that_are_read_and_the_packages_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = memory_tree({"requirements.txt": "a1==1\nb2==2\n"})
    monkeypatch.setattr("understudy.rules.host.dependencies.scan.PACKAGE_LIMIT", 1)
    with pytest.raises(HostError, match=r"requirements\.txt names more than 1 packages"):
        packages_below(tree, ".")
    monkeypatch.setattr("understudy.rules.host.dependencies.scan.TOTAL_LIMIT", 5)
    with pytest.raises(HostError, match="the dependency files are more than 5 bytes"):
        packages_below(tree, ".")


def test_the_document_is_that_of_protobom_and_the_same_every_time() -> None:
    tree = memory_tree({"requirements.txt": "Foo_Bar==1.0\nunpinned"})
    document = dependency_document(tree, ".")
    first, second = document["node_list"]["nodes"]
    assert first == {
        "id": first["id"],
        "name": "Foo_Bar",
        "version": "1.0",
        "identifiers": {"1": "pkg:pypi/foo-bar@1.0"},
        "properties": [{"name": "sourceFile", "data": "requirements.txt"}],
    }
    assert "version" not in second
    assert first["id"] != second["id"]
    assert dependency_document(tree, ".") == document


@pytest.mark.parametrize(
    ("package", "url"),
    [
        (Package("github.com/Gorilla/mux", "1.8.0", "golang"), "pkg:golang/github.com/gorilla/mux@1.8.0"),
        (Package("serde", "1.0.0+build 1", "cargo"), "pkg:cargo/serde@1.0.0+build%201"),
        (Package("org.a:lib", "1", "maven"), "pkg:maven/org.a/lib@1"),
        (Package("zope.interface", "", "pypi"), "pkg:pypi/zope-interface"),
    ],
)
def test_a_package_has_a_url(package: Package, url: str) -> None:
    assert package.url == url
