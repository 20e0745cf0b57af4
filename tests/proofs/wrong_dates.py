"""Memories with wrong dates, opened, merged, played and repaired under right and wrong clocks, beside one that is all right."""

import logging
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Final, cast

from memory import open_knowledge_store
from memory.blackboard.entry import COLLECTIVE
from memory.codec import decode, encode
from memory.inspect import check_file, item_key, repair_file, view_file
from memory.store.database import Database, open_database
from memory.store.dates import DATED, EARLIEST, TOLERANCE_S
from memory.store.knowledge_store import MOST_COPIES
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.team_memory import MemoryManagementAgent
from memory.tiers.knowledge import KINDS
from memory.tiers.lasting import OutboxRow
from tests.memory.samples import NOON
from tests.proofs.histories import DAY, history
from tests.proofs.workers import Row

CLOCKS: Final = (  # of machines: never set, set back, ahead, and far ahead
    0.0, 315_532_800.0, 946_684_800.0, 1_420_070_400.0, NOON - 300 * DAY, NOON + 900 * DAY, NOON + 5_000 * DAY, 4e9, 9_214_646_400.0
)  # fmt: skip
DATES: Final = (*CLOCKS, 1.0, -1e18, 1e18, float("inf"), float("-inf"), None, "yesterday", True)
STEPS: Final = 6
RATE, LEAST = 0.95, 0.3  # what a month leaves of a worth, and the least that is kept


def dates_job(number: int) -> Row:
    """Put wrong dates into one random memory, use it under many clocks, and compare what it holds with an untouched one."""
    chance = Random(number)
    with tempfile.TemporaryDirectory(prefix="dates") as temporary:
        folder = Path(temporary)
        made = history(Random(number), folder)
        path, right = folder / "wrong.sqlite", folder / "right.sqlite"
        at = chance.randrange(len(made.files))
        trial = Trial(path, right, max(made.dates) + DAY, chance)
        shutil.copyfile(made.files[at], path)
        shutil.copyfile(made.files[at], right)
        problems = list(trial.problems())
    return {
        "name": f"memory {number}",
        "wrong dates": trial.wrong,
        "clocks": trial.clocks,
        "openings": trial.openings,
        "lines": trial.lines,
        "entries": trial.entries,
        "problems": problems,
    }


