"""Calls of a model in a run's file: kept at once, settled once, and never taken back."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from memory import BusyStore, RunStore, open_run_store, read_run_store
from memory.store.calls import HOUR_MS, Booking, CallOutcome, CallState, CallSums, LastCall, Sums
from tests.memory.samples import checkpoint

BOOKING = Booking("a-model", "stuck", "left home", 5 * HOUR_MS, worst_nanos=900, worst_tokens=90)
SETTLED = CallOutcome(CallState.SETTLED, 70, 1, 2, 3, 4, 5)


@contextmanager
def held_by_another(store: RunStore) -> Iterator[None]:
    """Let a second process's worth of a connection hold the file, and waiting for it end at once."""
    store._open_calls()._connection.execute("PRAGMA busy_timeout = 0")
    other = store._database.beside()
    try:
        with other.transaction():
            yield
    finally:
        other.close()


def test_a_call_is_in_the_file_before_anything_is_committed(
    tmp_path: Path, store: RunStore
) -> None:
    number = store.book_call(BOOKING)
    reader = read_run_store(tmp_path / "run.sqlite")
    (call,) = reader.calls()
    reader.close()
    assert (call.id, call.state, call.model, call.purpose) == (
        number,
        CallState.RESERVED,
        "a-model",
        "stuck",
    )
    assert (call.milestone, call.started_ms) == ("left home", 5 * HOUR_MS)
    assert (call.nanos, call.tokens) == (900, 90)


def test_a_settled_call_counts_for_what_it_took(store: RunStore) -> None:
    assert store.settle_call(store.book_call(BOOKING), SETTLED)
    (call,) = store.calls()
    assert (call.state, call.nanos, call.tokens, call.worst_nanos) == (
        CallState.SETTLED,
        70,
        15,
        900,
    )
    assert (call.input, call.output, call.cache_read) == (1, 2, 3)
    assert (call.cache_write_5m, call.cache_write_1h) == (4, 5)


def test_a_lost_call_counts_for_its_worst(store: RunStore) -> None:
    store.settle_call(store.book_call(BOOKING), CallOutcome(CallState.LOST))
    (call,) = store.calls()
    assert (call.state, call.nanos, call.tokens) == (CallState.LOST, 900, 90)


@pytest.mark.parametrize("state", [CallState.SETTLED, CallState.CANCELLED, CallState.LOST])
def test_a_call_is_settled_once(store: RunStore, state: CallState) -> None:
    number = store.book_call(BOOKING)
    assert store.settle_call(number, CallOutcome(state))
    before = store.calls()
    assert not store.settle_call(number, SETTLED)
    assert store.calls() == before


def test_going_back_brings_no_money_back(store: RunStore) -> None:
    store.commit(checkpoint=checkpoint(1))
    store.settle_call(store.book_call(BOOKING), SETTLED)
    held = store.latest_checkpoint()
    assert held is not None
    store.rewind(held)
    assert [call.nanos for call in store.calls()] == [70]


def test_calls_are_summed_by_run_hour_and_milestone(store: RunStore) -> None:
    store.book_call(replace(BOOKING, started_ms=4 * HOUR_MS, worst_nanos=1, worst_tokens=1))
    store.book_call(replace(BOOKING, started_ms=4 * HOUR_MS + 1, milestone="badge"))
    store.settle_call(store.book_call(BOOKING), CallOutcome(CallState.CANCELLED))
    assert store.call_sums(now_ms=5 * HOUR_MS, milestone="left home") == CallSums(
        run=Sums(901, 2, 91), hour=Sums(900, 1, 90), milestone=Sums(1, 1, 1)
    )


def test_a_call_that_seems_to_lie_ahead_counts_in_the_hour(store: RunStore) -> None:
    store.book_call(BOOKING)
    assert store.call_sums(now_ms=HOUR_MS, milestone="").hour == Sums(900, 1, 90)


def test_the_last_call_tells_when_it_was_and_after_what(store: RunStore) -> None:
    assert store.last_call() == LastCall()
    store.book_call(replace(BOOKING, started_ms=9, milestone="first"))
    store.book_call(replace(BOOKING, started_ms=3, milestone="second"))
    assert store.last_call() == LastCall(9, "second")


def test_a_file_that_is_held_takes_no_call_and_keeps_the_open_one(store: RunStore) -> None:
    number = store.book_call(BOOKING)
    with held_by_another(store):
        with pytest.raises(BusyStore):
            store.book_call(BOOKING)
        with pytest.raises(BusyStore):
            store.settle_call(number, SETTLED)
    assert [call.state for call in store.calls()] == [CallState.RESERVED]


def test_any_thread_may_book(store: RunStore) -> None:
    with ThreadPoolExecutor(1) as pool:
        number = pool.submit(store.book_call, BOOKING).result()
    assert store.settle_call(number, SETTLED)


def test_a_call_is_on_the_disk_before_leave_is_given(store: RunStore) -> None:
    full = 2  # which waits for the disk at each commit, and not only at checkpoints
    assert store._open_calls().row("PRAGMA synchronous") == (full,)


def test_a_run_without_calls_opens_no_second_door(store: RunStore) -> None:
    assert store.calls() == []
    assert store._door is None


def test_calls_are_there_when_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="r")
    store.settle_call(store.book_call(BOOKING), SETTLED)
    store.close()
    again = open_run_store(path, run_id="r")
    assert [call.nanos for call in again.calls()] == [70]
    again.close()


def test_whoever_got_leave_is_booked_though_the_process_is_killed_anywhere(
    tmp_path: Path,
) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "tests.memory.store.call_crashes", str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
    )
    kills = [json.loads(line) for line in told.stdout.splitlines()]
    assert len(kills) > 6
    assert kills[0] == [[], []]
    assert kills[-1] == [["leave", "settled"], [["settled", 40]]]
    for words, calls in kills:
        assert calls in ([], [["reserved", 100]], [["settled", 40]])
        assert "leave" not in words or calls
        assert "settled" not in words or calls == [["settled", 40]]
