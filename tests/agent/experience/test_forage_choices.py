"""What lies about is left lying where earlier runs never missed it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent.capabilities import GameContext, forage
from agent.experience import EVERY_USE, Experience, MemoryUse, found
from agent.experience.uses import ENOUGH, spare
from agent.perception import percept_of
from agent.skills import Terrain
from agent.story import MilestoneLedger, Story
from emulator import CartridgeKind, Dex, State, World, demo_cartridge_path, load_cartridge
from emulator.profile import symbol
from memory import WAYPOINT, AgentMemory, Hooks, Json, open_memory, open_run_store
from tests.agent.lessons import EPISODIC
from tests.agent.support import Played, game_at

CARTRIDGE = load_cartridge(demo_cartridge_path())
DEX, WORLD, STORY = Dex.of(CARTRIDGE), World.of(CARTRIDGE), Story.of(CartridgeKind.DEMO)
WOOD, POTION, ANTIDOTE = 51, 20, 11  # both kinds lie in the wood


@pytest.fixture
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentMemory]:
    store = open_run_store(tmp_path_factory.mktemp("run") / "run.sqlite", run_id="run")
    yield open_memory(store, "play", session_id="run", started_at=0.0)
    store.close()


@pytest.fixture(scope="module")
def in_the_wood(played: Played) -> State:
    def is_there(state: State) -> bool:
        return state.in_control and state.map.map_id == WOOD

    with game_at(played.folder, is_there) as game:
        return game.state


def journey(memory: AgentMemory, name: str, left: dict[str, Json], found: dict[str, Json]) -> None:
    taken: dict[str, Json] = {"tick": 900, "turns": 9, "battles": 3, "lost": 0, "choices": {}}
    data: dict[str, Json] = {"run": name, "milestone": "badge", "left": left, "found": found}
    memory.blackboard.write(EPISODIC, WAYPOINT, {**taken, **data}, tick=900, game_s=1.0)


def journeys(memory: AgentMemory, *potions: int, found: int = 2) -> None:
    for number, left in enumerate(potions):
        journey(memory, f"run-{number}", {str(POTION): left}, {str(POTION): found})


def lying(memory: AgentMemory, state: State, uses: frozenset[MemoryUse] = EVERY_USE) -> int:
    asked = Experience(memory.recall, uses, EPISODIC)
    kit = GameContext(STORY, Terrain(WORLD), DEX, MilestoneLedger((), Hooks()), 0, None, asked)
    (sensor,) = forage.capability(kit).sensors
    return sensor.read(percept_of(state, 1), memory.recall)[forage.LEFT]


def test_e35_what_every_run_had_left_over_is_left_lying(
    memory: AgentMemory, in_the_wood: State
) -> None:
    assert lying(memory, in_the_wood) == 2
    journeys(memory, 5, 3, 4)
    assert lying(memory, in_the_wood) == 1  # the antidote
    assert lying(memory, in_the_wood, EVERY_USE - {MemoryUse.THINGS}) == 2


@pytest.mark.parametrize("left", [(5, 2, 4), (5, 4)])
def test_e35_what_one_run_would_have_missed_or_few_tell_of_is_picked_up(
    memory: AgentMemory, in_the_wood: State, left: tuple[int, ...]
) -> None:
    assert len(left) < ENOUGH or min(left) <= 2  # the two of them that were found
    journeys(memory, *left)
    assert lying(memory, in_the_wood) == 2


def test_why_it_is_left_lying_is_told_and_counted_once(
    memory: AgentMemory, in_the_wood: State
) -> None:
    journeys(memory, 5, 3, 4)
    asked = Experience(memory.recall, EVERY_USE, EPISODIC)
    kit = GameContext(STORY, Terrain(WORLD), DEX, MilestoneLedger((), Hooks()), 0, None, asked)
    (sensor,) = forage.capability(kit).sensors
    for frame in (1, 2):
        state = replace(in_the_wood, frame=frame)
        sensor.read(percept_of(state, frame), memory.recall)
    assert asked.moved[MemoryUse.THINGS] == 1
    ((about, why),) = asked.told.items()
    assert about == "HONEY DROP in the wood"
    assert why == "1 and more were left over in all of 3 runs"


def test_what_was_picked_up_shows_in_the_flags_that_hide_it(played: Played) -> None:
    def is_there(state: State) -> bool:
        return state.in_control and state.map.map_id == WOOD

    with game_at(played.folder, is_there) as game:
        assert not found(WORLD, game.state).get(ANTIDOTE)
        (flag,) = (
            toggle.flag
            for toggle in WORLD.map(WOOD).toggles
            for person in WORLD.map(WOOD).people
            if person.slot == toggle.slot and person.item == ANTIDOTE
        )
        address = symbol("wToggleableObjectFlags") + flag // 8
        game.poke({address: game.state.flags.hidden[flag // 8] | 1 << flag % 8})
        assert found(WORLD, game.state)[ANTIDOTE] == 1


def test_nothing_is_to_spare_where_nobody_told_of_it(memory: AgentMemory) -> None:
    assert spare(memory.blackboard.entries(EPISODIC, kind=WAYPOINT)) == {}
