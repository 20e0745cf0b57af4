"""Which checkpoints of a run stay, and the saved state of its sessions, which goes back with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from memory.codec import Json, decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.store.database import Database
    from memory.store.run_rows import CheckpointMark, Why


RING: Final = 8  # the newest, whatever they were made for
BUDGET: Final = 64 << 20  # bytes of game and mind
FEWEST: Final = 2  # stay however large they are
LASTING: Final[frozenset[Why]] = frozenset({"start", "milestone"})


def kept(marks: Sequence[CheckpointMark], *, budget: int = BUDGET) -> frozenset[int]:
    """Return the numbers of the checkpoints that stay; `marks` are all of a run, the newest last.

    Of two at the same tick only the newer is one to come back to, unless the older is lasting.
    """
    last = {mark.tick: mark.id for mark in marks}
    distinct = [mark for mark in marks if mark.why in LASTING or last[mark.tick] == mark.id]
    recent = distinct[-RING:]
    stay = {mark.id: mark for mark in distinct if mark.why in LASTING} | {
        mark.id: mark for mark in recent
    }
    total = sum(mark.size for mark in stay.values())
    for victim in _dispensable(list(stay.values()), recent):
        if total <= budget:
            break
        total -= stay.pop(victim.id).size
    return frozenset(stay)


def _dispensable(
    stay: Sequence[CheckpointMark], recent: Sequence[CheckpointMark]
) -> Iterator[CheckpointMark]:
    """Yield what goes first where there is no room: old milestones, then the ring from behind, then the start."""
    newest = {mark.id for mark in recent}
    by_age = sorted(stay, key=lambda mark: mark.id)
    old = [each for each in by_age if each.id not in newest]
    yield from (each for each in old if each.why != "start")
    yield from [each for each in by_age if each.id in newest][:-FEWEST]
    yield from (each for each in old if each.why == "start")


class StrategistCheckpoints:
    """Saved with the next commit. What it takes the place of stays while a checkpoint needs it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._saved: dict[str, tuple[int, str]] = {}

    def save(self, session_id: str, tick: int, data: Json) -> None:
        """Keep the state of a session at the next commit."""
        self._saved[session_id] = (tick, encode(data))

    def load(self, session_id: str) -> Any:  # noqa: ANN401  # the caller knows the shape it stored
        """Return what was saved last of a session, or None."""
        if (saved := self._saved.get(session_id)) is not None:
            return decode(saved[1])
        row = self._database.row(
            "SELECT data FROM strategist_checkpoints WHERE session_id = ? AND dropped_after IS NULL",
            (session_id,),
        )
        with self._database.understood("strategist_checkpoints"):
            return None if row is None else decode(row[0])

    def flush(self) -> None:
        """Write what was saved, within the transaction of a commit."""
        self._database.execute_many(
            "UPDATE strategist_checkpoints "
            "SET dropped_after = (SELECT coalesce(max(id), 0) FROM checkpoints) "
            "WHERE session_id = ? AND dropped_after IS NULL",
            ((session_id,) for session_id in self._saved),
        )
        self._database.execute_many(
            "INSERT INTO strategist_checkpoints (session_id, tick, data, made_after) "
            "VALUES (?, ?, ?, (SELECT coalesce(max(id), 0) FROM checkpoints))",
            ((session_id, *saved) for session_id, saved in self._saved.items()),
        )

    def forget_changes(self) -> None:
        """Begin anew from what the file holds."""
        self._saved.clear()

    def rewind(self, number: int) -> None:
        """Bring back what was saved before checkpoint `number`, within a transaction."""
        self._database.execute(
            "DELETE FROM strategist_checkpoints WHERE made_after >= ?", (number,)
        )
        self._database.execute(
            "UPDATE strategist_checkpoints SET dropped_after = NULL WHERE dropped_after >= ?",
            (number,),
        )

    def prune(self, before: int, after: int) -> None:
        """Delete what was saved and taken the place of between two checkpoints that stay, within a transaction."""
        self._database.execute(
            "DELETE FROM strategist_checkpoints "
            "WHERE dropped_after >= ?1 AND dropped_after < ?2 AND made_after >= ?1",
            (before, after),
        )
