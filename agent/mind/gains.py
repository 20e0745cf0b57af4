"""What the player has to show for the time: the story, the bag and the team, and what has grown."""

from collections import Counter
from collections.abc import Iterable, Iterator
from enum import Enum
from functools import lru_cache
from typing import Final
from zlib import crc32

from emulator import State

HP_STEPS: Final = 4  # of the team's HP: quarters


class Change(Enum):
    """What a moment brought that was never there before."""

    NOTHING = 0
    GROWTH = 1  # experience, money, or another quarter of the team's HP
    GAIN = 2  # an event, a badge, more of a thing in the bag, another member or level of the team


class Gains:
    """Everything gained so far, as hashes. Having any of it again is no gain."""

    def __init__(self) -> None:
        self._sources: tuple[object, ...] = ()
        self._gained: set[int] = set()
        self._grown: set[int] = set()

    @property
    def count(self) -> int:
        """How many gains there were."""
        return len(self._gained)

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
        gains = (
            _happened(state.flags.events, state.flags.hidden)
            | _earned(state.player.badges)
            | _carried(tuple((stack.item, stack.quantity) for stack in state.bag.items))
            | _trained(tuple(sorted((mon.level for mon in mons), reverse=True)))
        )
        growth = mark([mon.exp for mon in mons], state.player.money, health)
        if not gains <= self._gained:
            self._gained |= gains
            self._grown = {growth}
            return Change.GAIN
        if growth not in self._grown:
            self._grown.add(growth)
            return Change.GROWTH
        return Change.NOTHING


# Each gain is told by itself, and a number by all up to it: whoever has less than once, or the same
# in another order or mixture, as on the way back from a checkpoint, has gained nothing.


@lru_cache(maxsize=4)
def _happened(events: bytes, hidden: bytes) -> frozenset[int]:
    happened = (mark("event", bit) for bit in _bits(events))
    is_hidden = set(_bits(hidden))
    shown = (mark("hidden", bit, bit in is_hidden) for bit in range(8 * len(hidden)))
    return frozenset((*happened, *shown))


@lru_cache(maxsize=4)
def _earned(badges: tuple[int, ...]) -> frozenset[int]:
    return frozenset(mark("badge", badge) for badge in badges)


@lru_cache(maxsize=4)
def _carried(stacks: tuple[tuple[int, int], ...]) -> frozenset[int]:
    carried: Counter[int] = Counter()
    for item, quantity in stacks:
        carried[item] += quantity
    return frozenset(
        mark("item", item, count) for item in carried for count in range(1, carried[item] + 1)
    )


@lru_cache(maxsize=4)
def _trained(levels: tuple[int, ...]) -> frozenset[int]:
    """The levels of the team, the highest first; another creature as high in its stead is no gain."""
    return frozenset(
        mark("level", rank, level)
        for rank, highest in enumerate(levels)
        for level in range(1, highest + 1)
    )


def _bits(flags: bytes) -> Iterator[int]:
    return (
        8 * at + bit for at, byte in enumerate(flags) if byte for bit in range(8) if byte >> bit & 1
    )


def mark(*things: object) -> int:
    """Return a number for `things` that is the same in every process."""
    return crc32(repr(things).encode())
