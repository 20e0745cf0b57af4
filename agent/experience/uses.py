"""Queries on memory for decisions: earlier failures, battles, choices and encounters.

Each use of memory can be switched off separately, and the decisions it changed are counted.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import Any, Final, TypeVar

from agent.experience.memory_use import EVERY_USE, MemoryUse
from agent.experience.run_times import ChosenWay, WayVerdict, best_of, verdicts_on
from emulator import State, World
from emulator.world import MapObjectKind
from memory import (
    MILESTONE_TIME,
    BlackboardEvent,
    BlockedSquare,
    Entry,
    MistakeRecord,
    Recall,
    SuccessfulStrategy,
    TalkOutcome,
)
from memory.codec import SavedAttributes, from_json
from memory.tiers import BLOCKED_SQUARE, ENCOUNTERS, MOVE_ORDER, TALK_OUTCOME

ENOUGH: Final = 3  # runs to one milestone that show which items are hardly missed
FEW: Final = 10  # one run in so many may have missed an item
LATELY: Final = 100  # earlier runs whose choices are compared
MET: Final = 200  # encounters of each kind that are searched
OFTEN: Final = 3  # battles after which a sequence of moves counts as proven
MOSTLY: Final = 0.7  # the share of them that must be won
Record = TypeVar("Record", TalkOutcome, BlockedSquare)
Known = TypeVar("Known")


def found(world: World, state: State) -> Mapping[int, int]:
    """Return how many of each item were picked up from the maps, by the flags that hide them."""
    hidden = state.flags.hidden
    taken: Counter[int] = Counter()
    for each in world.maps:
        items = {
            person.slot: person.item for person in each.people if person.kind is MapObjectKind.ITEM
        }
        for toggle in each.header.toggles if items else ():
            item = items.get(toggle.slot)
            if item is not None and hidden[toggle.flag >> 3] >> (toggle.flag & 7) & 1:
                taken[item] += 1
    return taken


def unneeded(milestone_times: Iterable[Entry]) -> Mapping[str, str]:
    """Return the names of the items that hardly a run needed to pick up, each with the reason in words.

    Nearly every run would have had one left without those picked up, at the latest milestone at which several runs ended.
    """
    ends: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for entry in milestone_times:
        data: Mapping[str, Any] = entry.data
        if "left" in data:
            ends[data["milestone"]].append(data)
    known = [runs for runs in ends.values() if len(runs) >= ENOUGH]
    if not known:
        return {}
    runs = max(known, key=lambda each: min(run["tick"] for run in each))
    items = {item for run in runs for item in run["left"]}
    few = len(runs) // FEW  # of them may have used the last one
    least = {
        item: sorted(run["left"].get(item, 0) - run["found"].get(item, 0) for run in runs)[few]
        for item in items
    }
    return {
        item: f"{left} and more were left over in {len(runs) - few} of {len(runs)} runs"
        for item, left in least.items()
        if left > 0
    }


class Experience(SavedAttributes):
    """Read-only queries on memory for decisions, cached until `long_term_changed` reports a change.

    `lessons` counts these changes: conclusions are computed again when it changes. `reasons` are
    facts that memory makes false, with the reason in words; `influences` lists other influences by subject.
    `moved` counts, for each use, the decisions that memory changed; it is part of a checkpoint.
    """

    SAVED = ("moved", "influences")

    def __init__(
        self,
        recall: Recall | None = None,
        uses: frozenset[MemoryUse] = EVERY_USE,
        episodes: str = "",
        session: str = "",
        run: str = "",
    ) -> None:
        self.lessons = 0
        self.reasons: dict[str, str] = {}
        self.influences: dict[str, str] = {}
        self.moved: Counter[MemoryUse] = Counter()
        self._recall = recall
        self._uses = uses
        self._episodes = episodes  # the scope of episodes of earlier runs
        self._session = session  # the scope of encounters of this run
        self._run = run  # the id of this run, whose milestones are not those of an earlier one
        self._cache: dict[tuple[object, ...], Any] = {}

    def long_term_changed(self, _event: BlackboardEvent) -> None:
        """Drop the cached answers, because long-term memory has changed."""
        self.lessons += 1
        self._cache.clear()

    def encounter_stored(self, event: BlackboardEvent) -> None:
        """Drop the cached answers after an encounter of this session."""
        if event.entry.kind in ENCOUNTERS:
            self.long_term_changed(event)

    def failing(self, place: str) -> Mapping[str, MistakeRecord]:
        """Return the mistake of each action that keeps failing in a place, by the action's name."""

        def find(recall: Recall) -> dict[str, MistakeRecord]:
            mistakes = recall.mistakes({"location": place})
            return {str(each.situation.get("action")): each for each in mistakes[::-1]}

        return self._known(MemoryUse.COSTS, (place,), find, {})

    def defeats(self, own: str) -> tuple[MistakeRecord, ...]:
        """Return the battles that a Pokemon of this name began and lost, the most severe first."""

        def find(recall: Recall) -> tuple[MistakeRecord, ...]:
            return tuple(filter(_is_defeat, recall.mistakes({"player_pokemon": own})))

        return self._known(MemoryUse.STRENGTH, (own,), find, ())

    def wins(self, own: str, enemies: str) -> Sequence[SuccessfulStrategy]:
        """Return the strategies with which a Pokemon of this name beat all of `enemies`, the most proven first."""
        return self._strategies(MemoryUse.STRENGTH, own, enemies)

    def winning(self, own: str, enemy: str) -> SuccessfulStrategy | None:
        """Return the most proven sequence of moves that won for `own` against `enemy`."""
        known = self._strategies(MemoryUse.MOVES, own, enemy)
        proven = (
            each for each in known if each.total_uses >= OFTEN and each.success_rate >= MOSTLY
        )
        return next(proven, None)

    def opening(self, own: str, enemy: str) -> tuple[str, ...]:
        """Return the move with which a Pokemon of this name prefers to open against `enemy`, if any."""

        def find(recall: Recall) -> tuple[str, ...]:
            known = recall.preference(f"{MOVE_ORDER}:{own}:{enemy}")
            return () if known is None else (str(known.preference_value),)

        return self._known(MemoryUse.MOVES, ("opening", own, enemy), find, ())

    def best_way(self, choice: str, ways: Sequence[int], drawn: int, luck: Random) -> ChosenWay:
        """Return which alternative to choose; `drawn` if memory knows nothing."""
        known: Sequence[Entry] = self._known(MemoryUse.CHOICES, (), self._milestone_times, ())
        return best_of(choice, ways, drawn, luck, known)

    def verdicts(self, choice: str, ways: Sequence[int]) -> Mapping[int, WayVerdict]:
        """Return what memory knows of each alternative of a choice that was tried."""
        known: Sequence[Entry] = self._known(MemoryUse.CHOICES, (), self._milestone_times, ())
        return verdicts_on(choice, ways, known)

    def unneeded(self, item: str) -> str:
        """Return the reason why an item of this name need not be picked up; '' if it may be needed."""
        known: Mapping[str, str] = self._known(
            MemoryUse.THINGS, (), lambda recall: unneeded(self._milestone_times(recall)), {}
        )
        return known.get(item, "")

    def blocked_squares(self) -> Mapping[tuple[int, int, int], BlockedSquare]:
        """Return the squares that a walk could not enter, and no later walk has entered."""
        ways = self._met(MemoryUse.ROUTES, BLOCKED_SQUARE, BlockedSquare)
        return {(each.map_id, each.x, each.y): each for each in ways.values() if not each.passed}

    def person(self, map_id: int, slot: int) -> TalkOutcome | None:
        """Return the text a person said, and the effects of the talk."""
        return self._met(MemoryUse.PEOPLE, TALK_OUTCOME, TalkOutcome).get(
            f"{TALK_OUTCOME}:{map_id}:{slot}"
        )

    def record_influence(self, use: MemoryUse, about: str, why: str) -> None:
        """Count a decision that memory changes, and store its subject `about` and reason; once for each reason."""
        if self.influences.get(about) != why:
            self.influences[about] = why
            self.moved[use] += 1

    def _known(
        self, use: MemoryUse, about: Sequence[str], find: Callable[[Recall], Known], nothing: Known
    ) -> Known:
        """Return the result of `find`, cached until memory changes; `nothing` if `use` is off."""
        if self._recall is None or use not in self._uses:
            return nothing
        key = (use, *about)
        if key not in self._cache:
            self._cache[key] = find(self._recall)
        known: Known = self._cache[key]
        return known

    def _strategies(self, use: MemoryUse, own: str, enemies: str) -> Sequence[SuccessfulStrategy]:
        return self._known(
            use, (own, enemies), lambda recall: tuple(recall.strategies(enemies, own)), ()
        )

    def _milestone_times(self, recall: Recall) -> Sequence[Entry]:
        found = recall.recent(self._episodes, MILESTONE_TIME, LATELY)
        return [each for each in found if each.data["run"] != self._run]

    def _met(self, use: MemoryUse, kind: str, record: type[Record]) -> Mapping[str, Record]:
        """Return the open encounters of a kind by key; those of this session replace earlier ones."""

        def find(recall: Recall) -> dict[str, Record]:
            scopes = (self._episodes, self._session)
            entries = (each for scope in scopes for each in recall.recent(scope, kind, MET))
            return {each.key: from_json(record, each.data) for each in entries if not each.closed}

        return self._known(use, (), find, {})


def _is_defeat(mistake: MistakeRecord) -> bool:
    situation = mistake.situation
    levels = situation.get("player_level"), situation.get("enemy_level")
    return all(isinstance(level, int) for level in levels) and "enemy_pokemon" in situation
