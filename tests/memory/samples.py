"""Sample records, and one complete memory over real files."""

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memory import (
    ACTION,
    AgentMemory,
    BattleRecord,
    Blackboard,
    Checkpoint,
    Entry,
    Json,
    MistakeRecord,
    RunStore,
    SessionObjective,
    StepRow,
    SuccessfulStrategy,
    as_json,
    open_memory,
    open_run_store,
)
from memory.store.outbox import entry_from
from memory.tiers.consolidator import MemoryConsolidator
from memory.tiers.knowledge import (
    KINDS,
    ConsolidationConfig,
    Knowledge,
    LearnedPattern,
    PlayerPreference,
)
from memory.tiers.lasting import OutboxRow
from memory.tiers.observer import TICK_STATE, ActionRecord, ObserverMemory, TickState
from memory.tiers.strategist import LocationVisited, ResourceSnapshot, StrategistMemory
from memory.tiers.tactician import TacticianMemory

NOON = 1_800_000_000.0
MONTH = 30 * 86_400.0
WORKING = "agent:play:working"
STM = "agent:play:stm"
EPISODIC = "agent:play:ltm:episodic"
SENSORY = "agent:play:sensory"

STATE = TickState(1, 0.5, "hometown", False, 100.0, 3000, (), "overworld", None)
ACT = ActionRecord(1, "press", "up", "go north", 1.0, True, "moved", 130.0)
FIGHT = BattleRecord(
    "b1", 10, 20, "rat", 3, "turtle", 5, "victory", 2, 18.0, ("tackle", "tackle"), (), ()
)
TOWN = LocationVisited("hometown", "town", 5, 5, 1, ("lawn",), ("lab",), (), ("mum",))
OWNED = ResourceSnapshot(7, 3000, {"potion": 1}, (), (), ("map",))
AIM = SessionObjective(
    "o1", "Leave", "Leave the house", "reach", 50, "active", 0.0, 1, None, (), "hometown"
)
PATTERN = LearnedPattern(
    "p1", "route", "north", {"location": "town"}, "s", 9, 3, 1, 0.75, NOON, 0.75
)
STRATEGY = SuccessfulStrategy(
    "s1", {}, "rat", "turtle", "tackle", ("growl", "tackle"), 1.0, 2, NOON, NOON
)
MISTAKE = MistakeRecord("m1", "wall", {"location": "town"}, "bump", "minor", "", NOON, NOON, 3)
PREFERENCE = PlayerPreference("f1", "naming", "short", {"name": ["A"]}, "s", 0.9, NOON, NOON)


SESSION_FIELDS = (
    "session_id session_start_tick objectives active_objective battle_history locations_visited "
    "resource_history total_battles victories defeats"
)
KNOWLEDGE_FIELDS = (
    "patterns strategies mistakes preferences total_sessions total_battles overall_win_rate"
)


def entries_of(known: Knowledge) -> list[Entry]:
    """Knowledge as the entries that a new run starts with."""
    won = round(known.overall_win_rate * known.total_battles)
    records = [(kind, each) for kind in KINDS for each in known.of(kind.table).values()]
    lessons: list[tuple[Any, Any]] = [(kind.name, as_json(each)) for kind, each in records]
    sums = known.total_sessions, known.total_battles, won
    lessons.append(("totals", dict(zip(("sessions", "battles", "victories"), sums, strict=True))))
    return [entry_from("", OutboxRow(0, 0, *each))[0] for each in lessons]


def session_of(memory: StrategistMemory) -> dict[str, object]:
    """The records and totals of one session, by the names of the design."""
    fields = {**as_json(memory.totals), "session_id": memory.session_id}
    return {
        name: fields[name] if name in fields else _copy(getattr(memory, name))
        for name in SESSION_FIELDS.split()
    }


def knowledge_of(memory: TacticianMemory) -> dict[str, object]:
    """The knowledge that outlives sessions, by the names of the design."""
    return {name: _copy(getattr(memory, name)) for name in KNOWLEDGE_FIELDS.split()}


def _copy(value: object) -> object:
    """A copy that does not change with memory."""
    return dict(value) if isinstance(value, Mapping) else copy(value)


def step(tick: int) -> StepRow:
    digest = tick.to_bytes(16, "big")
    return StepRow(tick, "a" if tick % 2 else None, 4, 8, 12 * tick, digest, None, digest)


def checkpoint(tick: int) -> Checkpoint:
    return Checkpoint(tick, 12 * tick, b"game at %d" % tick, b"chain")


@dataclass
class Tiers:
    store: RunStore
    memory: AgentMemory

    @property
    def blackboard(self) -> Blackboard:
        return self.memory.blackboard

    @property
    def observer(self) -> ObserverMemory:
        return self.memory.observer

    @property
    def strategist(self) -> StrategistMemory:
        return self.memory.strategist

    @property
    def tactician(self) -> TacticianMemory:
        return self.memory.tactician

    @property
    def consolidator(self) -> MemoryConsolidator:
        return self.memory.consolidator

    def act(self, tick: int, value: str, *, success: bool = True, why: str = "go") -> None:
        action = replace(ACT, tick=tick, action_value=value, reasoning=why, success=success)
        data: Mapping[str, Json] = {**as_json(action), "location": "town"}
        self.blackboard.write(WORKING, ACTION, data, tick=tick, game_s=tick / 2)

    def acts(self, ticks: Iterable[int], value: str, **more: Any) -> None:  # noqa: ANN401
        """Record a sequence of two actions at each tick: one action alone is no pattern."""
        for tick in ticks:
            self.act(tick, value, **more)
            self.act(tick, f"{value} again", **more)

    def moment(self, tick: int, place: str = "town") -> None:
        state = as_json(replace(STATE, tick=tick, location=place))
        self.blackboard.write(SENSORY, TICK_STATE, state, tick=tick, game_s=tick / 2)

    def fight(self, tick: int, outcome: str = "defeat") -> None:
        battle = replace(FIGHT, battle_id=f"b{tick}", start_tick=tick, outcome=outcome)
        self.strategist.record_battle(replace(battle, end_tick=tick))


def memory_in(store: RunStore, config: ConsolidationConfig | None = None) -> AgentMemory:
    return open_memory(store, "play", session_id="session-1", started_at=NOON, config=config)


def open_tiers(
    path: Path, *, config: ConsolidationConfig | None = None, known: Knowledge | None = None
) -> Tiers:
    store = open_run_store(path, run_id="run-1")
    memory = memory_in(store, config)
    if known is not None:
        memory.inherit(entries_of(known))
    return Tiers(store, memory)
