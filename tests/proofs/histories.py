"""Random histories of memories: lessons of runs, and files that receive them, fork, diverge, decay and are maintained."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from memory import KnowledgeStore, as_json, open_knowledge_store
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lasting import LessonKind, OutboxRow
from tests.memory.samples import MISTAKE, NOON, PATTERN, PREFERENCE, STRATEGY

DAY: Final = 86_400.0
OPENED: Final = NOON + 120 * DAY  # of the first files: later than all lessons
STATUSES: Final = ("verified", "inferred", "inferred", "claim")
SCOPES: Final = ("agent:play:ltm:episodic", "agent:play:ltm:semantic", "team:red")
LENGTH: Final = 24  # lessons of a run at most
KEYS: Final = {
    "tactician_patterns": "p",
    "successful_strategies": "s",
    "mistake_records": "m",
    "player_preferences": "f",
}
NARROW: Final = ConsolidationConfig(max_patterns_per_type=2, max_strategies=3, max_mistakes=3)


@dataclass
class History:
    """The lessons of some runs, and the files that hold parts of them, each with its date."""

    lessons: dict[str, list[OutboxRow]]
    config: ConsolidationConfig
    folder: Path
    files: list[Path] = field(default_factory=list)
    dates: list[float] = field(default_factory=list)

    def open_file(self, number: int) -> KnowledgeStore:
        """Open one of the files at its date."""
        return open_knowledge_store(self.files[number], now=self.dates[number], config=self.config)

    def add(self, date: float, copy_of: int | None = None) -> None:
        """Add a file, new or a copy of another."""
        self.files.append(self.folder / f"{len(self.files)}.sqlite")
        self.dates.append(date)
        if copy_of is None:
            self.open_file(-1).close()
        else:
            shutil.copyfile(self.files[copy_of], self.files[-1])

    def step(self, chance: Random) -> None:
        """Change one file in a random way."""
        number = chance.randrange(len(self.files))
        match chance.choice(
            ("deliver", "deliver", "deliver", "deliver", "fork", "decay", "maintain")
        ):
            case "deliver":
                self.deliver(chance, number)
            case "fork":
                self.add(self.dates[number], number)
            case "decay":
                self.dates[number] += chance.choice((0.5, 3.0, 20.0, 200.0, 900.0)) * DAY
                self.open_file(number).close()
            case _:
                with closing(self.open_file(number)) as store:
                    store.maintain()

    def deliver(self, chance: Random, number: int) -> None:
        """Deliver the next lessons of a run to a file."""
        run = chance.choice(list(self.lessons))
        with closing(self.open_file(number)) as store:
            last = store.delivered(run)
            store.deliver(run, self.lessons[run][last : last + chance.randint(1, LENGTH // 2)])


def history(chance: Random, folder: Path) -> History:
    """Return a history of at least three files; some have caps small enough to be reached."""
    runs = [f"run-{number}" for number in range(chance.randint(2, 4))]
    lessons = {run: list(_lessons(chance, run, runs, number)) for number, run in enumerate(runs)}
    made = History(lessons, chance.choice((ConsolidationConfig(), NARROW)), folder)
    made.add(OPENED)
    for _ in range(chance.randint(6, 14)):
        made.step(chance)
    while len(made.files) < 3:
        number = chance.randrange(len(made.files))
        made.add(made.dates[number], number) if chance.random() < 0.6 else made.add(OPENED)
        made.deliver(chance, len(made.files) - 1)
    return made


def _lessons(chance: Random, run: str, runs: list[str], number: int) -> Iterator[OutboxRow]:
    tick, at = 0, NOON + number * chance.choice((0.0, 0.1, 30.0)) * DAY
    for sequence in range(1, chance.randint(6, LENGTH) + 1):
        tick += chance.choice((0, 1, 1, 500))
        at += chance.choice((0.0, 60.0, DAY))
        kind, payload = _lesson(chance, run, runs, at)
        yield OutboxRow(sequence, tick, kind, payload)


def _lesson(
    chance: Random, run: str, runs: list[str], at: float
) -> tuple[LessonKind, dict[str, Any]]:
    sources = [f"tick:{chance.randrange(99)}"]
    provenance: dict[str, Any] = {"status": chance.choice(STATUSES), "sources": sources}
    name = chance.randrange(5)
    match chance.choice(
        ("pattern", "strategy", "mistake", "preference", "totals", "entry", "close")
    ):
        case "pattern":
            return "pattern", _pattern(chance, name, run, at) | provenance
        case "strategy":
            return "strategy", _strategy(chance, name, at) | provenance
        case "mistake":
            return "mistake", _mistake(chance, name, at) | provenance
        case "preference":
            return "preference", _preference(chance, name, run, at) | provenance
        case "totals":
            won = chance.randint(0, 1)
            return "totals", {"sessions": 1 - won, "battles": 1, "victories": won}
        case "entry":
            origin = chance.choice((run, run, *runs))  # entries of an earlier run may be passed on
            passed_on = {"sources": [*sources, f"run:{origin}"]}
            return "entry", _entry(chance, origin, at) | provenance | passed_on
        case _:
            return "close", _closing(chance, runs, name, at)


def _pattern(chance: Random, name: int, run: str, at: float) -> dict[str, Any]:
    works, fails = chance.randint(0, 4), chance.randint(0, 2)
    share = works / (works + fails) if works + fails else 0.5
    return as_json(replace(
        PATTERN, pattern_id=f"p{name}", pattern_type=f"type {name % 2}", description=f"way {name}",
        learned_from_session=run, learned_from_tick=name, success_count=works, failure_count=fails,
        confidence=share, last_validated=at, relevance_score=share,
    ))  # fmt: skip


def _strategy(chance: Random, name: int, at: float) -> dict[str, Any]:
    return as_json(replace(
        STRATEGY, strategy_id=f"s{name}", context={"enemy_level": chance.randint(2, 9)},
        strategy_description=f"turtle: {name}", moves_sequence=("growl", f"move {name}"),
        success_rate=float(chance.randint(0, 1)), total_uses=1, first_used=at, last_used=at,
    ))  # fmt: skip


def _mistake(chance: Random, name: int, at: float) -> dict[str, Any]:
    return as_json(replace(
        MISTAKE, mistake_id=f"m{name}", description=f"wall {name}", outcome=f"bump {chance.randint(1, 3)}",
        severity=chance.choice(("minor", "major", "critical")), prevention_tip="go round",
        first_occurred=at, last_occurred=at, occurrence_count=chance.randint(1, 5),
    ))  # fmt: skip


def _preference(chance: Random, name: int, run: str, at: float) -> dict[str, Any]:
    return as_json(replace(
        PREFERENCE, preference_id=f"f{name}", category="move_order:turtle", description="opens",
        preference_value=chance.choice(("growl", "tackle")), learned_from_session=run,
        confidence=chance.choice((0.4, 0.9, 1.0)), created_at=at, updated_at=at,
    ))  # fmt: skip


def _entry(chance: Random, origin: str, at: float) -> dict[str, Any]:
    return {
        "scope": chance.choice(SCOPES),
        "kind": "note",
        "key": f"{origin}/note:{chance.randrange(3)}",
        "data": {"says": chance.choice(("gate", "wall", "tree"))},
        "tags": chance.sample(["a", "b", "c"], chance.randint(0, 2)),
        "importance": chance.choice((3, 5, 9)),
        "utility": chance.choice((0.0, 0.5, 0.9)),
        "at": at,
    }


def _closing(chance: Random, runs: list[str], name: int, at: float) -> dict[str, Any]:
    payload = {"reason": f"seen otherwise {chance.randrange(9)}", "evidence": ["tick:7"], "at": at}
    if chance.random() < 0.5:
        payload["status"] = chance.choice(STATUSES)
    if chance.random() < 0.25:
        key = f"{chance.choice(runs)}/note:{chance.randrange(3)}"
        return {"table": "ltm_entries", "id": key, **payload}
    table = chance.choice(list(KEYS))
    return {"table": table, "id": f"{KEYS[table]}{name}", **payload}
