"""The doors of memory that an examinee may use, as they are when a run has ended: nothing of steps, digests or the console."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from shutil import copytree
from typing import Any, Final

from agent.mind import AGENT
from memory import (
    ACQUAINTANCE,
    BATTLE,
    TEAM,
    AgentMemory,
    Entry,
    Hooks,
    KnowledgeReader,
    MemoryActions,
    MemoryQuery,
    gather_context,
    open_knowledge_store,
    open_memory,
    open_run,
    open_run_store,
    read_knowledge_store,
    scope_name,
)

BUDGET: Final = 1_000  # tokens of context for one question
MOST: Final = 100
EPISODIC: Final = scope_name(AGENT, "ltm:episodic")


class Notebook:
    """Tiers, recall, context and gaps of one run's memory, and what outlives runs. All answers are structured."""

    def __init__(
        self, memory: AgentMemory, actions: MemoryActions, knowledge: KnowledgeReader, run: str
    ) -> None:
        self.strategist = memory.strategist
        self.knowledge = knowledge
        self.run = run
        self._memory = memory
        self._actions = actions

    def is_known(self, name: str) -> bool:
        """Say whether memory has ever heard of a place, a species or a trainer."""
        return f"nothing is known of {name}" not in self._actions.memory_gaps(names=(name,))

    def acquaintance(self, name: str, run: str = "") -> Mapping[str, Any] | None:
        """Return what a run, by itself this one, had to do with `name`."""
        found = self.recalled(ACQUAINTANCE, name)
        return next((data for data in found if data["run"] == (run or self.run)), None)

    def told_of(self, name: str) -> Mapping[str, Any] | None:
        """Return the same from the lines that a prompt on the matter would hold."""
        query = MemoryQuery(kinds=(ACQUAINTANCE, BATTLE), subject=name)
        keys = gather_context(self._actions, query, BUDGET, "exam").keys
        semantic = self._memory.tactician.semantic
        entries = (self._memory.blackboard.get(semantic, key) for key in keys)
        found = (each.data for each in entries if each is not None and each.kind == ACQUAINTANCE)
        return next((data for data in found if data["run"] == self.run), None)

    def recalled(self, kind: str, name: str) -> Sequence[Mapping[str, Any]]:
        """Return what is recalled of `name` in entries of one kind, of whichever run."""
        query = MemoryQuery(kinds=(kind,), subject=name, max_results=MOST)
        return [each.data for each in self._actions.memory_recall(query, "exam")]

    def own(self, kind: str) -> list[Entry]:
        """Return what this run told of one kind, among what is kept as it was."""
        query = MemoryQuery(kinds=(kind,), scopes=(EPISODIC,), max_results=MOST)
        found = self._actions.memory_recall(query, "exam")
        return [each for each in found if run_of(each) == self.run]

    def defeats_in(self, place: str) -> Sequence[Mapping[str, Any]]:
        """Return the fights that this run lost in a place."""
        query = MemoryQuery(kinds=(BATTLE,), scopes=(EPISODIC,), place=place, max_results=MOST)
        found = (each.data for each in self._actions.memory_recall(query, "exam"))
        return [each for each in found if each["outcome"] == "defeat" and each["run"] == self.run]

    def team(self) -> dict[str, int]:
        """Return who is in the team, with their levels."""
        found = self._actions.memory_recall(MemoryQuery(kinds=(TEAM,), subject="team"), "exam")
        return members(found[0].data["team"]) if found else {}

    def lasting(self, kind: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Return what outlives runs of one kind, with the run it tells of."""
        return [(run_of(each), each.data) for each in self.knowledge.entries() if each.kind == kind]


def members(team: Any) -> dict[str, int]:  # noqa: ANN401  # JSON as it was stored
    """Return the species of a team with their levels."""
    pairs = (str(each).rpartition(":") for each in team)
    return {name: int(level) for name, _, level in pairs}


def run_of(entry: Entry) -> str:
    """Return the run that an entry tells of."""
    return str(entry.data.get("run", ""))


@contextmanager
def notebook(run: Path, memory: Path, home: Path) -> Iterator[Notebook]:
    """Lend the doors of a run that has ended, opened on a copy in the folder `home`: looking must change nothing."""
    copy = home / "looked-at"
    copytree(run, copy)
    with ExitStack() as stack:
        folder = stack.enter_context(closing(open_run(copy)))
        knowledge = stack.enter_context(closing(read_knowledge_store(memory)))
        store = folder.store
        started_at = folder.settings["started"].timestamp()
        known = open_memory(store, AGENT, session_id=store.run_id, started_at=started_at)
        known.load_strategist_checkpoint(store, store.run_id)
        yield Notebook(known, known.actions(store, Hooks()), knowledge, store.run_id)


@contextmanager
def forgetful(run: str, home: Path) -> Iterator[Notebook]:
    """Lend the same doors of a memory that was never told anything; its files lie in the folder `home`."""
    with ExitStack() as stack:
        store = stack.enter_context(closing(open_run_store(home / "blank-run.sqlite", run_id=run)))
        knowledge = open_knowledge_store(home / "blank-memory.sqlite", now=0.0)
        stack.enter_context(closing(knowledge))
        known = open_memory(store, AGENT, session_id=run, started_at=0.0)
        yield Notebook(known, known.actions(store, Hooks()), knowledge, run)
