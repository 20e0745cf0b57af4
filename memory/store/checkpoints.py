"""The checkpoints of a run: their content, their retention, and saved session states, which are rewound with them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from memory.blackboard.entry import CheckpointPart
from memory.codec import Json, decode, encode
from memory.errors import MissingCheckpoint
from memory.store.database import Database, Reader, select_from

LAST_CHECKPOINT: Final = "(SELECT coalesce(max(id), 0) FROM checkpoints)"
RING: Final = 8  # the newest checkpoints, for any reason
BUDGET: Final = 64 << 20  # bytes, of game states and parts together
MIN_RETAINED: Final = 2  # retained whatever their size

CheckpointReason: TypeAlias = Literal[
    "start", "milestone", "consolidation", "battle", "back", "end", "last"
]
"""Why it was made. "battle": before an important battle; "back": play went back to it to leave a dead end, or goes on from
it with other settings; "end": play ended as asked, and play that goes on begins at the one before, as if it had not ended;
"last": play ended otherwise, and goes on from there.
"""
PERMANENT: Final[frozenset[CheckpointReason]] = frozenset({"start", "milestone"})


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One restore target: the game state and the chain of digests; its parts are rows of their own.

    `id` is its number in the file, assigned by the store.
    """

    tick: int
    frame: int
    state: bytes
    chain: bytes
    id: int = field(default=0, compare=False)
    why: CheckpointReason = field(default="consolidation", compare=False)


class CheckpointInfo(NamedTuple):
    """The description of a checkpoint, without its game state; `size` in bytes."""

    id: int
    tick: int
    frame: int
    why: CheckpointReason
    size: int


class Extent(NamedTuple):
    """The highest row number of each table when a checkpoint was made."""

    tick: int
    last_event: int
    last_entry: int
    last_sequence: int
    last_observation: int


class CheckpointReader(Reader):
    """Reads committed checkpoints."""

    def latest(self) -> Checkpoint | None:
        """Return the newest checkpoint, or None when there is none yet."""
        return next(self.all(), None)

    def all(self) -> Iterator[Checkpoint]:
        """Yield the checkpoints, newest first, each read lazily."""
        for mark in reversed(self.marks()):
            try:
                yield self.numbered(mark.id)
            except MissingCheckpoint:
                continue  # deleted meanwhile by the process that plays

    def numbered(self, number: int) -> Checkpoint:
        """Return the checkpoint with this number.

        Raises MissingCheckpoint when the file no longer holds it.
        """
        return Checkpoint(*self._row(("tick", "frame", "state", "chain", "id", "why"), number))

    def marks(self) -> list[CheckpointInfo]:
        """Return the descriptions of all checkpoints, oldest first."""
        sql = select_from("checkpoints", CheckpointInfo._fields) + "ORDER BY id"
        return self._database.read("checkpoints", CheckpointInfo._make, sql)

    def ticks(self) -> list[int]:
        """Return the ticks of all checkpoints, newest first."""
        return [mark.tick for mark in reversed(self.marks())]

    def part(self, name: str, number: int | None = None) -> Any:  # noqa: ANN401  # JSON
        """Return the state of a part in a checkpoint, by default the last one, or None when it holds none."""
        row = self._database.row(
            "SELECT data FROM parts WHERE name = ?1 "
            "AND checkpoint = coalesce(?2, (SELECT max(id) FROM checkpoints))",
            (name, number),
        )
        with self._database.decoding(f"part {name}"):
            return None if row is None else decode(row[0])

    def restore(self, name: str, part: CheckpointPart, number: int | None = None) -> None:
        """Restore `part` from a checkpoint, by default the last one, if that holds its state."""
        state = self.part(name, number)
        if state is not None:
            with self._database.decoding(f"part {name}"):
                part.restore(state)

    def extent(self, checkpoint: Checkpoint) -> Extent:
        """Return what the file held at that checkpoint."""
        return Extent(*self._row(Extent._fields, checkpoint.id))

    def _row(self, columns: Sequence[str], number: int) -> tuple[Any, ...]:
        sql = select_from("checkpoints", columns) + "WHERE id = ?"
        if (row := self._database.row(sql, (number,))) is None:
            raise MissingCheckpoint(
                f"{self._database.path} does not hold checkpoint {number}; take one that it holds."
            )
        return row


