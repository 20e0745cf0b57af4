"""`plan`: one moment as the planner sees it, in words."""

import os
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from agent.app import Interrupt, Outlook, Settings, TickView, outlook, outlooks_of_ram, play_run
from agent.story.story import Story
from emulator import CartridgeKind
from tests.agent.support import Agent, Ended, Played, Watcher, end_the_story


def test_a_cartridge_just_switched_on_is_to_be_booted(agent: Agent) -> None:
    ended = agent("plan")
    assert ended.code == 0, ended.err
    assert "Moment: power-on, before the game" in ended.out
    assert "Team: nobody" in ended.out
    assert "say goodbye downstairs (priority 60) <- pursued" in ended.out
    assert "1. press START until the main menu opens" in ended.out
    assert "Facts" not in ended.out
    with_facts = agent("plan", "--facts").out
    assert with_facts.startswith(ended.out)
    assert re.search(r"^Facts, \d+ others being 0: .*party:hp = 100", with_facts, re.MULTILINE)


def test_the_last_checkpoint_of_a_run_is_looked_at(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    settings = Settings(until="left_home", run=run, memory=tmp_path / "memory.sqlite")
    play_run(settings, Watcher(), Interrupt())
    ended = agent("plan", "--run", run, "--facts")
    assert ended.code == 0, ended.err
    assert re.search(r"^Moment: tick \d+, the town \(3,6\)$", ended.out, re.MULTILINE)
    assert "errand:goodbye = 1, " in ended.out
    assert ", reached:left_home = 1" in ended.out
    assert "get a starter (priority 49) <- pursued" in ended.out
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
    ("arguments", "code", "words"),
    [
        (("--run", "nowhere"), 1, "holds no run.toml"),
        (("--rom", "nowhere.gb"), 1, "nowhere.gb"),
        (("--rom", "README.md"), 1, "README.md"),
        (("--from-ram", "nowhere"), 2, "is no RAM image"),
        (("--from-ram", "README.md"), 2, "is no RAM image"),
        (("--from-ram", "somewhere", "--run", "elsewhere"), 2, "two different moments"),
    ],
)
def test_nonsense_gets_one_line(
    agent: Agent, arguments: tuple[str, ...], code: int, words: str
) -> None:
    refused(agent("plan", *arguments), code, words)


def refused(ended: Ended, code: int, words: str) -> None:
    (line,) = ended.err.splitlines()
    assert (ended.code, line.startswith("error: "), words in line) == (code, True, True), line


def test_where_text_waits_it_says_so_and_what_comes_then(agent: Agent, tmp_path: Path) -> None:
    run, asked = tmp_path / "run", Interrupt()

    def stop_at_text(moment: TickView) -> None:
        state = moment.state
        asked.asked = state.game_started and state.dialogue.is_open and state.menu is None

    play_run(Settings(run=run, memory=tmp_path / "memory.sqlite"), Watcher(stop_at_text), asked)
    seen = outlook(None, run)
    assert seen.now == "text is waiting"
    assert seen.goal is not None
    assert seen.goal.says == "say goodbye downstairs"
    assert "Now: text is waiting.\nGoal: say goodbye" in agent("plan", "--run", run).out


