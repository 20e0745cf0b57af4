"""What the demo's story says of arrows and holes is what its maps do."""

from collections.abc import Iterator
from typing import Final

from agent.story import Story
from emulator import (
    CartridgeKind,
    Facing,
    GameMap,
    MapSquare,
    World,
    demo_cartridge_path,
    load_cartridge,
)

WORLD: Final = World.of(load_cartridge(demo_cartridge_path()))
STORY: Final = Story.of(CartridgeKind.DEMO)
ARROWS: Final = {
    7: {0x3C: Facing.DOWN, 0x3D: Facing.UP, 0x4C: Facing.LEFT, 0x4D: Facing.RIGHT},
    22: {0x30: Facing.DOWN, 0x31: Facing.UP, 0x32: Facing.LEFT, 0x33: Facing.RIGHT},
}
LANDINGS: Final = {7: 0x3F, 22: 0x10}


def slides(here: GameMap) -> Iterator[tuple[MapSquare, MapSquare]]:
    """Yield each arrow of a map and where it ends: on a landing, or before something solid."""
    arrows = ARROWS.get(here.tileset.tileset_id, {})
    squares = [(x, y) for x in range(here.columns) for y in range(here.rows)]
    for x, y in squares:
        if here.tile(x, y) not in arrows:
            continue
        at, facing = (x, y), arrows[here.tile(x, y)]
        while here.passable(at[0] + facing.dx, at[1] + facing.dy):
            at = at[0] + facing.dx, at[1] + facing.dy
            if here.tile(*at) == LANDINGS[here.tileset.tileset_id]:
                break
            facing = arrows.get(here.tile(*at), facing)
        if at != (x, y):
            yield (here.map_id, x, y), (here.map_id, *at)


def test_each_arrow_ends_where_the_story_says() -> None:
    on_the_maps = dict(each for here in WORLD.maps for each in slides(here))
    told = {start: end for start, end in STORY.carries.items() if start[0] == end[0]}
    assert on_the_maps
    assert told == on_the_maps


def test_each_hole_of_the_story_leads_where_somebody_lands() -> None:
    landings = {(fall.map_id, fall.x, fall.y) for fall in WORLD.dungeon_warps}
    holes = {start: end for start, end in STORY.carries.items() if start[0] != end[0]}
    assert set(holes.values()) == landings
    for map_id, x, y in holes:
        here = WORLD.map(map_id)
        assert here.tile(x, y) in here.tileset.holes
