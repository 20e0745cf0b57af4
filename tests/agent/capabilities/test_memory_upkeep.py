"""Taking stock of memory: five deeds of the planner in one decision, none of which takes a step."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from math import ceil
from pathlib import Path

import pytest

from agent.capabilities import GameContext
from agent.capabilities.memory_actions import DUE, EVERY_S, OUTDATED_S, STOCK, stock_of_memory
from agent.mind import AGENT, Ladder, Mind, ProgressMonitor
from agent.perception import Percept
from agent.skills import Terrain
from agent.story import MilestoneLedger, Story
from emulator import (
    FRAMES_PER_SECOND,
    CartridgeKind,
    Dex,
    World,
    demo_cartridge_path,
    load_cartridge,
)
from memory import Call, Entry, Hooks, open_memory, open_run_store, scope_name
from tests.agent.support import Played, game_at

STM = scope_name(AGENT, "stm")
ORDER = ["memory_map", "memory_stats", "memory_list_tags", "memory_forget", "memory_store"]


class Thinker:
    """A mind that can do nothing but look its memory over, and what it did."""

    def __init__(self, path: Path, percept: Percept) -> None:
        self.store = open_run_store(path, run_id="run-1")
        self.hooks = Hooks()
        self.memory = open_memory(self.store, AGENT, session_id="run-1", started_at=0.0)
        self.did: list[str] = []
        self.hooks.after("MemoryActions.*", self._saw)
        cartridge = load_cartridge(demo_cartridge_path())
        story = Story.of(CartridgeKind.DEMO)
        ledger = MilestoneLedger(story.milestones, self.hooks)
        actions = self.memory.actions(self.store, self.hooks)
        kit = GameContext(
            story, Terrain(World.of(cartridge)), Dex.of(cartridge), ledger, 0, memory=actions
        )
        ladder = Ladder(ProgressMonitor(), seed=0)
        self.mind = Mind((stock_of_memory(kit),), self.memory.recall, self.hooks, ladder)
        self._percept = percept

    def decide(self, seconds: float) -> str:
        """Decide at a moment of the game, and return the name of what takes a step then."""
        frame = ceil(seconds * FRAMES_PER_SECOND)
        percept = replace(self._percept, state=replace(self._percept.state, frame=frame))
        self.memory.blackboard.write(STM, "note", {"s": seconds}, tick=1, game_s=seconds)
        intent = self.mind.decide(percept, self.mind.sense(percept))
        self.mind.learn(intent, {}, intent.course.resume(percept.state))
        return intent.name

    def stocks(self) -> list[Entry]:
        return self.memory.blackboard.entries(STM, kind=STOCK)

    def _saw(self, call: Call, _result: object) -> None:
        self.did.append(call.name.rpartition(".")[2])


@pytest.fixture
def thinker(tmp_path: Path, played: Played) -> Iterator[Thinker]:
    with game_at(played.folder, lambda state: state.in_control) as game:
        percept = Percept(1, game.state, "", 1.0, (), None, None)
    made = Thinker(tmp_path / "run.sqlite", percept)
    with closing(made.store):
        yield made


def test_b11_the_planner_takes_stock_by_five_actions_of_memory_in_one_decision(
    thinker: Thinker,
) -> None:
    blackboard = thinker.memory.blackboard
    for tags in (("ford",), ("ford", "toll")):
        blackboard.write(STM, "note", {}, tick=1, game_s=1.0, tags=tags)
    assert thinker.decide(EVERY_S) == "wait"
    assert thinker.did == ORDER
    (stock,) = thinker.stocks()
    assert stock.status == "inferred"
    there = [each for scope in blackboard.scopes() for each in blackboard.entries(scope)]
    assert stock.data["entries"] == len([each for each in there if each.seq < stock.seq])
    assert stock.data["tags"].items() >= {"ford": 2, "toll": 1}.items()  # type: ignore[union-attr]
    assert stock.data["forgotten"] == 0
    assert "no battle is known" in stock.data["gaps"]  # type: ignore[operator]


def test_b11_stock_is_taken_once_in_a_while_and_not_before(thinker: Thinker) -> None:
    for seconds in (10.0, EVERY_S - 1):
        thinker.decide(seconds)
    assert thinker.did == []
    for seconds in (EVERY_S, EVERY_S + 1, 2 * EVERY_S - 1):
        thinker.decide(seconds)
    assert len(thinker.stocks()) == 1
    thinker.decide(2 * EVERY_S + 1)
    assert thinker.did == 2 * ORDER


def test_b11_what_an_earlier_look_found_is_forgotten_once_it_is_outdated(thinker: Thinker) -> None:
    blackboard = thinker.memory.blackboard
    old = blackboard.write(
        scope_name(AGENT, "working"), STOCK, {"gaps": []}, tick=1, game_s=1.0, tags=(STOCK,)
    )
    thinker.decide(OUTDATED_S + 2.0)
    (stock,) = thinker.stocks()
    assert stock.data["forgotten"] == 1
    assert blackboard.get(old.scope, old.key) is None


def test_the_goal_names_what_is_wanted(thinker: Thinker) -> None:
    (goal,) = thinker.mind.domain.goals
    assert goal.name == DUE
    assert goal.says == "know what there is to remember"
