"""`plan`: the plan at one moment, in words."""

import os
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from agent.app import Interrupt, Outlook, TickView, outlook, outlooks_of_ram
from agent.settings import NO_MEMORY
from agent.story.story import Story
from emulator import CartridgeKind, symbol
from emulator.ram import WORK_RAM
from tests.agent.support import Agent, Played, end_the_story, play_in, refused


def test_the_plan_at_power_on_boots_the_game(agent: Agent) -> None:
    ended = agent("plan")
    assert ended.code == 0, ended.err
    assert "Moment: power-on, before the game" in ended.out
    assert "Team: no Pokemon yet" in ended.out
    assert "say goodbye downstairs (priority 60) <- active" in ended.out
    assert "1. press START until the main menu opens" in ended.out
    assert "Facts" not in ended.out
    with_facts = agent("plan", "--facts").out
    assert not any(each in ended.out for each in ("(cost ", ">=", "->"))
    assert "1. press START until the main menu opens (cost 2; main_menu 0 -> 1)." in with_facts
    assert re.search(r"^Facts, \d+ others are 0: .*party:hp = 100", with_facts, re.MULTILINE)


def test_plan_run_uses_the_last_checkpoint(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"
    play_in(tmp_path, until="left_home")
    ended = agent("plan", "--run", run, "--facts")
    assert ended.code == 0, ended.err
    assert re.search(r"^Moment: tick \d+, the town \(3,6\)$", ended.out, re.MULTILINE)
    assert "errand:goodbye = 1, " in ended.out
    assert ", reached:left_home = 1" in ended.out
    assert "get a starter (priority 49) <- active" in ended.out
    assert "1. walk to the lab" in ended.out


def test_reached_milestones_are_no_open_goals(played: Played) -> None:
    seen = outlook(None, played.folder)
    reached = [f"reached:{each}" for each in Story.of(CartridgeKind.DEMO).up_to("first_badge")]
    assert all(seen.facts[each] for each in reached)
    open_goals = {each.name for each in seen.goals}
    assert "reached:cut" in open_goals
    assert not open_goals & set(reached)


def test_outlook_does_not_change_the_run(played: Played) -> None:
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
def test_bad_arguments_of_plan_print_one_error_line(
    agent: Agent, arguments: tuple[str, ...], code: int, words: str
) -> None:
    refused(agent("plan", *arguments), code, words)


def test_a_waiting_text_is_shown_with_the_plan_after_it(agent: Agent, tmp_path: Path) -> None:
    run = tmp_path / "run"

    stop = Interrupt()

    def end_at_text(moment: TickView) -> None:
        state = moment.state
        stop.asked = state.game_started and state.dialogue.is_open and state.menu is None

    play_in(tmp_path, end_at_text, stop, memory=NO_MEMORY, ticks=100)
    seen = outlook(None, run)
    assert seen.now == "text is waiting"
    assert seen.goal is not None
    assert seen.goal.label == "say goodbye downstairs"
    assert "Now: text is waiting.\nGoal: say goodbye" in agent("plan", "--run", run).out


def test_a_finished_story_leaves_no_goal_but_the_health_of_the_team(
    played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_the_story(monkeypatch, "first_badge")
    assert {each.name for each in outlook(None, played.folder).goals} <= {"healthy"}


@pytest.mark.parametrize("mind", ["{", "{}", "[1]", '{"failures": {}}'])
def test_an_unreadable_saved_mind_prints_one_error_line(
    mind: str, agent: Agent, played: Played, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(played.folder, run)
    with closing(sqlite3.connect(run / "run.sqlite")) as database, database:
        database.execute("UPDATE parts SET data = ? WHERE name = 'mind'", (mind,))
    for command in (("plan", "--run"), ("play", "--resume")):
        refused(agent(*command, run), 1, "part mind")


FACTS: Final = Path(__file__).resolve().parents[4] / "shared" / "red"
IMAGES: Final = FACTS / "wram"
SNAPSHOT: Final = Path(__file__).with_name("plans_of_ram_images.txt")

needs_images = pytest.mark.skipif(not IMAGES.is_dir(), reason="the RAM images are not here")


def plan_text(outlook: Outlook) -> str:
    heading = f"Moment: {outlook.name}, {outlook.moment}\nNow: {outlook.now}."
    return f"{heading}\n{outlook.plan or 'No plan.'}"


@needs_images
def test_plans_of_all_ram_images_equal_the_reviewed_file(tmp_path: Path) -> None:
    # When a change of the story or the planner changes a plan: check it, then update the file.
    copy = shutil.copytree(IMAGES, tmp_path / "images")
    before = {path: path.read_bytes() for path in copy.iterdir()}
    plans = "\n\n".join(plan_text(each) for each in outlooks_of_ram(copy, None)) + "\n"
    assert plans == SNAPSHOT.read_text(encoding="utf-8")
    assert {path: path.read_bytes() for path in copy.iterdir()} == before


@needs_images
def test_all_images_of_a_folder_are_planned(agent: Agent, tmp_path: Path) -> None:
    images = sorted(IMAGES.glob("pallet*")) + sorted(IMAGES.glob("bedroom*"))
    for image in images:
        shutil.copy(image, tmp_path)
    ended = agent("plan", "--from-ram", tmp_path)
    assert ended.code == 0, ended.err
    moments = [line for line in ended.out.splitlines() if line.startswith("Moment: ")]
    assert len(moments) == len(list(tmp_path.glob("*.wram"))) > 1


@needs_images
def test_a_single_image_is_planned(agent: Agent) -> None:
    ended = agent("plan", "--from-ram", IMAGES / "bedroom_new_game.wram")
    assert ended.out.startswith(
        "Moment: bedroom_new_game, Reds House 2F (3,6)\nTeam: no Pokemon yet\n"
    )
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
def test_milestones_that_ram_shows_are_reached(name: str, passed: set[str]) -> None:
    (seen,) = outlooks_of_ram(IMAGES / f"{name}.wram", None)
    facts = {fact for fact, value in seen.facts.items() if value}
    assert {fact for fact in facts if fact.startswith("reached:")} == {
        f"reached:{each}" for each in passed
    }


@needs_images
@pytest.mark.parametrize(
    ("map_id", "teams", "goal"), [(120, 0, "reached:hall_of_fame"), (118, 0, None), (0, 1, None)]
)
def test_a_beaten_champion_is_the_end_only_in_the_hall_of_fame(
    map_id: int, teams: int, goal: str | None, tmp_path: Path
) -> None:
    image = bytearray((IMAGES / "beat_champion.wram").read_bytes())
    for name, value in (("wCurMap", map_id), ("wNumHoFTeams", teams)):
        image[symbol(name) - WORK_RAM[0]] = value
    (tmp_path / "end.wram").write_bytes(image)
    shutil.copy(IMAGES / "beat_champion.hram", tmp_path / "end.hram")
    (seen,) = outlooks_of_ram(tmp_path, None)
    assert [each.name for each in seen.goals if each.name.startswith("reached:")] == [goal] * bool(
        goal
    )
    assert (seen.goal.name if seen.goal is not None else None) == goal


def test_a_blank_image_uses_the_story_of_the_named_cartridge(agent: Agent, tmp_path: Path) -> None:
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
        ({"a.wram": 0x1FFF, "a.hram": 0x7F}, "has 8191 bytes but must have 8192"),
        ({"a.wram": 0x2000, "a.hram": 0}, "has 0 bytes but must have 127"),
    ],
)
def test_an_incomplete_image_prints_one_error_line(
    files: dict[str, int], words: str, agent: Agent, tmp_path: Path
) -> None:
    for name, size in files.items():
        (tmp_path / name).write_bytes(bytes(size))
    refused(agent("plan", "--from-ram", tmp_path), 2, words)
    os.mkfifo(tmp_path / "pipe.wram")
    refused(agent("plan", "--from-ram", tmp_path / "pipe.wram"), 2, "not a regular file")


def test_the_plan_is_printed_as_json(agent: Agent, played: Played) -> None:
    (moment,) = agent("plan", "--run", played.folder, "--json").json["moments"]
    assert moment["name"].startswith("tick ")
    assert moment["goals"][0].keys() == {"label", "priority", "active"}
    assert [each["active"] for each in moment["goals"]].count(True) == 1
    assert moment["remembered"] == []
    assert all(step in moment["plan"] for step in moment["steps"])
    assert "facts" not in moment
    (start,) = agent("plan", "--facts", "--json").json["moments"]
    assert start["facts"]["party:hp"] == 100
