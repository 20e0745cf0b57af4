"""Model calls in a run's file, which are committed at once, settled once and never rewound; and run folders."""

import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import astuple, replace
from pathlib import Path

import pytest

from agent.app.verdicts import NANOS, made_up_usd
from memory import (
    BusyStore,
    CorruptStore,
    RunStore,
    StoreError,
    create_run,
    open_run,
    open_run_store,
    read_run,
    read_run_store,
)
from memory.errors import RunFolderError
from memory.store.calls import HOUR_MS, Booking, CallOutcome, CallState, CallSums, LastCall, Sums
from tests.memory.samples import checkpoint, step
from tests.memory.store.taught import killed

BOOKING = Booking("a-model", "stuck", "left home", 5 * HOUR_MS, worst_nanos=900, worst_tokens=90)
SETTLED = CallOutcome(CallState.SETTLED, 70, 1, 2, 3, 4, 5)


@contextmanager
def locked_by_another(store: RunStore) -> Iterator[None]:
    """Lock the file by a second connection, and disable waiting for it."""
    store.calls._opened()._connection.execute("PRAGMA busy_timeout = 0")
    other = store._database.second_connection()
    try:
        with other.transaction():
            yield
    finally:
        other.close()


def test_a_booked_call_is_in_the_file_before_the_next_commit(
    tmp_path: Path, store: RunStore
) -> None:
    full = 2  # waits for the disk at each commit, not only at checkpoints
    assert store.calls._opened().row("PRAGMA synchronous") == (full,)
    with ThreadPoolExecutor(1) as pool:  # any thread may book a call
        number = pool.submit(store.calls.book, BOOKING).result()
    with closing(read_run_store(tmp_path / "run.sqlite")) as reader:
        (call,) = reader.calls.all()
    expected = (number, CallState.RESERVED, *astuple(BOOKING), 900, 90, 0, 0, 0, 0, 0)
    assert astuple(call) == expected


def test_a_settled_call_counts_at_its_actual_cost_after_a_rewind_too(store: RunStore) -> None:
    store.commit(checkpoint=checkpoint(1))
    number = store.calls.book(BOOKING)
    assert store.calls.settle(number, SETTLED)
    expected = (number, CallState.SETTLED, *astuple(BOOKING), 70, 15, 1, 2, 3, 4, 5)
    assert [astuple(call) for call in store.calls.all()] == [expected]
    store.rewind(next(store.checkpoints.all()))  # it refunds nothing
    assert [astuple(call) for call in store.calls.all()] == [expected]


def test_a_lost_call_counts_at_its_maximum_cost(store: RunStore) -> None:
    for name in ("", "fake-claude:x"):  # in its reply
        store.calls.settle(store.calls.book(BOOKING), CallOutcome(CallState.LOST, model=name))
    calls = store.calls.all()
    assert {astuple(each)[1:] for each in calls} == {
        (CallState.LOST, name, *astuple(BOOKING)[1:], 900, 90, 0, 0, 0, 0, 0)
        for name in ("a-model", "fake-claude:x")
    }
    assert made_up_usd(calls) == 900 / NANOS


@pytest.mark.parametrize("state", [CallState.SETTLED, CallState.CANCELLED, CallState.LOST])
def test_a_call_is_settled_once(store: RunStore, state: CallState) -> None:
    number = store.calls.book(BOOKING)
    assert store.calls.settle(number, CallOutcome(state))
    before = store.calls.all()
    assert not store.calls.settle(number, SETTLED)
    assert store.calls.all() == before


def test_calls_are_summed_by_run_hour_and_milestone(store: RunStore) -> None:
    store.calls.book(replace(BOOKING, started_ms=4 * HOUR_MS, worst_nanos=1, worst_tokens=1))
    store.calls.book(replace(BOOKING, started_ms=4 * HOUR_MS + 1, milestone="badge"))
    store.calls.settle(store.calls.book(BOOKING), CallOutcome(CallState.CANCELLED))
    assert store.calls.sums(now_ms=5 * HOUR_MS, milestone="left home") == CallSums(
        run=Sums(901, 2, 91), hour=Sums(900, 1, 90), milestone=Sums(1, 1, 1)
    )
    # A call dated in the future counts in the last hour.
    assert store.calls.sums(now_ms=HOUR_MS, milestone="").hour == Sums(901, 2, 91)


def test_the_last_call_has_the_latest_time_and_the_newest_milestone(store: RunStore) -> None:
    assert store.calls.last() == LastCall()
    store.calls.book(replace(BOOKING, started_ms=9, milestone="first"))
    store.calls.book(replace(BOOKING, started_ms=3, milestone="second"))
    assert store.calls.last() == LastCall(9, "second")


