"""Memory at full capacity, filled with what a real game writes, repeated as often as needed."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

from agent.app.memory_producers import AGENT
from agent.app.play import NoViewer
from agent.app.session import PlayLimits
from agent.lab.bench.game import GOAL, session_of
from agent.story import Story
from emulator import Cartridge, Dex
from memory import (
    ACTION,
    BATTLE,
    AgentMemory,
    BattleRecord,
    Blackboard,
    Entry,
    Json,
    Knowledge,
    LearnedPattern,
    MistakeRecord,
    RunStore,
    SessionObjective,
    SuccessfulStrategy,
    open_memory,
    open_run_store,
    scope_name,
)
from memory.tiers import ConsolidationConfig, LocationVisited, ResourceSnapshot

TICKS: Final = 1_000  # from one consolidation to the next
SKIPPED: Final = 400  # ticks: power-on, the opening and the first steps
DATES: Final = frozenset(
    {
        "tick",
        "start_tick",
        "end_tick",
        "first_visit_tick",
        "last_visit_tick",
        "created_tick",
        "completed_tick",
    }
)
OWN: Final = frozenset(
    {"consolidation", "session", "session_begun", "session_ended"}
)  # kinds that memory writes by itself


def stretch_of_play(cartridge: Cartridge, seed: int, ticks: int = TICKS) -> list[Entry]:
    """Return what the producers wrote in so many ticks of a game's story, dated from the first of them on."""
    story = Story.of(cartridge.kind)
    with _listening() as entries, session_of(cartridge, story, seed) as (session, _):
        session.play(PlayLimits(GOAL, SKIPPED + ticks), NoViewer())
    inside = [entry for entry in entries if SKIPPED < entry.tick <= SKIPPED + ticks]
    start = inside[0].game_s
    return [
        each._replace(
            data=dated(each.data, -SKIPPED), tick=each.tick - SKIPPED, game_s=each.game_s - start
        )
        for each in inside
    ]


def write_again(stretch: Sequence[Entry], blackboard: Blackboard, tick: int) -> None:
    """Write a stretch of play as if it began at `tick`, which is now."""
    begins = blackboard.game_s
    for each in stretch:
        blackboard.write(
            each.scope,
            each.kind,
            dated(each.data, tick),
            tick=tick + each.tick,
            game_s=begins + each.game_s,
            importance=each.importance,
        )


def dated(data: Mapping[str, Json], ticks: int) -> dict[str, Json]:
    """Return `data` as if it had happened so many ticks later."""
    return {
        name: value + ticks if name in DATES and isinstance(value, int) else value
        for name, value in data.items()
    }


@contextmanager
def _listening() -> Iterator[list[Entry]]:
    """Lend a list that every entry written meanwhile goes to, but for what memory derives by itself."""
    heard: list[Entry] = []
    write = Blackboard.write

    @wraps(write)
    def heard_write(self: Blackboard, *args: Any, **kwargs: Any) -> Entry:  # noqa: ANN401
        entry = write(self, *args, **kwargs)
        if entry.status == "verified" and ":ltm:" not in entry.scope and entry.kind not in OWN:
            # As it was handed in: what it became one with is no producer's.
            heard.append(entry._replace(data=dict(args[2])))
        return entry

    setattr(Blackboard, "write", heard_write)  # noqa: B010  # a method cannot be assigned otherwise
    try:
        yield heard
    finally:
        setattr(Blackboard, "write", write)  # noqa: B010


STARTED: Final = 1_800_000_000.0  # epoch seconds
PATTERN_TYPES: Final = 10
PATTERNS: Final = 500
STRATEGIES: Final = 100
MISTAKES: Final = 200
OBJECTIVES: Final = 100
BATTLES: Final = 100
SNAPSHOTS: Final = 100
LOCATIONS: Final = 200
SESSION_EVENTS: Final = 1_000
OBSERVATIONS: Final = 100_000
FOR_GOOD: Final = 1e9  # game seconds
BATCH: Final = 5_000  # entries in one commit
EVERY_S: Final = 2.0  # game seconds between two observations


@dataclass(frozen=True, slots=True)
class Names:
    """Whom and what a memory is about: names as the cartridge has them."""

    species: Sequence[str]
    places: Sequence[str]

    @classmethod
    def of(cls, dex: Dex, stretch: Sequence[Entry]) -> "Names":
        """Return the species of a cartridge, and the places of a stretch of play."""
        species = tuple(each.name for each in dex.all_species.values())
        places = {
            str(each.data["location_name"]): None for each in stretch if each.kind == "location"
        }
        return cls(species, tuple(places))

    def whom(self, number: int) -> str:
        """Return one of the species."""
        return self.species[number % len(self.species)]

    def where(self, number: int) -> str:
        """Return one of the places."""
        return self.places[number % len(self.places)]


def full_knowledge(names: Names) -> Knowledge:
    """Return as much knowledge as is ever kept, all of it worth keeping."""
    patterns = [_pattern(number, names) for number in range(PATTERNS)]
    strategies = [_strategy(number, names) for number in range(STRATEGIES)]
    mistakes = [_mistake(number, names) for number in range(MISTAKES)]
    known = Knowledge(
        {each.pattern_id: each for each in patterns},
        {each.strategy_id: each for each in strategies},
        {each.mistake_id: each for each in mistakes},
    )
    known.limit(ConsolidationConfig())
    return known


