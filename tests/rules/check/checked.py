"""Makes git repositories and rules for the tests of checks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dulwich import porcelain
from dulwich.refs import HEADREF, Ref
from dulwich.repo import Repo

ORIGIN = "git@github.com:acme/widgets.git"
AUTHOR = b"Ada <ada@example.test>"

LICENSE = """\
version: v1
type: rule-type
name: license
severity: {value: high}
guidance: Add a licence.
def:
  in_entity: repository
  rule_schema: {properties: {file: {type: string, default: LICENSE}}}
  ingest: {type: git, git: {}}
  eval:
    type: rego
    rego:
      type: constraints
      def: |
        package minder
        import rego.v1
        violations contains {"msg": sprintf("%s is missing", [input.profile.file])} if {
          not file.exists(input.profile.file)
        }
"""

PRIVATE = """\
version: v1
type: rule-type
name: private
def:
  in_entity: repository
  rule_schema: {properties: {private: {type: boolean, default: true}}}
  ingest:
    type: rest
    rest: {endpoint: "/repos/{{.Entity.Owner}}/{{.Entity.Name}}", parse: json}
  eval:
    type: jq
    jq:
      - ingested: {def: .private}
        profile: {def: .private}
"""


def rego_rule(
    name: str, policy: str, *, ingest: str = "git", kind: str = "repository", more: str = ""
) -> str:
    """A rule whose policy is that text; `more` are further lines of `def`."""
    indented = "\n".join(f"        {line}" for line in policy.splitlines())
    return f"""\
version: v1
type: rule-type
name: {name}
def:
  in_entity: {kind}
  ingest: {{type: {ingest}, {ingest}: {{}}}}
{more}  eval:
    type: rego
    rego:
      type: deny-by-default
      def: |
        package minder
        import rego.v1
{indented}
"""


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def repository(folder: Path, files: Mapping[str, str], origin: str = ORIGIN, *, bare: bool = False) -> Repo:
    """A repository with one commit of these files on `main`; none without files."""
    folder.mkdir(parents=True, exist_ok=True)
    repo = Repo.init_bare(folder) if bare else Repo.init(folder)
    repo.refs.set_symbolic_ref(HEADREF, Ref(b"refs/heads/main"))
    if origin:
        config = repo.get_config()
        config.set((b"remote", b"origin"), b"url", origin.encode())
        config.write_to_path()
    if files:
        commit(repo, files)
    return repo


def commit(repo: Repo, files: Mapping[str, str]) -> str:
    """Write files and commit them; the commit's id."""
    folder = Path(repo.path)
    write(folder, files)
    porcelain.add(repo, [str(folder / name) for name in files])
    made = porcelain.commit(repo, message=b"change", author=AUTHOR, committer=AUTHOR, sign=False)
    return str(made.decode())
