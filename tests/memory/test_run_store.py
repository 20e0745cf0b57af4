"""One run's file: all or nothing, checkpoints, dead branches."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from memory import (
    BATTLE,
    Blackboard,
    MissingCheckpoint,
    RunStore,
    StoreError,
    as_json,
    open_run_store,
    read_run_store,
)
from memory.store.run_store import CHECKPOINTS_KEPT
from tests.memory.samples import (
    FIGHT,
    MISTAKE,
    SENSORY,
    STM,
    WORKING,
    checkpoint,
    open_tiers,
    step,
)


def ticks(store: RunStore, *, live: bool = True) -> list[int]:
    return [row.tick for row in store.steps(live=live)]


def test_nothing_lasts_before_the_commit_and_everything_after(store: RunStore) -> None:
    store.append_step(step(1))
    store.append_event(1, "milestone", {"id": "left_home"})
    assert ticks(store) == []
    store.commit()
    store.append_event(2, "other", {})
    store.commit()
    assert list(store.steps()) == [step(1)]
    assert [(each.tick, each.kind, each.payload) for each in store.events("milestone")] == [
        (1, "milestone", {"id": "left_home"})
    ]
    assert [each.kind for each in store.events()] == ["milestone", "other"]


def test_the_same_tick_cannot_be_performed_twice_in_one_lineage(store: RunStore) -> None:
    store.append_step(step(1))
    store.append_step(step(1))
    with pytest.raises(StoreError, match="UNIQUE"):
        store.commit()
    assert ticks(store) == []


def test_a_commit_that_failed_can_be_tried_again(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="r")
    other = open_run_store(path, run_id="r")
    other._database.execute("PRAGMA busy_timeout = 0")
    other.append_step(step(1))
    with store._database.transaction(), pytest.raises(StoreError, match="locked"):
        other.commit()
    other.commit()
    assert ticks(store) == [1]
    other.close()
    store.close()


def test_a_checkpoint_holds_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    tiers = open_tiers(path)
    assert tiers.store.latest_checkpoint() is None
    tiers.blackboard.write(STM, BATTLE, as_json(FIGHT), tick=3, game_s=1.5)
    tiers.tactician.add_mistake(MISTAKE)
    tiers.consolidator.tick(1000)
    tiers.store.commit(checkpoint=checkpoint(1000))
    tiers.store.close()
    again = open_tiers(path)
    assert again.store.run_id == "run-1"
    assert again.store.latest_checkpoint() == checkpoint(1000)
    assert again.strategist == tiers.strategist
    assert again.tactician == tiers.tactician
    assert again.consolidator.to_json() == tiers.consolidator.to_json()
    assert again.blackboard.entries(STM) == tiers.blackboard.entries(STM)
    assert again.blackboard.game_s == 1.5
    again.store.close()


def test_a_file_keeps_the_name_its_run_was_given_first(tmp_path: Path) -> None:
    open_run_store(tmp_path / "run.sqlite", run_id="first").close()
    store = open_run_store(tmp_path / "run.sqlite", run_id="second")
    assert store.run_id == "first"
    store.close()


def test_rewinding_leaves_a_dead_branch_and_restores_the_mind(tmp_path: Path) -> None:
    tiers = open_tiers(tmp_path / "run.sqlite")
    store, blackboard = tiers.store, tiers.blackboard

    def play(first: int, last: int) -> None:
        for tick in range(first, last + 1):
            store.append_step(step(tick))
            store.append_event(tick, "step", {"tick": tick})
            blackboard.write(SENSORY, "n", {"n": tick}, tick=tick, game_s=tick / 60)
            blackboard.write(WORKING, "n", {"n": tick}, tick=tick, game_s=tick / 60)

    play(1, 60)
    tiers.strategist.record_battle(FIGHT)
    store.commit(checkpoint=checkpoint(60))
    sensory, working = blackboard.entries(SENSORY), blackboard.entries(WORKING)
    play(61, 90)
    tiers.strategist.record_battle(replace(FIGHT, battle_id="b2"))
    blackboard.forget(WORKING, through_seq=working[10].seq)
    store.commit()
    play(91, 100)
    store.commit(checkpoint=checkpoint(100))
    play(101, 110)

    assert store.rewind(99) == checkpoint(60)
    assert blackboard.entries(SENSORY) == sensory
    assert blackboard.entries(WORKING) == working
    assert tiers.strategist.battle_history == [FIGHT]
    assert ticks(store) == list(range(1, 61))
    assert ticks(store, live=False) == list(range(61, 101))
    assert [event.tick for event in store.events()] == list(range(1, 61))
    assert [event.tick for event in store.events(live=False)] == list(range(61, 101))

    play(61, 62)
    store.commit(checkpoint=checkpoint(62))
    assert ticks(store) == list(range(1, 63))
    assert store.latest_checkpoint() == checkpoint(62)
    seqs = [entry.seq for entry in Blackboard(store).entries(WORKING)]
    assert len(seqs) == len(set(seqs)) == 62
    store.close()


def test_there_is_no_going_back_before_the_first_checkpoint(store: RunStore) -> None:
    store.append_step(step(1))
    store.commit()
    with pytest.raises(MissingCheckpoint, match="no checkpoint at or before tick 5"):
        store.rewind(5)
    assert ticks(store) == [1]


def test_old_checkpoints_and_what_only_they_needed_are_let_go(store: RunStore) -> None:
    blackboard = Blackboard(store)
    for tick in range(1, 21):
        for n in range(60):
            blackboard.write(SENSORY, "n", {"n": n}, tick=tick, game_s=float(tick))
        store.commit(checkpoint=checkpoint(tick))
    (kept,) = store._database.row("SELECT count(*) FROM checkpoints") or (0,)
    (entries,) = store._database.row("SELECT count(*) FROM entries") or (0,)
    (parts,) = store._database.row("SELECT count(*) FROM parts") or (0,)
    assert kept == parts == CHECKPOINTS_KEPT
    assert entries <= 50 * (CHECKPOINTS_KEPT + 1)
    assert store.rewind(20 - CHECKPOINTS_KEPT + 1).tick == 20 - CHECKPOINTS_KEPT + 1
    assert [entry.tick for entry in blackboard.entries(SENSORY)] == [13] * 50


def test_a_lesson_waits_for_the_checkpoint_that_covers_it(store: RunStore) -> None:
    store.enqueue(1, "mistake", as_json(MISTAKE))
    store.commit()
    assert store.outbox() == []
    store.commit(checkpoint=checkpoint(10))
    store.enqueue(11, "mistake", as_json(MISTAKE))
    store.commit()
    assert [(row.sequence, row.tick, row.kind) for row in store.outbox()] == [(1, 1, "mistake")]
    store.rewind(10)
    store.enqueue(12, "mistake", as_json(MISTAKE))
    store.commit(checkpoint=checkpoint(13))
    assert [(row.sequence, row.tick) for row in store.outbox()] == [(1, 1), (3, 12)]


def test_a_run_can_be_read_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="r")
    reader = read_run_store(path)
    for tick in range(3):
        store.append_step(step(tick))
        store.commit()
        assert [row.tick for row in reader.steps()] == list(range(tick + 1))
    reader.close()
    store.close()


PLAY = """
import sys
from pathlib import Path
from tests.memory.samples import SENSORY, WORKING, checkpoint, open_tiers, step

