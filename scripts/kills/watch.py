"""What a life tells: where it is, and what it is about to keep and has kept. Lives in the child process alone.

The product is not changed for this: its methods are replaced here, by ones that say what they do.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import wraps
from typing import Any, Final

from agent.app.session import Session
from agent.mind import AGENT
from kills.words import Phase, digest, spelled
from memory import (
    Blackboard,
    Checkpoint,
    Entry,
    KnowledgeStore,
    Observed,
    OutboxRow,
    RunStore,
    StepRow,
    scope_name,
)
from memory.blackboard import CheckpointPart
from memory.flow.flows import Flows
from memory.tiers import MemoryConsolidator
from memory.tiers.strategist import BATTLE

STM: Final = scope_name(AGENT, "stm")
DECIDED: Final = frozenset({"victory", "defeat"})
TOTALS: Final = "totals"  # called like no subscription


class Teller:
    """Says one line at a time to whoever holds the other end of the pipe.

    When it enters `phase` for the `count`th time it waits to be told to go on, so that whoever aims at that
    moment is awake.
    """

    def __init__(self, pipe: int, go: int, phase: Phase, count: int) -> None:
        self._pipe = pipe
        self._go = go
        self._phase = phase
        self._count = count

    def say(self, word: str, *about: object) -> None:
        """Say a word and what it is about; a line that a kill cuts short was not said."""
        line = (spelled([word, *about]) + "\n").encode()
        while line:
            line = line[os.write(self._pipe, line) :]

    @contextmanager
    def within(self, phase: Phase) -> Iterator[None]:
        """Say that this phase begins and ends."""
        self.say("in", phase.value)
        if phase is self._phase:
            self._count -= 1
            if self._count == 0:
                os.read(self._go, 1)
        yield
        self.say("out")


class Watch:
    """What was appended since the last commit, told at the next; `delivered` is what went up in earlier lives."""

    def __init__(self, teller: Teller, delivered: Iterable[int]) -> None:
        self._teller = teller
        self._delivered = set(delivered)
        self._parts: dict[str, CheckpointPart] = {}
        self._flows: Flows | None = None
        self._newest = 0  # seq
        self._clear()

    def begin(self) -> None:
        """Stand beside every method that keeps something."""
        for name in ("append_step", "append_event", "enqueue", "put_entry", "drop_entry", "attach"):
            around(RunStore, name, getattr(self, f"_{name}"))
        around(RunStore, "save_strategist_checkpoint", self._save_session)
        around(RunStore, "add_observations", self._observe)
        around(RunStore, "commit", self._commit)
        around(RunStore, "rewind", self._rewind)
        around(KnowledgeStore, "deliver", self._deliver)
        around(KnowledgeStore, "age", self._age)
        around(KnowledgeStore, "maintain", self._maintain)
        around(MemoryConsolidator, "consolidate", self._consolidate)
        around(Session, "play", self._play)

    def _clear(self) -> None:
        self._steps: list[str] = []
        self._events: list[str] = []
        self._lessons: list[str] = []
        self._observations: list[str] = []
        self._accepted: dict[str, list[int]] = {}
        self._puts: dict[int, Entry] = {}
        self._drops: set[int] = set()
        self._sessions: dict[str, str] = {}

    def _append_step(self, original: Any, store: RunStore, row: StepRow) -> None:  # noqa: ANN401
        original(store, row)
        self._steps.append(digest(*row))

    def _append_event(self, original: Any, store: RunStore, *event: Any) -> None:  # noqa: ANN401
        original(store, *event)
        self._events.append(digest(*event[:2], spelled(event[2])))

    def _enqueue(self, original: Any, store: RunStore, *lesson: Any) -> None:  # noqa: ANN401
        original(store, *lesson)
        self._lessons.append(digest(*lesson[:2], spelled(lesson[2])))

    def _observe(
        self,
        original: Any,  # noqa: ANN401
        store: RunStore,
        session: str,
        observed: Sequence[Observed],
        *,
        tick: int,
        game_s: float,
    ) -> None:
        original(store, session, observed, tick=tick, game_s=game_s)
        for each in observed:
            told = (each.type, each.content, each.importance, each.source, each.about)
            metadata = spelled(dict(each.metadata))
            self._observations.append(digest(session, tick, game_s, *told, metadata))

    def _put_entry(self, original: Any, store: RunStore, entry: Entry) -> None:  # noqa: ANN401
        original(store, entry)
        self._puts[entry.seq] = entry
        if entry.seq > self._newest:  # a revision is nothing new to carry
            self._newest = entry.seq
            self._accept(entry)

    def _accept(self, entry: Entry) -> None:
        """Note for whom an entry is; a battle that was won or lost counts in the totals as well."""
        for each in self._flows.subscriptions.values() if self._flows else ():
            if fnmatchcase(entry.scope, each.source) and each.accepts(entry):
                self._accepted.setdefault(each.name, []).append(entry.seq)
        if entry.scope == STM and is_decided(entry.kind, entry.data):
            self._accepted.setdefault(TOTALS, []).append(entry.seq)

    def _drop_entry(self, original: Any, store: RunStore, seq: int) -> None:  # noqa: ANN401
        original(store, seq)
        self._puts.pop(seq, None)
        self._drops.add(seq)

    def _attach(self, original: Any, store: RunStore, name: str, part: CheckpointPart) -> None:  # noqa: ANN401
        self._parts[name] = part
        original(store, name, part)
        if isinstance(part, Blackboard):
            self._newest = part.seq
        elif isinstance(part, Flows):
            self._flows = part

    def _save_session(
        self,
        original: Any,  # noqa: ANN401
        store: RunStore,
        session_id: str,
        tick: int,
        data: Any,  # noqa: ANN401
    ) -> None:
        original(store, session_id, tick, data)
        self._sessions[session_name(session_id)] = digest(tick, spelled(data))

    def _commit(
        self,
        original: Any,  # noqa: ANN401
        store: RunStore,
        *,
        checkpoint: Checkpoint | None = None,
    ) -> None:
        mark = None if checkpoint is None else self._mark(checkpoint)
        said = {
            "steps": self._steps,
            "events": self._events,
            "lessons": self._lessons,
            "observations": self._observations,
            "accepted": self._accepted,
            "puts": {str(seq): name_of(entry) for seq, entry in self._puts.items()}
            | self._sessions,
            "drops": [str(seq) for seq in sorted(self._drops)],
            "checkpoint": mark,
        }
        self._teller.say("commit", said)
        with self._teller.within(Phase.COMMITTING if mark is None else Phase.CHECKPOINTING):
            original(store, checkpoint=checkpoint)
            self._done()
        self._clear()

    def _mark(self, checkpoint: Checkpoint) -> dict[str, object]:
        parts = {name: digest(spelled(part.to_json())) for name, part in self._parts.items()}
        content = digest(
            checkpoint.tick,
            checkpoint.frame,
            checkpoint.state,
            checkpoint.chain,
            spelled(checkpoint.mind),
        )
        return {
            "tick": checkpoint.tick,
            "why": checkpoint.why,
            "content": content,
            "parts": parts,
        }

    def _rewind(
        self,
        original: Any,  # noqa: ANN401
        store: RunStore,
        checkpoint: Checkpoint,
        *by: str,
    ) -> None:
        self._teller.say("rewind", checkpoint.id)
        with self._teller.within(Phase.REWINDING):
            original(store, checkpoint, *by)
            self._done()
        self._clear()

    def _deliver(
        self,
        original: Any,  # noqa: ANN401
        knowledge: KnowledgeStore,
        run_id: str,
        rows: Any,  # noqa: ANN401
    ) -> int:
        handed: list[OutboxRow] = list(rows)
        sequences = [row.sequence for row in handed]
        self._teller.say("deliver", run_id, sequences)
        is_new = not self._delivered.issuperset(sequences)
        with self._teller.within(Phase.DELIVERING if is_new else Phase.REPEATING):
            count: int = original(knowledge, run_id, handed)
            self._done()
        self._delivered.update(sequences)
        return count

    def _age(self, original: Any, knowledge: KnowledgeStore) -> None:  # noqa: ANN401
        self._teller.say("age")
        with self._teller.within(Phase.AGEING):
            original(knowledge)
            self._done()

    def _maintain(self, original: Any, knowledge: KnowledgeStore) -> Any:  # noqa: ANN401
        self._teller.say("maintain")
        with self._teller.within(Phase.TIDYING):
            upkeep = original(knowledge)
            self._done()
        return upkeep

    def _done(self) -> None:
        """Acknowledge what was begun; a kill just before finds it done all the same."""
        with self._teller.within(Phase.KEPT):
            self._teller.say("done")

    def _consolidate(self, original: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        is_last = more.get("reason") == "session_end"
        with self._teller.within(Phase.CLOSING if is_last else Phase.CONSOLIDATING):
            return original(*args, **more)

    def _play(self, original: Any, *args: Any) -> Any:  # noqa: ANN401
        with self._teller.within(Phase.PLAYING):
            return original(*args)


def around(owner: object, name: str, wrapper: Callable[..., object]) -> None:
    """Have `wrapper(original, *args)` called wherever `owner.name(*args)` is."""
    original = getattr(owner, name)

    @wraps(original)
    def replaced(*args: Any, **more: Any) -> object:  # noqa: ANN401
        return wrapper(original, *args, **more)

    setattr(owner, name, replaced)


def session_name(session_id: str) -> str:
    """Return what a saved session is called among the entries."""
    return f"session {session_id}"


def is_decided(kind: str, data: Mapping[str, Any]) -> bool:
    """Return whether this is a battle that was won or lost."""
    return kind == BATTLE and data["outcome"] in DECIDED


def name_of(entry: Entry) -> str:
    """Return the short name of all that an entry says."""
    return digest(spelled(entry._asdict()))
