"""The ledger of model calls: each is booked at its maximum cost before it is sent, and settled when its cost is known.

Each write is committed at once, in a short transaction on a connection of its own that any thread may use. Calls are
not part of the lineage: `rewind` restores the game, but spent money stays spent. A log beside the run's file repeats
each call, so that a copy that is put back, or a new file, takes over the calls that it lacks. Knows nothing of prices
or ceilings.
"""

from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, replace
from enum import Enum
from pathlib import Path
from typing import Any, Final, NamedTuple

from memory.codec import as_json, decode, encode, from_json
from memory.errors import MalformedRecord, StoreError
from memory.file_access import append, read_bytes
from memory.store.database import Database, Reader, insert_into, select_from

HOUR_MS: Final = 3_600_000
LOG_SUFFIX: Final = ".calls"
MAX_LOG_BYTES: Final = 256_000_000  # half a million calls
_BOOK: Final = (
    "INSERT INTO calls (state, model, purpose, milestone, started_ms, worst_nanos, worst_tokens, nanos, tokens) "
    "VALUES ('reserved', ?1, ?2, ?3, ?4, ?5, ?6, ?5, ?6) RETURNING *"
)
# Only an open call is updated: a call is settled once, however often it is reported.
_MARK_SETTLED: Final = (
    "UPDATE calls SET state = ?, nanos = ?, tokens = ?, input = ?, output = ?, cache_read = ?, "
    "cache_write_5m = ?, cache_write_1h = ?, model = coalesce(nullif(?, ''), model) "
    "WHERE id = ? AND state = 'reserved' RETURNING *"
)
_MARK_LOST: Final = (
    "UPDATE calls SET state = 'lost', model = coalesce(nullif(?, ''), model) "
    "WHERE id = ? AND state = 'reserved' RETURNING *"
)
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

    A lost call keeps the cost it was booked at. `model` is the name that the reply gives, '' for the one booked.
    """

    state: CallState
    nanos: int = 0
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write_5m: int = 0
    cache_write_1h: int = 0
    model: str = ""

    @property
    def kinds(self) -> tuple[int, ...]:
        """The tokens by kind, in the order of the table."""
        return self.input, self.output, self.cache_read, self.cache_write_5m, self.cache_write_1h

    @property
    def tokens(self) -> int:
        """The total of tokens of all kinds."""
        return sum(self.kinds)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One row of the table `calls`; `nanos` and `tokens` are the amounts it counts for.

    `model` is the one that is asked; once its reply came, the name that the reply gives.
    """

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


_COLUMNS: Final = [each.name for each in fields(ModelCall)]
_SELECT: Final = select_from("calls", _COLUMNS) + "ORDER BY id"
_TAKE_OVER: Final = (
    insert_into("calls", _COLUMNS)
    + " ON CONFLICT (id) DO UPDATE SET state = excluded.state, model = excluded.model, nanos = excluded.nanos, tokens = excluded.tokens, "
    "input = excluded.input, output = excluded.output, cache_read = excluded.cache_read, "
    "cache_write_5m = excluded.cache_write_5m, cache_write_1h = excluded.cache_write_1h "
    "WHERE state = 'reserved' AND excluded.state <> 'reserved'"
)


def _call_of(row: tuple[Any, ...]) -> ModelCall:
    return ModelCall(row[0], CallState(row[1]), *row[2:])


class CallLog(NamedTuple):
    """The log at `path`: each change of a call is one more line of JSON, and the last line of a call counts."""

    path: Path

    def append(self, calls: Iterable[ModelCall]) -> None:
        """Append the present state of `calls`, synced to disk, or raise StoreError."""
        rows = ({**as_json(each), "state": each.state.value} for each in calls)
        lines = [encode(row) + "\n" for row in rows]
        try:
            append(self.path, "".join(lines).encode(), starts_line=True)
        except OSError as error:
            raise self._unusable(error) from error

    def calls(self) -> dict[int, ModelCall]:
        """Return the calls by number, without unreadable lines; raises StoreError if the file cannot be read."""
        try:
            data = read_bytes(self.path, MAX_LOG_BYTES)
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._unusable(error) from error
        return {call.id: call for call in map(_logged_call, data.splitlines()) if call is not None}

    def _unusable(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self.path}, the log of paid calls, cannot be used ({error.strerror}); "
            "check its folder and free space, or put back the file that play wrote"
        )


