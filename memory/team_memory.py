"""Memory that several runs share: files merged by one rule, and the collective scope of what they agree on.

A team consists of all runs that delivered to one file or to copies of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, cast

from memory.blackboard.entry import COLLECTIVE, Entry, Status
from memory.codec import Json, as_json
from memory.store.contributions import MANAGER, ByRow, by_precedence
from memory.store.merge import MergeResult, merge_files
from memory.tiers.knowledge import ConsolidationConfig, Knowledge
from memory.tiers.tactician import IMPORTANCE, TABLE_OF

AGREED: Final = "agreed"


class MemoryManagementAgent:
    """The agent that merges the memories of runs, and maintains what they agree on."""

    @staticmethod
    def merge(
        sources: Sequence[Path],
        into: Path,
        *,
        now: float,
        config: ConsolidationConfig | None = None,
    ) -> MergeResult:
        """Merge the memories of `sources` and the one at `into` into one file at `into`, and return the result.

        `now` is what the clock shows. The sources are only read. A changed target is backed up next to it. Merging the same files again changes nothing.
        """
        return merge_files(sources, into, _agreed_by_runs, config or ConsolidationConfig(), now=now)


def _agreed(about: str, kind: str, record: Json, origins: Iterable[str]) -> dict[str, Json]:
    """Return the data of an agreed entry, with the agents it comes from."""
    return {"about": about, "kind": kind, "record": record, "origins": sorted(origins)}


def _agreed_by_runs(known: Knowledge, contributions: ByRow) -> Iterator[tuple[Entry, str, int]]:
    """Yield a collective entry for each row with several contributing runs, the most supported last, as the newest."""
    candidates: list[tuple[int, tuple[float | str, ...], str, Entry]] = []
    for kind, table in TABLE_OF.items():
        for memory_id, record in known.of(table).items():
            ranked = by_precedence(contributions[table, memory_id].values())
            if len(ranked) < 2:
                continue
            about = f"{kind}:{memory_id}"
            data = _agreed(about, kind, as_json(record), (each.run_id for each in ranked))
            deciding = ranked[-1]
            entry = Entry(
                seq=0,
                scope=COLLECTIVE,
                kind=AGREED,
                tick=deciding.tick,
                game_s=0.0,
                data={**data, "at": deciding.relevant_at},
                tags=frozenset(),
                importance=IMPORTANCE,
                expires_s=None,
                key=f"{MANAGER}/{AGREED}:{about}",
                status=cast("Status", deciding.status),
                sources=tuple(f"run:{each.run_id}" for each in ranked),
            )
            candidates.append((len(ranked), deciding.precedence, about, entry))
    for number, (*_, entry) in enumerate(sorted(candidates, key=lambda each: each[:3]), start=1):
        yield entry, MANAGER, number
