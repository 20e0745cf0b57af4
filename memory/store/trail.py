"""Where the player stood and what they had, one row for each change, with lineage as steps have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from memory.codec import decode, encode
from memory.store.run_rows import Team, TrailRow

if TYPE_CHECKING:
    from memory.store.database import Database

_INSERT: Final = "INSERT INTO trail (tick, frame, map_id, x, y, money, badges, team) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_READ: Final = "SELECT tick, frame, map_id, x, y, money, badges, team, live FROM trail ORDER BY id"
_SAME: Final = ""


class TrailLog:
    """Written with the next commit. A team that is as in the row before is not spelled out again."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._rows: list[tuple[int | str, ...]] = []
        self._team: Team | None = None  # as it was spelled out last

    def append(self, row: TrailRow) -> None:
        """Keep one row at the next commit."""
        team = _SAME if row.team == self._team else encode(row.team)
        self._team = row.team
        self._rows.append((*row[:-1], team))

    def flush(self) -> None:
        """Write what was appended, within the transaction of a commit."""
        self._database.execute_many(_INSERT, self._rows)

    def forget_changes(self) -> None:
        """Begin anew from what the file holds."""
        self._rows.clear()

    def rewind(self, tick: int) -> None:
        """Leave what came after `tick` on a dead branch, within a transaction.

        What was told of `tick` itself goes with it: whoever goes on from there tells it first.
        """
        self._team = None
        self._database.execute("UPDATE trail SET live = 0 WHERE live = 1 AND tick >= ?", (tick,))


def read_trail(database: Database, *, live: bool) -> list[TrailRow]:
    """Return the rows of the live lineage, or of dead branches, in the order of their making."""
    found: list[TrailRow] = []
    team: Team = ()
    with database.understood("trail"):
        for row in database.rows(_READ):
            if row[-2] != _SAME:
                team = tuple(
                    (species, level, hp, most) for species, level, hp, most in decode(row[-2])
                )
            if bool(row[-1]) is live:
                found.append(TrailRow._make((*row[:-2], team)))
    return found
