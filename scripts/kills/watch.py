"""What a life tells: where it is, and what it is about to keep and has kept. Lives in the child process alone.

The product is not changed for this: its methods are replaced here, by ones that say what they do.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any

from agent.app.session import Session
from kills.words import Phase, digest, spelled
from memory import (
    Checkpoint,
    Entry,
    KnowledgeStore,
    MemoryConsolidator,
    OutboxRow,
    Part,
    RunStore,
    StepRow,
)
from memory.tiers.observer import ACTION


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
    """What was appended since the last commit, told at the next."""

    def __init__(self, teller: Teller) -> None:
        self._teller = teller
        self._parts: dict[str, Part] = {}
        self._clear()

    def begin(self) -> None:
        """Stand beside every method that keeps something."""
        for name in ("append_step", "append_event", "enqueue", "put_entry", "drop_entry", "attach"):
            around(RunStore, name, getattr(self, f"_{name}"))
        around(RunStore, "commit", self._commit)
        around(RunStore, "rewind", self._rewind)
        around(KnowledgeStore, "deliver", self._deliver)
        around(KnowledgeStore, "age", self._age)
        around(MemoryConsolidator, "consolidate", self._consolidate)
        around(Session, "play", self._play)

    def _clear(self) -> None:
        self._steps: list[str] = []
        self._events: list[str] = []
        self._lessons: list[str] = []
        self._actions: list[int] = []
        self._puts: dict[int, Entry] = {}
        self._drops: set[int] = set()

    def _append_step(self, original: Any, store: RunStore, row: StepRow) -> None:  # noqa: ANN401
        original(store, row)
        self._steps.append(digest(*row))

    def _append_event(self, original: Any, store: RunStore, *event: Any) -> None:  # noqa: ANN401
        original(store, *event)
        self._events.append(digest(*event[:2], spelled(event[2])))

    def _enqueue(self, original: Any, store: RunStore, *lesson: Any) -> None:  # noqa: ANN401
        original(store, *lesson)
        self._lessons.append(digest(*lesson[:2], spelled(lesson[2])))

    def _put_entry(self, original: Any, store: RunStore, entry: Entry) -> None:  # noqa: ANN401
        original(store, entry)
        self._puts[entry.seq] = entry
        if entry.kind == ACTION and entry.seq not in self._actions:
            self._actions.append(entry.seq)

    def _drop_entry(self, original: Any, store: RunStore, seq: int) -> None:  # noqa: ANN401
        original(store, seq)
        self._puts.pop(seq, None)
        self._drops.add(seq)

    def _attach(self, original: Any, store: RunStore, name: str, part: Part) -> None:  # noqa: ANN401
        self._parts[name] = part
        original(store, name, part)

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
            "actions": self._actions,
            "puts": {str(seq): name_of(entry) for seq, entry in self._puts.items()},
            "drops": sorted(self._drops),
            "checkpoint": mark,
        }
        self._teller.say("commit", said)
        with self._teller.within(Phase.COMMITTING if mark is None else Phase.CHECKPOINTING):
            original(store, checkpoint=checkpoint)
            self._teller.say("done")
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
        return {"tick": checkpoint.tick, "content": content, "parts": parts}

    def _rewind(self, original: Any, store: RunStore, checkpoint: Checkpoint) -> None:  # noqa: ANN401
        self._teller.say("rewind", checkpoint.id)
        with self._teller.within(Phase.REWINDING):
            original(store, checkpoint)
            self._teller.say("done")
        self._clear()

    def _deliver(
        self,
        original: Any,  # noqa: ANN401
        knowledge: KnowledgeStore,
        run_id: str,
        rows: Any,  # noqa: ANN401
    ) -> int:
        handed: list[OutboxRow] = list(rows)
        self._teller.say("deliver", run_id, [row.sequence for row in handed])
        with self._teller.within(Phase.DELIVERING):
            count: int = original(knowledge, run_id, handed)
            self._teller.say("done")
        return count

    def _age(self, original: Any, knowledge: KnowledgeStore) -> None:  # noqa: ANN401
        self._teller.say("age")
        with self._teller.within(Phase.AGEING):
            original(knowledge)
            self._teller.say("done")

    def _consolidate(self, original: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        is_last = more.get("session_end", False)
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


def name_of(entry: Entry) -> str:
    """Return the short name of all that an entry says."""
    return digest(spelled(entry._asdict()))
