"""The maps of a report: their layout, the route over them, and the size of the page."""

import io
import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from agent.tools.report.atlas.drawing import atlas_html, draw_atlas, sheet_svg
from agent.tools.report.atlas.sheet import (
    Atlas,
    MapMark,
    MapMarkKind,
    Plot,
    Sheet,
    TrailVisit,
    layout_sheets,
)
from emulator import Cartridge, Facing, Step, World
from emulator.screen.scene import draw_map
from emulator.world import tileset
from tests.agent.demo import STORY, WORLD, free_in
from tests.agent.support import Played, driven, game_at

TOWN, SECOND_TOWN, LANE, HOUSE, BEDROOM = 0, 1, 12, 37, 38
STEP = 16
BANK = 0x4000
PAGE = 400_000  # bytes of one sheet on a page
PICTURE = 250_000  # bytes


def named(map_id: int) -> str:
    return f"map {map_id}"


def drawn(
    trail: Sequence[TrailVisit], marks: Sequence[MapMark] = (), world: World = WORLD
) -> Atlas:
    return draw_atlas(world, trail, name_of=named, marks=marks)


def walk(map_id: int, squares: Sequence[tuple[int, int]], *, since: int = 1) -> list[TrailVisit]:
    return [TrailVisit(tick, map_id, *square) for tick, square in enumerate(squares, since)]


def only(atlas: Atlas) -> Sheet:
    (sheet,) = atlas.sheets
    return sheet


def path_of(sheet: Sheet) -> str:
    return "".join(stretch.path for stretch in sheet.route)


def plot_on(plots: Sequence[Plot], map_id: int) -> Plot:
    return next(plot for plot in plots if plot.map_id == map_id)


def pixels(png: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(png)) as picture:
        return picture.size


def test_a_map_is_drawn_as_the_screen_shows_it(played: Played) -> None:
    with game_at(played.folder, free_in(BEDROOM)) as game:
        x, y = game.state.position
        game.console.perform(Step(None, 0, 8), render=True)
        seen = game.console.screen().shades * 5
    # The screen begins four squares before the player, across and down; beyond the map is its border.
    picture = np.pad(draw_map(WORLD.map(BEDROOM)), 8 * STEP, constant_values=99)
    top, left = (y - 4 + 8) * STEP, (x - 4 + 8) * STEP
    part = picture[top : top + 144, left : left + 160]
    inside = part != 99
    assert inside.sum() > 10_000
    assert (part == seen)[inside].mean() > 0.97  # all but the player


def test_a_smaller_picture_of_a_map_is_the_mean_of_the_larger() -> None:
    whole = draw_map(WORLD.map(TOWN)).astype(float)
    height, width = whole.shape
    for divisor in (2, 4, 8):
        mean = whole.reshape(height // divisor, divisor, width // divisor, divisor).mean(
            axis=(1, 3)
        )
        assert np.abs(draw_map(WORLD.map(TOWN), divisor=divisor) - mean).max() <= 0.5
    with pytest.raises(ValueError, match="not 3"):
        draw_map(WORLD.map(TOWN), divisor=3)


def test_crossing_an_edge_leads_to_the_next_square_of_the_sheet() -> None:
    assert_edges_join(WORLD, TOWN)


def test_connected_maps_of_the_real_game_fit_together(synthetic_cartridge: Cartridge) -> None:
    assert_edges_join(World.of(synthetic_cartridge), 0)


def assert_edges_join(world: World, start: int) -> None:
    joined = {start}
    for _ in range(20):
        joined |= {to.map_id for here in joined for to in world.map(here).header.connections}
    (plots,) = layout_sheets(world, sorted(joined))
    assert {plot.map_id for plot in plots} == joined
    crossed = 0
    for plot in plots:
        game_map = world.map(plot.map_id)
        for facing in Facing:
            for square in ((x, y) for x in range(plot.columns) for y in range(plot.rows)):
                there = game_map.crossing(square, facing)
                if there is None or not world.map(there.map_id).contains(there.x, there.y):
                    continue
                other = plot_on(plots, there.map_id)
                assert other.x + there.x == plot.x + square[0] + facing.dx
                assert other.y + there.y == plot.y + square[1] + facing.dy
                crossed += 1
    assert crossed > 40


