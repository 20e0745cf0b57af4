"""What moves knowledge up the tiers: every thousand ticks, and at the end of a session.

The observer's actions become counted approaches, approaches and battles become lessons, and each lesson is learnt
by the tactician of this run and put in the outbox for those to come. Everything is told once.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from memory.codec import Json, as_json, content_id, from_json
from memory.tiers import approaches, forgetting, lessons
from memory.tiers.approaches import Approach
from memory.tiers.settings import ConsolidationConfig
from memory.tiers.strategist import MAX_BATTLES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from _typeshed import DataclassInstance

    from memory.tiers.observer import ObserverMemory
    from memory.tiers.strategist import StrategistMemory
    from memory.tiers.tactician import TacticianMemory

CONSOLIDATION: Final = "consolidation"
SESSION: Final = "session"
MAX_HISTORY: Final = 50
KEPT_IN_WORKING: Final = 100


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What one consolidation did."""

    tick: int
    reason: Literal["interval", "session_end"]
    actions: int
    patterns: int
    strategies: int
    mistakes: int
    forgotten: int


class Outbox(Protocol):
    """Where lessons wait for the checkpoint that covers them."""

    def enqueue(self, tick: int, kind: lessons.Kind, payload: Mapping[str, Json]) -> None:
        """Keep one lesson at the next commit."""


