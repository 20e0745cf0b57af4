"""Random histories: runs that teach, and files that take it up, fork, grow apart, age and are tidied."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from memory import Json, KnowledgeStore, OutboxRow, open_knowledge_store
from memory.tiers import ConsolidationConfig
from memory.tiers.lessons import LessonKind

NOON: Final = 1_800_000_000.0
DAY: Final = 86_400.0
STATUSES: Final = ("verified", "inferred", "inferred", "claim")
SCOPES: Final = ("agent:play:ltm:episodic", "agent:play:ltm:semantic", "team:red")
LENGTH: Final = 24  # lessons of a run at most
TABLES: Final[dict[str, LessonKind]] = {
    "tactician_patterns": "pattern",
    "successful_strategies": "strategy",
    "mistake_records": "mistake",
    "player_preferences": "preference",
}
NARROW: Final = ConsolidationConfig(max_patterns_per_type=2, max_strategies=3, max_mistakes=3)


@dataclass
class History:
    """What some runs teach, by run, and the files that hold parts of it."""

    lessons: dict[str, list[OutboxRow]]
    config: ConsolidationConfig
    files: list[Path] = field(default_factory=list)


def history(random: Random, folder: Path) -> History:
    """Return three files or more with a past, in `folder`; some have caps so narrow that they are met."""
    runs = [f"run-{n}" for n in range(random.randint(2, 4))]
    made = History(
        {run: list(_lessons(random, run, runs, n)) for n, run in enumerate(runs)},
        random.choice((ConsolidationConfig(), NARROW)),
    )
    dates = [NOON]
    _new_file(made, folder, dates)
    for _ in range(random.randint(6, 14)):
        deed = random.choice((_deliver, _deliver, _deliver, _deliver, _fork, _age, _tidy))
        deed(made, random, folder, dates)
    while len(made.files) < 3:
        (_fork if random.random() < 0.6 else _found)(made, random, folder, dates)
        _deliver(made, random, folder, dates)
    return made


def _deliver(made: History, random: Random, _folder: Path, dates: list[float]) -> None:
    number = random.randrange(len(made.files))
    run = random.choice(list(made.lessons))
    with closing(_opened(made, number, dates)) as store:
        last = store.delivered(run)
        store.deliver(run, made.lessons[run][last : last + random.randint(1, LENGTH // 2)])


def _fork(made: History, random: Random, folder: Path, dates: list[float]) -> None:
    number = random.randrange(len(made.files))
    copy = folder / f"{len(made.files)}.sqlite"
    shutil.copyfile(made.files[number], copy)
    made.files.append(copy)
    dates.append(dates[number])


def _found(made: History, _random: Random, folder: Path, dates: list[float]) -> None:
    _new_file(made, folder, dates)


def _age(made: History, random: Random, _folder: Path, dates: list[float]) -> None:
    number = random.randrange(len(made.files))
    dates[number] += random.choice((0.5, 3.0, 20.0, 200.0, 900.0)) * DAY
    _opened(made, number, dates).close()


def _tidy(made: History, random: Random, _folder: Path, dates: list[float]) -> None:
    with closing(_opened(made, random.randrange(len(made.files)), dates)) as store:
        store.maintain()


def _new_file(made: History, folder: Path, dates: list[float]) -> None:
    made.files.append(folder / f"{len(made.files)}.sqlite")
    dates.append(NOON)
    _opened(made, len(made.files) - 1, dates).close()


def _opened(made: History, number: int, dates: list[float]) -> KnowledgeStore:
    return open_knowledge_store(made.files[number], now=dates[number], config=made.config)


def _lessons(random: Random, run: str, runs: list[str], number: int) -> Iterator[OutboxRow]:
    tick, at = 0, NOON + number * random.choice((0.0, 0.1, 30.0)) * DAY
    for sequence in range(1, random.randint(6, LENGTH) + 1):
        tick += random.choice((0, 1, 1, 500))
        at += random.choice((0.0, 60.0, DAY))
        kind, payload = _lesson(random, run, runs, at)
        yield OutboxRow(sequence, tick, kind, payload)


def _lesson(
    random: Random, run: str, runs: list[str], at: float
) -> tuple[LessonKind, dict[str, Any]]:
    said: dict[str, Any] = {
        "status": random.choice(STATUSES),
        "sources": [f"tick:{random.randrange(99)}"],
    }
    name = random.randrange(5)
    match random.choice(
        ("pattern", "strategy", "mistake", "preference", "totals", "entry", "close")
    ):
        case "pattern":
            return "pattern", _pattern(random, name, run, at) | said
        case "strategy":
            return "strategy", _strategy(random, name, at) | said
        case "mistake":
            return "mistake", _mistake(random, name, at) | said
        case "preference":
            return "preference", _preference(random, name, run, at) | said
        case "totals":
            won = random.randint(0, 1)
            return "totals", {"sessions": 1 - won, "battles": 1, "victories": won}
        case "entry":
            entry = _entry(random, run, runs, at)
            origin = str(entry["key"]).partition("/")[0]
            sources = [*said["sources"], f"run:{origin}"]
            return "entry", entry | said | {"sources": sources}
        case _:
            return "close", _closing(random, runs, name, at)


def _pattern(random: Random, name: int, run: str, at: float) -> dict[str, Json]:
    works, fails = random.randint(0, 4), random.randint(0, 2)
    total = works + fails
    share = works / total if total else 0.5
    return {
        "pattern_id": f"p{name}",
        "pattern_type": f"type {name % 2}",
        "description": f"way {name}",
        "trigger_conditions": {"location": "town"},
        "learned_from_session": run,
        "learned_from_tick": name,
        "success_count": works,
        "failure_count": fails,
        "confidence": share,
        "last_validated": at,
        "relevance_score": share,
    }


def _strategy(random: Random, name: int, at: float) -> dict[str, Json]:
    return {
        "strategy_id": f"s{name}",
        "context": {"enemy_level": random.randint(2, 9)},
        "enemy_type": "rat",
        "player_pokemon": "turtle",
        "strategy_description": f"turtle: {name}",
        "moves_sequence": ["growl", "tackle"],
        "success_rate": float(random.randint(0, 1)),
        "total_uses": 1,
        "first_used": at,
        "last_used": at,
    }


def _mistake(random: Random, name: int, at: float) -> dict[str, Json]:
    return {
        "mistake_id": f"m{name}",
        "description": f"wall {name}",
        "situation": {"location": "town"},
        "outcome": f"bump {random.randint(1, 3)}",
        "severity": random.choice(("minor", "major", "critical")),
        "prevention_tip": "go round",
        "first_occurred": at,
        "last_occurred": at,
        "occurrence_count": random.randint(1, 5),
    }


def _preference(random: Random, name: int, run: str, at: float) -> dict[str, Json]:
    return {
        "preference_id": f"f{name}",
        "category": "move_order:turtle",
        "description": "opens",
        "preference_value": random.choice(("growl", "tackle")),
        "learned_from_session": run,
        "confidence": random.choice((0.4, 0.9, 1.0)),
        "created_at": at,
        "updated_at": at,
    }


def _entry(random: Random, run: str, runs: list[str], at: float) -> dict[str, Any]:
    origin = random.choice((run, run, *runs))  # what one started from may be passed on
    return {
        "scope": random.choice(SCOPES),
        "kind": "note",
        "key": f"{origin}/note:{random.randrange(3)}",
        "data": {"says": random.choice(("gate", "wall", "tree"))},
        "tags": random.sample(["a", "b", "c"], random.randint(0, 2)),
        "importance": random.choice((3, 5, 9)),
        "utility": random.choice((0.0, 0.5, 0.9)),
        "at": at,
    }


def _closing(random: Random, runs: list[str], name: int, at: float) -> dict[str, Any]:
    payload = {"reason": f"seen otherwise {random.randrange(9)}", "evidence": ["tick:7"], "at": at}
    if random.random() < 0.5:
        payload["status"] = random.choice(STATUSES)
    if random.random() < 0.25:
        key = f"{random.choice(runs)}/note:{random.randrange(3)}"
        return {"table": "ltm_entries", "id": key, **payload}
    table = random.choice(list(TABLES))
    return {
        "table": table,
        "id": f"{TABLES[table][0] if table != 'player_preferences' else 'f'}{name}",
        **payload,
    }