def test_a_sheet_has_visited_maps_and_their_neighbours() -> None:
    sheet = only(drawn(walk(TOWN, [(5, 6), (6, 6)])))
    assert {(region.name, region.visited) for region in sheet.regions} == {
        (named(TOWN), True),
        (named(LANE), False),
    }
    assert pixels(sheet.picture.png) == sheet.picture[1:3] == (320, (9 + 18) * 32)


def test_rooms_have_separate_sheets_in_the_order_of_the_first_visit() -> None:
    trail = [TrailVisit(1, BEDROOM, 3, 6), TrailVisit(5, TOWN, 5, 6), TrailVisit(7, HOUSE, 3, 6)]
    sheets = drawn([*trail, TrailVisit(9, TOWN, 15, 6)]).sheets
    assert [sheet.title for sheet in sheets] == ["Outdoors", named(BEDROOM), named(HOUSE)]
    assert [sheet.is_joined for sheet in sheets] == [True, False, False]
    assert not any(sheet.jumps for sheet in sheets)  # a visit of another sheet is no jump
    ends = [[(end.tick, end.is_last) for end in sheet.ends] for sheet in sheets]
    assert ends == [[(9, True)], [(1, False)], []]  # the first and the last square are marked


def test_the_route_is_one_line_through_the_middle_of_its_squares() -> None:
    sheet = only(drawn(walk(HOUSE, [(1, 2), (2, 2), (3, 2), (3, 5)])))
    # The line breaks where the colour changes, not where the direction does.
    assert "".join(re.sub(r"M\d+ \d+", "", path_of(sheet))) == "h16h16v48"
    assert path_of(sheet).startswith("M24 40")


def test_the_route_continues_over_an_edge() -> None:
    trail = [*walk(TOWN, [(10, 1), (10, 0)]), *walk(LANE, [(10, 35), (10, 34)], since=3)]
    sheet = only(drawn(trail))
    assert sum(map(int, re.findall(r"v(-?\d+)", path_of(sheet)))) == -3 * STEP
    assert not sheet.jumps


def test_colours_follow_time() -> None:
    back_and_forth = [(x, y) for y in range(4) for x in range(1, 6)]
    shares = [each.share for each in only(drawn(walk(HOUSE, back_and_forth))).route]
    assert shares == sorted(shares)
    assert shares[0] < 0.1
    assert shares[-1] > 0.9


def test_the_fortieth_walk_over_a_path_adds_no_line() -> None:
    there = [(x, 2) for x in range(1, 6)]
    once = only(drawn(walk(HOUSE, there)))
    often = only(drawn(walk(HOUSE, (there + there[-2:0:-1]) * 20)))
    strokes = [sum(map(int, re.findall(r"h(\d+)", path_of(sheet)))) for sheet in (once, often)]
    assert strokes == [4 * STEP] * 2


def test_a_warp_on_one_map_is_drawn_as_a_jump() -> None:
    sheet = only(drawn(walk(TOWN, [(10, 1), (11, 1), (3, 12), (4, 12)])))
    (jump,) = sheet.jumps
    lane_above = 36 * STEP
    assert (jump.x, jump.y) == (11 * STEP + 8, STEP + 8 + lane_above)
    assert (jump.to_x, jump.to_y) == (3 * STEP + 8, 12 * STEP + 8 + lane_above)
    assert path_of(sheet).count("M") == 2


def test_one_press_walks_six_squares_and_no_more() -> None:
    ways = [only(drawn(walk(LANE, [(5, 5), (5, 5 + far)]))) for far in (6, 7)]
    assert [(path_of(way).count("v"), len(way.jumps)) for way in ways] == [(1, 0), (0, 1)]


