"""Memory that several runs share: files merged by one rule, and the collective scope of what they agree on.

A team consists of all runs that delivered to one file or to copies of it.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, cast

from memory.blackboard.entry import COLLECTIVE, Entry, Status
from memory.codec import Json, as_json
from memory.store.merge import MergeResult, merge_files
from memory.tiers.contributions import MANAGER, ByEntry, by_precedence
from memory.tiers.knowledge import KINDS, ConsolidationConfig
from memory.tiers.lasting import record_of
from memory.tiers.tactician import IMPORTANCE

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


def _agreed_by_runs(
    known: Iterable[Entry], contributions: ByEntry
) -> Iterator[tuple[Entry, str, int]]:
    """Yield a collective entry for each piece of knowledge with several runs, the most supported last, as the newest."""
    candidates: list[tuple[int, tuple[float | str, ...], str, Entry]] = []
    for kind in KINDS:
        for each in (each for each in known if each.kind == kind.name and not each.closed):
            ranked = by_precedence(contributions[each.scope, each.key].values())
            if len(ranked) < 2:
                continue
            about, deciding = each.key, ranked[-1]
            origins = sorted(each.run_id for each in ranked)
            record: Json = as_json(record_of(each))
            data: dict[str, Json] = {"about": about, "kind": kind.name, "record": record}
            entry = Entry(
                seq=0,
                scope=COLLECTIVE,
                kind=AGREED,
                tick=deciding.content["tick"],
                game_s=0.0,
                data={**data, "origins": origins, "at": deciding.relevant_at},
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