def save_checkpoint(
    database: Database, checkpoint: Checkpoint, parts: Mapping[str, str], last_observation: int
) -> None:
    """Write a checkpoint and its parts, within a transaction."""
    taken = checkpoint.tick, checkpoint.frame, checkpoint.state, checkpoint.chain
    size = len(checkpoint.state) + sum(map(len, parts.values()))
    database.execute(
        "INSERT INTO checkpoints (tick, frame, state, chain, why, size, "
        "last_observation, last_event, last_entry, last_sequence) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT coalesce(max(id), 0) FROM events), "
        "(SELECT coalesce(max(id), 0) FROM entries), "
        "(SELECT coalesce(max(sequence), 0) FROM outbox))",
        (*taken, checkpoint.why, size, last_observation),
    )
    database.execute_many(
        "INSERT INTO parts (checkpoint, name, data) "
        "VALUES ((SELECT max(id) FROM checkpoints), ?, ?)",
        parts.items(),
    )


def retained(marks: Sequence[CheckpointInfo], *, budget: int = BUDGET) -> frozenset[int]:
    """Return the numbers of the checkpoints to retain; `marks` are all of a run, newest last.

    Of two at the same tick only the newer is retained, unless the older is permanent. That of an end is retained beside
    those that would be retained without it: play may go on as if it had not ended.
    """
    if marks and marks[-1].why == "end":
        return retained(marks[:-1], budget=budget) | {marks[-1].id}
    last = {mark.tick: mark.id for mark in marks}
    distinct = [mark for mark in marks if mark.why in PERMANENT or last[mark.tick] == mark.id]
    recent = distinct[-RING:]
    stay = {mark.id: mark for mark in distinct if mark.why in PERMANENT} | {
        mark.id: mark for mark in recent
    }
    total = sum(mark.size for mark in stay.values())
    for victim in _removal_order(list(stay.values()), recent):
        if total <= budget:
            break
        total -= stay.pop(victim.id).size
    return frozenset(stay)


def _removal_order(
    stay: Sequence[CheckpointInfo], recent: Sequence[CheckpointInfo]
) -> Iterator[CheckpointInfo]:
    """Yield checkpoints in the order of removal: old milestones, then the oldest of the ring, then the start."""
    newest = {mark.id for mark in recent}
    by_age = sorted(stay, key=lambda mark: mark.id)
    old = [each for each in by_age if each.id not in newest]
    yield from (each for each in old if each.why != "start")
    yield from [each for each in by_age if each.id in newest][:-MIN_RETAINED]
    yield from (each for each in old if each.why == "start")


class StrategistCheckpoints:
    """The states of sessions by name, written at the next commit. A replaced state stays while a checkpoint needs it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._saved: dict[str, tuple[int, str]] = {}

    def save(self, session_id: str, tick: int, data: Json) -> None:
        """Store the state of a session at the next commit."""
        self._saved[session_id] = (tick, encode(data))

    def load(self, session_id: str) -> Any:  # noqa: ANN401  # the caller knows the shape it stored
        """Return the state of a session that was saved last, or None."""
        if (saved := self._saved.get(session_id)) is not None:
            return decode(saved[1])
        row = self._database.row(
            "SELECT data FROM strategist_checkpoints WHERE session_id = ? AND dropped_after IS NULL",
            (session_id,),
        )
        with self._database.decoding("strategist_checkpoints"):
            return None if row is None else decode(row[0])

    def flush(self) -> None:
        """Write the saved states, within the transaction of a commit."""
        self._database.execute_many(
            f"UPDATE strategist_checkpoints SET dropped_after = {LAST_CHECKPOINT} "  # noqa: S608
            "WHERE session_id = ? AND dropped_after IS NULL",
            ((session_id,) for session_id in self._saved),
        )
        self._database.execute_many(
            "INSERT INTO strategist_checkpoints (session_id, tick, data, made_after) "  # noqa: S608
            f"VALUES (?, ?, ?, {LAST_CHECKPOINT})",
            ((session_id, *saved) for session_id, saved in self._saved.items()),
        )

    def discard_changes(self) -> None:
        """Discard unwritten changes."""
        self._saved.clear()

    def rewind(self, number: int) -> None:
        """Restore the states of checkpoint `number`, within a transaction."""
        self._database.execute(
            "DELETE FROM strategist_checkpoints WHERE made_after >= ?", (number,)
        )
        self._database.execute(
            "UPDATE strategist_checkpoints SET dropped_after = NULL WHERE dropped_after >= ?",
            (number,),
        )

    def prune(self, before: int, after: int) -> None:
        """Delete states that were saved and replaced between two retained checkpoints, within a transaction."""
        self._database.execute(
            "DELETE FROM strategist_checkpoints "
            "WHERE dropped_after >= ?1 AND dropped_after < ?2 AND made_after >= ?1",
            (before, after),
        )
