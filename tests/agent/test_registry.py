"""What the agent can do is found by its files."""

from pathlib import Path

import pytest

from agent.capabilities import (
    Capability,
    Kit,
    Ledger,
    Story,
    capabilities_for,
    domain_of,
    registry,
    topics,
)
from agent.planning import Goal, Require
from agent.skills import Terrain
from emulator import CartridgeKind, Dex, World, demo_cartridge_path, load_cartridge
from memory import Hooks

CARTRIDGE = load_cartridge(demo_cartridge_path())
GOALS = (Goal("fun", (Require("balls", at_least=3),), 1, "keep three in the air"),)
TOPIC = """
from agent.capabilities import Capability

def capability(kit):
    return Capability(name=f"juggling {kit.seed}")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of capabilities of one's own, which the registry looks into."""
    package = tmp_path / f"topics_of_{tmp_path.name}"  # imported once under each name
    package.mkdir()
    (package / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "__file__", str(package / "registry.py"))
    monkeypatch.setattr(registry, "FOLDER", package.name)
    return package


def kit(seed: int = 0) -> Kit:
    story = Story.of(CartridgeKind.DEMO)
    terrain = Terrain(World.of(CARTRIDGE))
    return Kit(story, terrain, Dex.of(CARTRIDGE), Ledger((), Hooks()), seed)


def test_a_file_that_offers_a_capability_is_found_and_no_other(folder: Path) -> None:
    (folder / "juggling.py").write_text(TOPIC)
    (folder / "helping.py").write_text("def help(): ...")
    found = capabilities_for(kit(seed=7))
    assert [each.name for each in found] == ["juggling 7"]


def test_every_topic_has_a_name_of_its_own() -> None:
    names = [each.name for each in capabilities_for(kit())]
    assert len(names) == len(set(names)) == len(list(topics()))


def test_who_hands_in_a_topic_adds_it_or_replaces_the_one_of_its_name(folder: Path) -> None:
    (folder / "juggling.py").write_text(TOPIC)
    mine, yours = Capability("juggling 7", goals=GOALS), Capability("whistling")
    found = capabilities_for(kit(seed=7), lambda _: mine, lambda _: yours)
    assert found == (mine, yours)


def test_they_fit_together() -> None:
    domain_of(capabilities_for(kit()))
