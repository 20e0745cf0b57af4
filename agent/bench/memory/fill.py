"""Memory at full capacity: all that a tactician may know, all that a session may hold, a hundred thousand observations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from agent.bench.memory.writing import Stretch, dated
from agent.mind import AGENT
from emulator import Dex
from memory import (
    ACTION,
    BATTLE,
    AgentMemory,
    BattleRecord,
    Entry,
    Knowledge,
    LearnedPattern,
    LocationVisited,
    MistakeRecord,
    ResourceSnapshot,
    RunStore,
    SessionObjective,
    SuccessfulStrategy,
    open_memory,
    open_run_store,
    scope_name,
)

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
    def of(cls, dex: Dex, stretch: Stretch) -> "Names":
        """Return the species of a cartridge, and the places of a stretch of play."""
        species = tuple(each.name for each in dex.all_species.values())
        places = {
            str(each.data["location_name"]): None
            for each in stretch.written
            if each.kind == "location"
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
    known = Knowledge()
    for number in range(PATTERNS):
        known.add_pattern(_pattern(number, names))
    for number in range(STRATEGIES):
        known.add_strategy(_strategy(number, names))
    for number in range(MISTAKES):
        known.add_mistake(_mistake(number, names))
    return known


def full_memory(store: RunStore, known: Knowledge, names: Names, stretch: Stretch) -> AgentMemory:
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
    for written in stretch.written:
        written.onto(memory.blackboard, 0, memory.blackboard.game_s)
    _top_up(memory, SESSION_EVENTS)
    return memory


def observed(path: Path, stretch: Stretch, names: Names, count: int = OBSERVATIONS) -> RunStore:
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
            tick=blackboard.tick,
            game_s=blackboard.game_s,
            ttl_s=FOR_GOOD,
        )


def _observations(stretch: Stretch, names: Names) -> Iterator[Entry]:
    """Yield entries without end, those of play that are worth keeping over and over."""
    scope = scope_name(AGENT, "ltm:episodic")
    kept = [each for each in stretch.written if not each.scope.endswith(":sensory")]
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
