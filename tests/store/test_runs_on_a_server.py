"""`understudy run` keeps its outcomes on a PostgreSQL server that a team shares, and `history` finds them there."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from cli.command import UNDERSTUDY, environment, understudy
from store.postgres_server import PASSWORD, PostgresServer
from understudy.project.history import VARIABLE
from understudy.store.reach import reached
from understudy.store.runs import kept_runs

RULES = "def test_well():\n    check.eq(1, 1)\n"


def write_project(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    (folder / name / "understudy.toml").write_text(f'name = "{name}"\n[rules]\ndirs = ["."]\n')
    (folder / name / "test_well.star").write_text(RULES)
    return folder / name


def test_runs_of_several_machines_come_together_and_projects_stay_apart(
    server: PostgresServer, tmp_path: Path
) -> None:
    place = server.new_place()
    shop, bank = write_project(tmp_path, "shop"), write_project(tmp_path, "bank")
    running = [
        subprocess.Popen(
            [UNDERSTUDY, "run"],
            cwd=folder,
            env=environment({VARIABLE: place}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for folder in (shop, shop, bank)
    ]
    said = [(*process.communicate(), process.returncode) for process in running]
    assert [(err, code) for _, err, code in said] == [("", 0)] * 3, said
    with reached(place) as store:
        assert sorted(run.project for run in kept_runs(store)) == ["bank", "shop", "shop"]
    done = understudy(["history", "--json", "-"], shop, {VARIABLE: place})
    assert [run["project"] for run in json.loads(done.out)["runs"]] == ["shop", "shop"]
    assert not (shop / ".understudy" / "history.sqlite").exists()


def test_a_server_that_cannot_be_used_is_told_without_its_password(
    server: PostgresServer, tmp_path: Path
) -> None:
    shop = write_project(tmp_path, "shop")
    done = understudy(["run"], shop, {VARIABLE: server.url("no such")})
    assert done.code == 0
    (line,) = done.err.splitlines()
    assert line.startswith(
        "warning: this run is not kept in the history: postgresql://understudy:***@127.0.0.1"
    )
    assert "there is no database of this name (make it with: createdb no such; or name another one)" in line
    assert PASSWORD not in done.text
    assert "s3cret" not in done.text
