"""Memory at full capacity, filled with the entries of a real game, repeated as often as needed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path
from typing import Final

from agent.app.session import PlayLimits
from agent.app.summary import NoViewer
from agent.lab.bench.game import GOAL, open_session
from agent.lab.bench.stopwatch import ObservedCall, calls_of
from agent.record.game_names import AGENT
from agent.story.story import Story
from emulator import Cartridge, Dex
from memory import (
    ACTION,
    BATTLE,
    AgentMemory,
    Blackboard,
    Entry,
    Json,
    RunStore,
    open_memory,
    open_run_store,
    scope_name,
)
from memory.tiers.knowledge import Knowledge
from memory.tiers.strategist import LocationVisited, ResourceSnapshot
from tests.memory.samples import AIM, FIGHT, MISTAKE, NOON, PATTERN, STRATEGY, entries_of

TICKS: Final = 1_000  # from one consolidation to the next
SKIPPED: Final = 400  # ticks: power-on, the opening and the first steps
DATES: Final = (
    "tick", "start_tick", "end_tick", "first_visit_tick", "last_visit_tick", "created_tick", "completed_tick",
)  # fmt: skip


def recorded_play(
    cartridge: Cartridge, seed: int, ticks: int = TICKS, skipped: int = SKIPPED
) -> list[Entry]:
    """Return the entries that producers wrote in `ticks` ticks of a game, with ticks counted from the first one."""
    story = Story.of(cartridge.kind)
    with calls_of([Blackboard.write]) as calls, open_session(cartridge, story, seed) as (game, _):
        game.play(PlayLimits(GOAL, skipped + ticks), NoViewer())
    inside = [
        each
        for each in calls[Blackboard.write]
        if skipped < each.result.tick <= skipped + ticks and _is_of_a_producer(each)
    ]
    start = inside[0].result.game_s
    return [
        each.result._replace(
            # As passed in by the producer, before it was merged with other entries.
            data=shifted(each.kwargs["data"], -skipped),
            tick=each.result.tick - skipped,
            game_s=each.result.game_s - start,
        )
        for each in inside
    ]


def _is_of_a_producer(call: ObservedCall) -> bool:
    """Return whether an entry was written by a producer and not derived by memory; producers pass `data` by name."""
    entry: Entry = call.result
    return "data" in call.kwargs and entry.status == "verified" and ":ltm:" not in entry.scope


def write_again(recorded: Sequence[Entry], blackboard: Blackboard, tick: int) -> None:
    """Write recorded entries as if they began at `tick`, which is now."""
    begins = blackboard.game_s
    for each in recorded:
        blackboard.write(
            each.scope,
            each.kind,
            shifted(each.data, tick),
            tick=tick + each.tick,
            game_s=begins + each.game_s,
            importance=each.importance,
        )


def shifted(data: Mapping[str, Json], ticks: int) -> dict[str, Json]:
    """Return `data` moved by a number of ticks."""
    return {
        name: value + ticks if name in DATES and isinstance(value, int) else value
        for name, value in data.items()
    }


PATTERN_TYPES: Final = 10
PATTERNS: Final = 500
STRATEGIES: Final = 100
MISTAKES: Final = 200
OF_A_SESSION: Final = 100  # objectives, battles and resource snapshots
LOCATIONS: Final = 200
SESSION_EVENTS: Final = 1_000
FOR_GOOD: Final = 1e9  # game seconds
BATCH: Final = 5_000  # entries in one commit
EVERY_S: Final = 2.0  # game seconds between two observations

COMPLETED: Final = replace(AIM, status="completed", progress_percent=100.0, completed_tick=9)


@dataclass(frozen=True, slots=True)
class Names:
    """Names of species and places from the cartridge, for filling a memory."""

    species: Sequence[str]
    places: Sequence[str]

    @classmethod
    def of(cls, dex: Dex, recorded: Sequence[Entry]) -> "Names":
        """Return the species of a cartridge, and the places in recorded entries."""
        species = tuple(each.name for each in dex.all_species.values())
        places = (str(each.data["location_name"]) for each in recorded if each.kind == "location")
        return cls(species, tuple(dict.fromkeys(places)))

    def mon(self, number: int) -> str:
        """Return one of the species."""
        return self.species[number % len(self.species)]

    def place(self, number: int) -> str:
        """Return one of the places."""
        return self.places[number % len(self.places)]


def full_knowledge(names: Names) -> Knowledge:
    """Return knowledge at full capacity, all of it worth keeping."""
    known = Knowledge()
    for number in range(PATTERNS):
        known.patterns[f"pattern {number}"] = replace(
            PATTERN,
            pattern_id=f"pattern {number}",
            pattern_type=f"type {number % PATTERN_TYPES}",
            description=f"way {number} to get on from {names.place(number)}",
            trigger_conditions={
                "location": names.place(number),
                "goal": f"reached:goal {number % 30}",
            },
        )
    for number in range(STRATEGIES):
        known.strategies[f"strategy {number}"] = replace(
            STRATEGY,
            strategy_id=f"strategy {number}",
            context={"enemy_level": 5 + number % 20},
            enemy_type=names.mon(number // 4),
            player_pokemon=names.mon(number % 4),
        )
    for number in range(MISTAKES):
        known.mistakes[f"mistake {number}"] = replace(
            MISTAKE,
            mistake_id=f"mistake {number}",
            description=f"what went wrong for the time {number}",
            situation={"location": names.place(number), "enemy_type": names.mon(number)},
            severity=("minor", "major", "critical")[number % 3],
        )
    return known


def full_memory(
    store: RunStore, known: Knowledge, names: Names, recorded: Sequence[Entry]
) -> AgentMemory:
    """Return the memory of a run that loaded all of `known` and has a session at full capacity."""
    memory = open_memory(store, AGENT, session_id=store.run_id, started_at=NOON)
    memory.inherit(entries_of(known))
    strategist = memory.strategist
    for number in range(OF_A_SESSION):
        strategist.set_objective(
            replace(
                AIM if number % 10 == 0 else COMPLETED,
                objective_id=f"goal {number}",
                description=f"reached:goal {number} >= 1",
                priority=number % 100 + 1,
                related_location=names.place(number),
            )
        )
        strategist.record_battle(
            replace(
                FIGHT,
                battle_id=f"battle {number}",
                enemy_pokemon=names.mon(number),
                outcome="defeat" if number % 5 == 0 else "victory",
            )
        )
        owned = ResourceSnapshot(number, 3_000 - number, {"20": 5, "4": number % 9}, (), (), ())
        strategist.snapshot_resources(number, owned)
    for number in range(LOCATIONS):
        place = f"{names.place(number)}, part {number}"
        visited = LocationVisited(place, "outdoors", number, number, 1, (), (), (), ())
        strategist.add_location(visited)
    blackboard, stm = memory.blackboard, scope_name(AGENT, "stm")
    write_again(recorded, blackboard, 0)
    for number in range(SESSION_EVENTS - len(blackboard.entries(stm))):
        between = f"the screen and memory, for the time {number}"
        blackboard.write(stm, "disagreement", {"between": between}, ttl_s=FOR_GOOD)
    return memory


def observed(path: Path, recorded: Sequence[Entry], names: Names, count: int) -> RunStore:
    """Return a run with `count` observations: entries of play, with all names of the cartridge in them."""
    store = open_run_store(path, run_id="observed")
    entries = _observations(recorded, names)
    for start in range(0, count, BATCH):
        for entry in islice(entries, min(BATCH, count - start)):
            store.put_entry(entry)
        store.commit()
    return store


def _observations(recorded: Sequence[Entry], names: Names) -> Iterator[Entry]:
    """Yield endless entries: those of play that are worth keeping, repeated."""
    scope = scope_name(AGENT, "ltm:episodic")
    kept = [each for each in recorded if not each.scope.endswith(":sensory")]
    for seq, written in enumerate(cycle(kept), start=1):
        data = shifted(written.data, seq)
        if written.kind == BATTLE:
            data |= {"enemy_pokemon": names.mon(seq), "location": names.place(seq // 7)}
        elif written.kind == ACTION:
            data |= {"location": names.place(seq // 5)}
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
