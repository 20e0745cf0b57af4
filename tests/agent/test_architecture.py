"""What holds of the house as a whole."""

import importlib
import pkgutil
import re

import pytest
from typer.main import get_command

import agent
import emulator
import memory
from agent.capabilities import GameContext, capabilities_for, domain_of
from agent.cli import cli
from agent.skills import Terrain
from agent.story import MilestoneLedger, Story
from emulator import CartridgeKind, Dex, World, demo_cartridge_path, load_cartridge
from memory import Hooks
from tests.agent.support import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
LOOKS = ("show", "map", "search", "explain", "forget", "export", "check", "merge")
SCENARIOS = ("run", "list", "record", "from-stuck")
PACKAGES = (agent, memory, emulator)


def modules() -> list[str]:
    found = []
    for package in PACKAGES:
        names = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        found += [package.__name__, *(info.name for info in names)]
    return [name for name in found if not name.endswith("__main__")]


@pytest.mark.parametrize("name", modules())
def test_what_a_module_offers_exists(name: str) -> None:
    module = importlib.import_module(name)
    offered = getattr(module, "__all__", [])
    assert len(set(offered)) == len(offered)
    assert all(hasattr(module, each) for each in offered)


def test_every_command_is_in_the_readme_and_has_help() -> None:
    group = get_command(cli)
    commands = group.commands  # type: ignore[attr-defined]
    groups = {name: commands.pop(name) for name in ("memory", "scenario")}
    own = {
        "play",
        "overnight",
        "replay",
        "report",
        "plan",
        "eval",
        "bench",
        "doctor",
        "observe",
        "verify",
        "fake-claude",
    }
    assert set(commands) == own
    for group_name, each_group in groups.items():
        commands |= {f"{group_name} {name}": each for name, each in each_group.commands.items()}
    assert {f"memory {each}" for each in LOOKS} <= set(commands)
    assert {f"scenario {each}" for each in SCENARIOS} <= set(commands)
    for name, command in commands.items():
        assert f"python -m agent {name}" in README
        assert command.help
        assert all(getattr(option, "help", None) for option in command.params)


def test_every_file_the_readme_links_to_exists() -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / link).exists(), link


@pytest.mark.parametrize("kind", CartridgeKind)
def test_every_story_can_be_told(kind: CartridgeKind) -> None:
    story = Story.of(kind)
    assert story.milestones
    places = {place.name for place in story.places}
    assert {errand.place for errand in story.errands} <= places
    assert {task.place for task in story.tasks} <= places
    assert {healer.place for healer in story.healers} <= places
    assert {milestone.place for milestone in story.milestones} <= places | {None}
    assert {milestone.fact for milestone in story.milestones} <= {*story.marks, None}
    assert {ambition.fact for ambition in story.ambitions} <= story.marks.keys()
    milestones = {"", *(each.id for each in story.milestones)}
    assert {name for each in story.ambitions for name in (each.after, each.before)} <= milestones


@pytest.mark.parametrize("kind", CartridgeKind)
def test_every_capability_fits_the_others(kind: CartridgeKind) -> None:
    story = Story.of(kind)
    cartridge = load_cartridge(demo_cartridge_path())
    world, dex = World.of(cartridge), Dex.of(cartridge)
    ledger = MilestoneLedger(story.milestones, Hooks())
    domain_of(capabilities_for(GameContext(story, Terrain(world), dex, ledger, 0))).validate()
