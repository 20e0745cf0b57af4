"""One run's file: transactions, checkpoints and dead branches."""

from collections.abc import Callable
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pytest

from memory import (
    BATTLE,
    Blackboard,
    Branching,
    CheckpointInfo,
    CorruptStore,
    RunStore,
    StoreError,
    TrailRow,
    VitalsRow,
    as_json,
    open_run_store,
)
from memory.errors import MissingCheckpoint
from memory.store.checkpoints import RING, CheckpointReason, retained
from tests.memory.samples import FIGHT, MISTAKE, SENSORY, STM, WORKING, checkpoint, open_tiers, step
from tests.memory.store.taught import killed


def ticks(store: RunStore, *, live: bool = True) -> list[int]:
    return [row.tick for row in store.record.steps(live=live)]


def test_appended_rows_are_stored_at_the_commit(store: RunStore) -> None:
    store.record.append(step(1))
    store.record.add_event(1, "milestone", {"id": "left_home"})
    assert ticks(store) == []
    store.commit()
    store.record.add_event(2, "other", {})
    store.commit()
    assert list(store.record.steps()) == [step(1)]
    (event,) = store.record.events("milestone")
    assert (event.tick, event.kind, event.payload) == (1, "milestone", {"id": "left_home"})
    assert [each.kind for each in store.record.events()] == ["milestone", "other"]
    store.record.append(step(1))  # no tick is performed twice in one lineage
    with pytest.raises(StoreError, match="UNIQUE"):
        store.commit()
    assert ticks(store) == [1]


YOUNG, GROWN = ((7, 5, 20, 20),), ((7, 6, 22, 23), (9, 3, 12, 12))


def trail(tick: int, team: tuple[tuple[int, int, int, int], ...]) -> TrailRow:
    return TrailRow(tick, 10 * tick, 1, tick, 0, 500, 0, team)


def test_a_trail_has_one_row_with_its_team_for_each_tick(store: RunStore) -> None:
    rows = [trail(tick, team) for tick, team in enumerate((YOUNG, YOUNG, GROWN, GROWN, YOUNG))]
    for row in rows:
        store.record.append(step(row.tick))
        store.record.add_trail(row)
    store.commit(checkpoint=checkpoint(4))
    assert store.record.trail() == rows
    store.rewind(next(store.checkpoints.all()))
    store.record.add_trail(rows[-1])  # a resumed run first writes its position
    store.commit()
    assert store.record.trail() == rows


def test_checkpoints_are_read_lazily_newest_first_and_an_unknown_one_is_refused(
    store: RunStore,
) -> None:
    for tick in (1, 2, 3):
        store.record.append(step(tick))
        store.commit(checkpoint=checkpoint(tick))
    with pytest.raises(MissingCheckpoint, match="does not hold checkpoint 0"):
        store.rewind(checkpoint(1))
    assert ticks(store) == [1, 2, 3]
    found = store.checkpoints.all()
    assert [next(found).tick, next(found).tick] == [3, 2]
    store._database.execute("DELETE FROM checkpoints WHERE tick = 1")
    assert next(found, None) is None


def test_a_failed_commit_can_be_repeated(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="r")
    other = open_run_store(path, run_id="r")
    other._database.execute("PRAGMA busy_timeout = 0")
    other.record.append(step(1))
    with store._database.transaction(), pytest.raises(StoreError, match="locked"):
        other.commit()
    other.commit()
    assert ticks(store) == [1]
    other.close()
    store.close()


