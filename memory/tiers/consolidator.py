"""What drives memory's edges: every thousand ticks, at the end of a session, and when asked for.

It moves nothing itself and holds nothing: what is pending, what was carried and what came of it is on the blackboard
and with the subscriptions.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from memory.blackboard.entry import EntryKind, record_kind
from memory.blackboard.view import View
from memory.codec import Json, as_json
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.tiers import forgetting, lessons
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.observer import ObserverMemory
from memory.tiers.strategist import StrategistMemory
from memory.tiers.tactician import TacticianMemory

CONSOLIDATION: Final = "consolidation"
MAX_HISTORY: Final = 50


@dataclass(frozen=True, slots=True)
class Consolidation:
    """What one consolidation did; `number` counts them from 1."""

    number: int
    tick: int
    reason: Literal["interval", "session_end", "demand"]
    actions: int
    patterns: int
    strategies: int
    mistakes: int
    forgotten: int


def consolidation_kind() -> EntryKind:
    """Return the policies of what is told of each consolidation."""
    return record_kind(CONSOLIDATION, Consolidation, "number", limit=MAX_HISTORY)


class MemoryConsolidator:
    """Drives the tiers of one run. `started_at` is the epoch second that game second 0 stands for."""

    def __init__(  # noqa: PLR0913  # the three tiers, what moves between them, and its figures
        self,
        config: ConsolidationConfig,
        observer: ObserverMemory,
        strategist: StrategistMemory,
        tactician: TacticianMemory,
        *,
        flows: Flows,
        maintenance: Maintenance,
        started_at: float,
    ) -> None:
        self.config = config
        self.observer = observer
        self.strategist = strategist
        self.tactician = tactician
        self._flows = flows
        self._maintenance = maintenance
        self._started_at = started_at
        self._expected = -1, 0
        self._history = View(observer.blackboard, observer.stm, CONSOLIDATION, Consolidation)

    @property
    def consolidation_history(self) -> list[Consolidation]:
        """The last consolidations, oldest first."""
        return self._history.records()

    @property
    def consolidations(self) -> int:
        """How many there were."""
        last = self._history.records(1)
        return last[0].number if last else 0

    @property
    def last_consolidation_tick(self) -> int:
        """When the last one was, or the session began."""
        last = self._history.records(1)
        return max(last[0].tick if last else 0, self.strategist.totals.session_start_tick)

    def tick(self, current_tick: int) -> Consolidation | None:
        """Return what was consolidated when `current_tick` entered a new interval, else None."""
        interval = self.config.tick_interval
        # Asked every tick: one that follows the last within an interval need not look what was when.
        asked = current_tick, self.observer.blackboard.readings
        follows = asked == self._expected and current_tick % interval
        self._expected = asked[0] + 1, asked[1]
        if follows or current_tick // interval <= self.last_consolidation_tick // interval:
            return None
        return self.consolidate(current_tick)

    def consolidate(
        self,
        current_tick: int,
        *,
        reason: Literal["interval", "session_end", "demand"] = "interval",
    ) -> Consolidation:
        """Return what was moved up just now; nothing is moved twice."""
        told: Counter[str] = Counter()
        actions = 0
        is_final = reason == "session_end"
        if self.config.session_end_consolidate or not is_final:
            actions = self.consolidate_observer_to_strategist(is_final=is_final)
            if is_final:
                self._sum_up(current_tick)
            told = self.consolidate_strategist_to_tactician()
            self._flows.run(final=is_final)  # whatever else was added
        done = Consolidation(
            number=self.consolidations + 1,
            tick=current_tick,
            reason=reason,
            actions=actions,
            patterns=told["pattern"],
            strategies=told["strategy"],
            mistakes=told["mistake"],
            forgotten=len(self.apply_forgetting(is_final=is_final)),
        )
        self.observer.blackboard.write(
            self.observer.stm, CONSOLIDATION, as_json(done), tick=current_tick
        )
        return done

    def consolidate_observer_to_strategist(self, *, is_final: bool = False) -> int:
        """Return how many actions were counted, by sequence and one by one.

        The last sequence may still be going on: unless this is the final time, it waits for the next.
        """
        before = self._flows.carried("actions")
        self._flows.run(*lessons.RISING, final=is_final)
        return self._flows.carried("actions") - before

    def consolidate_strategist_to_tactician(self) -> Counter[str]:
        """Return how many lessons of each kind were new."""
        return self._flows.run(*lessons.LEARNING)

    def apply_forgetting(self, *, is_final: bool = False) -> list[forgetting.Memory]:
        """Return what the tactician lost: all that is worth too little.

        Every scope whose turn it is is looked after as well, at the end all of them. Game time is no calendar time: inside a run knowledge does not age, so
        that what it is worth changes by evidence alone.
        """
        self._maintenance.run(asked=is_final)
        worthless = forgetting.worthless(
            self.tactician.knowledge(), self.config, now=self._started_at
        )
        for memory in worthless:
            self.tactician.forget(memory)
        return worthless

    def prioritize_memories(self) -> dict[str, list[str]]:
        """Return the ids each tier holds, the one to keep longest first."""
        working = self.observer.blackboard.entries(self.observer.working)
        objectives = sorted(self.strategist.objectives, key=lambda each: -each.priority)
        battles = sorted(self.strategist.battle_history, key=lambda each: each.outcome != "defeat")
        rate = self.config.forgetting_decay_rate
        worth = forgetting.values(self.tactician.knowledge(), now=self._started_at, rate=rate)
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
        last = self._history.records(1)
        interval = self.config.tick_interval
        return {
            "last_consolidation_tick": self.last_consolidation_tick,
            "next_consolidation_tick": (self.last_consolidation_tick // interval + 1) * interval,
            "last": as_json(last[0]) if last else None,
            "consolidations": self.consolidations,
            "pending_actions": len(self._flows.pending("actions")),
            "patterns": len(self.tactician.patterns),
            "strategies": len(self.tactician.strategies),
            "mistakes": len(self.tactician.mistakes),
            "preferences": len(self.tactician.preferences),
        }

    def _sum_up(self, tick: int) -> None:
        """Leave a summary of the session in short-term memory, from where it goes to those to come."""
        strategist = self.strategist
        summary: dict[str, Json] = {
            "session_id": strategist.session_id,
            "ticks": tick - strategist.totals.session_start_tick,
            "battles": strategist.totals.total_battles,
            "win_rate": strategist.get_win_rate(),
            "places": list(strategist.locations_visited),
            "progress": strategist.get_objectives_progress(),
        }
        blackboard = self.observer.blackboard
        blackboard.write(self.observer.stm, lessons.SESSION, summary, tick=tick, importance=6)
