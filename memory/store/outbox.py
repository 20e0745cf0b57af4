"""The outbox: how knowledge becomes lessons that wait in a run's file for a checkpoint, and lessons become entries again.

A lesson is a kind and a JSON payload, which holds only new evidence.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final, cast

from memory.blackboard.entry import Entry
from memory.codec import Json, as_json, decode, encode, from_json
from memory.errors import MalformedRecord, UnknownScope
from memory.flow.subscription import Derived
from memory.store.database import Database, Reader
from memory.tiers.encounters import OVER_GAMES
from memory.tiers.knowledge import KIND_BY_NAME, KIND_BY_TABLE
from memory.tiers.lasting import (
    ENTRIES,
    RUN,
    TOTALS_KEY,
    LessonKind,
    OutboxRow,
    entry_json,
    key_of,
    valid_entry,
)
from memory.tiers.lessons import dated
from memory.tiers.tactician import IMPORTANCE, TOTALS

# Scopes of entries that outlive a run.
LASTING: Final = ("agent:?*:ltm:?*", "team:?*", "collective")


@dataclass(frozen=True, slots=True)
class OutboxWriter:
    """Writes lessons to the outbox. `started_at` is the epoch second at which the session began."""

    enqueue: Callable[[int, LessonKind, Mapping[str, Json]], object]
    started_at: float

    def deliver(self, entry: Entry, derived: Derived) -> None:
        """Put the new evidence of a lesson in the outbox: totals unchanged, records with their sources."""
        if derived.kind == TOTALS:
            self.enqueue(entry.tick, "totals", derived.data)
        elif derived.kind in KIND_BY_NAME:
            evidence: dict[str, Json] = {"status": entry.status, "sources": list(derived.sources)}
            kind = cast("LessonKind", derived.kind)
            self.enqueue(entry.tick, kind, {**derived.data, **evidence})
        else:
            data = {**entry_json(entry), "at": dated(self.started_at, entry.game_s)}
            self.enqueue(entry.tick, "entry", data)

    def close(self, entry: Entry, now_s: float) -> None:
        """Put in the outbox that a piece of knowledge is closed."""
        why: dict[str, Json] = {
            "reason": entry.closed,
            "evidence": list(entry.sources),
            "status": entry.status,
            "at": dated(self.started_at, now_s),
        }
        kind, _, memory_id = entry.key.partition(":")
        if kind in KIND_BY_NAME:
            names, table = [memory_id], KIND_BY_NAME[kind].table
        else:
            origins = [each.removeprefix(RUN) for each in entry.sources if each.startswith(RUN)]
            names = [f"{origin}/{entry.key}" for origin in origins] or [entry.key]
            table = ENTRIES
        for name in names:
            self.enqueue(entry.tick, "close", {"table": table, "id": name, **why})


class OutboxReader(Reader):
    """Reads committed lessons."""

    def rows(self, *, after: int = 0) -> list[OutboxRow]:
        """Return the lessons after sequence `after` that a live checkpoint covers, oldest first."""
        sql = (
            "SELECT sequence, tick, kind, payload FROM outbox WHERE live = 1 AND sequence > ? "
            "AND sequence <= (SELECT coalesce(max(last_sequence), 0) FROM checkpoints) "
            "ORDER BY sequence"
        )
        return self._database.read(
            "outbox",
            lambda row: OutboxRow(row[0], row[1], row[2], dict(decode(row[3]))),
            sql,
            (after,),
        )


class Outbox(OutboxReader):
    """Reads and writes the outbox; added lessons are stored at the next commit."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._added: list[tuple[int, str, str]] = []

    def add(self, tick: int, kind: LessonKind, payload: Mapping[str, Json]) -> None:
        """Store one lesson at the next commit."""
        require_deliverable(kind, payload)
        self._added.append((tick, kind, encode(payload)))

    def flush(self) -> None:
        """Write the added lessons, within the transaction of a commit."""
        self._database.execute_many(
            "INSERT INTO outbox (tick, kind, payload) VALUES (?, ?, ?)", self._added
        )

    def discard_changes(self) -> None:
        """Discard unwritten changes."""
        self._added.clear()

    def rewind(self, last_sequence: int) -> None:
        """Mark the lessons after a number as of a dead branch, within a transaction."""
        self._database.execute("UPDATE outbox SET live = 0 WHERE sequence > ?", (last_sequence,))

    def number_after(self, sequence: int) -> None:
        """Number new lessons above `sequence`: a newer copy of this file used the numbers up to it."""
        with self._database.transaction():
            self._database.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox', 0 "
                "WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'outbox')"
            )
            self._database.execute(
                "UPDATE sqlite_sequence SET seq = ?1 WHERE name = 'outbox' AND seq < ?1",
                (sequence,),
            )


