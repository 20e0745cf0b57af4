"""The ledger of model calls: each is booked at its maximum cost before it is sent, and settled when its cost is known.

Each write is committed at once, in a short transaction on a connection of its own that any thread may use. Calls are
not part of the lineage: `rewind` restores the game, but spent money stays spent. Knows nothing of prices or ceilings.
"""

from dataclasses import astuple, dataclass, fields
from enum import Enum
from typing import Final, NamedTuple

from memory.store.database import Database, Reader, select_from

HOUR_MS: Final = 3_600_000
_BOOK: Final = (
    "INSERT INTO calls (state, model, purpose, milestone, started_ms, worst_nanos, worst_tokens, nanos, tokens) "
    "VALUES ('reserved', ?1, ?2, ?3, ?4, ?5, ?6, ?5, ?6) RETURNING id"
)
# Only an open call is updated: a call is settled once, however often it is reported.
_MARK_SETTLED: Final = (
    "UPDATE calls SET state = ?, nanos = ?, tokens = ?, input = ?, output = ?, cache_read = ?, "
    "cache_write_5m = ?, cache_write_1h = ? WHERE id = ? AND state = 'reserved'"
)
_MARK_LOST: Final = "UPDATE calls SET state = 'lost' WHERE id = ? AND state = 'reserved'"
_SUMS: Final = (
    "SELECT coalesce(sum(nanos), 0), count(*), coalesce(sum(tokens), 0) FROM calls "
    "WHERE state <> 'cancelled'"
)
_LAST: Final = (
    "SELECT max(started_ms), (SELECT milestone FROM calls ORDER BY id DESC LIMIT 1) FROM calls"
)


class CallState(Enum):
    """The state of a call. Reserved and lost calls count at their maximum cost."""

    RESERVED = "reserved"  # booked; whether it was sent is not known
    SETTLED = "settled"  # the service reported its usage
    CANCELLED = "cancelled"  # it was never sent
    LOST = "lost"  # it was sent, and its usage is unknown


@dataclass(frozen=True, slots=True)
class Booking:
    """A call about to be made. `worst_nanos` is in billionths of a dollar, `started_ms` since 1970."""

    model: str
    purpose: str
    milestone: str
    started_ms: int
    worst_nanos: int
    worst_tokens: int


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of a call: its state, its cost in billionths of a dollar, and its tokens by kind.

    A lost call keeps the cost it was booked at.
    """

    state: CallState
    nanos: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0

    @property
    def tokens(self) -> int:
        """The total of tokens of all kinds."""
        return sum(astuple(self)[2:])


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One row of the table `calls`; `nanos` and `tokens` are the amounts it counts for."""

    id: int
    state: CallState
    model: str
    purpose: str
    milestone: str
    started_ms: int
    worst_nanos: int
    worst_tokens: int
    nanos: int
    tokens: int
    input: int
    output: int
    cache_read: int
    cache_write_5m: int
    cache_write_1h: int


class Sums(NamedTuple):
    """The totals of some calls: cost in billionths of a dollar, number of calls, and tokens."""

    nanos: int = 0
    calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class CallSums:
    """The call totals of the whole run, of the last hour, and since a milestone."""

    run: Sums
    hour: Sums
    milestone: Sums


class LastCall(NamedTuple):
    """The latest booking time of all calls, and the milestone of the newest call; zero and empty without calls."""

    started_ms: int = 0
    milestone: str = ""


class CallReader(Reader):
    """Reads the calls of a run's file."""

    def calls(self) -> list[ModelCall]:
        """Return all calls, oldest first."""
        sql = select_from("calls", [each.name for each in fields(ModelCall)]) + "ORDER BY id"
        return self._database.read(
            "calls", lambda row: ModelCall(row[0], CallState(row[1]), *row[2:]), sql
        )


class CallLedger(CallReader):
    """Reads and writes the calls of a run's file; one thread at a time."""

    _calls_database: Database | None = None  # opened at the first call, since most runs make none

    def book_call(self, booking: Booking) -> int:
        """Book a call at its maximum cost, commit it, and return its number."""
        door = self._open_calls()
        with door.transaction():
            ((number,),) = door.rows(_BOOK, astuple(booking))
        return int(number)

    def settle_call(self, number: int, outcome: CallOutcome) -> bool:
        """Settle a booked call at its outcome; return False when it was settled before."""
        door = self._open_calls()
        with door.transaction():
            if outcome.state is CallState.LOST:
                return door.execute(_MARK_LOST, (number,)) > 0
            _, nanos, *by_kind = astuple(outcome)
            values = (outcome.state.value, nanos, outcome.tokens, *by_kind, number)
            return door.execute(_MARK_SETTLED, values) > 0

    def call_sums(self, *, now_ms: int, milestone: str) -> CallSums:
        """Return the totals of all calls, of the hour before `now_ms`, and under `milestone`."""
        door = self._open_calls()

        def summed(condition: str = "", *parameters: object) -> Sums:
            (row,) = door.rows(_SUMS + condition, parameters)
            return Sums(*row)

        return CallSums(
            summed(),
            # A call dated after now comes from a clock that was set back, and counts.
            summed(" AND started_ms > ?", now_ms - HOUR_MS),
            summed(" AND milestone = ?", milestone),
        )

    def last_call(self) -> LastCall:
        """Return the latest booking time, and the milestone of the newest call."""
        ((started_ms, milestone),) = self._open_calls().rows(_LAST)
        return LastCall() if started_ms is None else LastCall(started_ms, milestone)

    def close_calls(self) -> None:
        """Close the connection for calls, if it was opened."""
        if self._calls_database is not None:
            self._calls_database.close()
            self._calls_database = None

    def _open_calls(self) -> Database:
        if self._calls_database is None:
            self._calls_database = self._database.second_connection()
        return self._calls_database
