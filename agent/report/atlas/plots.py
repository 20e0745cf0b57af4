"""Where maps lie on sheets: those that join one another together, as one walks from one to the next."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from emulator import Connection, Facing, GameMap, World

REACH: Final = 512  # squares from where a sheet is begun; all of Red is less far across


class Plot(NamedTuple):
    """A map on a sheet, in squares from its top left corner."""

    map_id: int
    x: int
    y: int
    columns: int
    rows: int
    visited: bool

    def overlaps(self, other: "Plot") -> bool:
        """Say whether two of them would lie on the same squares."""
        return (
            self.x < other.x + other.columns
            and other.x < self.x + self.columns
            and self.y < other.y + other.rows
            and other.y < self.y + self.rows
        )


def exists(world: World, map_id: int) -> bool:
    """Say whether the cartridge has a map of this id, with anything to walk on."""
    return map_id in world.map_ids and world.map(map_id).width > 0


def lay_sheets(world: World, visited: Sequence[int]) -> list[list[Plot]]:
    """Return the plots of each sheet: the maps `visited`, in that order, and what joins them directly.

    A map that would lie on another one, where a cartridge's connections do not fit together, begins a
    sheet of its own. Sheets of several maps come first.
    """
    left = dict.fromkeys(visited)
    sheets = []
    while left:
        placed = _spread(world, next(iter(left)))
        here = [map_id for map_id in left if map_id in placed]
        for map_id in here:
            del left[map_id]
        sheets.append(_crop(world, placed, here))
    return sorted(sheets, key=lambda plots: len(plots) == 1)


def _spread(world: World, start: int) -> Mapping[int, Plot]:
    """Return every map that can be walked to over edges, in squares from the first one."""
    placed = {start: _plot(world.map(start), 0, 0)}
    waiting = [start]
    for map_id in waiting:
        for plot in _beside(world, placed[map_id]):
            if plot.map_id not in placed and _has_room(plot, placed.values()):
                placed[plot.map_id] = plot
                waiting.append(plot.map_id)
    return placed


def _has_room(plot: Plot, others: Iterable[Plot]) -> bool:
    near = abs(plot.x) <= REACH and abs(plot.y) <= REACH
    return near and not any(plot.overlaps(other) for other in others)


def _beside(world: World, here: Plot) -> Iterator[Plot]:
    for connection in world.map(here.map_id).connections:
        if exists(world, connection.map_id):
            yield _joined(here, connection, world.map(connection.map_id))


def _joined(here: Plot, connection: Connection, there: GameMap) -> Plot:
    """Return where a map lies whose squares count on from those of `here` as the connection says."""
    along_x, along_y = here.x - _signed(connection.x_align), here.y - _signed(connection.y_align)
    match connection.side:
        case Facing.UP:
            return _plot(there, along_x, here.y - there.rows)
        case Facing.DOWN:
            return _plot(there, along_x, here.y + here.rows)
        case Facing.LEFT:
            return _plot(there, here.x - there.columns, along_y)
        case Facing.RIGHT:
            return _plot(there, here.x + here.columns, along_y)


def _signed(byte: int) -> int:
    return byte - 0x100 if byte >= 0x80 else byte


def _plot(game_map: GameMap, x: int, y: int) -> Plot:
    return Plot(game_map.map_id, x, y, game_map.columns, game_map.rows, visited=False)


def _crop(world: World, placed: Mapping[int, Plot], visited: Sequence[int]) -> list[Plot]:
    """Return the visited maps and their direct neighbours, moved into the top left corner."""
    neighbours = [each.map_id for here in visited for each in world.map(here).connections]
    kept = [placed[each] for each in dict.fromkeys([*visited, *neighbours]) if each in placed]
    left, top = min(plot.x for plot in kept), min(plot.y for plot in kept)
    return [
        plot._replace(x=plot.x - left, y=plot.y - top, visited=plot.map_id in visited)
        for plot in kept
    ]