class Trial:
    """One memory with wrong dates, and the same memory whose dates and clocks are right."""

    def __init__(self, path: Path, right: Path, now: float, chance: Random) -> None:
        self.path, self.right, self.now, self._chance = path, right, now, chance
        self.wrong = self.clocks = self.openings = self.lines = self.entries = 0

    def problems(self) -> Iterator[str]:
        """Yield the violated conditions."""
        self._open(self.path, self.now)
        self._open(self.right, self.now)
        yield from self._named()
        for step in range(STEPS):
            self.now += self._chance.choice((60.0, 3_600.0, DAY))
            self._open(self.right, self.now)
            wrong_clock = self._chance.random() < 0.5
            clock = self._chance.choice(CLOCKS) if wrong_clock else self.now
            self.clocks += wrong_clock
            self._use(step, clock)
            if lost := self._lost():
                yield f"step {step} at {clock:.0f}: {sorted(lost)} are lost"
        self._open(self.path, self.now)
        if again := self._open(self.path, self.now + 60):
            yield f"said twice: {again[0]}"
        if left := [
            each for each in check_file(self.path, now=self.now) if "it becomes" in each.repair
        ]:
            yield f"check still names {left[0].where}: {left[0].what}"
        if len(list(self.path.parent.glob("wrong.sqlite.before-ageing-*"))) > MOST_COPIES:
            yield "openings kept too many copies"
        self.entries = len(_held(self.path, self.now))

    def _named(self) -> Iterator[str]:
        """Change dates at random, and yield those that check does not name."""
        with closing(open_database(self.path, KNOWLEDGE_SCHEMA)) as database:
            places = [*_places(database)]
            chosen = self._chance.sample(places, min(len(places), self._chance.randint(1, 12)))
            for place in chosen:
                self._set(database, *place)
        self.wrong = len(chosen)
        found = [
            each for each in check_file(self.path, now=self.now) if "it becomes" in each.repair
        ]
        for table, name, field in chosen:
            if table != "contributions":
                name = name.replace(":", " ")
            parts = name.split(" of ")
            if not any(
                all(part in each.where for part in parts) and f"{field} is " in each.what
                for each in found
            ):
                yield f"check does not name {field} of {table} {name}"

    def _set(self, database: Database, table: str, name: str, field: str) -> None:
        """Set one date to a wrong one."""
        date = self._chance.choice([each for each in DATES if self._is_wrong(each)])
        if table == "dates":  # its columns hold no NULL, and 0.0 is not known
            given = date if isinstance(date, float) and date else 1e18
            database.execute(f"UPDATE dates SET {field} = ?", (given,))
            return
        date = 1e18 if date in {float("inf"), float("-inf")} else date  # JSON has none
        if table == "contributions":
            key, _, run_id = name.partition(" of ")
            rows = "SELECT scope, contribution FROM contributions WHERE key = ? AND run_id = ?"
            sql = "UPDATE contributions SET contribution = ? WHERE scope = ? AND key = ? AND run_id = ?"
            for scope, text in database.rows(rows, (key, run_id)):  # a key can be in several scopes
                if field in (data := decode(text)):
                    database.execute(sql, (encode(data | {field: date}), scope, key, run_id))
            return
        ((text,),) = database.rows("SELECT data FROM ltm_entries WHERE key = ?", (name,))
        sql = "UPDATE ltm_entries SET data = ? WHERE key = ?"
        database.execute(sql, (encode(decode(text) | {field: date}), name))

    def _is_wrong(self, date: object) -> bool:
        return not isinstance(date, float) or not EARLIEST <= date <= self.now + TOLERANCE_S

    def _use(self, step: int, clock: float) -> None:
        """Use the memory once under a clock, and the other one under the right clock."""
        self.openings += 1
        way = self._chance.choice(("open", "open", "play", "play", "merge", "into", "repair"))
        theirs = self._chance.choice(CLOCKS)
        for path, now, at in ((self.path, clock, theirs), (self.right, self.now, self.now)):
            other = path.with_name(f"{path.stem}-{step}.sqlite")
            match way:
                case "open":
                    self._open(path, now)
                case "play":
                    self._teach(path, step, now)
                case "repair":
                    repair_file(path, now=now)
                case "merge":
                    MemoryManagementAgent.merge([path], other, now=now)
                    shutil.move(other, path)
                case _:
                    self._teach(other, 100 + step, at)
                    MemoryManagementAgent.merge([other], path, now=now)

    def _teach(self, path: Path, step: int, clock: float) -> None:
        lesson = {
            "scope": "agent:play:ltm:semantic",
            "kind": "note",
            "key": f"gate {step}",
            "data": {"says": f"gate {step}"},
            "tags": [],
            "importance": 5,
            "at": clock,
        }
        with closing(open_knowledge_store(path, now=clock)) as store:
            store.deliver(f"taught {step}", [OutboxRow(1, 1, "entry", lesson)])

    def _open(self, path: Path, clock: float) -> list[str]:
        """Open the memory as play does; return the lines that were said."""
        lines = _Lines()
        log = logging.getLogger("memory.store.knowledge_store")
        log.addHandler(lines)
        try:
            open_knowledge_store(path, now=clock).close()
        finally:
            log.removeHandler(lines)
        self.lines += len(lines.said)
        return lines.said

    def _lost(self) -> set[tuple[str, str, str]]:
        """Return what the memory no longer holds, though it would when all was right.

        Each wrong clock may cost a month of decay.
        """
        left = RATE ** (self.clocks + 2)
        with view_file(self.right, now=self.now) as view:
            sure = {
                item_key(each)
                for each in view.items()
                if (each.worth or 0.0) * left >= LEAST
                and not each.closed  # such a row has another limit
                and each.scope != COLLECTIVE  # made again from others by each merge
            }
        return sure - _held(self.path, self.now)


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def _held(path: Path, now: float) -> set[tuple[str, str, str]]:
    with view_file(path, now=now) as view:
        items = view.items()
    merged = {
        (each.table, each.scope, str(key))
        for each in items
        for key in cast("list[str]", each.more.get("merged", []))
    }
    return {item_key(each) for each in items} | merged


def _places(database: Database) -> Iterator[tuple[str, str, str]]:
    """Yield table, name and field of all dates of a memory."""
    yield "dates", "the memory", "decayed_at"
    yield "dates", "the memory", "opened_at"
    for kind in KINDS:
        names = [name for name in sorted(DATED) if name in kind.fields]
        rows = "SELECT key FROM ltm_entries WHERE kind = ? AND scope GLOB 'ltm:*' ORDER BY 1"
        for (name,) in database.rows(rows, (kind.name,)):
            yield from ((kind.table, name, field) for field in names)
    contributions: list[tuple[Any, ...]] = database.rows(
        "SELECT key, run_id, contribution FROM contributions WHERE key <> 'totals:all' ORDER BY 1, 2"
    )
    for name, run_id, text in contributions:
        fields = [each for each in ("at", "since", "relevant_at") if each in decode(text)]
        yield from (("contributions", f"{name} of {run_id}", field) for field in fields)
