"""Ground that changes while it is played on: seen in RAM, routed over, remembered, kept with a checkpoint."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, TickView, play_run
from agent.perception import Due, Perceiver
from agent.skills import Destination, Outcome, Terrain, travel, wait
from agent.skills.route import Spot, find_route, spot_of
from emulator import (
    Button,
    Font,
    PyBoyConsole,
    State,
    Step,
    World,
    demo_cartridge_path,
    load_cartridge,
)
from emulator.world.layout import BORDER
from memory import read_run
from tests.agent.support import Game, Played, Watcher, game_at
from tests.live_blocks import laid_over

WORLD = World.of(load_cartridge(demo_cartridge_path()))
TOWN, HOUSE, LANE, LAB, ALDERBROOK, GYM = 0, 37, 12, 40, 1, 54
MEADOW = (8, 2)  # of the town: floor all over its block
POND = (14, 12)  # of the town, water all around, out of sight of the player's own door
THICKET = (0, 0)  # of the lane: trees
GATE = (4, 4)  # of the gym: shut at its lower half until both levers are down
LEVERS = ((0, 8), (8, 8))  # of the gym
NARROW = [(9, 11), (10, 11)]  # of the lane: the only way north is two squares wide


def free_in(map_id: int, state: State) -> bool:
    return state.game_started and state.in_control and state.map.map_id == map_id


@pytest.fixture
def town(played: Played) -> Iterator[Game]:
    with game_at(played.folder, lambda state: free_in(TOWN, state)) as game:
        yield game


def route_exists(terrain: Terrain, state: State, goal: Spot) -> bool:
    def arrived(spot: Spot) -> bool:
        return spot[:3] == goal[:3]

    return find_route(terrain.world(state), spot_of(state), arrived) is not None


def drain(game: Game) -> None:
    """Lay meadow over the pond."""
    game.poke(laid_over(WORLD.map(TOWN), POND, MEADOW))
    game.poke(laid_over(WORLD.map(TOWN), (POND[0] - 2, POND[1]), MEADOW))


def test_a_way_that_opens_is_walked_and_one_that_does_not_is_given_up(town: Game) -> None:
    terrain, pond = Terrain(WORLD), Destination(TOWN, frozenset({POND}))
    assert town.carry_out(travel(terrain, pond, town.state, patience=3)) is Outcome.BLOCKED
    drain(town)
    assert town.carry_out(travel(terrain, pond, town.state)) is Outcome.DONE
    assert town.state.position == POND


def test_a_way_that_closes_out_of_sight_is_walked_round_and_two_leave_none(
    quiet_lane: Game,
) -> None:
    terrain, north = Terrain(WORLD), Destination(LANE, frozenset({(9, 7), (10, 7)}))
    left, right = (laid_over(WORLD.map(LANE), square, THICKET) for square in NARROW)
    quiet_lane.poke(left)
    start = quiet_lane.console.save()
    assert quiet_lane.carry_out(travel(terrain, north, quiet_lane.state)) is Outcome.DONE
    quiet_lane.console.load(start)
    quiet_lane.poke(right)
    assert (
        quiet_lane.carry_out(travel(terrain, north, quiet_lane.state, patience=3))
        is Outcome.BLOCKED
    )


def test_the_world_is_the_cartridges_own_while_nothing_has_changed(town: Game) -> None:
    terrain = Terrain(WORLD)
    assert terrain.world(town.state) is WORLD
    assert terrain.to_json() == {}


def test_what_was_seen_is_known_elsewhere_until_the_map_is_seen_again(town: Game) -> None:
    terrain, pond = Terrain(WORLD), Spot(TOWN, *POND, TOWN)
    drain(town)
    assert route_exists(terrain, town.state, pond)
    seen = terrain.world(town.state)

    assert town.carry_out(travel(terrain, Destination(HOUSE), town.state)) is Outcome.DONE
    assert town.state.map.map_id == HOUSE
    assert route_exists(terrain, town.state, pond)
    assert terrain.world(town.state) is seen

    # The game lays the map out anew when one comes back.
    assert town.carry_out(travel(terrain, Destination(TOWN), town.state)) is Outcome.DONE
    assert not route_exists(terrain, town.state, pond)
    assert terrain.world(town.state) is WORLD


def test_a_terrain_comes_back_as_it_was(town: Game) -> None:
    terrain, again = Terrain(WORLD), Terrain(WORLD)
    drain(town)
    seen = terrain.world(town.state)
    kept = json.loads(json.dumps(terrain.to_json()))
    assert list(kept) == [str(TOWN)]
    again.restore(kept)
    assert again.to_json() == terrain.to_json()
    assert again.world(town.state) is seen


def kept_of(run: Path) -> dict[str, str]:
    """What the last checkpoint of a run keeps of the terrain."""
    terrain = Terrain(WORLD)
    with closing(read_run(run)) as folder:
        folder.store.restore_part("terrain", terrain)
    return terrain.to_json()


def test_a_run_that_goes_on_believes_what_it_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    consoles: list[PyBoyConsole] = []
    power_on = PyBoyConsole.__init__

    def noted(console: PyBoyConsole, *arguments: object) -> None:
        power_on(console, *arguments)  # type: ignore[arg-type]
        consoles.append(console)

    monkeypatch.setattr(PyBoyConsole, "__init__", noted)
    run, memory, asked = tmp_path / "run", tmp_path / "memory.sqlite", Interrupt()

    def drain_and_stop_in_the_lab(moment: TickView) -> None:
        if free_in(TOWN, moment.state):
            drain(Game(consoles[-1]))
        asked.asked = free_in(LAB, moment.state)

    play_run(Settings(run=run, memory=memory), Watcher(drain_and_stop_in_the_lab), asked)
    kept = kept_of(run)
    assert list(kept) == [str(TOWN)]

    with closing(read_run(run)) as folder:
        ticks = 5 + len(list(folder.store.steps()))
    play_run(Settings(resume=run, memory=memory, ticks=ticks), Watcher(), Interrupt())
    assert kept_of(run) == kept


def test_what_the_screen_shows_otherwise_than_ram_is_told_when_a_frame_is_looked_at(
    town: Game,
) -> None:
    eyes = Perceiver(town.console, Font.of(town.console.cartridge), WORLD, lambda _state: Due.FRAME)

    def told(after: Step) -> list[str]:
        town.console.perform(after, render=True)
        said = eyes.perceive(town.state, 0).disagreements
        return [words for words in said if words.startswith("terrain")]

    eyes.perceive(town.state, 0)
    assert told(wait(20)) == []
    x, y = town.state.position
    town.poke(laid_over(WORLD.map(TOWN), (x, y + 2), (0, 0)))
    assert told(wait(20)) == ["terrain: live map and screen disagree on 4 squares"]
    assert told(Step(Button.LEFT, 8, 24)) == []  # a step draws the map again
    assert town.state.position != (x, y)


def test_ram_and_screen_agree_on_the_ground_all_through_a_run(played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        told = [event.payload["between"] for event in folder.store.events("disagreement")]
    assert [words for words in told if str(words).startswith("terrain")] == []
    kept = kept_of(played.folder)
    assert list(kept) == [str(GYM)]
    assert changed_squares(GYM, bytes.fromhex(kept[str(GYM)])) == {GATE, *LEVERS}
    believed = WORLD.with_blocks({GYM: bytes.fromhex(kept[str(GYM)])}).map(GYM)
    for x, y in ((GATE[0], GATE[1] + 1), (GATE[0] + 1, GATE[1] + 1)):
        assert not WORLD.map(GYM).passable(x, y)
        assert believed.passable(x, y)


def changed_squares(map_id: int, blocks: bytes) -> set[tuple[int, int]]:
    """Return the first square of every block that is not as the cartridge has it."""
    game_map = WORLD.map(map_id)
    plain = game_map.layout.blocks
    assert len(blocks) == len(plain)
    stride = game_map.width + 2 * BORDER
    return {
        (2 * (place % stride - BORDER), 2 * (place // stride - BORDER))
        for place, block in enumerate(blocks)
        if block != plain[place]
    }
