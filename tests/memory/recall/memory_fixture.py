"""A memory over a real file, with the memory actions of an agent."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory import (
    Blackboard,
    Entry,
    Hooks,
    Json,
    MemoryActions,
    MemoryQuery,
    Producers,
    RunStore,
    open_run_store,
)
from memory.flow.flows import Flows
from memory.flow.maintenance import Maintenance
from memory.recall.actions import register_recall_producers
from tests.memory.samples import EPISODIC, WORKING

__all__ = ["EPISODIC", "WORKING", "MemoryFixture", "open_memory_fixture"]


@dataclass(frozen=True)
class MemoryFixture:
    store: RunStore
    blackboard: Blackboard
    hooks: Hooks
    flows: Flows
    maintenance: Maintenance
    actions: MemoryActions

    def note(self, data: Mapping[str, Json], *, at: float = 0.0, **more: Any) -> Entry:  # noqa: ANN401
        """Write one entry, by default to working memory."""
        scope, kind = more.pop("scope", WORKING), more.pop("kind", "action")
        return self.blackboard.write(scope, kind, data, tick=int(at * 2), game_s=at, **more)

    def found(self, **asked: Any) -> list[str]:  # noqa: ANN401
        """Return the keys of the recalled entries, best first."""
        return [each.key for each in self.actions.memory_recall(MemoryQuery(**asked))]


@contextmanager
def open_memory_fixture(path: Path) -> Iterator[MemoryFixture]:
    store = open_run_store(path, run_id="run-1")
    blackboard, hooks = Blackboard(store), Hooks()
    flows, maintenance = Flows(blackboard), Maintenance(blackboard, reindex=store.reindex)
    register_recall_producers(Producers(hooks, blackboard), "play")
    actions = MemoryActions(blackboard, store, hooks, flows, maintenance, "play")
    try:
        yield MemoryFixture(store, blackboard, hooks, flows, maintenance, actions)
    finally:
        store.close()
