"""`plan`: one moment as the planner sees it, in words."""

import re
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, outlook, play_run
from agent.story import Story
from emulator import CartridgeKind
from tests.agent.support import Agent, Played, Watcher


def test_a_cartridge_just_switched_on_is_to_be_booted(agent: Agent) -> None:
    ended = agent("plan")
    assert ended.code == 0, ended.err
    assert "Moment: power-on, before the game" in ended.out
    assert "Team: nobody" in ended.out
    assert re.search(r"^Facts, \d+ others being 0: .*party:hp = 100", ended.out, re.MULTILINE)
    assert "say goodbye downstairs (priority 60) <- pursued" in ended.out
    assert "1. press START until the main menu opens" in ended.out


def test_the_last_checkpoint_of_a_run_is_looked_at(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    settings = Settings(until="left_home", run=run, memory=tmp_path / "memory.sqlite")
    play_run(settings, Watcher(), Interrupt())
    ended = agent("plan", "--run", run)
    assert ended.code == 0, ended.err
    assert re.search(r"^Moment: tick \d+, the town \(3,6\)$", ended.out, re.MULTILINE)
    assert "errand:goodbye = 1, " in ended.out
    assert ", reached:left_home = 1" in ended.out
    assert "have a companion (priority 49) <- pursued" in ended.out
    assert "1. walk to the lab" in ended.out


def test_what_is_reached_is_wanted_no_more(played: Played) -> None:
    seen = outlook(None, played.folder)
    reached = [f"reached:{each}" for each in Story.of(CartridgeKind.DEMO).up_to("first_badge")]
    assert all(seen.facts[each] for each in reached)
    assert seen.goal is not None
    assert seen.goal.name == "reached:cut"
    assert not {each.name for each in seen.goals} & set(reached)


def test_looking_changes_nothing(played: Played) -> None:
    before = (played.folder / "run.sqlite").read_bytes()
    outlook(None, played.folder)
    assert (played.folder / "run.sqlite").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--run", "nowhere"), "holds no run.toml"),
        (("--rom", "nowhere.gb"), "nowhere.gb"),
        (("--rom", "README.md"), "README.md"),
    ],
)
def test_nonsense_gets_one_line(agent: Agent, arguments: tuple[str, str], words: str) -> None:
    ended = agent("plan", *arguments)
    assert ended.code == 1
    (line,) = ended.err.splitlines()
    assert line.startswith("error: ")
    assert words in line