def test_positions_outside_of_all_maps_are_counted_as_dropped() -> None:
    real = walk(HOUSE, [(1, 2), (2, 2)])
    outside = [(248, 1, 1), (255, 1, 1), (-1, 1, 1), (70_000, 1, 1), (HOUSE, 255, 2), (HOUSE, 2, -1)]  # fmt: skip
    stray = [TrailVisit(tick, *each) for tick, each in enumerate(outside, 3)]
    marks = [MapMark(9, 250, 1, 1, "nowhere", MapMarkKind.STUCK)]
    atlas = drawn([*real, *stray], marks)
    assert (atlas.visits, atlas.dropped, atlas.unplaced) == (8, 6, 1)
    assert only(atlas) == only(drawn(real))


def test_a_position_during_a_map_change_is_dropped() -> None:
    # The map number changes some frames before the square does.
    squares = [(HOUSE, 3, 6), (TOWN, 3, 7), (TOWN, 3, 6), (TOWN, 4, 6)]
    trail = [TrailVisit(tick, *each) for tick, each in enumerate(squares, 1)]
    atlas = drawn(trail)
    assert atlas.dropped == 1
    assert path_of(atlas.sheets[0]).count("v") == 0


def test_an_empty_atlas_shows_a_message() -> None:
    for trail in ([], [TrailVisit(1, 255, 1, 1)]):
        atlas = drawn(trail, [MapMark(1, TOWN, 5, 6, "here", MapMarkKind.STUCK)])
        assert (atlas.sheets, atlas.unplaced) == ((), 1)
        assert "no map to draw" in atlas_html(atlas)
    assert drawn(walk(TOWN, [(5, 6)]), world=World.empty()).dropped == 1


def test_milestones_are_numbered_in_time_order() -> None:
    marks = [
        MapMark(9, HOUSE, 5, 5, "second", MapMarkKind.MILESTONE),
        MapMark(2, HOUSE, 5, 5, "stood still", MapMarkKind.STUCK),
        MapMark(3, TOWN, 5, 6, "first", MapMarkKind.MILESTONE),
    ]
    atlas = drawn([TrailVisit(1, TOWN, 5, 6), TrailVisit(2, HOUSE, 5, 5)], marks)
    pins = {pin.labels: pin.numbers for sheet in atlas.sheets for pin in sheet.pins}
    assert pins == {
        ("first, tick 3",): (1,),
        ("second, tick 9",): (2,),
        ("stood still, tick 2",): (),
    }


def test_near_marks_of_a_kind_share_a_pin() -> None:
    marks = [MapMark(tick, HOUSE, 3, 3, f"no {tick}", MapMarkKind.MILESTONE) for tick in (1, 2)]
    marks += [MapMark(3, HOUSE, 3, 3, "stuck", MapMarkKind.STUCK)]
    sheet = only(drawn(walk(HOUSE, [(3, 3)]), marks))
    assert [(pin.kind, pin.numbers) for pin in sheet.pins] == [
        (MapMarkKind.MILESTONE, (1, 2)),
        (MapMarkKind.STUCK, ()),
    ]
    assert ">1+<" in sheet_svg(sheet)