tiers = open_tiers(Path(sys.argv[1]))
latest = tiers.store.latest_checkpoint()
first = 1 if latest is None else tiers.store.rewind(latest.tick).tick + 1
print("ready", flush=True)
for tick in range(first, 10_000_000):
    tiers.store.append_step(step(tick))
    tiers.blackboard.write(WORKING, "n", {"n": tick}, tick=tick, game_s=tick / 2)
    tiers.blackboard.write(SENSORY, "n", {"n": tick}, tick=tick, game_s=tick / 2)
    tiers.strategist.total_battles = tick
    if tick % 50 == 0:
        tiers.store.commit(checkpoint=checkpoint(tick))
    elif tick % 10 == 0:
        tiers.store.commit()
"""


def test_killed_at_any_instant_the_last_commit_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    root = Path(__file__).parents[2]
    reached = 0
    for pause in (0.01, 0.05, 0.11, 0.17):
        with subprocess.Popen(
            [sys.executable, "-c", PLAY, str(path)],
            cwd=root,
            env=os.environ | {"PYTHONPATH": str(root)},
            stdout=subprocess.PIPE,
        ) as player:
            assert player.stdout is not None
            assert player.stdout.readline() == b"ready\n"
            with pytest.raises(subprocess.TimeoutExpired):
                player.wait(pause)
            player.send_signal(signal.SIGKILL)
        reached = _check_whole(path, reached)
    assert reached > 0


def _check_whole(path: Path, reached: int) -> int:
    tiers = open_tiers(path)
    steps = ticks(tiers.store)
    assert steps == list(range(1, len(steps) + 1))
    assert len(steps) % 10 == 0
    numbers = [entry.data["n"] for entry in tiers.store.live_entries() if entry.scope == WORKING]
    assert numbers == steps[-len(numbers) :]
    latest = tiers.store.latest_checkpoint()
    if latest is not None:
        assert latest.tick == len(steps) // 50 * 50 >= reached
        tiers.store.rewind(latest.tick)
        assert ticks(tiers.store) == list(range(1, latest.tick + 1))
        assert tiers.strategist.total_battles == latest.tick
        assert tiers.blackboard.entries(WORKING)[-1].data == {"n": latest.tick}
        assert tiers.blackboard.entries(SENSORY)[-1].data == {"n": latest.tick}
        reached = latest.tick
    tiers.store.close()
    return reached
