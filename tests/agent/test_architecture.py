"""Rules of the whole code base."""

import ast
import importlib
import pkgutil
import subprocess
import sys
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import grimp
import pytest

import agent
import emulator
import memory
from agent.capabilities.capability import domain_of
from agent.capabilities.context import GameContext
from agent.capabilities.registry import capabilities_for
from agent.cli import cli
from agent.skills import Terrain
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import CartridgeKind, Dex, World, demo_cartridge_path, load_cartridge
from memory import Hooks
from tests.agent.support import ROOT, assert_within

PAGES = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").glob("*.md")))
MEMORY_COMMANDS = (
    "show",
    "map",
    "search",
    "progress",
    "explain",
    "forget",
    "restore",
    "export",
    "check",
    "merge",
)
SCENARIOS = ("run", "list", "record", "from-stuck")
PACKAGES = (agent, memory, emulator)
# The packages inside memory and emulator whose __init__ says what the agent may import from them, and the modules
# beside those faces that it imports as well.
FACES = frozenset(
    {
        "emulator.dex",
        "emulator.ram",
        "emulator.rules",
        "emulator.engine",
        "emulator.model",
        "emulator.screen",
        "emulator.world",
        "memory.conversation",
        "memory.observations",
        "memory.recall",
        "memory.store",
        "memory.tapes",
        "memory.tiers",
    }
)
INNER_DOORS = frozenset(
    {
        "emulator.recording",
        "emulator.rules.codes",
        "emulator.compiled",
        "emulator.savestate",
        "emulator.soundness.check",
        "emulator.soundness.survey",
        "memory.agent_memory",
        "memory.blackboard.entry",
        "memory.codec",
        "memory.errors",
        "memory.file_access",
        "memory.flow.memory_map",
        "memory.hooks.hooks",
        "memory.inspect",
        "memory.tapes.command",
        "memory.team_memory",
        "memory.tokens",
    }
)


def modules() -> list[str]:
    found = []
    for package in PACKAGES:
        names = pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        found += [package.__name__, *(info.name for info in names)]
    return [name for name in found if not name.endswith("__main__")]


def files() -> dict[str, Path]:
    paths = {name: ROOT / name.replace(".", "/") for name in modules()}
    return {
        name: path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        for name, path in paths.items()
    }


@cache
def trees() -> dict[str, ast.Module]:
    return {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in files().items()}


@cache
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*(package.__name__ for package in PACKAGES), cache_dir=None)


def room_of(module: str) -> str:
    """Return the package directly in agent, memory or emulator that holds it."""
    return ".".join(module.split(".")[:2])


def longest_chain(room: str) -> tuple[str, ...]:
    inside = {name for name in graph().modules if room_of(name) == room != name}

    @cache
    def from_here(name: str) -> tuple[str, ...]:
        below = graph().find_modules_directly_imported_by(name) & inside
        return (name, *max(map(from_here, below), key=len, default=()))

    return max(map(from_here, inside), key=len, default=())


def test_public_class_names_are_unique() -> None:
    places = defaultdict(list)
    for name, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    assert {name: each for name, each in places.items() if len(each) > 1} == {}


def test_a_small_module_with_one_importer_is_part_of_that_importer() -> None:
    importers = defaultdict(set)
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ImportFrom) or node.module not in trees():
                continue
            for alias in node.names:  # a package may re-export names of its modules
                exported = importlib.import_module(node.module).__dict__.get(alias.name)
                home = getattr(exported, "__module__", node.module)
                importers[node.module].add(name)
                importers[home].add(name)
                importers[f"{node.module}.{alias.name}"].add(name)
    packages = {name for name, path in files().items() if path.name == "__init__.py"}
    small = {
        name
        for name, path in files().items()
        if name not in packages and len(path.read_text(encoding="utf-8").splitlines()) < 60
    }
    single = {name for name in small if len(importers[name] - packages) == 1}
    assert single <= {"agent.capabilities.registry"}  # the order of the topics, by itself