def test_a_locked_file_refuses_calls_and_keeps_the_open_one(store: RunStore) -> None:
    number = store.calls.book(BOOKING)
    with locked_by_another(store):
        with pytest.raises(BusyStore):
            store.calls.book(BOOKING)
        with pytest.raises(BusyStore):
            store.calls.settle(number, SETTLED)
    assert [call.state for call in store.calls.all()] == [CallState.RESERVED]


def test_an_allowed_call_is_booked_after_a_kill_at_any_statement(tmp_path: Path) -> None:
    kills = killed("ask", tmp_path)
    assert len(kills) > 6
    assert kills[0] == [[], []]
    assert kills[-1] == [["booked", "settled"], [["settled", 40]]]
    for words, calls in kills:
        assert calls in ([], [["reserved", 100]], [["settled", 40]])
        assert "booked" not in words or calls
        assert "settled" not in words or calls == [["settled", 40]]


def reopened(path: Path) -> CallSums:
    """Return the sums of the calls of the run's file at `path`, as a new session reads them."""
    with closing(open_run_store(path, run_id="r")) as store:
        return store.calls.sums(now_ms=0, milestone="left home")


@pytest.mark.parametrize("loss", ["older copy", "deleted"])
def test_paid_calls_count_after_the_file_is_replaced(tmp_path: Path, loss: str) -> None:
    path, copy = tmp_path / "run.sqlite", tmp_path / "copy.sqlite"
    with closing(open_run_store(path, run_id="r")) as store:
        first = store.calls.book(BOOKING)
        store.backup(copy)
        store.calls.settle(first, SETTLED)
        store.calls.book(BOOKING)
        third = replace(BOOKING, milestone="badge")
        store.calls.settle(store.calls.book(third), CallOutcome(CallState.CANCELLED))
        before = store.calls.all()
    path.unlink()
    if loss == "older copy":
        copy.rename(path)
    with closing(open_run_store(path, run_id="r")) as store:
        assert store.calls.sums(now_ms=0, milestone="left home").run == Sums(970, 2, 105)
        assert store.calls.all() == before
        assert store.calls.book(BOOKING) == 4
    assert reopened(path).run == Sums(1_870, 3, 195)


def test_the_log_of_calls_is_completed_from_the_file(tmp_path: Path) -> None:
    path, log = tmp_path / "run.sqlite", tmp_path / "run.calls"
    with closing(open_run_store(path, run_id="r")) as store:
        store.calls.settle(store.calls.book(BOOKING), SETTLED)
        store.calls.book(BOOKING)
    first = log.read_bytes().splitlines(keepends=True)[0]
    damaged = b"", first, first[:50], b"\0\xff\n[]\n{}\n" + first.replace(b"900", b"-900")
    for left in damaged:
        log.write_bytes(left)
        assert reopened(path).run == Sums(970, 2, 105)
        path.unlink()
        assert reopened(path).run == Sums(970, 2, 105)


def test_no_call_is_booked_that_the_log_cannot_take(tmp_path: Path, store: RunStore) -> None:
    store.calls.book(BOOKING)
    log = tmp_path / "run.calls"
    log.rename(tmp_path / "elsewhere")
    log.symlink_to(tmp_path / "elsewhere")
    before = log.read_bytes()
    refusal = r"run\.calls, the log of paid calls, cannot be used"
    with pytest.raises(StoreError, match=refusal):
        store.calls.book(BOOKING)
    with pytest.raises(StoreError, match=refusal):
        store.calls.settle(1, SETTLED)
    assert [call.state for call in store.calls.all()] == [CallState.RESERVED]
    assert log.read_bytes() == before


SETTINGS = {"seed": 7}


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file grow, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def played(path: Path) -> Path:
    with closing(create_run(path, SETTINGS, run_id="run-1")) as folder:
        folder.store.commit(checkpoint=checkpoint(3))
    return path


def contents(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in path.iterdir()}


def test_a_resumed_run_has_its_settings_its_last_checkpoint_and_one_owner(tmp_path: Path) -> None:
    run = played(tmp_path / "runs" / "a")
    with closing(open_run(run)) as folder:
        assert folder.settings == SETTINGS
        assert folder.store.run_id == "run-1"
        assert folder.store.checkpoints.latest() == checkpoint(3)
        for other in (open_run, lambda path: create_run(path, SETTINGS, run_id="r")):
            with pytest.raises(RunFolderError, match="in use by another process"):
                other(run)
    with closing(read_run(run)) as reader:
        assert reader.store.checkpoints.latest() == checkpoint(3)
    open_run(run).close()


