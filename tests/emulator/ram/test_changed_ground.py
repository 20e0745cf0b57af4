"""Changed map blocks on the demo: when the live block map is used, and when it is ignored."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import pytest

from emulator import Cartridge, GameMap, Position, PyBoyConsole, Ram, State, World, read_state
from emulator.console import WATCHED_RANGES
from emulator.profile import symbol
from emulator.ram.map import is_in_sight, squares_in_sight
from emulator.ram.tile_map import TOP_RIGHT
from emulator.ram.view import WORK_RAM
from emulator.world.layout import BORDER, BORDER_TILES, LIVE_BLOCKS
from tests.live_blocks import laid_over

Square: TypeAlias = tuple[int, int]
MakeMoment: TypeAlias = Callable[[Mapping[int, int]], State]
BEDROOM: Final = 38
OPEN_FLOOR: Final = (4, 4)  # a visible square of the bedroom in which play begins
WALLED: Final = (0, 0)


@pytest.fixture
def world(demo: Cartridge) -> World:
    return World.of(demo)


@pytest.fixture
def moment(bedroom: PyBoyConsole) -> MakeMoment:
    """The first moment of control in the demo, with changes to its work RAM."""

    def make(changes: Mapping[int, int]) -> State:
        work = bytearray(bedroom.read(*WORK_RAM))
        for address, value in changes.items():
            work[address - WORK_RAM[0]] = value
        others = [(at, bedroom.read(at, size)) for at, size in WATCHED_RANGES[1:]]
        return read_state(Ram(((WORK_RAM[0], bytes(work)), *others)), bedroom.frame)

    return make


def drawn(here: GameMap, changes: Mapping[int, int], player: Position) -> dict[int, int]:
    """Return what the screen shows around the player after these changes to the block map."""
    blocks = bytearray(here.layout.blocks)
    for address, block in changes.items():
        blocks[address - LIVE_BLOCKS] = block
    left, top = (2 * (at - 4) + BORDER_TILES for at in player)
    tiles = here.with_blocks(bytes(blocks)).layout.tiles[top : top + 18, left : left + 20]
    return {symbol("wTileMap") + at: int(tile) for at, tile in enumerate(tiles.flat)}


@pytest.fixture
def changed(moment: MakeMoment, world: World) -> Callable[[Square, Square], State]:
    """The first moment of control, with one block of the map replaced by another and drawn."""

    def make(square: Square, like: Square) -> State:
        state = moment({})
        here = world.map(state.map.map_id)
        changes = laid_over(here, square, like)
        return moment(changes | drawn(here, changes, state.position))

    return make


@pytest.fixture
def with_wall(changed: Callable[[Square, Square], State]) -> State:
    """The bedroom with a piece of its wall in place of the floor."""
    return changed(OPEN_FLOOR, WALLED)


def test_without_changed_blocks_the_world_is_the_cartridges_own(
    moment: MakeMoment, world: World
) -> None:
    state = moment({})
    assert world.live_map(state) is world.map(state.map.map_id)
    assert world.seen(state) is world
    assert world.changed == {}


def test_a_changed_block_is_detected_and_all_other_maps_are_shared(
    with_wall: State, world: World
) -> None:
    here = with_wall.map.map_id
    seen = world.seen(with_wall)
    assert not seen.map(here).passable(*OPEN_FLOOR)
    assert seen.map(here) is world.live_map(with_wall)
    assert world.map(here).passable(*OPEN_FLOOR)
    assert [map_id for map_id in world.map_ids if seen.map(map_id) is not world.map(map_id)] == [
        here
    ]
    assert list(seen.changed) == [here]


def test_equal_blocks_give_the_same_world_object_and_unchanged_ones_the_cartridges(
    moment: MakeMoment, with_wall: State, world: World
) -> None:
    seen = world.seen(with_wall)
    assert world.seen(with_wall) is seen
    assert seen.seen(with_wall) is seen
    assert world.with_blocks(seen.changed) is seen
    assert seen.seen(moment({})) is world


def test_warps_on_changed_blocks_fire_by_the_new_tiles(
    changed: Callable[[Square, Square], State], world: World
) -> None:
    (stairs,) = world.map(BEDROOM).warps
    assert stairs.steps
    (left,) = world.seen(changed(stairs.position, OPEN_FLOOR)).map(BEDROOM).warps
    assert not left.steps
    assert left.position == stairs.position


@pytest.mark.parametrize(
    "changes",
    [
        {symbol("wCurMapWidth"): 5},
        {symbol("wCurMap"): 250},
        {symbol("wJoyIgnore"): 0xFF},
        {symbol("wWalkCounter"): 3},
        {symbol("wIsInBattle"): 1},
    ],
    ids=["another size", "no such map", "a script", "a step", "a battle"],
)
def test_block_memory_is_ignored_while_it_may_hold_other_data(
    changes: dict[int, int], moment: MakeMoment, world: World
) -> None:
    scratch = dict.fromkeys(range(LIVE_BLOCKS, LIVE_BLOCKS + 784), 0x5A)  # wTempPic is there too
    state = moment(scratch | changes)
    assert world.live_map(state) is None
    assert world.seen(state) is world


@pytest.mark.parametrize("loaded", [0, 40, 57])
def test_the_blocks_of_a_map_that_is_still_loading_are_ignored(
    loaded: int, moment: MakeMoment, world: World
) -> None:
    """Right after a step over the edge of another map: in control, but the block map is not yet this map's."""
    border = dict.fromkeys(
        range(LIVE_BLOCKS + loaded, LIVE_BLOCKS + 100), world.map(BEDROOM).header.border
    )
    state = moment(border)
    live = world.live_map(state)
    assert state.tiles_in_sight is not None
    assert live is not None
    assert live.count_differences(state.tiles_in_sight) > 0
    assert world.seen(state) is world


def test_changed_blocks_are_ignored_while_a_box_hides_them(
    with_wall: State, moment: MakeMoment, world: World
) -> None:
    hidden = moment(
        {at: with_wall.ram.byte(at) for at in range(LIVE_BLOCKS, LIVE_BLOCKS + 100)}
        | {symbol("wFontLoaded"): 1}
    )
    assert world.seen(hidden) is world


def test_the_screen_shows_the_squares_around_the_player(moment: MakeMoment, world: World) -> None:
    state = moment({})
    here = world.map(state.map.map_id)
    assert state.tiles_in_sight == {
        square: here.tile(*square) for square in squares_in_sight(state.position)
    }
    assert len(state.tiles_in_sight) == 90
    for square in state.tiles_in_sight:
        assert is_in_sight(state.position, square)
    assert not is_in_sight(state.position, (state.position.x + 6, state.position.y))


@pytest.mark.parametrize(
    "changes",
    [
        {symbol("wFontLoaded"): 1},
        {symbol("wTileMap") + 5 * 20 + 7: TOP_RIGHT},
        {symbol("wWalkCounter"): 3},
    ],
    ids=["letters are loaded", "a corner of a box", "a step"],
)
def test_a_screen_that_may_be_covered_gives_no_squares(
    changes: dict[int, int], moment: MakeMoment
) -> None:
    assert moment(changes).tiles_in_sight is None


def test_a_difference_on_the_border_is_ignored(moment: MakeMoment, world: World) -> None:
    here = world.map(BEDROOM)
    width = here.header.width + 2 * BORDER
    corners = (0, BORDER * width + BORDER - 1, len(here.layout.blocks) - 1)
    state = moment({LIVE_BLOCKS + at: here.layout.blocks[at] ^ 1 for at in corners})
    assert world.live_map(state) is here
    assert world.seen(state) is world
