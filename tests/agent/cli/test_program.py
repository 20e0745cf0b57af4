"""The program as a whole: help, version, names of commands, and errors of use."""

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer._click import Command
from typer.core import TyperGroup, TyperOption

from agent import VERSION
from agent.cli import cli
from agent.cli.group import COMMANDS, examples
from tests.agent.support import ROOT, Agent

HEAVY = {
    "pyboy",
    "numpy",
    "anthropic",
    "jinja2",
    "matplotlib",
    "PIL",
    "av",
    "emulator",
    "memory",
    "agent.app",
    "agent.story.story",
}
LOADED = """
import io, sys
from contextlib import redirect_stdout
from agent.cli import main
for path in sys.argv[1].split(","):
    sys.argv = ["agent", *path.split(), "--help"]
    try:
        with redirect_stdout(io.StringIO()) as shown:
            main()
    except SystemExit:
        assert shown.getvalue().startswith(f"Usage: scripts/red-agent {path}".strip()), path
    print(path, "loaded", *sys.modules)
"""


def paths() -> list[str]:
    """Return the path of each command, and of each group."""
    found = [""]
    for name in cli.places:
        found.append(name)
        command = cli.load(name)
        if isinstance(command, TyperGroup):
            found += [f"{name} {each}" for each in command.commands]
    return found


@pytest.mark.usefixtures("new_interpreters")
def test_help_of_a_command_loads_no_heavy_package() -> None:
    every = ",".join(["", *cli.places, "bench speed", "memory show", "scenario run"])
    command = [sys.executable, "-c", LOADED, every]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    for line in done.stdout.splitlines():
        path, _, loaded = line.partition("loaded")
        assert HEAVY & set(loaded.split()) == set(), path


def test_the_list_of_commands_shows_the_first_line_of_their_help() -> None:
    for name in cli.places:
        help_text = cli.load(name).help or ""
        assert help_text.replace("\n", " ").startswith(COMMANDS[name]["help"]), name


