"""Progress of play: novelty, gains, and repetition without gain."""

from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias
from zlib import crc32

from agent.errors import StuckReason
from agent.perception.percept import Percept
from emulator import State
from memory import Json
from memory.codec import SavedAttributes

HP_STEPS: Final = 4  # the team's HP counts in quarters
PATIENCE: Final = 1_500  # ticks without novelty; a person who blocks the way moves on much earlier
QUIET: Final = 150  # ticks without anything new before repetition counts
LOST: Final = 300  # ticks without any plan
# At this multiple of its limit, failing counts even while other things are new from time to time.
ALWAYS: Final = 3
LIMITS: Final[Mapping[StuckReason, int]] = {
    StuckReason.OSCILLATION: 8,  # crossings from one map to the same other one
    StuckReason.REPEATED_DIALOGUE: 12,
    StuckReason.REPEATED_FAILURE: 6,
    StuckReason.REFLEX_LOOP: 6,
}
ARRIVALS: Final = 5  # on one square, for each crossing between maps that OSCILLATION allows
FAILS: Final = "fails"
Failure: TypeAlias = Literal["fails", "changes nothing", "is interrupted"]
# Training walks back and forth and heals with the same texts while experience grows; failures still count.
FORGIVEN_BY_GROWTH: Final = frozenset({StuckReason.OSCILLATION, StuckReason.REPEATED_DIALOGUE})
# The reason, the suspected action or '', and what recurs.
_Key: TypeAlias = tuple[StuckReason, str, str]


class Novelty(Enum):
    """How new the state of a tick is."""

    NOTHING = 0
    GROWTH = 1  # experience, money, or another quarter of the team's HP
    GAIN = 2  # an event, a badge, more of an item in the bag, another member or level of the team


class Gains(SavedAttributes):
    """Everything gained so far, as hashes. Gaining the same again does not count."""

    SAVED = ("gained", "_grown")

    def __init__(self) -> None:
        self._sources: tuple[object, ...] = ()
        self.gained: set[int] = set()
        self._grown: set[int] = set()

    def saw(self, state: State) -> Novelty:
        """Record what the player has now, and return how new it is."""
        if not state.game_started:
            return Novelty.NOTHING
        flags, player = state.flags, state.player
        # This runs every tick, and the sources rarely change.
        sources = (flags.events, flags.hidden, player.badges, player.money, state.bag, state.party)
        if sources == self._sources:
            return Novelty.NOTHING
        self._sources = sources
        return self._compare(state)

    def _compare(self, state: State) -> Novelty:
        mons = state.party.mons
        full_hp = sum(mon.stats.hp for mon in mons)
        health = HP_STEPS * sum(mon.hp for mon in mons) // full_hp if full_hp else HP_STEPS
        gains = (
            _happened(state.flags.events, state.flags.hidden)
            | {mark("badge", badge) for badge in state.player.badges}
            | _carried(tuple((stack.item, stack.quantity) for stack in state.bag.items))
            | _trained(tuple(sorted((mon.level for mon in mons), reverse=True)))
        )
        growth = mark([mon.exp for mon in mons], state.player.money, health)
        if not gains <= self.gained:
            self.gained |= gains
            self._grown = {growth}
            return Novelty.GAIN
        if growth not in self._grown:
            self._grown.add(growth)
            return Novelty.GROWTH
        return Novelty.NOTHING


# Each gain is a hash of its own, and a count is the hashes of all numbers up to it: having less than
# before, or the same in another order, as after restoring a checkpoint, is no gain.


@lru_cache(maxsize=4)
def _happened(events: bytes, hidden: bytes) -> frozenset[int]:
    happened = (mark("event", bit) for bit in _bits(events))
    is_hidden = set(_bits(hidden))
    shown = (mark("hidden", bit, bit in is_hidden) for bit in range(8 * len(hidden)))
    return frozenset((*happened, *shown))


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
    """Return the gains of levels, the highest first; another Pokemon of the same level is no gain."""
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