def test_where_all_is_reached_no_goal_is_listed(
    agent: Agent, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_the_story(monkeypatch, "first_badge")
    said = agent("plan", "--run", played.folder).out
    assert said.endswith("\nNo plan.\nOpen goals: none\n")


@pytest.mark.parametrize("mind", ["{", "{}", "[1]", '{"failures": {}}'])
@pytest.mark.parametrize("command", [("plan", "--run"), ("play", "--resume")])
def test_a_mind_that_another_version_kept_is_refused_in_one_line(
    command: tuple[str, str], mind: str, agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(played.folder, run)
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        database.execute("UPDATE parts SET data = ? WHERE name = 'mind'", (mind,))
    refused(agent(*command, run), 1, "part mind")


FACTS: Final = Path(__file__).resolve().parents[4] / "shared" / "red"
IMAGES: Final = FACTS / "wram"
SNAPSHOT: Final = Path(__file__).with_name("plans_of_ram_images.txt")

needs_images = pytest.mark.skipif(not IMAGES.is_dir(), reason="the RAM images are not here")


def told(outlook: Outlook) -> str:
    heading = f"Moment: {outlook.name}, {outlook.moment}\nNow: {outlook.now}."
    return f"{heading}\n{outlook.plan or 'No plan.'}"


@needs_images
def test_each_moment_has_the_plan_that_was_read_and_found_sensible(tmp_path: Path) -> None:
    # When a change of the story or the planner changes a plan: read it, then keep it.
    copy = shutil.copytree(IMAGES, tmp_path / "images")
    before = {path: path.read_bytes() for path in copy.iterdir()}
    plans = "\n\n".join(told(each) for each in outlooks_of_ram(copy, None)) + "\n"
    assert plans == SNAPSHOT.read_text(encoding="utf-8")
    assert {path: path.read_bytes() for path in copy.iterdir()} == before


@needs_images
def test_all_images_of_a_folder_are_told(agent: Agent, tmp_path: Path) -> None:
    images = sorted(IMAGES.glob("pallet*")) + sorted(IMAGES.glob("bedroom*"))
    for image in images:
        shutil.copy(image, tmp_path)
    ended = agent("plan", "--from-ram", tmp_path)
    assert ended.code == 0, ended.err
    moments = [line for line in ended.out.splitlines() if line.startswith("Moment: ")]
    assert len(moments) == len(list(tmp_path.glob("*.wram"))) > 1


@needs_images
def test_one_image_is_told_alone(agent: Agent) -> None:
    ended = agent("plan", "--from-ram", IMAGES / "bedroom_new_game.wram")
    assert ended.out.startswith("Moment: bedroom_new_game, Reds House 2F (3,6)\nTeam: nobody\n")
    assert "Now: walk to Pallet Town.\nGoal: leave home" in ended.out


@needs_images
@pytest.mark.parametrize(
    ("name", "passed"),
    [
        ("bedroom_new_game", set()),
        ("oaks_lab_before_rival", {"left_home", "starter"}),
        ("pallet_town_walking", {"left_home", "starter", "rival", "second_town", "parcel"}),
    ],
)
def test_what_ram_shows_to_be_behind_is_not_wanted_again(name: str, passed: set[str]) -> None:
    (seen,) = outlooks_of_ram(IMAGES / f"{name}.wram", None)
    facts = {fact for fact, value in seen.facts.items() if value}
    assert {fact for fact in facts if fact.startswith("reached:")} == {
        f"reached:{each}" for each in passed
    }


def test_a_blank_image_is_told_by_the_story_of_the_cartridge_named(
    agent: Agent, tmp_path: Path
) -> None:
    (tmp_path / "blank.wram").write_bytes(bytes(0x2000))
    (tmp_path / "blank.hram").write_bytes(bytes(0x7F))
    ended = agent("plan", "--from-ram", tmp_path, "--rom", "roms/demo.gb")
    assert ended.code == 0, ended.err
    assert "Moment: blank, before the game" in ended.out
    assert "say goodbye downstairs (priority 60)" in ended.out


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({}, "holds no RAM image"),
        ({"a.wram": 0x2000}, "a.hram"),
        ({"a.wram": 0x1FFF, "a.hram": 0x7F}, "has 8191 bytes, and must have 8192"),
        ({"a.wram": 0x2000, "a.hram": 0}, "has 0 bytes, and must have 127"),
    ],
)
def test_what_is_no_image_gets_one_line(
    files: dict[str, int], words: str, agent: Agent, tmp_path: Path
) -> None:
    for name, size in files.items():
        (tmp_path / name).write_bytes(bytes(size))
    refused(agent("plan", "--from-ram", tmp_path), 2, words)


def test_a_pipe_is_no_image(agent: Agent, tmp_path: Path) -> None:
    pipe = tmp_path / "a.wram"
    os.mkfifo(pipe)
    refused(agent("plan", "--from-ram", pipe), 2, "is no file but a folder, device or pipe")
