"""The actions that workflow files use."""

from __future__ import annotations

import pytest

from understudy.rules.evaluate.functions import HostError
from understudy.rules.host.workflows import action_names
from understudy.trees import Link, TreeError, memory_tree

CI = """\
on: push
jobs:
  build:
    uses: octo/shared/.github/workflows/build.yml@main
  test:
    steps:
      # - uses: commented/out@v1
      - uses: actions/checkout@v4 # v4.1
      - uses: actions/checkout@v3
      - name: local
        uses: ./.github/actions/local
      - uses: docker://alpine:3.19
      - uses: docker://ghcr.io/octo/image@sha256:abc
      - uses: docker://ghcr.io:443/octo/image:1
      - uses: octo/tool/sub/dir@1.2
      - uses: no/version
      - run: echo "uses: echoed/action@v1"
"""


def test_names_come_without_versions_and_local_actions_not_at_all() -> None:
    assert action_names(memory_tree({".github/workflows/ci.yml": CI}), ".github/workflows") == [
        "actions/checkout",
        "alpine",
        "echoed/action",
        "ghcr.io/octo/image",
        "octo/shared/.github/workflows/build.yml",
        "octo/tool/sub/dir",
    ]


def test_every_yaml_file_and_dockerfile_below_is_read_and_nothing_else() -> None:
    tree = memory_tree(
        {
            "w/a.yml": "uses: a/a@1",
            "w/deep/b.yaml": "uses: b/b@1",
            "w/My.Dockerfile.x": "uses: c/c@1",
            "w/d.txt": "uses: d/d@1",
            "w/e.YML": "uses: e/e@1",
            "w/linked.yml": Link("../other/f.txt"),
            "other/f.txt": "uses: f/f@1",
        }
    )
    assert action_names(tree, "w") == ["a/a", "b/b", "c/c", "f/f"]
    assert action_names(tree, "w/a.yml") == ["a/a"]
    assert action_names(tree, "absent") == []


def test_a_broken_file_counts_line_by_line() -> None:
    assert action_names(memory_tree({"a.yml": "jobs: [\n\tuses: a/b@v1\n  }"}), ".") == ["a/b"]


def test_names_are_as_odd_as_minder_gives_them() -> None:
    text = 'uses: "quoted/action@v1"\nuses:  two/blanks@v1\nuses: a/b@c@d\nuses: a/b@v1\r\n'
    assert action_names(memory_tree({"a.yml": text}), ".") == [" two/blanks", '"quoted/action', "a/b"]


def test_a_line_that_is_too_long_and_a_dead_link_are_errors() -> None:
    with pytest.raises(HostError, match=r"a\.yml:2 is longer than 65,536 bytes"):
        action_names(memory_tree({"a.yml": "x\n" + "y" * 70_000}), ".")
    with pytest.raises(TreeError, match=r"a\.yml does not exist"):
        action_names(memory_tree({"a.yml": Link("b.yml")}), ".")


def test_a_hostile_line_takes_no_time() -> None:
    text = "\n".join("uses:" + "a/" * 30_000 for _ in range(20))
    assert action_names(memory_tree({"a.yml": text}), ".") == []
