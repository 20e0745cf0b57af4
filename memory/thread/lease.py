"""Who is at which work on a conversation, so that two processes do not do it twice.

A lease ends by itself: who holds one may have been killed. Two lives that bear one name never overlap, so whoever comes
under the name of a holder takes the lease over at once.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.store.database import Database


class Work(Enum):
    """What only one process does at a time."""

    OBSERVING = "observing"
    REFLECTING = "reflecting"
    BUFFERING_OBSERVATION = "buffering observation"
    BUFFERING_REFLECTION = "buffering reflection"


def take(database: Database, owner: str, work: Work, holder: str, times: tuple[int, int]) -> bool:
    """Return whether `holder` has the lease from now on; `times` are now and when it ends, in epoch milliseconds."""
    now_ms, until_ms = times
    return bool(
        database.execute(
            "INSERT INTO thread_leases (owner, work, holder, until_ms) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (owner, work) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms "
            "WHERE holder = excluded.holder OR until_ms <= ?",
            (owner, work.value, holder, until_ms, now_ms),
        )
    )


def give_back(database: Database, owner: str, work: Work, holder: str) -> None:
    """Let go of a lease, if `holder` still has it."""
    database.execute(
        "DELETE FROM thread_leases WHERE owner = ? AND work = ? AND holder = ?",
        (owner, work.value, holder),
    )


def held(database: Database, owner: str, now_ms: int) -> frozenset[Work]:
    """Return what is being worked at; a lease that has ended does not count."""
    rows = database.rows(
        "SELECT work FROM thread_leases WHERE owner = ? AND until_ms > ?", (owner, now_ms)
    )
    with database.understood("thread_leases"):
        return frozenset(Work(work) for (work,) in rows)
