"""Memory that several agents share: team scopes, and the collective scope that a management agent maintains.

A team also consists of all runs that delivered to one file or to copies of it: the same agent merges their memories by
the same rule. A shared entry names the agent that learnt it, and its key begins with that name, so that statements of
two agents on one subject coexist until the management agent merges them.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from memory.blackboard.blackboard import Blackboard
from memory.blackboard.entry import COLLECTIVE, Entry, EntryKind, Status, team_scope
from memory.codec import Json, as_json
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.flow.subscription import Derived, MemorySubscription, of_kinds
from memory.store.contributions import MANAGER, TRUST, ByRow, by_precedence, precedence
from memory.store.merge import MergeResult, merge_files
from memory.tiers.knowledge import ConsolidationConfig, Knowledge
from memory.tiers.tactician import IMPORTANCE, TABLE_OF

SHARED: Final = "shared"
AGREED: Final = "agreed"
SEED_LIMIT: Final = 100  # entries of each kind, for a new agent


def sharing_kinds() -> tuple[EntryKind, ...]:
    """Return the policies of shared and agreed entries: the newest entry of a key counts."""
    return (
        EntryKind(SHARED, key=lambda data: f"{data['origin']}/{data['about']}", lasting=True),
        EntryKind(AGREED, key=lambda data: str(data["about"]), lasting=True),
    )


def team_subscription(agent_id: str, team_id: str) -> MemorySubscription:
    """Return the edge that copies the long-term entries of one agent to its team."""

    def attributed(entries: Sequence[Entry]) -> list[Derived]:
        return [
            Derived(
                SHARED,
                {"origin": agent_id, "about": each.key, "kind": each.kind, "record": each.data},
                (each.key, *each.sources),
                each.tags,
                each.importance,
                each.status,
            )
            for each in entries
        ]

    return MemorySubscription(
        f"{agent_id} to {team_id}", f"agent:{agent_id}:ltm:*", team_scope(team_id), attributed
    )


class MemoryManagementAgent:
    """The agent that merges shared statements, maintains shared scopes, and seeds new agents."""

    def __init__(self, blackboard: Blackboard, flows: Flows, maintenance: Maintenance) -> None:
        self._blackboard = blackboard
        self._flows = flows
        self._maintenance = maintenance
        blackboard.define(*sharing_kinds())
        flows.add(MemorySubscription("teams", "team:*", COLLECTIVE, self._agree, of_kinds(SHARED)))

    def run(self) -> dict[str, int]:
        """Agree on shared statements and maintain the shared scopes; return the counts."""
        agreed = self._flows.run("teams")[AGREED]
        shared = [each for each in self._blackboard.scopes() if not each.startswith("agent:")]
        return {
            "agreed": agreed,
            "pruned": sum(map(self._maintenance.prune, shared)),
            "merged": sum(map(self._maintenance.deduplicate, shared)),
        }

    def transfer(self, scopes: Mapping[str, str], *, limit: int = SEED_LIMIT) -> int:
        """Copy collective entries to the scope of their kind in `scopes`, and return how many were selected.

        At most `limit` of each kind, most trusted and important first, each with its origins as evidence.
        """
        by_kind: defaultdict[str, list[Entry]] = defaultdict(list)
        for entry in self._blackboard.entries(COLLECTIVE, kind=AGREED):
            if not entry.closed:
                by_kind[str(entry.data["kind"])].append(entry)
        transferred = 0
        for kind, scope in scopes.items():
            for entry in sorted(by_kind[kind], key=_transfer_rank, reverse=True)[:limit]:
                data: Any = entry.data
                transferred += 1
                # An existing entry is the agent's own experience, and stays.
                if self._blackboard.get(scope, data["about"]) is None:
                    self._blackboard.write(
                        scope,
                        kind,
                        data["record"],
                        importance=entry.importance,
                        key=data["about"],
                        status=entry.status,
                        sources=(*data["origins"], entry.key),
                        by=MANAGER,
                    )
        return transferred

    @staticmethod
    def merge(
        sources: Sequence[Path], into: Path, *, config: ConsolidationConfig | None = None
    ) -> MergeResult:
        """Merge the memories of `sources` and the one at `into` into one file at `into`, and return the result.

        The sources are only read. A changed target is backed up next to it. Merging the same files again changes nothing.
        """
        return merge_files(sources, into, _agreed_by_runs, config or ConsolidationConfig())

    def _agree(self, entries: Sequence[Entry]) -> list[Derived]:
        """Return one agreed entry for each subject: the most trusted statement, then the newest."""
        candidates_by_row: defaultdict[str, list[Entry]] = defaultdict(list)
        about = {str(each.data["about"]) for each in entries}
        for scope in {each.scope for each in entries}:
            for each in self._blackboard.entries(scope, kind=SHARED):
                if each.data["about"] in about and not each.closed:
                    candidates_by_row[str(each.data["about"])].append(each)
        found: list[Derived] = []
        for row_id, candidates in sorted(candidates_by_row.items()):
            best = max(candidates, key=_rank)
            origins = {str(each.data["origin"]) for each in candidates}
            data = _agreed(row_id, str(best.data["kind"]), best.data["record"], origins)
            links = tuple(each.key for each in candidates)
            found.append(Derived(AGREED, data, links, best.tags, best.importance, best.status))
        return found


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
                data={**data, "at": deciding.at},
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


def _rank(entry: Entry) -> tuple[int, float, int, str]:
    return precedence(entry.status, entry.game_s, entry.importance, entry.key)


def _transfer_rank(entry: Entry) -> tuple[int, int, float, int]:
    return TRUST[entry.status], entry.importance, entry.game_s, entry.seq
