"""What the player has to show for the time: the story, the bag and the team, and what has grown."""

from collections.abc import Iterable
from enum import Enum
from typing import Final
from zlib import crc32

from emulator import State

HP_STEPS: Final = 4  # of the team's HP: quarters


class Change(Enum):
    """What a moment brought that was never there before."""

    NOTHING = 0
    GROWTH = 1  # experience, money, or another quarter of the team's HP
    GAIN = 2  # an event, a badge, something in the bag, another member or level of the team


class Gains:
    """Every standing so far, as a hash. Coming back to one of them is no gain."""

    def __init__(self) -> None:
        self._sources: tuple[object, ...] = ()
        self._gained: set[int] = set()
        self._grown: set[int] = set()

    def saw(self, state: State) -> Change:
        """Take note of what the player has now."""
        if not state.game_started:
            return Change.NOTHING
        flags, player = state.flags, state.player
        # This is asked every tick, and hardly ever anything of it has changed.
        sources = (
            flags.events,
            flags.hidden,
            player.badges,
            player.money,
            state.bag,
            state.party,
        )
        if sources == self._sources:
            return Change.NOTHING
        self._sources = sources
        return self._compare(state)

    def adopt(self, gained: Iterable[int]) -> None:
        """Count what was gained on a branch that died as known."""
        self._gained.update(gained)

    def to_json(self) -> dict[str, list[int]]:
        """Return what a checkpoint keeps of it."""
        return {"gained": sorted(self._gained), "grown": sorted(self._grown)}

    def restore(self, data: dict[str, list[int]]) -> None:
        """Take over what `to_json` returned."""
        self._gained, self._grown = set(data["gained"]), set(data["grown"])

    def _compare(self, state: State) -> Change:
        mons = state.party.mons
        whole = sum(mon.stats.hp for mon in mons)
        health = HP_STEPS * sum(mon.hp for mon in mons) // whole if whole else HP_STEPS
        # Each by itself: the same badge won again, with another bag, is no gain.
        gains = {
            mark("events", state.flags.events, state.flags.hidden),
            mark("badges", sorted(state.player.badges)),
            mark("bag", sorted((stack.item, stack.quantity) for stack in state.bag.items)),
            mark(
                "team",
                [(mon.species, mon.level, [slot.move for slot in mon.moves]) for mon in mons],
            ),
        }
        growth = mark([mon.exp for mon in mons], state.player.money, health)
        if not gains <= self._gained:
            self._gained |= gains
            self._grown = {growth}
            return Change.GAIN
        if growth not in self._grown:
            self._grown.add(growth)
            return Change.GROWTH
        return Change.NOTHING


def mark(*things: object) -> int:
    """Return a number for `things` that is the same in every process."""
    return crc32(repr(things).encode())
