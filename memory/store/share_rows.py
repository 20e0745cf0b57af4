"""The table of shares: what each run contributed to each thing that is known, by table, id and run."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memory.codec import decode, encode
from memory.store.knowledge_tables import BY_NAME
from memory.tiers.shares import Closing, Share

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from memory.codec import Json
    from memory.store.database import Database
    from memory.store.run_rows import OutboxRow

Runs: TypeAlias = "dict[str, Share]"  # by run
ByThing: TypeAlias = "dict[tuple[str, str], Runs]"  # by table and id
TOTALS_TABLE: Final = "tactician_stats"
LET_GO: Final = encode(Share("", let_go=True).to_json())

_SELECT: Final = "SELECT table_name, id, run_id, sequence, share FROM shares "
_KEEP: Final = (
    "INSERT INTO shares (table_name, id, run_id, sequence, share) VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET sequence = excluded.sequence, share = excluded.share, "
    "closed = '', evidence = '[]'"
)


def closing_in(lesson: OutboxRow, at: float) -> Closing:
    """Return the closing that a lesson tells of; `at` is the date it is given when the lesson has none."""
    payload: Any = lesson.payload
    return Closing(
        lesson.sequence,
        lesson.tick,
        float(payload.get("at", at)),
        payload["reason"],
        tuple(payload["evidence"]),
        payload.get("status", "verified"),
    )


class Shares:
    """Every share there is, also of what was let go of meanwhile: from it a row comes back with all its evidence."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of(self, table: str, memory_id: str) -> Runs:
        """Return the shares of one thing, by run."""
        rows = self._database.rows(_SELECT + "WHERE table_name = ? AND id = ?", (table, memory_id))
        return {share.run_id: share for _, share in self._read(rows)}

    def all(self, *tables: str) -> ByThing:
        """Return the shares of all things in `tables`, or in all tables where none is named."""
        marks = ", ".join("?" * len(tables))
        rows = self._database.rows(
            f"{_SELECT}WHERE table_name IN ({marks})" if tables else _SELECT, tables
        )
        found: defaultdict[tuple[str, str], Runs] = defaultdict(dict)
        for thing, share in self._read(rows):
            found[thing][share.run_id] = share
        return dict(found)

    def keep(self, table: str, memory_id: str, shares: Iterable[Share]) -> None:
        """Put shares in the place of those that the same runs had."""
        self.keep_all({(table, memory_id): {each.run_id: each for each in shares}})

    def keep_all(self, things: Mapping[tuple[str, str], Runs]) -> None:
        """Put shares of many things in the place of those that the same runs had."""
        rows = [
            (*thing, each.run_id, each.sequence, encode(_packed(thing[0], each)))
            for thing, runs in things.items()
            for each in runs.values()
        ]
        self._database.execute_many(_KEEP, rows)

    def let_go(self, things: Iterable[tuple[str, str]]) -> None:
        """Keep of things that somebody had forgotten on purpose nothing but that, and up to which lessons."""
        self._database.execute_many(
            "UPDATE shares SET share = ?1, closed = '', evidence = '[]' "
            "WHERE table_name = ?2 AND id = ?3 AND share <> ?1",
            [(LET_GO, *thing) for thing in things],
        )

    def sequences(self, run_id: str) -> dict[tuple[str, str], int]:
        """Return the last lesson of a run about each thing, by table and id."""
        rows = self._database.rows(
            "SELECT table_name, id, sequence FROM shares WHERE run_id = ?", (run_id,)
        )
        return {(table, memory_id): sequence for table, memory_id, sequence in rows}

    def mark(
        self, table: str, memory_id: str, losers: Mapping[str, tuple[str, tuple[str, ...]]]
    ) -> None:
        """Note which runs' words do not stand, why, and what shows it; those of all others do."""
        self._database.execute(
            "UPDATE shares SET closed = '', evidence = '[]' "
            "WHERE table_name = ? AND id = ? AND closed <> ''",
            (table, memory_id),
        )
        self._database.execute_many(
            "UPDATE shares SET closed = ?, evidence = ? "
            "WHERE table_name = ? AND id = ? AND run_id = ?",
            [
                (reason, encode(evidence), table, memory_id, run_id)
                for run_id, (reason, evidence) in losers.items()
            ],
        )

    def teachers(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """Return the runs that taught each thing, by table and id, in the order of their names."""
        found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        rows = self._database.rows(
            "SELECT table_name, id, run_id FROM shares "
            "WHERE json_type(share, '$.record') IS NOT NULL ORDER BY run_id"
        )
        for table, memory_id, run_id in rows:
            found[table, memory_id].append(run_id)
        return {thing: tuple(runs) for thing, runs in found.items()}

    def _read(
        self, rows: Iterable[tuple[str, str, str, int, str]]
    ) -> Iterator[tuple[tuple[str, str], Share]]:
        with self._database.understood("shares"):
            for table, memory_id, run_id, sequence, share in rows:
                told = _unpacked(table, decode(share))
                yield (table, memory_id), Share.from_json(run_id, sequence, told)


def _packed(table: str, share: Share) -> dict[str, Json]:
    """Return a share as it is kept: of a record of the four tables the values, in the order of their columns."""
    told = share.to_json()
    if share.record is not None and table in BY_NAME:
        told["record"] = [share.record[name] for name in BY_NAME[table].columns]
    return told


def _unpacked(table: str, told: dict[str, Any]) -> dict[str, Any]:
    if table in BY_NAME and "record" in told:
        told["record"] = dict(zip(BY_NAME[table].columns, told["record"], strict=True))
    return told
