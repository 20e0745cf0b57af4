"""Consolidation: running the edges of memory every 1,000 ticks, at the end of a session, and on request.

It holds no state itself: entries, pending entries and their results are on the blackboard and in the subscriptions.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Final, Literal

from memory.blackboard.entry import EntryKind, record_kind
from memory.blackboard.view import View
from memory.codec import Json, as_json
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.tiers import lessons
from memory.tiers.knowledge import ConsolidationConfig, KnowledgeKey
from memory.tiers.observer import ObserverMemory
from memory.tiers.strategist import StrategistMemory
from memory.tiers.tactician import TacticianMemory

CONSOLIDATION: Final = "consolidation"
MAX_HISTORY: Final = 50


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The result of one consolidation; `number` counts them from 1."""

    number: int
    tick: int
    reason: Literal["interval", "session_end", "demand"]
    actions: int
    patterns: int
    strategies: int
    mistakes: int
    forgotten: int


def consolidation_kind() -> EntryKind:
    """Return the policies of the entries that record consolidations."""
    return record_kind(CONSOLIDATION, Consolidation, "number", limit=MAX_HISTORY)


class MemoryConsolidator:
    """Runs the edges between the tiers of one run. `started_at` is the epoch second at which the session began."""

    def __init__(  # noqa: PLR0913  # the three tiers, the edges between them, and the settings
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
        """The number of consolidations."""
        last = self._history.records(1)
        return last[0].number if last else 0

    @property
    def last_consolidation_tick(self) -> int:
        """The tick of the last consolidation, or of the start of the session if that is later."""
        last = self._history.records(1)
        return max(last[0].tick if last else 0, self.strategist.totals.session_start_tick)

    def tick(self, current_tick: int) -> Consolidation | None:
        """Return the consolidation that ran because `current_tick` entered a new interval, else None."""
        interval = self.config.tick_interval
        # Called every tick: for consecutive ticks within an interval the history need not be read.
        key = current_tick, self.observer.blackboard.loads
        follows = key == self._expected and current_tick % interval
        self._expected = key[0] + 1, key[1]
        if follows or current_tick // interval <= self.last_consolidation_tick // interval:
            return None
        return self.consolidate(current_tick)

    def consolidate(
        self,
        current_tick: int,
        *,
        reason: Literal["interval", "session_end", "demand"] = "interval",
    ) -> Consolidation:
        """Return the result of consolidating now; nothing is carried twice."""
        written: Counter[str] = Counter()
        actions = 0
        is_final = reason == "session_end"
        if self.config.session_end_consolidate or not is_final:
            before = self._flows.carried("actions")
            # The last sequence may still continue: unless this is the final call, it waits for the next one.
            self._flows.run(*lessons.OBSERVER_EDGES, final=is_final)
            actions = self._flows.carried("actions") - before
            if is_final:
                self._write_summary(current_tick)
            written = self._flows.run(*lessons.LTM_EDGES)
            self._flows.run(final=is_final)  # edges added from outside
        done = Consolidation(
            number=self.consolidations + 1,
            tick=current_tick,
            reason=reason,
            actions=actions,
            patterns=written["pattern"],
            strategies=written["strategy"],
            mistakes=written["mistake"],
            forgotten=len(self.apply_forgetting(is_final=is_final)),
        )
        self.observer.blackboard.write(
            self.observer.stm, CONSOLIDATION, as_json(done), tick=current_tick
        )
        return done

    def apply_forgetting(self, *, is_final: bool = False) -> list[KnowledgeKey]:
        """Return the knowledge removed from the tactician because its value was below the threshold.

        Scopes that are due are maintained too, in the final call all of them. Inside a run knowledge does not age, because
        game time is not calendar time: its value changes only by evidence.
        """
        self._maintenance.run(forced=is_final)
        values = self._values()
        forgotten = [key for key in values if values[key] < self.config.importance_threshold]
        for memory in forgotten:
            self.tactician.forget(memory)
        return forgotten

    def prioritize_memories(self) -> dict[str, list[str]]:
        """Return the ids that each tier holds, most valuable first."""
        working = self.observer.blackboard.entries(self.observer.working)
        objectives = sorted(self.strategist.objectives, key=lambda each: -each.priority)
        battles = sorted(self.strategist.battle_history, key=lambda each: each.outcome != "defeat")
        value = self._values()
        return {
            "observer": [
                str(each.seq) for each in sorted(working, key=lambda each: -each.importance)
            ],
            "strategist": [each.objective_id for each in objectives]
            + [each.battle_id for each in battles],
            "tactician": [each.id for each in sorted(value, key=lambda each: -value[each])],
        }

    def get_consolidation_status(self) -> dict[str, Json]:
        """Return counts and ticks of the consolidations so far."""
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

    def _values(self) -> dict[KnowledgeKey, float]:
        rate = self.config.forgetting_decay_rate
        return self.tactician.knowledge().values(now=self._started_at, rate=rate)

    def _write_summary(self, tick: int) -> None:
        """Write a summary of the session to short-term memory, from where it goes to later runs."""
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