def test_a_checkpoint_holds_game_and_memory_of_one_moment(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    tiers = open_tiers(path)
    assert tiers.store.checkpoints.latest() is None
    tiers.blackboard.write(STM, BATTLE, as_json(FIGHT), tick=3, game_s=1.5)
    tiers.tactician.add_mistake(MISTAKE)
    tiers.consolidator.tick(1000)
    tiers.store.commit(checkpoint=checkpoint(1000))
    tiers.store.close()
    again = open_tiers(path)
    assert again.store.run_id == "run-1"
    assert again.store.checkpoints.latest() == checkpoint(1000)
    assert again.strategist.to_json() == tiers.strategist.to_json()
    assert again.tactician.knowledge() == tiers.tactician.knowledge()
    assert again.memory.flows.to_json() == tiers.memory.flows.to_json()
    assert again.consolidator.consolidation_history == tiers.consolidator.consolidation_history
    assert again.blackboard.entries(STM) == tiers.blackboard.entries(STM)
    assert again.blackboard.game_s == 1.5
    again.store.close()


def test_a_rewind_leaves_a_dead_branch_and_restores_memory(tmp_path: Path) -> None:
    tiers = open_tiers(tmp_path / "run.sqlite")
    store, blackboard = tiers.store, tiers.blackboard

    def play(first: int, last: int) -> None:
        for tick in range(first, last + 1):
            store.record.append(step(tick))
            store.record.add_event(tick, "step", {"tick": tick})
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

    _, first = store.checkpoints.all()
    store.rewind(first)
    assert store.checkpoints.latest() == first == checkpoint(60)
    assert blackboard.entries(SENSORY) == sensory
    assert blackboard.entries(WORKING) == working
    assert tiers.strategist.battle_history == [FIGHT]
    assert ticks(store) == list(range(1, 61))
    assert ticks(store, live=False) == list(range(61, 101))
    assert [event.tick for event in store.record.events()] == list(range(1, 61))
    assert [event.tick for event in store.record.events(live=False)] == list(range(61, 101))

    play(61, 62)
    store.commit(checkpoint=checkpoint(62))
    assert ticks(store) == list(range(1, 63))
    assert store.checkpoints.latest() == checkpoint(62)
    seqs = [entry.seq for entry in Blackboard(store).entries(WORKING)]
    assert len(seqs) == len(set(seqs)) == 62
    store.close()


def test_a_dead_branch_is_read_back_to_power_on(store: RunStore) -> None:
    def live(first: int, last: int, *, button: str) -> None:
        for tick in range(first, last + 1):
            store.record.append(step(tick)._replace(button=button))
        store.commit(checkpoint=checkpoint(last))

    def die(at: int) -> None:
        (moment,) = [each for each in store.checkpoints.all() if each.tick == at]
        store.rewind(moment)

    live(1, 2, button="a")
    live(3, 5, button="a")
    assert store.checkpoints.ticks() == [5, 2]
    assert store.record.last_dead_step() is None
    die(2)
    first = store.record.last_dead_step()
    live(3, 3, button="b")
    live(4, 4, button="b")
    die(3)
    second = store.record.last_dead_step()
    live(4, 6, button="up")
    assert first is not None
    assert [row.button for row in store.record.branch(first)] == ["a"] * 5
    assert second is not None
    assert [row.button for row in store.record.branch(second)] == ["a", "a", "b", "b"]
    assert [row.button for row in store.record.steps()] == ["a", "a", "b", "up", "up", "up"]


def test_a_rewind_to_the_older_checkpoint_of_a_tick_drops_the_newer(store: RunStore) -> None:
    blackboard = Blackboard(store)
    whys: dict[str, CheckpointReason] = {"one": "milestone", "two": "end"}
    for name, why in whys.items():
        store.record.add_event(5, name, {})
        blackboard.write(WORKING, name, {}, tick=5, game_s=2.0)
        store.commit(checkpoint=replace(checkpoint(5), state=name.encode(), why=why))
    newer, older = store.checkpoints.all()
    assert (newer.state, older.state) == (b"two", b"one")
    store.rewind(older)
    assert store.checkpoints.latest() == older
    assert [event.kind for event in store.record.events()] == ["one"]
    assert [event.kind for event in store.record.events(live=False)] == ["two"]
    assert [entry.kind for entry in blackboard.entries(WORKING)] == ["one"]
    with pytest.raises(MissingCheckpoint):
        store.rewind(newer)


@pytest.mark.parametrize("content", ["{", "5"])
@pytest.mark.parametrize(
    "where", ["entries data", "entries tags", "events payload", "outbox payload"]
)
def test_unreadable_content_is_reported_in_one_line(
    store: RunStore, where: str, content: str
) -> None:
    Blackboard(store).write(WORKING, "n", {}, tick=1, game_s=1.0)
    store.record.add_event(1, "e", {})
    store.outbox.add(1, "mistake", as_json(MISTAKE))
    store.commit(checkpoint=checkpoint(1))
    table, column = where.split()
    store._database.execute(f"UPDATE {table} SET {column} = ?", (content,))
    reads: dict[str, Callable[[], object]] = {
        "entries": lambda: list(store.live_entries()),
        "events": lambda: list(store.record.events()),
        "outbox": store.outbox.rows,
    }
    with pytest.raises(CorruptStore) as caught:
        reads[table]()
    line = str(caught.value)
    assert line.startswith(f"{store._database.path} is damaged ({table}")
    assert line.endswith("put back a copy of it, or name another file.")
    assert "\n" not in line


@pytest.mark.parametrize("content", ["{", "5", "{}", '{"seq": "x", "game_s": 1}'])
def test_an_unreadable_part_is_named(store: RunStore, content: str) -> None:
    blackboard = Blackboard(store)
    store.commit(checkpoint=checkpoint(1))
    store._database.execute("UPDATE parts SET data = ?", (content,))
    (last,) = store.checkpoints.all()
    with pytest.raises(CorruptStore, match=r"run\.sqlite is damaged \(part blackboard: "):
        store.rewind(last)
    with pytest.raises(CorruptStore, match=r"run\.sqlite is damaged \(part blackboard: "):
        store.attach("blackboard", blackboard)
    store._database.execute("DELETE FROM run")
    with pytest.raises(CorruptStore, match=r"run\.sqlite is damaged \(run: "):
        _ = store.run_id


def test_a_lesson_waits_for_a_checkpoint_and_is_numbered_after_those_of_a_newer_copy(
    store: RunStore,
) -> None:
    store.outbox.add(1, "mistake", as_json(MISTAKE))
    store.commit()
    assert store.outbox.rows() == []
    store.commit(checkpoint=checkpoint(10))
    store.outbox.add(11, "mistake", as_json(MISTAKE))
    store.commit()
    assert [(row.sequence, row.tick, row.kind) for row in store.outbox.rows()] == [
        (1, 1, "mistake")
    ]
    (last,) = store.checkpoints.all()
    store.rewind(last)
    store.outbox.add(12, "mistake", as_json(MISTAKE))
    store.commit(checkpoint=checkpoint(13))
    assert [(row.sequence, row.tick) for row in store.outbox.rows()] == [(1, 1), (3, 12)]
    assert [row.sequence for row in store.outbox.rows(after=1)] == [3]
    assert store.outbox.rows(after=3) == []
    store.outbox.number_after(41)
    store.outbox.number_after(7)
    store.outbox.add(14, "mistake", as_json(MISTAKE))
    store.commit(checkpoint=checkpoint(14))
    assert [row.sequence for row in store.outbox.rows(after=3)] == [42]


def test_old_checkpoints_and_the_rows_only_they_need_are_deleted(store: RunStore) -> None:
    blackboard = Blackboard(store)
    for tick in range(1, 21):
        for n in range(60):
            blackboard.write(SENSORY, "n", {"n": n}, tick=tick, game_s=float(tick))
        store.commit(checkpoint=checkpoint(tick))
    (retained,) = store._database.row("SELECT count(*) FROM checkpoints") or (0,)
    (entries,) = store._database.row("SELECT count(*) FROM entries") or (0,)
    (parts,) = store._database.row("SELECT count(*) FROM parts") or (0,)
    assert retained == parts == RING
    assert entries <= 50 * (RING + 1)
    *_, oldest = store.checkpoints.all()
    store.rewind(oldest)
    assert oldest.tick == 20 - RING + 1
    assert [entry.tick for entry in blackboard.entries(SENSORY)] == [13] * 50


def test_milestone_checkpoints_are_retained_besides_the_ring(store: RunStore) -> None:
    special: dict[int, CheckpointReason] = {0: "start", 5: "milestone", 11: "milestone"}
    for tick in range(30):
        store.record.append(step(tick + 1))
        why = special.get(tick, "consolidation")
        store.commit(checkpoint=replace(checkpoint(tick), why=why))
    marks = store.checkpoints.marks()
    assert [mark.tick for mark in marks] == [0, 5, 11, *range(30 - RING, 30)]
    assert [mark.why for mark in marks[:3]] == [*special.values()]
    assert all(mark.size == len(b"game at %d" % mark.tick) for mark in marks)


def test_of_two_checkpoints_at_one_tick_the_newer_is_retained(store: RunStore) -> None:
    for _ in range(RING + 1):  # as after repeated crashes
        store.commit(checkpoint=replace(checkpoint(7), why="back"))
    store.commit(checkpoint=checkpoint(8))
    assert [mark.tick for mark in store.checkpoints.marks()] == [7, 8]


def mark(number: int, why: CheckpointReason, size: int) -> CheckpointInfo:
    return CheckpointInfo(number, 10 * number, 100 * number, why, size)


def test_checkpoints_over_the_budget_are_removed_in_order_of_value() -> None:
    many: list[CheckpointReason] = ["milestone"] * 4
    ring_of: list[CheckpointReason] = ["consolidation"] * RING
    whys: list[CheckpointReason] = ["start", *many, *ring_of]
    marks = [mark(number, why, 10) for number, why in enumerate(whys, 1)]
    ring = frozenset(range(6, 6 + RING))
    assert retained(marks, budget=1_000) == {1, 2, 3, 4, 5} | ring
    assert retained(marks, budget=110) == {1, 4, 5} | ring  # first the oldest milestones
    assert retained(marks, budget=60) == {1, *sorted(ring)[-5:]}  # then the oldest of the ring
    assert retained(marks, budget=25) == {*sorted(ring)[-2:]}  # last power-on
    assert retained(marks, budget=0) == {*sorted(ring)[-2:]}  # two stay at any size


def test_a_rewind_records_the_left_tick_the_reason_and_the_session(store: RunStore) -> None:
    taken = VitalsRow("s", 2, 20, 1_700_000_000_000, 1.5, 90_000_000, 4_096, 10**12)
    for tick in (1, 2, 3):
        store.record.append(step(tick))
        store.commit(checkpoint=checkpoint(tick))
    newest, middle, _ = store.checkpoints.all()
    store.rewind(newest, "resumed", "s1")  # no branch died
    store.record.add_trail(trail(3, YOUNG))
    store.record.add_vitals(taken)
    store.commit()
    store.rewind(middle, "asked", "s2")
    assert store.record.branchings() == [Branching(2, 3, "asked", "s2")]
    assert (store.record.trail(), store.record.trail(live=False)) == ([], [trail(3, YOUNG)])
    assert store.record.vitals() == [taken]  # they outlive their branch


def test_b18_c05_a_kill_before_any_statement_leaves_the_last_commit(tmp_path: Path) -> None:
    states = [held for _, held in killed("play", tmp_path)]
    before, committed, retained = [state for state, _ in groupby(states)]
    assert before == {
        "steps": [1],
        "events": [1],
        "entries": [["k1", 1, 0.5], ["k2", 2, 0.5], ["k3", 3, 0.5]],
        "tags": {"t": 3},
        "outbox": [1],
        "session": 1,
        "observed": [["1", ""]],
        "cursor": 1,
        "checkpoint": 1,
    }
    assert committed == before | {
        "steps": [1, 2],
        "events": [1, 2],
        "entries": [["k1", 1, 0.2], ["k2", 2, 0.5], ["k3", 4, 0.5]],
        "session": 2,
        "observed": [["2", ""], ["1", "tick 2: 2"]],
    }  # no checkpoint covers the second lesson yet
    assert retained == committed | {
        "steps": [1, 2, 3],
        "events": [1, 2, 3],
        "entries": [["k1", 1, 0.3], ["k2", 2, 0.5], ["k3", 5, 0.5]],
        "outbox": [1, 2, 3],
        "session": 3,
        "observed": [["3", ""], ["2", ""], ["1", "tick 2: 2"]],
        "cursor": 3,
        "checkpoint": 3,
    }
    assert len(states) > 30  # one state for each statement


def test_b25_sources_are_dropped_only_in_the_commit_of_the_derived_entry(tmp_path: Path) -> None:
    states = [held for _, held in killed("consolidate", tmp_path)]
    assert [state for state, _ in groupby(states)] == [[["k1"], ["k2"]], [["summary", "k1", "k2"]]]
    assert len(states) > 8
