"""What one delivery adds to the shares of its run, and what is saved without a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memory.store.knowledge_tables import BY_LESSON, TABLES, knowledge
from memory.store.share_rows import TOTALS_TABLE, closing_in
from memory.tiers.folding import add, by_hand, totals
from memory.tiers.shares import BY_HAND, TOTALS_ROW, Share

if TYPE_CHECKING:
    from memory.codec import Json
    from memory.store.run_rows import OutboxRow
    from memory.store.share_rows import ByThing, Runs, Shares
    from memory.tiers.knowledge import Knowledge


class Contribution:
    """Lessons of one run, added to its shares in their order; `keep` writes them. `now` dates what has no date."""

    def __init__(self, shares: Shares, run_id: str, now: float) -> None:
        self._shares = shares
        self._run_id = run_id
        self._now = now
        self._touched: ByThing = {}

    def take(self, row: OutboxRow) -> None:
        """Add a lesson about a row of the four tables, what closes one, or totals."""
        if row.kind == "totals":
            mine, runs = self._share(TOTALS_TABLE, TOTALS_ROW)
            sums = totals([mine])
            counted: dict[str, Json] = {name: sums[name] + row.payload[name] for name in sums}
            share = Share(self._run_id, row.sequence, counted, mine.times + 1)
        elif row.kind == "close":
            payload: Any = row.payload
            mine, runs = self._share(payload["table"], payload["id"])
            share = mine.closed(closing_in(row, self._now))
        else:
            table = BY_LESSON[row.kind]
            mine, runs = self._share(table.name, row.payload[table.id_column])
            share = add(table.name, mine, row.payload, sequence=row.sequence, tick=row.tick)
        runs[self._run_id] = share

    def keep(self) -> ByThing:
        """Return the shares of all that was touched, after what this run adds to them is written."""
        mine = self._run_id
        self._shares.keep_all({each: {mine: runs[mine]} for each, runs in self._touched.items()})
        return self._touched

    def _share(self, table: str, memory_id: str) -> tuple[Share, Runs]:
        thing = table, memory_id
        if thing not in self._touched:
            self._touched[thing] = self._shares.of(table, memory_id)
        runs = self._touched[thing]
        return runs.get(self._run_id, Share(self._run_id)), runs


def save_by_hand(shares: Shares, before: Knowledge, after: Knowledge) -> None:
    """Make the shares say what was saved without a run: what was changed is one share, what is gone is none."""
    last = shares.sequences(BY_HAND)
    changed: list[tuple[str, str]] = []
    kept: ByThing = {}
    for table in TABLES:
        old, new = knowledge(before, table), knowledge(after, table)
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                thing = table.name, name
                changed.append(thing)
                if name in new:
                    share = by_hand(table.name, new[name], last.get(thing, 0) + 1)
                    kept[thing] = {BY_HAND: share}
    if _sums(before) != _sums(after):
        thing = TOTALS_TABLE, TOTALS_ROW
        changed.append(thing)
        kept[thing] = {BY_HAND: Share(BY_HAND, last.get(thing, 0) + 1, _sums(after), 1)}
    shares.let_go(changed)
    shares.keep_all(kept)


def _sums(known: Knowledge) -> dict[str, Json]:
    won = known.overall_win_rate * known.total_battles
    return {
        "sessions": known.total_sessions,
        "battles": known.total_battles,
        "victories": round(won) if abs(won - round(won)) < 1e-6 else won,
    }