@pytest.mark.parametrize("path", ["", "bench", "memory", "scenario"])
def test_lists_of_commands_cut_no_line_at_80_columns(
    path: str, agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = agent(*path.split(), "-h").out.split("Commands:")[1].splitlines()
    assert not [each for each in lines if each.endswith("...")]


@pytest.mark.parametrize("path", paths())
def test_help_of_a_command_ends_with_two_examples_that_can_be_typed(
    path: str, agent: Agent
) -> None:
    short, long = agent(*path.split(), "-h"), agent(*path.split(), "--help")
    assert short == long
    assert (short.code, short.err) == (0, "")
    assert "-h, --help" in short.out
    shown = short.out.split("Examples:\n")[1].splitlines()
    assert [line.strip() for line in shown] == [
        f"scripts/red-agent {each}" for each in examples(path)
    ]
    assert len(shown) == 2
    for example in examples(path):
        words = shlex.split(example)
        command: Command = cli.load(words.pop(0))
        if isinstance(command, TyperGroup):
            command = command.commands[words.pop(0)]
        assert example.startswith(path.split()[0] if path else "")
        command.make_context("it", words, resilient_parsing=True)


def test_every_command_has_examples_and_no_other() -> None:
    assert set(COMMANDS) == set(paths())


def test_the_version_is_printed(agent: Agent) -> None:
    assert agent("--version").out == f"red-agent {VERSION}\n"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose `.venv` has this Python, which records its calls, and the packages of a lock file."""
    path = tmp_path / "it's a checkout"
    (path / ".venv" / "bin").mkdir(parents=True)
    (path / "tests").mkdir()
    shutil.copytree(ROOT / "scripts", path / "scripts")
    for folder in ("agent", "memory", "emulator"):
        (path / folder).symlink_to(ROOT / folder)
    for lock in ("requirements.lock", ".venv/requirements.lock", "tests/requirements.lock"):
        (path / lock).write_text(f"packages of {Path(lock).name}")
    python = path / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\necho "$*" >>"{path}/calls"\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return path


def test_the_launcher_runs_the_checkout_from_any_folder_and_by_a_link(
    checkout: Path, tmp_path: Path
) -> None:
    elsewhere, link = tmp_path / "elsewhere", tmp_path / "link"
    elsewhere.mkdir()
    (elsewhere / "agent.py").write_text("raise SystemExit('the wrong agent')")
    link.symlink_to(checkout / "scripts" / "red-agent")
    for launcher in (checkout / "scripts" / "red-agent", link):
        done = subprocess.run(
            [launcher, "--version"], cwd=elsewhere, capture_output=True, text=True, check=True
        )
        assert (done.stdout, done.stderr) == (f"red-agent {VERSION}\n", "")


def installed(checkout: Path) -> tuple[int, str, str]:
    """Update the `.venv` of a checkout to play; return the exit code, the output and the calls of its Python."""
    command: list[str | Path] = [checkout / "scripts" / "venv", "requirements.lock"]
    environment = os.environ | {"PYTHON": "/nowhere/python3"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    calls = checkout / "calls"
    return done.returncode, done.stderr, calls.read_text() if calls.exists() else ""


def test_what_is_installed_is_not_installed_again(checkout: Path) -> None:
    code, said, calls = installed(checkout)
    assert (code, said) == (0, "")
    assert "pip" not in calls
    # The packages for tests are more than those to play, which are not put in their place.
    (checkout / ".venv" / "requirements.lock").unlink()
    shutil.copy(checkout / "tests/requirements.lock", checkout / ".venv/tests-requirements.lock")
    assert installed(checkout)[:2] == (0, "")
    playing, testing = (
        (ROOT / name).read_text(encoding="utf-8").splitlines()
        for name in ("requirements.lock", "tests/requirements.lock")
    )
    assert set(playing) <= set(testing)


@pytest.mark.parametrize("name", ["__init__", "__main__"])
def test_what_reports_an_old_python_can_be_read_by_it(name: str) -> None:
    source = (ROOT / "agent" / f"{name}.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 6))
    assert not re.search(r"^from typing import .*(?:Final|Self)", source, re.MULTILINE)


def test_an_environment_of_an_old_python_is_made_again(checkout: Path) -> None:
    (checkout / ".venv" / "bin" / "python").write_text("#!/bin/sh\nexit 1\n")
    code, said, _ = installed(checkout)
    assert code == 1
    assert said == (
        "Python 3.11 or newer was not found: install it, or name one with PYTHON=/path/to/python3.\n"
    )


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("pl", ["play", "plan"]),
        ("memory se", ["search"]),
        ("play --se", ["--seed"]),
        ("play --mind ", ["rules", "claude"]),
        ("nothing x", []),
    ],
)
def test_the_shell_completes_commands_options_and_values(words: str, completed: list[str]) -> None:
    line = f"red-agent {words}"
    shell = {
        "_RED_AGENT_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    command = [sys.executable, "-m", "agent"]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | shell, capture_output=True, text=True, check=True
    )
    assert (done.stdout.split(), done.stderr) == (completed, "")


def numbers() -> list[tuple[str, str, list[str]]]:
    """Return each option that takes a number: its command, its name, and the arguments that the command needs."""
    found = []
    for path in filter(None, paths()):
        name, _, part = path.partition(" ")
        command: Command = cli.load(name)
        command = command.commands[part] if part and isinstance(command, TyperGroup) else command
        needed = ["x" for each in command.params if each.required and each.opts[0][0] != "-"]
        found += [
            (path, each.opts[0], needed)
            for each in command.params
            if each.opts[0].startswith("--") and _is_number(each)
        ]
    return found


def _is_number(param: object) -> bool:
    return isinstance(param, TyperOption) and param.type_descriptor.annotation in (int, float)


@pytest.mark.parametrize(("path", "option", "needed"), numbers(), ids=lambda each: str(each)[:24])
def test_no_option_takes_a_number_that_is_none_or_too_large(
    path: str, option: str, needed: list[str], agent: Agent
) -> None:
    for value in ("nan", "inf", "9" * 400, "-1e308"):
        ended = agent(*path.split(), *needed, f"{option}={value}")
        assert ended.code == 2, (value, ended)
        assert (len(ended.err.splitlines()), ended.out) == (1, ""), ended
        assert option in ended.err or "missing" in ended.err


def test_a_pace_that_stands_still_is_refused(agent: Agent) -> None:
    for pace in ("-1", "1e-308", "0.009"):  # others are no numbers
        ended = agent("play", "--pace", pace)
        assert (ended.code, "is not a speed" in ended.err) == (2, True), ended
