"""Where the player goes and what they have, for whoever wants to see it afterwards."""

from collections.abc import Callable

from emulator import State
from memory import TrailRow


class Trail:
    """Tells `keep` of each change of place, money, badges and team."""

    def __init__(self, keep: Callable[[TrailRow], object]) -> None:
        self._keep = keep
        self._sources: tuple[object, ...] = ()
        self._last: TrailRow | None = None

    def saw(self, tick: int, state: State) -> None:
        """Take note of one moment; those before the game and between two are passed over."""
        where, player, party = state.map, state.player, state.party
        # This is asked every tick, and what was decoded of the same bytes is the same object.
        sources = (where.map_id, where.x, where.y, player.money, player.badges, id(party))
        if sources == self._sources or not state.control.trusted or not state.game_started:
            return
        self._sources = sources
        row = TrailRow(
            tick,
            state.frame,
            where.map_id,
            where.x,
            where.y,
            player.money,
            player.badge_count,
            tuple((mon.species, mon.level, mon.hp, mon.stats.hp) for mon in party.mons),
        )
        if self._last is None or row[2:] != self._last[2:]:
            self._last = row
            self._keep(row)
