"""Whether play makes progress: what is new, what was gained, what repeats without gain."""

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

HP_STEPS: Final = 4  # of the team's HP: quarters
PATIENCE: Final = 1_500  # ticks; a person in the way has moved on many times by then
QUIET: Final = 150  # ticks without anything new before repetition counts
LOST: Final = 300  # ticks without any plan
# So many times its limit, and failing counts although something else is new now and then.
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
# Training walks to and fro and is healed with the same words, and its experience grows; what fails still fails.
FORGIVEN_BY_GROWTH: Final = frozenset({StuckReason.OSCILLATION, StuckReason.REPEATED_DIALOGUE})
# The reason, the action to blame if there is one, and whatever recurs.
_Key: TypeAlias = tuple[StuckReason, str, str]


class Novelty(Enum):
    """What a moment brought that was never there before."""

    NOTHING = 0
    GROWTH = 1  # experience, money, or another quarter of the team's HP
    GAIN = 2  # an event, a badge, more of a thing in the bag, another member or level of the team


class Gains(SavedAttributes):
    """Everything gained so far, as hashes. Having any of it again is no gain."""

    SAVED = ("gained", "_grown")

    def __init__(self) -> None:
        self._sources: tuple[object, ...] = ()
        self.gained: set[int] = set()
        self._grown: set[int] = set()

    def saw(self, state: State) -> Novelty:
        """Take note of what the player has now."""
        if not state.game_started:
            return Novelty.NOTHING
        flags, player = state.flags, state.player
        # This is asked every tick, and hardly ever anything of it has changed.
        sources = (flags.events, flags.hidden, player.badges, player.money, state.bag, state.party)
        if sources == self._sources:
            return Novelty.NOTHING
        self._sources = sources
        return self._compare(state)

    def _compare(self, state: State) -> Novelty:
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
        if not gains <= self.gained:
            self.gained |= gains
            self._grown = {growth}
            return Novelty.GAIN
        if growth not in self._grown:
            self._grown.add(growth)
            return Novelty.GROWTH
        return Novelty.NOTHING


# Each gain is a hash by itself, and a number by all up to it: to have less than once, or the same
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


class ProgressMonitor(SavedAttributes):
    """Watches what each tick shows and each action comes to, and gives a verdict.

    Until the next gain, a square or a text is new only once. A gain (an event, a thing, a level) makes
    everything worth seeing again; growth (experience, money) forgives walking to and fro.
    """

    SAVED = ("_gains", "_seen", "quiet", "_lost", "_tried", "_last", "_square", "_text")

    def __init__(self, patience: int = PATIENCE) -> None:
        self._patience = patience
        self._gains = Gains()
        self._seen: set[int] = set()
        self.quiet = 0
        self._lost = 0
        self._counts: Counter[_Key] = Counter()
        self._excess: dict[
            _Key, float
        ] = {}  # of what recurs more than it may: times over its limit
        self._tried: Counter[str] = Counter()
        self._last = ""
        self._square: list[int] = []  # the map, x and y where the player last stood free
        self._text = ""

    @property
    def gained(self) -> int:
        """How much was gained so far: events, badges, things, levels."""
        return len(self._gains.gained)

    @property
    def verdict(self) -> StuckReason | None:
        """Why play gets nowhere, or None while it may."""
        if self._lost > LOST and self.quiet > min(LOST, self._patience):
            return StuckReason.NO_PLAN
        worst = self._worst()
        if worst is not None:
            return worst[0]
        return StuckReason.NO_NOVELTY if self.quiet > self._patience else None

    @property
    def culprits(self) -> tuple[str, ...]:
        """The actions to try less: the one to blame, else those tried again and again, else the last."""
        worst = self._worst()
        if worst is not None and worst[1]:
            return (worst[1],)
        repeated = tuple(name for name, times in self._tried.most_common() if times > 1)
        return repeated or ((self._last,) if self._last else ())

    @property
    def tried(self) -> tuple[str, ...]:
        """The actions begun since the last gain, the most frequent first."""
        return tuple(name for name, _ in self._tried.most_common())

    def saw(self, percept: Percept) -> bool:
        """Take note of one tick, and return whether it brought a gain."""
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
        """Start anew: there was a gain, or there is nothing to be done."""
        self._seen.clear()
        self._tried.clear()
        self.again()

    def again(self) -> None:
        """Give what is tried next its time; what was seen is still not new."""
        self.quiet = self._lost = 0
        self._counts.clear()
        self._excess.clear()

    def begun(self, action: str) -> None:
        """Take note of an action that begins."""
        self._lost = 0
        self._tried[action] += 1
        self._last = action

    def ended_well(self, action: str) -> None:
        """Take note of an action that went well; the first time, that is something new."""
        self._note(mark("done", action))

    def failed(self, action: str, how: Failure = FAILS) -> None:
        """Take note of an action that did not bring its effect, and how."""
        self._count(StuckReason.REPEATED_FAILURE, action, how)

    def dropped(self, action: str, reflex: str) -> None:
        """Take note of an action that a reflex put an end to, where the player stands."""
        self._count(StuckReason.REFLEX_LOOP, action, f"{reflex} {self._square}")

    def at_a_loss(self) -> None:
        """Take note of a tick for which no goal has a plan."""
        self._lost += 1

    def to_json(self) -> dict[str, Json]:
        """Return the whole state."""
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

    def come_back(self, died: Mapping[str, Any]) -> None:
        """Begin anew at a checkpoint; what the branch that died had gained is no gain any more."""
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
        """What recurs more than it may, the worst of it."""
        if not self._excess:
            return None
        quiet = self.quiet > min(QUIET, self._patience)
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
        if not percept.state.in_battle:  # where the same words are said every turn
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
