"""The outbox: lessons that wait in a run's file for a checkpoint, and the validation of lessons."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

from memory.codec import Json, decode, encode, from_json
from memory.errors import MalformedRecord, UnknownScope
from memory.store.database import Database, Reader
from memory.store.knowledge_tables import BY_NAME
from memory.store.long_term import LASTING, EntryHistory, entry_from, row_of
from memory.tiers.knowledge import KIND_BY_NAME
from memory.tiers.lessons import ENTRIES, LessonKind, OutboxRow


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


def require_deliverable(kind: LessonKind, payload: Mapping[str, Json]) -> None:
    """Raise MalformedRecord or UnknownScope for a lesson that cannot be delivered and would block all later ones."""
    try:
        match kind:
            case "entry":
                _require_entry(payload)
            case "close":
                _require_close(payload)
            case "totals":
                _require_totals(payload)
            case _:
                known = KIND_BY_NAME[kind]
                hash(getattr(from_json(known.record, payload), known.id))
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"{dict(payload)!r} is no lesson of kind {kind!r} ({error!r}); give all fields."
        raise MalformedRecord(message) from error


def _require_entry(payload: Mapping[str, Json]) -> None:
    entry, origin = entry_from("run", OutboxRow(1, 0, "entry", payload))
    row_of(entry, EntryHistory(origin, "run", 1))
    if not 1 <= entry.importance <= 10:
        message = f"importance {entry.importance!r} of {entry.kind!r} is not in 1..10."
        raise MalformedRecord(message)
    if not isinstance(entry.data, dict):
        raise TypeError(entry.data)
    if not any(fnmatchcase(entry.scope, each) for each in LASTING):
        message = f"{entry.scope!r} does not outlive a run; {', '.join(LASTING)} do."
        raise UnknownScope(message)


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
    if (table != ENTRIES and table not in BY_NAME) or not all(
        isinstance(each, str) for each in words
    ):
        message = f"{encode(payload)} closes nothing; name a table, an id, a reason, and evidence."
        raise MalformedRecord(message)