_OPTIONAL_FIELDS: Final = ("relevance", "utility", "status", "closed")


def entry_from(run_id: str, lesson: OutboxRow) -> tuple[Entry, str]:
    """Return the entry in a lesson of `run_id`, and its origin: the run that learnt it first."""
    payload: Mapping[str, Any] = lesson.payload
    if lesson.kind == "entry":
        return _own_entry(run_id, lesson)
    if lesson.kind == TOTALS:
        (scope, key), data = TOTALS_KEY, payload
    else:
        kind = KIND_BY_NAME[lesson.kind]
        data = as_json(from_json(kind.record, payload))
        scope, key = key_of(kind.table, str(data[kind.id]))
    given = Entry(0, scope, lesson.kind, lesson.tick, 0.0, data, frozenset(), IMPORTANCE, None, key)
    status, sources = payload.get("status", "verified"), tuple(payload.get("sources", ()))
    return given._replace(status=status, sources=sources), run_id


def _own_entry(run_id: str, lesson: OutboxRow) -> tuple[Entry, str]:
    """Return the entry in a lesson that is one, and its origin.

    Its key begins with the origin, so that keys of different runs never collide, except for what has one row over all games.
    """
    payload: Mapping[str, Any] = lesson.payload
    key, sources = payload.get("key") or f"lesson-{lesson.sequence}", payload.get("sources", ())
    names = (each.removeprefix(RUN) for each in sources if each.startswith(RUN))
    origin = next((name for name in names if key.startswith(f"{name}/")), run_id)
    if payload["kind"] in OVER_GAMES:
        key = f"{payload['kind']}:{payload['data']['subject']}"
    elif not key.startswith(f"{origin}/"):
        key = f"{origin}/{key}"
    entry = Entry(
        seq=0,
        scope=payload["scope"],
        kind=payload["kind"],
        tick=payload.get("tick", lesson.tick),
        game_s=payload.get("game_s", 0.0),
        data=payload["data"],
        tags=frozenset(payload["tags"]),
        importance=payload["importance"],
        expires_s=None,
        key=key,
        sources=tuple(sources),
        **{name: payload[name] for name in _OPTIONAL_FIELDS if name in payload},
    )
    return entry, origin


def require_deliverable(kind: LessonKind, payload: Mapping[str, Json]) -> None:
    """Raise MalformedRecord or UnknownScope for a lesson that cannot be delivered and would block all later ones."""
    try:
        match kind:
            case "close":
                _require_close(payload)
            case "totals":
                _require_totals(payload)
            case _:
                _require_entry(kind, payload)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"{dict(payload)!r} is no lesson of kind {kind!r} ({error!r}); give all fields."
        raise MalformedRecord(message) from error


def _require_entry(kind: LessonKind, payload: Mapping[str, Json]) -> None:
    entry, origin = entry_from("run", OutboxRow(1, 0, kind, payload))
    if not isinstance(entry.data, dict):
        raise TypeError(entry.data)
    encode([valid_entry(entry).data, origin, sorted(entry.tags), entry.sources])
    if not 1 <= entry.importance <= 10:
        raise MalformedRecord(f"importance {entry.importance!r} of {entry.kind!r} is not in 1..10.")
    if kind == "entry" and not any(fnmatchcase(entry.scope, each) for each in LASTING):
        raise UnknownScope(f"{entry.scope!r} does not outlive a run; {', '.join(LASTING)} do.")


def _require_totals(payload: Mapping[str, Json]) -> None:
    if set(payload) != {"sessions", "battles", "victories"}:
        raise KeyError(*payload)
    if not all(isinstance(each, int | float) for each in payload.values()):
        raise TypeError(payload)


def _require_close(payload: Mapping[str, Json]) -> None:
    table, evidence = payload["table"], payload["evidence"]
    words = [
        payload["id"],
        payload["reason"],
        *(evidence if isinstance(evidence, list) else [None]),
    ]
    if (table != ENTRIES and table not in KIND_BY_TABLE) or not all(
        isinstance(each, str) for each in words
    ):
        message = f"{encode(payload)} closes nothing; name a table, an id, a reason, and evidence."
        raise MalformedRecord(message)
