"""`understudy init`: a first project that runs at once, and never anything over what is there."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from dulwich import porcelain

from cli.command import Command, understudy
from understudy.cli.init import FILES


def contents(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): file.read_text()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def test_the_first_project_runs_green_at_once(here: Path) -> None:
    assert understudy(["init"], here).code == 0
    assert set(contents(here)) == set(FILES)
    done = understudy(["run", "-v"], here)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].startswith("11 passed in ")


def test_the_environment_that_is_shown_can_be_made_one(
    command: Command, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the comment says: it is used when it is named, and only then."""
    command("init")
    file = here / "understudy.toml"
    text = file.read_text().replace("https://staging.example.com", "http://127.0.0.1:9")
    for line in ("[environments.staging]", "base_url", "headers"):
        assert f"# {line}" in text
        text = text.replace(f"# {line}", line)
    file.write_text(text)
    monkeypatch.setenv("STAGING_AUTHORIZATION", "Bearer abcdef123")
    assert command("run").code == 0
    done = command("run", "--env", "staging")
    assert done.code == 1
    assert "connection refused by 127.0.0.1:9" in done.out


def test_the_folder_is_made_and_the_next_command_is_told(command: Command, here: Path) -> None:
    done = command("init", "a/b")
    assert done.code == 0
    assert set(contents(here / "a" / "b")) == set(FILES)
    assert "Now try: understudy run a/b" in done.out
    assert command("run", "a/b", "--list").out.splitlines() == [
        "agents::rehearsal/clerk.py::no letter makes the clerk export anything",
        "replay::rehearsal/feed.py::copy_tools",
        "rules::rehearsal/policies/readme.star::test_a_text_of_some_words",
        "rules::rehearsal/policies/readme.star::test_no_readme",
        "rules::rehearsal/policies/readme.star::test_how_many_words_are_wanted",
        "testbed::rehearsal/example.yaml::http/getItem/a lamp",
        "testbed::rehearsal/example.yaml::http/getItem/something that is not there",
        "testbed::rehearsal/example.suite.json::http/health/is well",
    ]


def test_the_example_can_fail(here: Path, command: Command) -> None:
    command("init")
    app = here / "rehearsal" / "app.py"
    app.write_text(app.read_text().replace('"lamp"', '"lump"'))
    done = command("run")
    assert done.code == 1
    assert "1 failed" in done.out
    assert "rehearsal/example.yaml:" in done.out


def test_the_example_of_a_policy_can_fail_too(here: Path, command: Command) -> None:
    command("init")
    policy = here / "rehearsal" / "policies" / "readme.yaml"
    policy.write_text(policy.read_text().replace("there is no README", "nothing to read"))
    done = command("run", "-k", "policies")
    assert done.code == 1
    assert "1 failed" in done.out
    assert "rehearsal/policies/readme.star:" in done.out


def test_the_example_of_an_agent_can_fail_too(here: Path, command: Command) -> None:
    command("init")
    agent = here / "rehearsal" / "clerk.py"
    unguarded = 'ledger["exports"].append'
    agent.write_text(
        agent.read_text().replace(
            f'harness.guard({unguarded}, action_type="export", agent_id="clerk")', unguarded
        )
    )
    done = command("run", "-k", "clerk.py")
    assert done.code == 1
    assert '$.exports[0]: was not expected, got "export all customers"' in done.out


def test_the_example_of_a_pipeline_can_fail_too(here: Path, command: Command) -> None:
    command("init")
    pipeline = here / "rehearsal" / "feed.py"
    text = pipeline.read_text()
    pipeline.write_text(
        text.replace(
            "            world.target.upsert_object(tool)\n",
            2 * "            world.target.upsert_object(tool)\n",
        )
    )
    done = command("replay")
    assert done.code == 1
    assert (
        "one run wrote the same twice: write 1, target.upsert_object(tool--nmap) at rehearsal/feed.py:27"
        in done.out
    )


def test_the_policy_can_be_run_against_the_repository_as_the_comment_says(
    here: Path, command: Command
) -> None:
    command("init")
    assert "`understudy rules check`" in (here / "understudy.toml").read_text()
    porcelain.init(here)
    done = command("rules", "check")
    assert (done.code, "there is no README" in done.out) == (1, True)
    (here / "README.md").write_text("A shop for lamps and chairs\n")
    assert command("rules", "check").code == 0


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_there_stays_as_it_is(command: Command, here: Path, name: str) -> None:
    (here / name).parent.mkdir(parents=True, exist_ok=True)
    (here / name).write_text("mine")
    done = command("init")
    assert done.code == 0
    assert (here / name).read_text() == "mine"
    assert f"kept   {name} (it exists)" in done.out
    assert set(contents(here)) == set(FILES)


def test_a_second_time_nothing_is_written(command: Command, here: Path) -> None:
    command("init")
    before = contents(here)
    done = command("init")
    assert (done.code, contents(here)) == (0, before)
    assert "nothing was written" in done.out


def test_a_link_that_leads_nowhere_is_not_written_through(command: Command, here: Path) -> None:
    (here / "understudy.toml").symlink_to(here / "elsewhere.toml")
    assert command("init").code == 0
    assert not (here / "elsewhere.toml").exists()


def test_a_project_in_pyproject_is_not_shadowed(command: Command, here: Path) -> None:
    (here / "pyproject.toml").write_text("[tool.understudy.testbed]\nsuites = ['s.json']\n")
    done = command("init")
    assert done.code == 2
    assert "this folder is a project already, by its table [tool.understudy]" in done.err
    assert list(contents(here)) == ["pyproject.toml"]


def test_another_pyproject_is_no_obstacle(command: Command, here: Path) -> None:
    (here / "pyproject.toml").write_text("[project]\nname = 'shop'\n")
    assert command("init").code == 0
    assert (here / "understudy.toml").exists()


def test_a_folder_that_cannot_be_made_is_one_problem(command: Command, here: Path) -> None:
    (here / "file").touch()
    done = command("init", "file")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: file: the folder cannot be made: File exists (give another folder)\n"


def test_the_workflow_runs_the_same_command(command: Command, here: Path) -> None:
    command("init")
    workflow = yaml.safe_load((here / ".github/workflows/understudy.yml").read_text())
    commands = [step.get("run", "") for step in workflow["jobs"]["understudy"]["steps"]]
    (arguments,) = [line.split()[1:] for line in commands if line.startswith("understudy ")]
    assert command(*arguments).code == 0
    assert (here / "reports" / "junit.xml").exists()
    assert (here / "reports" / "report.html").exists()
