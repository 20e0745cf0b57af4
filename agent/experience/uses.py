"""Memory as decisions ask it: earlier failures, battles, choices and encounters.

Each use of memory can be switched off by itself, and the decisions that it changed are counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from statistics import fmean, variance
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from emulator import State, World
from emulator.world.residents import ResidentKind
from memory import (
    WAYPOINT,
    BlackboardEvent,
    Entry,
    Json,
    LearnedPattern,
    MistakeRecord,
    PersonHeard,
    Recall,
    ShelfSeen,
    SuccessfulStrategy,
    WayBarred,
    milestones_of,
)
from memory.codec import SavedAttributes, from_json
from memory.tiers.encounters import BARRED, ENCOUNTERS, HEARD, SHELF

ENOUGH: Final = 3  # runs to one milestone that say what is never missed
SPREAD: Final = 3  # times a way has to be tried before it says how far luck goes
CLEARLY: Final = 2.5  # standard errors of a difference
Ticks: TypeAlias = Sequence[float]  # that a way took to one milestone, each time
LATELY: Final = 100  # earlier runs whose ways are looked at
MET: Final = 200  # encounters of each kind that are looked through
OFTEN: Final = 3  # battles after which a sequence of moves is no mere luck
MOSTLY: Final = 0.7  # of them won
Record = TypeVar("Record", PersonHeard, ShelfSeen, WayBarred)
Known = TypeVar("Known")


def found(world: World, state: State) -> Mapping[int, int]:
    """Return how many of each item were picked up of those that lay about, by the flags that hide them."""
    hidden = state.flags.hidden
    taken: Counter[int] = Counter()
    for each in world.maps:
        items = {
            person.slot: person.item for person in each.people if person.kind is ResidentKind.ITEM
        }
        for toggle in each.header.toggles if items else ():
            item = items.get(toggle.slot)
            if item is not None and hidden[toggle.flag >> 3] >> (toggle.flag & 7) & 1:
                taken[item] += 1
    return taken


def spare(waypoints: Iterable[Entry]) -> Mapping[int, str]:
    """Return the items of which every run would have had one left without any that lay about, and that in words.

    Looked at is the milestone that took longest to reach of those that several runs ended at.
    """
    ends: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in waypoints:
        data: Mapping[str, Any] = entry.data
        if "left" in data:
            ends[data["milestone"]].append(data)
    known = [runs for runs in ends.values() if len(runs) >= ENOUGH]
    if not known:
        return {}
    runs = max(known, key=lambda each: min(run["tick"] for run in each))
    items = {item for run in runs for item in run["left"]}
    least = {
        item: min(run["left"].get(item, 0) - run["found"].get(item, 0) for run in runs)
        for item in items
    }
    return {
        int(item): f"{left} and more were left over in all of {len(runs)} runs"
        for item, left in least.items()
        if left > 0
    }


class ChosenWay(NamedTuple):
    """A way to take, and why in words; no words where memory has nothing to say."""

    way: int
    why: str = ""


def best_of(choice: str, ways: Sequence[int], drawn: int, waypoints: Iterable[Entry]) -> ChosenWay:
    """Return the way that was `drawn`, or the best known, where that one clearly takes longer than the best.

    Ways are compared at the furthest milestone that all of those tried led to. Luck weighs more than any way once, and
    of ways that cannot be told apart none is worth giving up: so each goes on being tried.
    """
    known = _known(choice, waypoints)
    common = set.intersection(*map(set, known.values())) if drawn in known else ()
    if not common:
        return ChosenWay(drawn)
    last = max(sorted(common), key=lambda name: min(fmean(took[name]) for took in known.values()))
    took = {way: known[way][last] for way in ways if way in known}
    best = min(took, key=lambda way: (fmean(took[way]), way))
    if not _clearly_longer(took[drawn], took[best]):
        return ChosenWay(drawn)
    ticks, others = fmean(took[best]), fmean(took[drawn])
    why = f"this way took {ticks:.0f} ticks to {last} (x{len(took[best])}), the one drawn {others:.0f}"
    return ChosenWay(best, why)


def _clearly_longer(some: Ticks, best: Ticks) -> bool:
    """Say whether luck alone hardly explains that `some` took longer than `best`."""
    if min(len(some), len(best)) < SPREAD:
        return False
    error: float = (variance(some) / len(some) + variance(best) / len(best)) ** 0.5
    return fmean(some) - fmean(best) > CLEARLY * error


def _known(choice: str, waypoints: Iterable[Entry]) -> Mapping[int, Mapping[str, Ticks]]:
    """Return the ticks that each way took to each milestone."""
    seen: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for entry in waypoints:
        data: Mapping[str, Any] = entry.data
        way = data["choices"].get(choice)
        if way is not None:
            for milestone, taken in milestones_of(data).items():
                seen[way][milestone].append(taken["tick"])
    return seen


class MemoryUse(StrEnum):
    """What memory may change of play; each can be switched off by itself."""

    COSTS = "costs"  # what keeps failing in a place costs more there
    STRENGTH = "strength"  # a mon that lost to a trainer leads against him again only when grown
    WINS = "wins"  # a mon that always won is ready again, even a level younger
    CHOICES = "choices"  # of several ways none is taken again that clearly took longer
    ROUTES = "routes"  # a square that a walk could not step on is walked around
    MOVES = "moves"  # of moves as good the next of a sequence that won is tried first
    SEQUENCES = "sequences"  # of plans as cheap one of actions that led there before is taken
    SHOPS = "shops"  # what a shop was seen not to have is not asked for there
    PEOPLE = "people"  # people who only talk are not asked twice
    THINGS = "things"  # what no run ever missed is left lying


EVERY_USE: Final = frozenset(MemoryUse)


class Experience(SavedAttributes):
    """Memory as decisions ask it. Answers are kept until it has `learnt` something.

    `lessons` counts how often that was: conclusions are drawn anew when it changes. `reasons` are
    facts that memory holds back, and why, in words; `grounds` are facts that are so because of memory alone;
    `broken` are effects that actions do not have, by the action's name, and `told` what else memory changed.
    `moved` counts by use the decisions that would have been others without it; it is part of a checkpoint.
    """

    SAVED = ("moved", "told")  # how often each use moved a decision, and what was counted

    def __init__(
        self,
        recall: Recall | None = None,
        uses: frozenset[MemoryUse] = EVERY_USE,
        episodes: str = "",
        session: str = "",
    ) -> None:
        self.lessons = 0
        self.reasons: dict[str, str] = {}
        self.grounds: dict[str, str] = {}
        self.broken: dict[str, dict[str, str]] = {}
        self.told: dict[str, str] = {}
        self.moved: Counter[MemoryUse] = Counter()
        self._recall = recall
        self._uses = uses
        self._episodes = episodes  # the scope of what earlier runs tell as it was
        self._session = session  # the scope of what this one saw so far
        self._kept: dict[tuple[object, ...], Any] = {}

    def learnt(self, _event: BlackboardEvent) -> None:
        """Ask memory anew from now on: what is known for good has changed."""
        self.lessons += 1
        self._kept.clear()

    def met(self, event: BlackboardEvent) -> None:
        """Ask memory anew after an encounter of this session."""
        if event.entry.kind in ENCOUNTERS:
            self.learnt(event)

    def failing(self, place: str) -> Mapping[str, MistakeRecord]:
        """Return the mistake of each action that keeps failing in a place, by the action's name."""

        def find(recall: Recall) -> dict[str, MistakeRecord]:
            mistakes = recall.mistakes({"location": place})
            return {str(each.situation.get("action")): each for each in mistakes[::-1]}

        return self._known(MemoryUse.COSTS, (place,), find, {})

    def defeats(self, own: str) -> tuple[MistakeRecord, ...]:
        """Return the battles that a Pokemon of this name began and lost, the gravest first."""

        def find(recall: Recall) -> tuple[MistakeRecord, ...]:
            return tuple(filter(_is_defeat, recall.mistakes({"player_pokemon": own})))

        return self._known(MemoryUse.STRENGTH, (own,), find, ())

    def wins(self, own: str, enemies: str) -> Sequence[SuccessfulStrategy]:
        """Return how a Pokemon of this name won against all of `enemies`; the most proven first."""
        return self._strategies(MemoryUse.WINS, own, enemies)

    def winning(self, own: str, enemy: str) -> SuccessfulStrategy | None:
        """Return the most proven sequence of moves that won for `own` against `enemy`."""
        known = self._strategies(MemoryUse.MOVES, own, enemy)
        proven = (
            each for each in known if each.total_uses >= OFTEN and each.success_rate >= MOSTLY
        )
        return next(proven, None)

    def best_way(self, choice: str, ways: Sequence[int], drawn: int) -> ChosenWay:
        """Return which of several ways to take; `drawn` where memory has nothing to say."""
        known: Sequence[Entry] = self._known(MemoryUse.CHOICES, (), self._waypoints, ())
        return best_of(choice, ways, drawn, known)

    def spare(self, item: int) -> str:
        """Return in words why an item need not be picked up; nothing where it may be missed."""
        known: Mapping[int, str] = self._known(
            MemoryUse.THINGS, (), lambda recall: spare(self._waypoints(recall)), {}
        )
        return known.get(item, "")

    def leading_to(self, goal: str, place: str) -> LearnedPattern | None:
        """Return the most proven sequence of actions that led to a goal, in its words, from a place."""

        def find(recall: Recall) -> dict[Json, LearnedPattern]:
            patterns = recall.patterns({"location": place})
            here = [each for each in patterns if each.trigger_conditions.get("location") == place]
            return {each.trigger_conditions.get("reasoning"): each for each in here[::-1]}

        known: Mapping[Json, LearnedPattern] = self._known(MemoryUse.SEQUENCES, (place,), find, {})
        return known.get(goal)

    def barred(self) -> Mapping[tuple[int, int, int], WayBarred]:
        """Return the squares that a walk could not step on, and none has since."""
        ways = self._met(MemoryUse.ROUTES, BARRED, WayBarred)
        return {(each.map_id, each.x, each.y): each for each in ways.values() if not each.passed}

    def shelf(self, map_id: int, slot: int) -> ShelfSeen | None:
        """Return what a clerk had for sale when last seen."""
        return self._met(MemoryUse.SHOPS, SHELF, ShelfSeen).get(f"{SHELF}:{map_id}:{slot}")

    def person(self, map_id: int, slot: int) -> PersonHeard | None:
        """Return what a person said, and what came of it."""
        return self._met(MemoryUse.PEOPLE, HEARD, PersonHeard).get(f"{HEARD}:{map_id}:{slot}")

    def sways(self, use: MemoryUse, about: str, why: str) -> None:
        """Count a decision that memory moves, and keep what it was `about` and why; once for each reason."""
        if self.told.get(about) != why:
            self.told[about] = why
            self.moved[use] += 1

    def _known(
        self, use: MemoryUse, about: Sequence[str], find: Callable[[Recall], Known], nothing: Known
    ) -> Known:
        """Return what `find` found when asked first, until memory has learnt something; `nothing` where `use` is off."""
        if self._recall is None or use not in self._uses:
            return nothing
        key = (use, *about)
        if key not in self._kept:
            self._kept[key] = find(self._recall)
        known: Known = self._kept[key]
        return known

    def _strategies(self, use: MemoryUse, own: str, enemies: str) -> Sequence[SuccessfulStrategy]:
        return self._known(
            use, (own, enemies), lambda recall: tuple(recall.strategies(enemies, own)), ()
        )

    def _waypoints(self, recall: Recall) -> Sequence[Entry]:
        return recall.recent(self._episodes, WAYPOINT, LATELY)

    def _met(self, use: MemoryUse, kind: str, record: type[Record]) -> Mapping[str, Record]:
        """Return the encounters of a kind that still hold, by key; what this session saw last counts."""

        def find(recall: Recall) -> dict[str, Record]:
            entries = (
                entry
                for scope in (self._episodes, self._session)
                for entry in recall.recent(scope, kind, MET)
            )
            return {each.key: from_json(record, each.data) for each in entries if not each.closed}

        return self._known(use, (), find, {})


def _is_defeat(mistake: MistakeRecord) -> bool:
    situation = mistake.situation
    levels = situation.get("player_level"), situation.get("enemy_level")
    return all(isinstance(level, int) for level in levels) and "enemy_pokemon" in situation