class MemoryConsolidator:
    """Drives the tiers of one run. `started_at` is the epoch second that game second 0 stands for."""

    def __init__(  # the three tiers, their figures, and the two ways out
        self,
        config: ConsolidationConfig | None,
        observer: ObserverMemory,
        strategist: StrategistMemory,
        tactician: TacticianMemory,
        *,
        outbox: Outbox,
        started_at: float,
    ) -> None:
        self.config = config or ConsolidationConfig()
        self.observer = observer
        self.strategist = strategist
        self.tactician = tactician
        self.last_consolidation_tick = strategist.session_start_tick
        self.consolidation_history: list[Consolidation] = []
        self.consolidations = 0
        self._outbox = outbox
        self._started_at = started_at
        self._decayed_at = started_at
        self._cursor = 0
        self._battles_told: list[str] = []
        self._sequences: dict[approaches.Key, Approach] = {}
        self._attempts: dict[approaches.Key, Approach] = {}

    def tick(self, current_tick: int) -> Consolidation | None:
        """Return what was consolidated when `current_tick` entered a new interval, else None."""
        interval = self.config.tick_interval
        if current_tick // interval <= self.last_consolidation_tick // interval:
            return None
        return self.consolidate(current_tick)

    def consolidate(self, current_tick: int, *, session_end: bool = False) -> Consolidation:
        """Return what was moved up just now; nothing is moved twice."""
        self.last_consolidation_tick = max(self.last_consolidation_tick, current_tick)
        told: Counter[str] = Counter()
        actions = 0
        if self.config.session_end_consolidate or not session_end:
            actions = self.consolidate_observer_to_strategist(is_final=session_end)
            told = self.consolidate_strategist_to_tactician()
        done = Consolidation(
            tick=current_tick,
            reason="session_end" if session_end else "interval",
            actions=actions,
            patterns=told["pattern"],
            strategies=told["strategy"],
            mistakes=told["mistake"],
            # Game time is no calendar time: inside a run knowledge does not age.
            forgotten=len(self.apply_forgetting(self._decayed_at)),
        )
        if session_end:
            self._end_session()
        self._remember(done)
        return done

    def consolidate_observer_to_strategist(self, *, is_final: bool = False) -> int:
        """Return how many actions were counted, by sequence and one by one.

        The last sequence may still be going on: unless this is the final time, it waits for the next.
        """
        found = approaches.sequences(self.observer.actions_since(self._cursor))
        if found and not is_final:
            found.pop()
        for sequence in found:
            approaches.add(self._sequences, approaches.of_sequence(sequence))
            for action in sequence:
                approaches.add(self._attempts, approaches.of_action(action))
        if found:
            self._cursor = found[-1][-1].seq
        return sum(map(len, found))

    def consolidate_strategist_to_tactician(self) -> Counter[str]:
        """Return how many lessons of each kind were new."""
        told: Counter[str] = Counter()
        session_id = self.strategist.session_id
        for name, seen in self._sequences.items():
            at = self._started_at + seen.last_s
            pattern = lessons.pattern_of(seen, self.config, session_id=session_id, at=at)
            if pattern is not None:
                told += self._teach("pattern", pattern)
                self._sequences[name] = approaches.told(seen)
        for name, seen in self._attempts.items():
            mistake = lessons.mistake_of(seen, self.config, at=self._started_at + seen.last_s)
            if mistake is not None:
                told += self._teach("mistake", mistake)
                self._attempts[name] = approaches.told(seen)
        return told + self._tell_battles()

    def apply_forgetting(self, now: float) -> list[forgetting.Memory]:
        """Return what the tactician lost: its memories aged to `now`, the worthless and surplus dropped."""
        rate = self.config.forgetting_decay_rate
        forgetting.decay(self.tactician, since=self._decayed_at, now=now, rate=rate)
        self._decayed_at = max(self._decayed_at, now)
        return forgetting.prune(self.tactician, self.config, now=now)

    def prioritize_memories(self) -> dict[str, list[str]]:
        """Return the ids each tier holds, the one to keep longest first."""
        working = self.observer.blackboard.entries(self.observer.working)
        objectives = sorted(self.strategist.objectives, key=lambda each: -each.priority)
        battles = sorted(self.strategist.battle_history, key=lambda each: each.outcome != "defeat")
        rate = self.config.forgetting_decay_rate
        worth = forgetting.values(self.tactician, now=self._decayed_at, rate=rate)
        return {
            "observer": [
                str(each.seq) for each in sorted(working, key=lambda each: -each.importance)
            ],
            "strategist": [each.objective_id for each in objectives]
            + [each.battle_id for each in battles],
            "tactician": [each.id for each in sorted(worth, key=lambda each: -worth[each])],
        }

    def get_consolidation_status(self) -> dict[str, Json]:
        """Return the figures of consolidation so far."""
        last = self.consolidation_history[-1] if self.consolidation_history else None
        return {
            "last_consolidation_tick": self.last_consolidation_tick,
            "next_consolidation_tick": (
                self.last_consolidation_tick // self.config.tick_interval + 1
            )
            * self.config.tick_interval,
            "last": None if last is None else as_json(last),
            "consolidations": self.consolidations,
            "pending_actions": len(self.observer.actions_since(self._cursor)),
            "approaches": len(self._sequences),
            "patterns": len(self.tactician.patterns),
            "strategies": len(self.tactician.strategies),
            "mistakes": len(self.tactician.mistakes),
            "preferences": len(self.tactician.preferences),
        }

    def to_json(self) -> dict[str, Json]:
        """Return all that the tiers themselves do not tell."""
        return {
            "last_consolidation_tick": self.last_consolidation_tick,
            "decayed_at": self._decayed_at,
            "cursor": self._cursor,
            "battles_told": self._battles_told,
            # Lists, because the order says what was unseen for longest.
            "sequences": [as_json(each) for each in self._sequences.values()],
            "attempts": [as_json(each) for each in self._attempts.values()],
            "history": [as_json(each) for each in self.consolidation_history],
            "consolidations": self.consolidations,
        }

    def restore(self, data: Mapping[str, Any]) -> None:
        """Go on from where `to_json` was taken."""
        self.last_consolidation_tick = data["last_consolidation_tick"]
        self._decayed_at = data["decayed_at"]
        self._cursor = data["cursor"]
        self._battles_told = list(data["battles_told"])
        self._sequences = _book(data["sequences"])
        self._attempts = _book(data["attempts"])
        self.consolidation_history = [from_json(Consolidation, each) for each in data["history"]]
        self.consolidations = data["consolidations"]

    def _tell_battles(self) -> Counter[str]:
        told: Counter[str] = Counter()
        at = self._started_at + self.observer.blackboard.game_s
        outcomes: Counter[str] = Counter()
        for battle in self.strategist.battle_history:
            name = content_id(self.strategist.session_id, battle.battle_id, battle.start_tick)
            if name in self._battles_told:
                continue
            self._battles_told.append(name)
            outcomes[battle.outcome] += 1
            if (strategy := lessons.strategy_of(battle, at=at)) is not None:
                told += self._teach("strategy", strategy)
            if (defeat := lessons.defeat_of(battle, at=at)) is not None:
                told += self._teach("mistake", defeat)
        del self._battles_told[:-MAX_BATTLES]
        victories, defeats = outcomes["victory"], outcomes["defeat"]
        if victories + defeats:
            self._count(sessions=0, battles=victories + defeats, victories=victories)
        return told

    def _end_session(self) -> None:
        """Count the session, and leave a summary of it to the runs to come."""
        self._count(sessions=1, battles=0, victories=0)
        strategist, blackboard = self.strategist, self.observer.blackboard
        summary: dict[str, Json] = {
            "session_id": strategist.session_id,
            "ticks": self.last_consolidation_tick - strategist.session_start_tick,
            "battles": strategist.total_battles,
            "win_rate": strategist.get_win_rate(),
            "places": list(strategist.locations_visited),
            "progress": strategist.get_objectives_progress(),
        }
        entry = blackboard.write(
            self.observer.episodic,
            SESSION,
            summary,
            tick=self.last_consolidation_tick,
            game_s=blackboard.game_s,
            importance=6,
        )
        payload: dict[str, Json] = {
            "scope": entry.scope,
            "kind": entry.kind,
            "data": summary,
            "tags": sorted(entry.tags),
            "importance": entry.importance,
        }
        self._outbox.enqueue(entry.tick, "entry", payload)

    def _remember(self, done: Consolidation) -> None:
        """Announce `done` as an entry, and let go of what was read of working memory."""
        self.consolidations += 1
        self.consolidation_history.append(done)
        del self.consolidation_history[:-MAX_HISTORY]
        blackboard, working = self.observer.blackboard, self.observer.working
        blackboard.write(
            self.observer.stm,
            CONSOLIDATION,
            as_json(done),
            tick=done.tick,
            game_s=blackboard.game_s,
        )
        newest = blackboard.entries(working, limit=KEPT_IN_WORKING)
        if newest:
            through = min(self._cursor, newest[0].seq - 1)
            blackboard.forget(working, through_seq=through)

    def _teach(self, kind: lessons.Kind, record: DataclassInstance) -> Counter[str]:
        payload = as_json(record)
        lessons.learn(self.tactician, kind, payload)
        self._outbox.enqueue(self.last_consolidation_tick, kind, payload)
        return Counter({kind: 1})

    def _count(self, *, sessions: int, battles: int, victories: int) -> None:
        self.tactician.count(sessions=sessions, battles=battles, victories=victories)
        payload = {"sessions": sessions, "battles": battles, "victories": victories}
        self._outbox.enqueue(self.last_consolidation_tick, "totals", payload)


def _book(data: Iterable[Mapping[str, Json]]) -> dict[approaches.Key, Approach]:
    found = (from_json(Approach, each) for each in data)
    return {each.key: each for each in found}