def full_memory(
    store: RunStore, known: Knowledge, names: Names, stretch: Sequence[Entry]
) -> AgentMemory:
    """Return the memory of a run that took over all of `known` and has had as full a session as there is."""
    memory = open_memory(store, AGENT, session_id=store.run_id, started_at=STARTED)
    memory.take_over(known)
    strategist = memory.strategist
    for number in range(OBJECTIVES):
        strategist.set_objective(_objective(number, names))
    for number in range(BATTLES):
        strategist.record_battle(_battle(number, names))
    for number in range(SNAPSHOTS):
        strategist.snapshot_resources(number, _owned(number))
    for number in range(LOCATIONS):
        strategist.add_location(_location(number, names))
    write_again(stretch, memory.blackboard, 0)
    _top_up(memory, SESSION_EVENTS)
    return memory


def observed(
    path: Path, stretch: Sequence[Entry], names: Names, count: int = OBSERVATIONS
) -> RunStore:
    """Return a run that remembers `count` observations: what play writes, with all the cartridge's names in it."""
    store = open_run_store(path, run_id="observed")
    entries = _observations(stretch, names)
    for start in range(0, count, BATCH):
        for entry in islice(entries, min(BATCH, count - start)):
            store.put_entry(entry)
        store.commit()
    return store


def _top_up(memory: AgentMemory, count: int) -> None:
    """Fill short-term memory with what else happens, until it holds `count` entries."""
    blackboard, stm = memory.blackboard, scope_name(AGENT, "stm")
    for number in range(count - len(blackboard.entries(stm))):
        blackboard.write(
            stm,
            "disagreement",
            {"between": f"the screen and memory, for the time {number}"},
            ttl_s=FOR_GOOD,
        )


def _observations(stretch: Sequence[Entry], names: Names) -> Iterator[Entry]:
    """Yield entries without end, those of play that are worth keeping over and over."""
    scope = scope_name(AGENT, "ltm:episodic")
    kept = [each for each in stretch if not each.scope.endswith(":sensory")]
    for seq, written in enumerate(cycle(kept), start=1):
        data = dated(written.data, seq)
        if written.kind == BATTLE:
            data |= {"enemy_pokemon": names.whom(seq), "location": names.where(seq // 7)}
        elif written.kind == ACTION:
            data |= {"location": names.where(seq // 5)}
        yield Entry(
            seq,
            scope,
            written.kind,
            seq,
            EVERY_S * seq,
            data,
            frozenset({written.kind, f"route {seq % 40}"}),
            written.importance,
            None,
            f"observed/{seq}",
        )


def _pattern(number: int, names: Names) -> LearnedPattern:
    place = names.where(number)
    return LearnedPattern(
        f"pattern {number}",
        f"type {number % PATTERN_TYPES}",
        f"way {number} to get on from {place}, which worked more often than not",
        {"location": place, "goal": f"reached:goal {number % 30}"},
        "earlier",
        100 * number,
        9,
        1,
        0.9,
        STARTED,
        0.9,
    )


def _strategy(number: int, names: Names) -> SuccessfulStrategy:
    enemy, own = names.whom(number // 4), names.whom(number % 4)
    return SuccessfulStrategy(
        f"strategy {number}",
        {"enemy_level": 5 + number % 20},
        enemy,
        own,
        f"{own} beats {enemy}",
        ("GROWL", "TACKLE", "TACKLE"),
        0.9,
        10,
        STARTED,
        STARTED,
    )


def _mistake(number: int, names: Names) -> MistakeRecord:
    return MistakeRecord(
        f"mistake {number}",
        f"what went wrong for the time {number}",
        {"location": names.where(number), "enemy_type": names.whom(number)},
        "defeat",
        ("minor", "major", "critical")[number % 3],
        "rest first",
        STARTED,
        STARTED,
        3,
    )


def _objective(number: int, names: Names) -> SessionObjective:
    return SessionObjective(
        f"goal {number}",
        f"get to {names.where(number)}",
        f"reached:goal {number} >= 1",
        f"type {number % 7}",
        number % 100 + 1,
        "active" if number % 10 == 0 else "completed",
        0.0 if number % 10 == 0 else 100.0,
        number,
        None if number % 10 == 0 else number + 9,
        (),
        names.where(number),
    )


def _battle(number: int, names: Names) -> BattleRecord:
    return BattleRecord(
        f"battle {number}",
        10 * number,
        10 * number + 9,
        names.whom(number),
        5,
        names.whom(number + 1),
        8,
        "defeat" if number % 5 == 0 else "victory",
        3,
        55.0,
        ("TACKLE", "GROWL"),
        (),
        (),
    )


def _location(number: int, names: Names) -> LocationVisited:
    place = f"{names.where(number)}, part {number}"
    return LocationVisited(place, "outdoors", number, number, 1, (), (), (), ())


def _owned(number: int) -> ResourceSnapshot:
    return ResourceSnapshot(number, 3_000 - number, {"20": 5, "4": number % 9}, (), (), ())
