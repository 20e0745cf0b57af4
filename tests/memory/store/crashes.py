"""Commits and calls in a process that is killed before each statement: `python -m tests.memory.store.crashes SCENARIO FOLDER`.

Prints one JSON line for each kill, and one for the process that finished: the reported steps, and the content of the
file after it was opened again.
"""

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import NamedTuple

from memory import Entry, Json, Observed, RunStore, as_json, open_run_store
from memory.store.calls import Booking, CallOutcome, CallState
from memory.store.database import Database
from tests.memory.samples import MISTAKE, STM, WORKING, checkpoint, step


@dataclass
class Cursor:
    """A part whose state is one number."""

    at: int = 0

    def to_json(self) -> Json:
        return self.at

    def restore(self, data: Mapping[str, Json]) -> None:
        self.at = data  # type: ignore[assignment]


def entry(seq: int, key: str, **more: object) -> Entry:
    plain = Entry(seq, WORKING, "n", seq, seq / 2, {"seq": seq}, frozenset({"t"}), 3, None, key)
    return plain._replace(**more)  # type: ignore[arg-type]


def begin(store: RunStore) -> None:
    cursor = Cursor(1)
    store.attach("cursor", cursor)
    store.record.append(step(1))
    store.record.add_event(1, "begun", {})
    for seq in (1, 2, 3):
        store.put_entry(entry(seq, f"k{seq}"))
    store.outbox.add(1, "mistake", as_json(MISTAKE))
    store.strategist_checkpoints.save("s", 1, 1)
    store.observations.add("s", [Observed("failed", "1", 5, "it")], tick=1, game_s=0.5)
    store.commit(checkpoint=checkpoint(1))


def go_on(store: RunStore) -> Iterator[str]:
    """Commit once without and once with a checkpoint; each changes everything there is."""
    cursor = Cursor()
    store.attach("cursor", cursor)
    for number, seq in ((2, 4), (3, 5)):
        cursor.at = number
        store.record.append(step(number))
        store.record.add_event(number, "went on", {})
        store.put_entry(entry(1, "k1", utility=number / 10))  # revised
        store.put_entry(entry(seq, "k3", version=number))  # written again
        store.drop_entry(seq - 1)
        store.outbox.add(number, "mistake", as_json(MISTAKE))
        store.strategist_checkpoints.save("s", number, number)
        observed = Observed("done", str(number), 5, "it", supersedes=("failed",))
        store.observations.add("s", [observed], tick=number, game_s=number / 2)
        store.commit(checkpoint=checkpoint(number) if number == 3 else None)
        yield f"committed {number}"


def content(store: RunStore) -> Json:
    cursor = Cursor()
    store.attach("cursor", cursor)
    latest = store.checkpoints.latest()
    return {
        "steps": [row.tick for row in store.record.steps()],
        "events": [row.tick for row in store.record.events()],
        "entries": [[each.key, each.seq, each.utility] for each in store.live_entries()],
        "tags": store.tags(),
        "outbox": [row.sequence for row in store.outbox.rows()],
        "session": store.strategist_checkpoints.load("s"),
        "observed": [[each.content, each.stale] for each in store.observations.find()],
        "cursor": cursor.at,
        "checkpoint": None if latest is None else latest.tick,
    }


def begin_pair(store: RunStore) -> None:
    for seq in (1, 2):
        store.put_entry(entry(seq, f"k{seq}"))
    store.commit()


def derive(store: RunStore) -> Iterator[str]:
    """Replace two entries by one derived from them."""
    for seq in (1, 2):
        store.drop_entry(seq)
    store.put_entry(entry(3, "summary", scope=STM, sources=("k1", "k2")))
    store.commit()
    yield "committed"


def linked(store: RunStore) -> Json:
    return [[each.key, *each.sources] for each in store.live_entries()]


def ask(store: RunStore) -> Iterator[str]:
    """Book a call and settle it."""
    number = store.calls.book(Booking("m", "stuck", "", 1, worst_nanos=100, worst_tokens=10))
    yield "booked"
    store.calls.settle(number, CallOutcome(CallState.SETTLED, 40, input=4))
    yield "settled"


def booked(store: RunStore) -> Json:
    return [[call.state.value, call.nanos] for call in store.calls.all()]


class Scenario(NamedTuple):
    first: Callable[[RunStore], object]
    act: Callable[[RunStore], Iterator[str]]
    read: Callable[[RunStore], Json]
    connection: Callable[[RunStore], Database] = lambda store: store._database


SCENARIOS = {
    "play": Scenario(begin, go_on, content),
    "consolidate": Scenario(begin_pair, derive, linked),
    "ask": Scenario(RunStore.commit, ask, booked, lambda store: store.calls._opened()),
}


def killed_everywhere(folder: Path, scenario: Scenario) -> Iterator[Json]:
    base = folder / "base.sqlite"
    store = open_run_store(base, run_id="r")
    scenario.first(store)
    store.close()
    for survived in count():
        path = folder / f"{survived}.sqlite"
        shutil.copy(base, path)
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            store = open_run_store(path, run_id="r")
            scenario.connection(store)._connection.set_trace_callback(Killer(survived))
            for word in scenario.act(store):
                os.write(write_end, f"{word}\n".encode())
            os._exit(0)
        os.close(write_end)
        _, status = os.waitpid(child, 0)
        with os.fdopen(read_end) as pipe:
            words = pipe.read().splitlines()
        again = open_run_store(path, run_id="r")
        yield [words, scenario.read(again)]
        again.close()
        if not os.WIFSIGNALED(status):
            return


class Killer:
    """A trace callback that kills the process before statement number `left`, counted from 0."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, _sql: str) -> None:
        if self.left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self.left -= 1


if __name__ == "__main__":
    for found in killed_everywhere(Path(sys.argv[2]), SCENARIOS[sys.argv[1]]):
        sys.stdout.write(json.dumps(found) + "\n")