def _logged_call(line: bytes) -> ModelCall | None:
    """Return the call in a line of the log; None if it is cut off or damaged."""
    try:
        call = from_json(ModelCall, decode(line.decode()))
        call = replace(call, state=CallState(call.state))
    except (ValueError, TypeError, MalformedRecord):
        return None
    for field, value in zip(fields(call), astuple(call), strict=True):
        is_amount = type(value) is int and value >= 0
        if field.name != "state" and not (is_amount if field.type is int else type(value) is str):
            return None
    return call


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

    def all(self) -> list[ModelCall]:
        """Return all calls, oldest first."""
        return self._database.read("calls", _call_of, _SELECT)


class CallLedger(CallReader):
    """Reads and writes the calls of a run's file; one thread at a time."""

    _own_connection: Database | None = None  # opened at the first call, since most runs make none

    def book(self, booking: Booking) -> int:
        """Book a call at its maximum cost, commit it, and return its number."""
        door = self._opened()
        with door.transaction():
            call = _call_of(door.rows(_BOOK, astuple(booking))[0])
            self._log.append([call])
        return call.id

    def settle(self, number: int, outcome: CallOutcome) -> bool:
        """Settle a booked call at its outcome; return False when it was settled before."""
        door = self._opened()
        amounts = (outcome.nanos, outcome.tokens, *outcome.kinds)
        values = (outcome.state.value, *amounts, outcome.model, number)
        with door.transaction():
            if outcome.state is CallState.LOST:
                rows = door.rows(_MARK_LOST, (outcome.model, number))
            else:
                rows = door.rows(_MARK_SETTLED, values)
            if rows:
                self._log.append(map(_call_of, rows))
        return bool(rows)

    def sums(self, *, now_ms: int, milestone: str) -> CallSums:
        """Return the totals of all calls, of the hour before `now_ms`, and under `milestone`."""
        door = self._opened()

        def summed(condition: str = "", *parameters: object) -> Sums:
            (row,) = door.rows(_SUMS + condition, parameters)
            return Sums(*row)

        return CallSums(
            summed(),
            # A call dated after now comes from a clock that was set back, and counts.
            summed(" AND started_ms > ?", now_ms - HOUR_MS),
            summed(" AND milestone = ?", milestone),
        )

    def last(self) -> LastCall:
        """Return the latest booking time, and the milestone of the newest call."""
        ((started_ms, milestone),) = self._opened().rows(_LAST)
        return LastCall() if started_ms is None else LastCall(started_ms, milestone)

    def close(self) -> None:
        """Close the connection for calls, if it was opened."""
        if self._own_connection is not None:
            self._own_connection.close()
            self._own_connection = None

    def _opened(self) -> Database:
        if self._own_connection is None:
            door = self._database.second_connection()
            try:
                self._take_over(door)
            except BaseException:
                door.close()
                raise
            self._own_connection = door
        return self._own_connection

    @property
    def _log(self) -> CallLog:
        return CallLog(self._database.path.with_suffix(LOG_SUFFIX))

    def _take_over(self, door: Database) -> None:
        """Add calls that only the log holds to the file, and calls that only the file holds to the log."""
        logged = self._log.calls()
        if logged:
            rows = [(each.id, each.state.value, *astuple(each)[2:]) for each in logged.values()]
            with door.transaction():
                door.execute_many(_TAKE_OVER, rows)
        missing = [
            call
            for call in door.read("calls", _call_of, _SELECT)
            if call.id not in logged
            or (logged[call.id].state is CallState.RESERVED and call != logged[call.id])
        ]
        if missing:
            self._log.append(missing)
