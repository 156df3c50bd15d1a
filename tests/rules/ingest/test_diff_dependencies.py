"""Dependencies in patches."""

from __future__ import annotations

import pytest

from understudy.rules.ingest.diff_dependencies import added_dependencies

LOCK = """\
@@ -1,9 +1,9 @@
   "name": "mine",
+  "version": "2.0.0",
   "packages": {
     "": {
+      "version": "2.0.0",
       "dependencies": {"a": "1"}
     },
     "node_modules/a": {
       "funding": {
         "url": "x"
       },
+      "version": "1.0.0",
     },
     "node_modules/b/node_modules/@s/c": {
+      "version" : "2.0.0-rc.1"
-      "version": "1.0.0",
     }
"""


@pytest.mark.parametrize(
    ("ecosystem", "patch", "found"),
    [
        ("npm", LOCK, [("a", "1.0.0"), ("@s/c", "2.0.0-rc.1")]),
        ("pypi", "+requests   ==2.19.0", [("requests", "2.19.0")]),
        ("pypi", "+a_b.C<2,>=1.5", [("a-b-c", "1.5")]),
        ("pypi", "+a!=1.0,<2.0", [("a", "1.0")]),
        ("pypi", "+a==1.* # why\n+# only a comment\n+\n a==2\n-b==1", [("a", "1")]),
        ("pypi", "+a~=1.0", [("a~=1-0", "")]),
        ("go", "+require a.b/c v1.0.0", [("a.b/c", "v1.0.0")]),
        ("go", "+require (", []),
        ("go", "+\ta.b/c v1.0.0\n+\ta.b/c v1.0.0\n+\td v1 // indirect\n+)", [("a.b/c", "v1.0.0")]),
        ("go", "+replace a => b v2\n+replace a => ../b", [("b", "v2")]),
        ("go", "+++ b/go.mod v1\n+go 1.21\n \tx v1", []),
        ("maven", "+x==1", []),
    ],
)
def test_added_lines_name_dependencies(ecosystem: str, patch: str, found: list[tuple[str, str]]) -> None:
    assert [
        (entry["name"], entry.get("version", "")) for entry in added_dependencies(ecosystem, patch)
    ] == found


def test_a_hostile_patch_takes_no_time() -> None:
    assert added_dependencies("npm", '+"version": "1",\n' * 200_000) == []
    assert len(added_dependencies("pypi", "+a" + " " * 200_000 + "b")) == 1
    assert len(added_dependencies("pypi", "+a" + ">" * 100_000)) == 1
