"""What a playing child says of itself to whoever does things to it: where it is, and what it teaches."""

import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from kills.watch import around
from kills.words import Phase, spelled

from agent.loop import Loop
from memory import KnowledgeStore, OutboxRow, RunStore
from memory.tiers import MemoryConsolidator

LINE: Final = "NIGHTS_LINE"  # the port that somebody listens on
EVERY: Final = 10  # ticks between two that are told of


class Voice:
    """One end of the line. At the moment that was aimed at it holds its breath until it gets the next aim."""

    def __init__(self, port: int) -> None:
        self._line = socket.create_connection(("127.0.0.1", port))
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = self._line.makefile("r", encoding="utf-8")
        self._tick = -1
        self._after, self._phase = 0, ""
        self.say("hello", os.getpid())
        self._listen()

    def say(self, word: str, *about: object) -> None:
        """Say a word and what it is about."""
        self._line.sendall(f"{spelled([word, *about])}\n".encode())

    def at(self, tick: int) -> None:
        """Tell of a tick now and then, and of the one that is aimed at."""
        if self._tick < 0 or tick % EVERY == 0:
            self.say("tick", tick)
        self._tick = tick
        self._enter(Phase.PLAYING)

    @contextmanager
    def within(self, phase: Phase) -> Iterator[None]:
        """Say that this phase begins and ends."""
        self.say("in", phase.value)
        self._enter(phase)
        try:
            yield
        finally:
            self.say("out", phase.value)

    def _enter(self, phase: Phase) -> None:
        if phase.value == self._phase and self._tick >= self._after:
            self.say("held", phase.value, self._tick)
            self._listen()

    def _listen(self) -> None:
        """Take the next aim: a phase, entered at or after a tick of the run."""
        self._phase, self._after = json.loads(self._answers.readline() or '["", 0]')


def watch(voice: Voice) -> None:
    """Have `voice` tell of every moment in which something is kept, and of the ticks between."""

    def commit(original: Any, store: RunStore, **more: Any) -> None:  # noqa: ANN401
        is_mark = more.get("checkpoint") is not None
        with voice.within(Phase.CHECKPOINTING if is_mark else Phase.COMMITTING):
            original(store, **more)

    def deliver(original: Any, known: KnowledgeStore, run_id: str, rows: Any) -> int:  # noqa: ANN401
        handed: list[OutboxRow] = list(rows)
        last = known.delivered(run_id)
        fresh = [
            [each.sequence, each.tick, each.kind, dict(each.payload)]
            for each in handed
            if each.sequence > last
        ]
        voice.say("deliver", run_id, last, fresh)
        with voice.within(Phase.DELIVERING if fresh else Phase.REPEATING):
            count: int = original(known, run_id, handed)
            voice.say("delivered", count)
        return count

    def consolidate(original: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        is_last = more.get("reason") == "session_end"
        with voice.within(Phase.CLOSING if is_last else Phase.CONSOLIDATING):
            return original(*args, **more)

    def perceive(original: Any, loop: Loop, state: Any) -> Any:  # noqa: ANN401
        voice.at(loop.tick)
        return original(loop, state)

    around(RunStore, "commit", commit)
    around(KnowledgeStore, "deliver", deliver)
    around(MemoryConsolidator, "consolidate", consolidate)
    around(Loop, "perceive", perceive)
    for owner, name, phase in (
        (RunStore, "rewind", Phase.REWINDING),
        (KnowledgeStore, "age", Phase.AGEING),
        (KnowledgeStore, "maintain", Phase.TIDYING),
    ):
        _within(voice, owner, name, phase)


def _within(voice: Voice, owner: object, name: str, phase: Phase) -> None:
    def told(original: Any, *args: Any, **more: Any) -> Any:  # noqa: ANN401
        with voice.within(phase):
            return original(*args, **more)

    around(owner, name, told)
