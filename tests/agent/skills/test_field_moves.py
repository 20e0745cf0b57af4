"""Field moves on the cartridge, and ground that changes during play."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.app import Interrupt, Settings, TickView, play_run
from agent.battle.suitable import Learner, able_to_learn, learner_for, learners_of
from agent.perception.percept import Due, Perceiver
from agent.skills import (
    CUT,
    FLY,
    STRENGTH,
    Destination,
    Outcome,
    Terrain,
    fly,
    teach,
    travel,
    use_field_move,
    wait,
)
from agent.skills.route import Spot, find_route, spot_of
from agent.skills.skill import Movement, Skill
from agent.story.story import Story
from emulator import Button, CartridgeKind, Font, PyBoyConsole, State, Step
from emulator.profile import symbol
from emulator.screen.glyphs import accuracy
from emulator.world.layout import BORDER
from memory import read_run
from tests.agent.demo import DEX, WORLD, free_in
from tests.agent.support import Game, Played, Watcher, game_at, game_fixture
from tests.live_blocks import laid_over

SECOND_TOWN, FIRST_TOWN = 1, 0
IN_A_DARK_CAVE, BACKGROUND_PALETTE, DARK_PALETTE = 6, 0xFF47, 0xFE
HM_CUT = 196
NAMES = {town: WORLD.map(town).header.town_map for town in range(3)}
TOWNS = {town: entry.name for town, entry in NAMES.items() if entry is not None}
BAG, NO_MORE = symbol("wNumBagItems"), 0xFF
BADGES = symbol("wObtainedBadges")
MON, PARTY_SPECIES = symbol("wPartyMon1"), symbol("wPartySpecies")
MOVES, PP = 8, 29
STARTER, NO_LEARNER = 3, 33  # species: NIBBIT learns from no machine
HIT, GLOWER, SCAMPER = 1, 3, 18


@pytest.fixture
def town(played: Played) -> Iterator[Game]:
    """Outdoors in the second town, with HM01 and every badge."""
    with game_at(played.folder, free_in(SECOND_TOWN)) as game:
        game.poke({BAG: 1, BAG + 1: HM_CUT, BAG + 2: 1, BAG + 3: NO_MORE, BADGES: 0xFF})
        set_mon(game, STARTER, HIT, GLOWER)
        yield game


def set_mon(game: Game, species: int, *moves: int) -> None:
    known = dict(enumerate((*moves, 0, 0, 0, 0)[:4]))
    game.poke({MON + MOVES + at: move for at, move in known.items()})
    game.poke({MON + PP + at: 10 if move else 0 for at, move in known.items()})
    game.poke({MON: species, PARTY_SPECIES: species})


def moves_of(game: Game) -> tuple[int, ...]:
    return tuple([each.move for each in game.state.party[0].moves])


def skill_of(movement: Movement) -> Skill:
    """Return a skill that is DONE after a movement."""
    yield from movement
    return Outcome.DONE


@pytest.mark.parametrize(
    ("known", "forget", "after"),
    [
        ((HIT, GLOWER), 0, (HIT, GLOWER, CUT)),
        ((HIT, GLOWER, SCAMPER, STRENGTH), 2, (HIT, GLOWER, CUT, STRENGTH)),
    ],
)
def test_a_free_slot_is_filled_or_the_given_move_forgotten(
    town: Game, known: tuple[int, ...], forget: int, after: tuple[int, ...]
) -> None:
    set_mon(town, STARTER, *known)
    skill = teach(HM_CUT, 0, town.state, forget=forget)
    assert town.carry_out(skill, within=200) is Outcome.DONE
    assert moves_of(town) == after
    assert town.state.in_control
    assert town.state.bag.quantity(HM_CUT) == 1


def test_a_mon_that_cannot_learn_the_move_keeps_its_moves(town: Game) -> None:
    set_mon(town, NO_LEARNER, HIT)
    assert town.carry_out(teach(HM_CUT, 0, town.state), within=200) is Outcome.BLOCKED
    assert moves_of(town) == (HIT,)
    assert town.state.in_control


def test_a_refused_field_move_closes_all_menus(town: Game) -> None:
    set_mon(town, STARTER, HIT, CUT)
    before = town.state.position
    town.carry_out(skill_of(use_field_move(CUT, town.state)), within=120)
    assert town.state.in_control
    assert town.state.position == before


def test_fly_reaches_a_visited_town_with_the_badge(town: Game) -> None:
    set_mon(town, STARTER, HIT, FLY)
    for badges, to, end in ((0xFF, 2, "BLOCKED"), (0, FIRST_TOWN, "BLOCKED"), (0xFF, 0, "DONE")):
        town.poke({BADGES: badges})
        assert town.carry_out(fly(to, TOWNS, town.state), within=200) is Outcome[end]
        assert town.state.map.map_id == (FIRST_TOWN if end == "DONE" else SECOND_TOWN)
        assert town.state.in_control


def test_the_learner_is_the_mon_that_loses_least(town: Game) -> None:
    assert STARTER in learners_of(DEX, CUT)
    assert learner_for(DEX, town.state.party, CUT) == Learner(0, 2)
    set_mon(town, STARTER, HIT, GLOWER, SCAMPER, STRENGTH)
    learner = learner_for(DEX, town.state.party, CUT)
    assert learner is not None
    assert learner.slot in (0, 1, 2)  # the last is an HM move
    set_mon(town, STARTER, CUT)
    assert able_to_learn(DEX, town.state.party, CUT) == []
    set_mon(town, NO_LEARNER, HIT)
    assert able_to_learn(DEX, town.state.party, CUT) == []


def test_the_stories_name_the_badge_of_each_field_move() -> None:
    def badges(kind: CartridgeKind) -> dict[str, int]:
        story = Story.of(kind)
        return {each.name: story.ram_facts[each.badge].number for each in story.field_moves}

    red = {"cut": 1, "fly": 2, "surf": 4, "strength": 3, "flash": 0}
    assert badges(CartridgeKind.RED) == red
    own = {"cut": 0, "flash": 0, "surf": 1, "strength": 1, "fly": 2}
    assert badges(CartridgeKind.DEMO) == own


TOWN, HOUSE, LANE, LAB, ALDERBROOK, GYM = 0, 37, 12, 40, 1, 54
MEADOW = (8, 2)  # of the town: a block of floor only
POND = (14, 12)  # of the town: water all around, out of sight of the player's door
THICKET = (0, 0)  # of the lane: trees
GATE = (4, 4)  # of the gym: its lower half is closed until both levers are down
LEVERS = ((0, 8), (8, 8))  # of the gym
NARROW = [(9, 11), (10, 11)]  # of the lane: the only way north is two squares wide


in_town = game_fixture(free_in(TOWN))


def route_exists(terrain: Terrain, state: State, goal: Spot) -> bool:
    def arrived(spot: Spot) -> bool:
        return spot[:3] == goal[:3]

    return find_route(terrain.world(state), spot_of(state), arrived) is not None


def fill_pond(game: Game) -> None:
    """Replace the pond by meadow."""
    game.poke(laid_over(WORLD.map(TOWN), POND, MEADOW))
    game.poke(laid_over(WORLD.map(TOWN), (POND[0] - 2, POND[1]), MEADOW))


def test_travel_uses_an_opened_way_and_blocks_without_one(in_town: Game) -> None:
    terrain, pond = Terrain(WORLD), Destination(TOWN, frozenset({POND}))
    assert in_town.carry_out(travel(terrain, pond, in_town.state, patience=3)) is Outcome.BLOCKED
    fill_pond(in_town)
    assert in_town.carry_out(travel(terrain, pond, in_town.state)) is Outcome.DONE
    assert in_town.state.position == POND


def test_travel_avoids_a_closed_square_and_blocks_when_both_are_closed(quiet_lane: Game) -> None:
    terrain, north = Terrain(WORLD), Destination(LANE, frozenset({(9, 7), (10, 7)}))
    left, right = (laid_over(WORLD.map(LANE), square, THICKET) for square in NARROW)
    quiet_lane.poke(left)
    start = quiet_lane.console.save()
    assert quiet_lane.carry_out(travel(terrain, north, quiet_lane.state)) is Outcome.DONE
    quiet_lane.console.load(start)
    quiet_lane.poke(right)
    skill = travel(terrain, north, quiet_lane.state, patience=3)
    assert quiet_lane.carry_out(skill) is Outcome.BLOCKED


def test_changed_blocks_are_kept_until_the_map_is_seen_again(in_town: Game) -> None:
    terrain, pond = Terrain(WORLD), Spot(TOWN, *POND)
    fill_pond(in_town)
    assert route_exists(terrain, in_town.state, pond)
    seen = terrain.world(in_town.state)

    assert in_town.carry_out(travel(terrain, Destination(HOUSE), in_town.state)) is Outcome.DONE
    assert in_town.state.map.map_id == HOUSE
    assert route_exists(terrain, in_town.state, pond)
    assert terrain.world(in_town.state) is seen

    # The game loads the map again on return.
    assert in_town.carry_out(travel(terrain, Destination(TOWN), in_town.state)) is Outcome.DONE
    assert not route_exists(terrain, in_town.state, pond)
    assert terrain.world(in_town.state) is WORLD


def test_a_terrain_is_restored_unchanged(in_town: Game) -> None:
    terrain, again = Terrain(WORLD), Terrain(WORLD)
    assert terrain.world(in_town.state) is WORLD
    assert terrain.to_json() == {}
    fill_pond(in_town)
    seen = terrain.world(in_town.state)
    saved = json.loads(json.dumps(terrain.to_json()))
    assert list(saved) == [str(TOWN)]
    again.restore(saved)
    assert again.to_json() == terrain.to_json()
    assert again.world(in_town.state) is seen


def saved_terrain(run: Path) -> dict[str, str]:
    """Return the terrain in the last checkpoint of a run."""
    terrain = Terrain(WORLD)
    with closing(read_run(run)) as folder:
        folder.store.checkpoints.restore("terrain", terrain)
    return terrain.to_json()


def test_a_resumed_run_keeps_its_terrain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    consoles: list[PyBoyConsole] = []
    power_on = PyBoyConsole.__init__

    def record_console(console: PyBoyConsole, *arguments: object) -> None:
        power_on(console, *arguments)  # type: ignore[arg-type]
        consoles.append(console)

    monkeypatch.setattr(PyBoyConsole, "__init__", record_console)
    run, memory, asked = tmp_path / "run", tmp_path / "memory.sqlite", Interrupt()

    def drain_and_stop_in_the_lab(moment: TickView) -> None:
        if free_in(TOWN)(moment.state):
            fill_pond(Game(consoles[-1]))
        asked.asked = free_in(LAB)(moment.state)

    play_run(Settings(run=run, memory=memory), Watcher(drain_and_stop_in_the_lab), asked)
    saved = saved_terrain(run)
    assert list(saved) == [str(TOWN)]

    with closing(read_run(run)) as folder:
        ticks = 5 + len(list(folder.store.record.steps()))
    play_run(Settings(resume=run, memory=memory, ticks=ticks), Watcher(), Interrupt())
    assert saved_terrain(run) == saved


def perceiver_of(console: PyBoyConsole) -> Perceiver:
    """Return a perceiver that reads every frame."""
    return Perceiver(console, Font.of(console.cartridge), WORLD, lambda _state: Due.FRAME)


def test_a_frame_read_reports_ground_that_differs_from_ram(in_town: Game) -> None:
    perceiver = perceiver_of(in_town.console)

    def terrain_lines(after: Step) -> list[str]:
        in_town.console.perform(after, render=True)
        said = perceiver.perceive(in_town.state, 0).disagreements
        return [words for words in said if words.startswith("terrain")]

    perceiver.perceive(in_town.state, 0)
    assert terrain_lines(wait(20)) == []
    x, y = in_town.state.position
    in_town.poke(laid_over(WORLD.map(TOWN), (x, y + 2), (0, 0)))
    assert terrain_lines(wait(20)) == ["terrain: live map and screen disagree on 4 squares"]
    assert terrain_lines(Step(Button.LEFT, 8, 24)) == []  # a step draws the map again
    assert in_town.state.position != (x, y)


def test_the_text_of_a_dark_frame_is_neither_compared_nor_claimed(in_town: Game) -> None:
    perceiver = perceiver_of(in_town.console)
    in_town.console.perform(Step(Button.START, 4, 40), render=True)
    assert in_town.state.menu is not None
    perceiver.perceive(in_town.state, 0)
    lit = perceiver.perceive(in_town.state, 1)
    assert (lit.confidence, lit.disagreements) == (1.0, ())
    in_town.poke({symbol("wMapPalOffset"): IN_A_DARK_CAVE, BACKGROUND_PALETTE: DARK_PALETTE})
    in_town.console.perform(Step(None, 0, 4), render=True)
    dark = perceiver.perceive(in_town.state, 2)
    assert dark.reading is not None
    assert accuracy(in_town.state.screen_rows, dark.reading.rows).share < 1
    assert (dark.pixel_text, dark.confidence, dark.disagreements) == ("", 0.0, ())


def test_ram_and_screen_agree_on_the_ground_during_a_run(played: Played) -> None:
    with closing(read_run(played.folder)) as folder:
        reported = [
            event.payload["between"] for event in folder.store.record.events("disagreement")
        ]
    assert [words for words in reported if str(words).startswith("terrain")] == []
    saved = saved_terrain(played.folder)
    assert list(saved) == [str(GYM)]
    assert changed_squares(GYM, bytes.fromhex(saved[str(GYM)])) == {GATE, *LEVERS}
    known = WORLD.with_blocks({GYM: bytes.fromhex(saved[str(GYM)])}).map(GYM)
    for x, y in ((GATE[0], GATE[1] + 1), (GATE[0] + 1, GATE[1] + 1)):
        assert not WORLD.map(GYM).passable(x, y)
        assert known.passable(x, y)


def changed_squares(map_id: int, blocks: bytes) -> set[tuple[int, int]]:
    """Return the first square of every block that differs from the cartridge."""
    game_map = WORLD.map(map_id)
    plain = game_map.layout.blocks
    assert len(blocks) == len(plain)
    stride = game_map.header.width + 2 * BORDER
    return {
        (2 * (place % stride - BORDER), 2 * (place // stride - BORDER))
        for place, block in enumerate(blocks)
        if block != plain[place]
    }