class ProgressMonitor(SavedAttributes):
    """Watches each tick and the outcome of each action, and decides whether play is stuck.

    Until the next gain, a square or a text is new only once. A gain (an event, an item, a level) makes
    everything new again; growth (experience, money) resets the counts of `FORGIVEN_BY_GROWTH`.
    """

    SAVED = ("_gains", "_seen", "quiet", "_lost", "_square", "_text")

    def __init__(self) -> None:
        self._gains = Gains()
        self._seen: set[int] = set()
        self.quiet = 0
        self._lost = 0
        self._counts: Counter[_Key] = Counter()
        # For keys at their limit or above: the count as a multiple of the limit.
        self._excess: dict[_Key, float] = {}
        self._square: list[int] = []  # the map, x and y where the player was last in control
        self._text = ""

    @property
    def gained(self) -> int:
        """The number of gains so far: events, badges, items, levels."""
        return len(self._gains.gained)

    @property
    def verdict(self) -> StuckReason | None:
        """Why play is stuck, or None if it is not."""
        if self._lost > LOST and self.quiet > LOST:
            return StuckReason.NO_PLAN
        worst = self._worst()
        if worst is not None:
            return worst[0]
        return StuckReason.NO_NOVELTY if self.quiet > PATIENCE else None

    @property
    def suspect(self) -> str:
        """The action that is the reason of the verdict, '' without one."""
        worst = self._worst()
        return worst[1] if worst is not None else ""

    def saw(self, percept: Percept) -> bool:
        """Record one tick, and return whether it brought a gain."""
        self.quiet += 1
        change = self._gains.saw(percept.state)
        if change is Novelty.GAIN:
            self.rest()
        elif change is Novelty.GROWTH:
            self.quiet = 0
            self._forgive()
        if percept.state.in_control:
            self._walked(percept)
        self._read(percept)
        return change is Novelty.GAIN

    def rest(self) -> None:
        """Reset everything: there was a gain, or there is nothing to do."""
        self._seen.clear()
        self.again()

    def again(self) -> None:
        """Reset the counts so that the next attempt has its time; what was seen is still not new."""
        self.quiet = self._lost = 0
        self._counts.clear()
        self._excess.clear()

    def begun(self) -> None:
        """Record that an action begins."""
        self._lost = 0

    def ended_well(self, action: str) -> None:
        """Record an action that succeeded; the first success is a novelty."""
        self._note(mark("done", action))

    def failed(self, action: str, how: Failure = FAILS) -> None:
        """Record an action that did not have its effect, and how it failed."""
        self._count(StuckReason.REPEATED_FAILURE, action, how)

    def dropped(self, action: str, reflex: str) -> None:
        """Record an action that a reflex ended, at the player's square."""
        self._count(StuckReason.REFLEX_LOOP, action, f"{reflex} {self._square}")

    def no_plan(self) -> None:
        """Record a tick in which no goal has a plan."""
        self._lost += 1

    def to_json(self) -> dict[str, Json]:
        """Return all that the next session needs."""
        counts = [[reason.value, *what, times] for (reason, *what), times in self._counts.items()]
        return {**super().to_json(), "counts": counts}

    def restore(self, data: Mapping[str, Any]) -> None:
        """Take over what `to_json` returned."""
        super().restore(data)
        self._counts = Counter(
            {
                (StuckReason(reason), action, what): times
                for reason, action, what, times in data["counts"]
            }
        )
        self._excess = {
            key: times / _limit(key) for key, times in self._counts.items() if times >= _limit(key)
        }

    def resume_after_restore(self, died: Mapping[str, Any]) -> None:
        """Start again at a checkpoint; what the abandoned branch had gained does not count as a gain."""
        self.rest()
        self._gains.gained.update(died["gains"]["gained"])

    def _count(self, reason: StuckReason, action: str, what: str) -> None:
        key = reason, action, what
        self._counts[key] += 1
        share = self._counts[key] / _limit(key)
        if share >= 1:
            self._excess[key] = share

    def _forgive(self) -> None:
        for key in [key for key in self._counts if key[0] in FORGIVEN_BY_GROWTH]:
            del self._counts[key]
            self._excess.pop(key, None)

    def _worst(self) -> _Key | None:
        """Return the key that exceeds its limit most, or None."""
        if not self._excess:
            return None
        quiet = self.quiet > QUIET
        worst = [key for key, share in self._excess.items() if quiet or _is_flagrant(key, share)]
        return max(worst, key=self._excess.__getitem__, default=None)

    def _walked(self, percept: Percept) -> None:
        square = list(percept.place)
        if square == self._square:
            return
        self._note(mark("square", square))
        if self._square:
            if square[0] != self._square[0]:
                crossing = f"map {self._square[0]} to {square[0]}"
                self._count(StuckReason.OSCILLATION, "", crossing)
            self._count(StuckReason.OSCILLATION, "", f"square {square}")
        self._square = square

    def _read(self, percept: Percept) -> None:
        if percept.text == self._text:
            return
        self._text = percept.text
        if not percept.text:
            return
        text = crc32(percept.text.encode("utf-8", "surrogatepass"))
        self._note(text)
        if not percept.state.in_battle:  # where the same texts appear every turn
            self._count(StuckReason.REPEATED_DIALOGUE, "", str(text))

    def _note(self, thing: int) -> None:
        if thing not in self._seen:
            self._seen.add(thing)
            self.quiet = 0


def _limit(key: _Key) -> int:
    reason, _, what = key
    return LIMITS[reason] * (ARRIVALS if what.startswith("square") else 1)


def _is_flagrant(key: _Key, share: float) -> bool:
    reason, _, what = key
    return share >= ALWAYS and (reason is StuckReason.REFLEX_LOOP or what == FAILS)