@pytest.mark.parametrize("name", ["run.toml", "run.sqlite", "report.html", "letter.txt", ".hidden"])
def test_a_folder_with_files_is_refused_and_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / name).write_text("somebody's", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path, Path(), Path()):
        with pytest.raises(RunFolderError, match=f"{path} already holds {name}; name an empty"):
            create_run(path, SETTINGS, run_id="r")
    assert contents(tmp_path) == {name: b"somebody's"}


def test_resuming_is_suggested_only_for_a_run(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    before = contents(run)
    with pytest.raises(RunFolderError, match=f"or resume with --resume {run}"):
        create_run(run, SETTINGS, run_id="r")
    assert contents(run) == before
    (tmp_path / "letter.txt").touch()
    with pytest.raises(RunFolderError, match=r"already holds letter\.txt; .* as --run$"):
        create_run(tmp_path, SETTINGS, run_id="r")


def test_a_run_that_cannot_be_written_leaves_no_files(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        create_run(tmp_path / "a", {"seed": object()}, run_id="r")
    for settings, words in ((SETTINGS, "cannot be written"), ({}, "cannot be used")):
        # Without settings the first byte written is the store's.
        with full_disk(), pytest.raises(StoreError, match=words):
            create_run(tmp_path / "runs" / "a", settings, run_id="r")
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "run.lock").touch()
    with full_disk(), pytest.raises(RunFolderError, match="cannot be written"):
        create_run(tmp_path, SETTINGS, run_id="r")
    assert contents(tmp_path) == {"run.lock": b""}
    played(tmp_path)


def test_a_file_at_the_path_of_a_run_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("somebody's", encoding="utf-8")
    for path in (tmp_path / "a", tmp_path / "a" / "b"):
        with pytest.raises(RunFolderError, match="a is a file; name a folder"):
            create_run(path, SETTINGS, run_id="r")
    assert contents(tmp_path) == {"a": b"somebody's"}


@pytest.mark.parametrize("left", [None, b"", "steps"])
@pytest.mark.parametrize("other", ["summary.json", "run.sqlite.damaged-1", "copies/run.sqlite"])
def test_a_run_that_lost_its_store_is_not_resumed(
    tmp_path: Path, left: bytes | str | None, other: str
) -> None:
    run = tmp_path / "run"
    with closing(create_run(run, SETTINGS, run_id="r")) as folder:
        folder.store.record.append(step(1))
        folder.store.commit()
    if left != "steps":
        (run / "run.sqlite").unlink()
    if left == b"":
        (run / "run.sqlite").touch()
    (run / other).parent.mkdir(exist_ok=True)
    (run / other).touch()
    before = sorted(run.iterdir())
    for _ in range(2):  # the first refusal releases the folder
        with pytest.raises(RunFolderError) as caught:
            open_run(run)
        said = "holds no checkpoint to resume from; start a new run with another --run"
        assert str(caught.value) == f"{run / 'run.sqlite'} {said}"
        assert sorted(run.iterdir()) == before


@pytest.mark.parametrize("left", ["no file", "an empty file", "a file without rows"])
def test_a_run_in_which_nothing_was_played_begins_with_its_settings(
    tmp_path: Path, left: str
) -> None:
    run, settings = tmp_path / "run", {**SETTINGS, "run": "r"}
    create_run(run, settings, run_id="r").close()
    if left != "a file without rows":
        (run / "run.sqlite").unlink()
    if left == "an empty file":
        (run / "run.sqlite").touch()
    with closing(open_run(run)) as folder:
        assert folder.settings == settings
        assert folder.store.run_id == "r"
        assert folder.store.checkpoints.latest() is None


def test_a_damaged_run_is_refused_and_unchanged(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    file = run / "run.sqlite"
    file.write_bytes(file.read_bytes()[:10_000])
    before = contents(run)
    for _ in range(2):
        with pytest.raises(CorruptStore, match=r"run\.sqlite is damaged .* put back a copy"):
            open_run(run)
    assert contents(run) == before


def test_an_unreadable_checkpoint_closes_the_run(tmp_path: Path) -> None:
    run = played(tmp_path / "run")
    with closing(open_run_store(run / "run.sqlite", run_id="r")) as store:
        store._database.execute("ALTER TABLE checkpoints RENAME COLUMN chain TO links")
    with pytest.raises(StoreError) as caught:
        open_run(run)
    # Checked while the error still holds its frames.
    assert sorted(each.name for each in run.iterdir()) == ["run.lock", "run.sqlite", "run.toml"]
    del caught
    with pytest.raises(StoreError):
        open_run(run)
