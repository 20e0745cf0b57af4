"""The program as a whole: help, version, names of commands, and errors of use."""

import subprocess
import sys

import pytest
from typer.core import TyperGroup

from agent import VERSION
from agent.cli import cli
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
import sys
from agent.cli import main
try:
    main()
except SystemExit:
    print(*sys.modules)
"""


def paths() -> list[str]:
    """Return the path of each command, and of each group."""
    found = [""]
    for name in cli.table:
        found.append(name)
        command = cli.load(name)
        if isinstance(command, TyperGroup):
            found += [f"{name} {each}" for each in command.commands]
    return found


@pytest.mark.parametrize("path", ["", *cli.table, "bench speed", "memory show", "scenario run"])
def test_help_of_a_command_loads_no_heavy_package(path: str) -> None:
    command = [sys.executable, "-c", LOADED, *path.split(), "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert f"Usage: red-agent {path}".strip() in done.stdout
    assert HEAVY & set(done.stdout.splitlines()[-1].split()) == set()


def test_the_list_of_commands_shows_the_first_line_of_their_help() -> None:
    for name, listed in cli.table.items():
        help_text = cli.load(name).help or ""
        assert help_text.replace("\n", " ").startswith(listed.help), name


@pytest.mark.parametrize("path", paths())
def test_every_command_has_help_at_h(path: str, agent: Agent) -> None:
    short, long = agent(*path.split(), "-h"), agent(*path.split(), "--help")
    assert short == long
    assert (short.code, short.err) == (0, "")
    assert "-h, --help" in short.out


def test_the_version_is_printed(agent: Agent) -> None:
    assert agent("--version").out == f"red-agent {VERSION}\n"