def test_thousands_of_marks_stay_readable() -> None:
    marks = [
        MapMark(tick, LANE, tick % 20, tick // 20 % 36, "stuck", MapMarkKind.STUCK)
        for tick in range(5_000)
    ]
    sheet = only(drawn(walk(LANE, [(5, 5)]), marks))
    assert len(sheet.pins) <= 120
    assert sum(len(pin.labels) for pin in sheet.pins) == 5_000
    assert len(sheet_svg(sheet)) < PAGE


def test_text_is_escaped() -> None:
    hostile = "</title><script>alert('x')</script>&\""
    marks = [MapMark(1, TOWN, 5, 6, hostile, kind) for kind in MapMarkKind]
    atlas = draw_atlas(WORLD, walk(TOWN, [(5, 6)]), name_of=lambda _: hostile, marks=marks)
    page = ET.fromstring(atlas_html(atlas))  # raises when it is not well-formed
    assert not [each for each in page.iter() if each.tag == "script"]
    titles = [each.text or "" for each in page.iter("title")]
    assert any(hostile in title for title in titles)


def test_a_complete_run_is_on_its_maps_and_its_route_stays_on_floor(played: Played) -> None:
    """The line does not cross walls; door squares are allowed."""
    trail, in_control, seen = [], [], WORLD
    for tick, state in enumerate(driven(played.folder).states, 1):
        if state.game_started:
            visit = TrailVisit(tick, state.map.map_id, *state.position)
            trail.append(visit)
            in_control += [visit] * state.in_control
            seen = seen.seen(state)
    atlas = draw_atlas(WORLD, trail, name_of=STORY.called)
    titles = [sheet.title for sheet in atlas.sheets]
    assert titles[:4] == ["Outdoors", "the bedroom", "the house", "the lab"]
    assert {"the rest house", "the store", "the wood", "the gym"} <= set(titles)
    assert atlas.dropped < 0.05 * len(trail)
    assert len(atlas_html(atlas)) < 120_000
    sheets = drawn(in_control, world=seen).sheets
    rooms = [each for each in sheets if each.picture.scale == 1 and not each.is_joined]
    assert len(rooms) > 8
    for sheet in rooms:
        here = seen.map(int(sheet.key.removeprefix("map-")))
        doors = {(warp.x, warp.y) for warp in here.warps}
        squares = walked(path_of(sheet))
        assert all(here.passable(*each) or each in doors for each in squares), sheet.title


def walked(path: str) -> list[tuple[int, int]]:
    """Return the squares of path data, of a sheet at full size."""
    found, x, y = [], 0, 0
    for letter, numbers in re.findall(r"([Mhv])([-\d ]+)", path):
        values = [int(each) for each in numbers.split()]
        if letter == "M":
            x, y = (value // STEP for value in values)
            found.append((x, y))
            continue
        steps, sign = abs(values[0]) // STEP, 1 if values[0] > 0 else -1
        for _ in range(steps):
            x, y = (x + sign, y) if letter == "h" else (x, y + sign)
            found.append((x, y))
    return found


def test_an_atlas_of_the_whole_world_stays_small(synthetic_cartridge: Cartridge) -> None:
    """A trail over every square of every map is longer than any real run."""
    world = World.of(noisy(synthetic_cartridge))
    squares = [
        (game_map.map_id, x, y)
        for game_map in world.maps
        for y in range(game_map.rows)
        for x in range(game_map.columns)
    ]
    trail = [TrailVisit(tick, *square) for tick, square in enumerate(squares)]
    atlas = drawn(trail, world=world)
    assert atlas.dropped < 0.001 * len(trail)
    assert len(atlas.sheets) > 200
    assert max(len(sheet.picture.png) for sheet in atlas.sheets) < PICTURE
    assert max(len(sheet_svg(sheet)) for sheet in atlas.sheets) < PAGE


def noisy(cartridge: Cartridge) -> Cartridge:
    """Return a cartridge with random maps and tiles, which give the largest picture files."""
    rom, world = bytearray(cartridge.rom), World.of(cartridge)
    noise = np.random.default_rng(7)

    def overwrite(bank: int, pointer: bytes, size: int, below: int) -> None:
        address = int.from_bytes(pointer, "little")
        start = address if address < BANK else bank * BANK + address - BANK
        rom[start : start + size] = noise.integers(0, below, size, np.uint8).tobytes()

    for header in (game_map.header for game_map in world.maps):
        pointer = world.rom.span(header.bank, header.address, 5)[3:]
        overwrite(header.bank, pointer, len(header.blocks), 0x100)
    for number in range(tileset.COUNT):
        bank, at = tileset.HEADERS
        row = world.rom.span(bank, at + number * tileset.HEADER_SIZE, 5)
        overwrite(row[0], row[1:3], tileset.BLOCKS * tileset.BLOCK_SIZE, tileset.TILES)
        overwrite(row[0], row[3:5], tileset.TILES * tileset.TILE_SIZE, 0x100)
    return Cartridge(cartridge.path, bytes(rom), cartridge.title, "noise", cartridge.kind)