@pytest.mark.parametrize("name", ["memory", "emulator", "agent.skills", *sorted(FACES)])
def test_a_package_offers_sixty_names_at_most(name: str) -> None:
    imports = [node for node in ast.walk(trees()[name]) if isinstance(node, ast.ImportFrom)]
    own = [node for node in imports if node.module is not None and node.module.startswith(name)]
    assert_within(sum(len(node.names) for node in own), 60, f"names of {name}")


@pytest.mark.parametrize("name", sorted(FACES))
def test_a_face_has_every_name_it_offers(name: str) -> None:
    for node in ast.walk(trees()[name]):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(name):
            for alias in node.names:
                home = importlib.import_module(node.module or "")
                face = importlib.import_module(name)
                assert getattr(face, alias.name) is getattr(home, alias.name)


def test_the_agent_enters_memory_and_emulator_by_these_doors_only() -> None:
    used = {
        inner
        for name in graph().modules
        if name.startswith("agent.")
        for inner in graph().find_modules_directly_imported_by(name)
        if inner.startswith(("memory.", "emulator."))
    }
    assert used == FACES | INNER_DOORS
    assert_within(len(used), 30, "modules of memory and emulator that the agent imports")


def test_no_room_has_more_than_six_floors() -> None:
    """The floors of a room are the longest chain of imports inside it."""
    chains = [longest_chain(room) for room in {room_of(name) for name in graph().modules}]
    assert [chain for chain in chains if len(chain) > 6] == []


@pytest.mark.usefixtures("new_interpreters")
def test_what_a_command_does_not_need_is_not_loaded() -> None:
    loaded = "import sys, agent.app.play; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=True, cwd=ROOT)
    late = {"memory.conversation.model", "memory.tapes.tape", "memory.store.merge", "pytesseract"}
    assert not late & {*done.stdout.decode().split()}
    rules = "import sys, emulator.rules; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", rules], capture_output=True, check=True, cwd=ROOT)
    assert "numba" not in done.stdout.decode().split()


def test_every_command_is_in_the_docs_and_has_help() -> None:
    commands: dict[str, Any] = {name: cli.load(name) for name in cli.places}
    groups = {name: commands.pop(name) for name in ("bench", "memory", "scenario")}
    own = {
        "play",
        "overnight",
        "replay",
        "report",
        "plan",
        "eval",
        "rehearse",
        "doctor",
        "observe",
        "verify",
        "runs",
        "milestones",
        "fake-claude",
    }
    assert set(commands) == own
    for group_name, each_group in groups.items():
        commands |= {f"{group_name} {name}": each for name, each in each_group.commands.items()}
    assert {f"memory {each}" for each in MEMORY_COMMANDS} <= set(commands)
    assert {f"scenario {each}" for each in SCENARIOS} <= set(commands)
    for name, command in commands.items():
        assert f"scripts/red-agent {name}" in PAGES
        assert command.help
        assert all(getattr(option, "help", None) for option in command.params)


@pytest.mark.parametrize("kind", CartridgeKind)
def test_every_story_names_only_known_places_and_facts(kind: CartridgeKind) -> None:
    story = Story.of(kind)
    assert story.milestones
    places = {place.name for place in story.places}
    assert {errand.place for errand in story.errands} <= places
    assert {task.place for task in story.tasks} <= places
    assert {healer.place for healer in story.healers} <= places
    assert {milestone.place for milestone in story.milestones} <= places | {None}
    assert {milestone.fact for milestone in story.milestones} <= {*story.ram_facts, None}
    assert {ambition.fact for ambition in story.ambitions} <= story.ram_facts.keys()
    milestones = {"", *(each.id for each in story.milestones)}
    assert {name for each in story.ambitions for name in (each.after, each.before)} <= milestones


@pytest.mark.parametrize("kind", CartridgeKind)
def test_the_capabilities_form_a_valid_domain(kind: CartridgeKind) -> None:
    story = Story.of(kind)
    cartridge = load_cartridge(demo_cartridge_path())
    world, dex = World.of(cartridge), Dex.of(cartridge)
    ledger = MilestoneLedger(story.milestones, Hooks())
    domain_of(capabilities_for(GameContext(story, Terrain(world), dex, ledger, 0))).validate()
