"""The observations of a run: stored in the commits of its record, and queried by session, type and importance.

They matter less than the record. When the file refuses them, because their pages are damaged, they are lost and counted,
and the record is stored without them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from memory.codec import decode, encode
from memory.errors import Faults, ObservationsRefused, StoreError
from memory.observations.observation import Observation, ObservationQuery, Observed
from memory.store.checkpoints import LAST_CHECKPOINT
from memory.store.database import Database, Reader, insert_into, select_from

_Row = tuple[str, Observed, str, int, float]  # session, observed, its metadata, tick, game_s

TABLE: Final = "observations"
ALL_OBSERVATIONS: Final = ObservationQuery()
_ADD: Final = insert_into(TABLE, Observation._fields[1:-1])
# All older rows that an observation supersedes: its own row is not written yet.
_SUPERSEDE: Final = (
    f"UPDATE observations SET stale = ?, stale_after = {LAST_CHECKPOINT} "  # noqa: S608
    "WHERE live = 1 AND stale = '' AND about <> '' AND about = ? AND type = ?"
)
_MARK_STALE: Final = (
    f"UPDATE observations SET stale = ?, stale_after = {LAST_CHECKPOINT} "  # noqa: S608
    "WHERE id = ? AND stale = ''"
)
_REFRESH: Final = (
    "UPDATE observations SET stale = '', stale_after = NULL "
    "WHERE stale_after IS NOT NULL AND stale_after >= ?"
)


OF_CONVERSATIONS: Final = "conversation"  # the type of what a run stores of its conversations


class ObservationReader(Reader):
    """Reads the observations of a run's file."""

    def find(self, query: ObservationQuery = ALL_OBSERVATIONS) -> list[Observation]:
        """Return the observations that match `query`, newest or most important first."""
        self._commit_pending()
        conditions: list[tuple[str, object]] = [
            ("live = ?", int(query.live)),
            ("importance >= ?", query.min_importance),
            *((("session = ?", query.session),) if query.session is not None else ()),
            *((("type = ?", query.type),) if query.type is not None else ()),
            *((("stale = ?", ""),) if query.current_only else ()),
            *(("instr(lower(content), ?)", word) for word in query.words.lower().split()),
        ]
        where = " AND ".join(condition for condition, _ in conditions)
        order = "importance DESC, id DESC" if query.by_importance else "id DESC"
        sql = f"{select_from(TABLE, Observation._fields)}WHERE {where} ORDER BY {order} LIMIT ?"
        limit = -1 if query.limit is None else query.limit
        return self._database.read(
            TABLE,
            lambda row: Observation._make((*row[:4], decode(row[4]), *row[5:])),  # metadata is JSON
            sql,
            (*(value for _, value in conditions), limit),
        )

    def latest(self, session: str) -> int | None:
        """Return the tick of the last observation of a session, or None."""
        self._commit_pending()
        row = self._database.row(
            "SELECT max(created) FROM observations WHERE session = ? AND live = 1", (session,)
        )
        return None if row is None else row[0]

    def sessions(self) -> list[str]:
        """Return the names of the sessions with observations, in order."""
        self._commit_pending()
        return _session_names(self._database)

    def _commit_pending(self) -> None:
        """Write pending rows before a query."""


class ObservationLog(ObservationReader):
    """Reads and writes observations; added ones are stored at the next commit."""

    def __init__(self, database: Database, faults: Faults, commit: Callable[[], object]) -> None:
        super().__init__(database)
        self._faults = faults
        self._commit = commit  # writes pending rows
        self._added: list[_Row] = []
        self._is_refused = False  # by the file, in the commit under way

    def next_session(self, run_id: str) -> str:
        """Return an unused session name: the run id, from the second session on with a number.

        A session is created by its first observation.
        """
        sessions = _session_names(self._database)
        number = _number(sessions[-1]) + 1 if sessions else 1
        return run_id if number == 1 else f"{run_id}#{number}"

    def add(self, session: str, observed: Iterable[Observed], tick: int, game_s: float) -> None:
        """Store the observations of a session at the next commit."""
        encoded = [(session, each, encode(each.metadata), tick, game_s) for each in observed]
        self._added.extend(encoded)  # all of them or none

    def add_now(self, session: str, observed: Iterable[Observed], tick: int, game_s: float) -> None:
        """Write observations within a transaction of the caller.

        Raises ObservationsRefused when the file refuses them; the caller can write its other rows without them.
        """
        rows = [(session, each, encode(each.metadata), tick, game_s) for each in observed]
        try:
            with self._refusing():
                self._write(rows)
        finally:
            self._is_refused = False  # the next commit tries again

    def clear(self, session: str) -> int:
        """Delete the observations of a session, and return how many."""
        self._commit_pending()
        return self._database.execute("DELETE FROM observations WHERE session = ?", (session,))

    def mark_stale(self, ids: Iterable[int], reason: str) -> None:
        """Mark observations as stale with a reason, until play is rewound to before; earlier marks stay."""
        self._commit_pending()
        with self._database.transaction():
            self._database.execute_many(_MARK_STALE, ((reason, number) for number in ids))

    def _commit_pending(self) -> None:
        self._commit()

    def flush(self) -> None:
        """Write the added observations, within the transaction of a commit.

        Raises ObservationsRefused when the file refuses them; the next attempt leaves them out.
        """
        if self._added and not self._is_refused:
            with self._refusing():
                self._write(self._added)

    def discard_changes(self) -> None:
        """Discard unwritten changes."""
        self._added.clear()
        self._is_refused = False

    def last(self) -> int:
        """Return the number of the last observation ever written, from the sequence table."""
        row = self._database.row("SELECT seq FROM sqlite_sequence WHERE name = ?", (TABLE,))
        return 0 if row is None else int(row[0])

    def rewind(self, number: int, last: int, *, kept_to: int = -1) -> None:
        """Mark observations after checkpoint `number` as of a dead branch, within a transaction.

        Those of what conversations keep, said up to tick `kept_to`, stay: they are stored once.
        """
        if self._is_refused:
            return
        with self._refusing():
            self._database.execute(
                "UPDATE observations SET live = 0 WHERE live = 1 AND id > ? "
                "AND NOT (type = ? AND created <= ?)",
                (last, OF_CONVERSATIONS, kept_to),
            )
            self._database.execute(_REFRESH, (number,))

    def _write(self, rows: Sequence[_Row]) -> None:
        database = self._database
        started = {row[0]: row[-2:] for row in reversed(rows)}
        database.execute_many(
            "INSERT OR IGNORE INTO sessions (id, tick, game_s) VALUES (?, ?, ?)",
            ((session, *since) for session, since in started.items()),
        )
        for session, each, metadata, tick, game_s in rows:
            for kind in each.supersedes:
                database.execute(_SUPERSEDE, (f"tick {tick}: {each.content}", each.about, kind))
            row = (session, each.type, each.content, metadata, each.importance, each.source)
            database.execute(_ADD, (*row, tick, game_s, each.about))

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """Count an error of the body, and raise ObservationsRefused, so that the transaction is repeated without it."""
        try:
            yield
        except StoreError as error:
            self._faults.note(TABLE, error)
            self._is_refused = True
            raise ObservationsRefused(str(error)) from error


def _session_names(database: Database) -> list[str]:
    rows = database.rows("SELECT id FROM sessions")
    with database.decoding("sessions"):
        return sorted((str(name) for (name,) in rows), key=_number)


def _number(session: str) -> int:
    return int(session.rpartition("#")[2]) if "#" in session else 1
