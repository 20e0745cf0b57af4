"""How scopes keep themselves in order, and what is kept of what goes."""

import sqlite3
from contextlib import closing
from pathlib import Path

from memory import Blackboard, Entry, Knowledge, RunStore, open_run_store
from memory.flow.maintenance import Maintenance
from tests.memory.samples import EPISODIC, SENSORY, STM, WORKING, Tiers, checkpoint, open_tiers

COLLECTIVE = "collective"


def note(
    blackboard: Blackboard, text: str, *, scope: str = STM, importance: int = 3, tag: str = "note"
) -> Entry:
    return blackboard.write(
        scope, "note", {"text": text}, tick=1, game_s=0.0, tags={tag}, importance=importance
    )


def texts(blackboard: Blackboard, scope: str = STM) -> list[object]:
    return [entry.data["text"] for entry in blackboard.entries(scope)]


def test_b27_judging_an_entry_anew_keeps_its_time_to_live(tmp_path: Path) -> None:
    store = open_run_store(tmp_path / "run.sqlite", run_id="run-1")
    blackboard = Blackboard(store)
    entry = note(blackboard, "faded", scope=SENSORY)
    assert entry.expires_s == 10.0
    judged = blackboard.revise(entry, relevance=0.5, utility=0.9, importance=7)
    assert (judged.expires_s, judged.relevance) == (10.0, 0.5)
    store.commit(checkpoint=checkpoint(1))
    store.close()
    store = open_run_store(tmp_path / "run.sqlite", run_id="run-1")
    again = Blackboard(store)
    assert again.entries(SENSORY) == [judged]
    assert again.expire(10.0) == 1
    assert again.entries(SENSORY) == []
    store.close()


def test_b27_fading_is_by_the_minute_and_rewrites_nothing(blackboard: Blackboard) -> None:
    entry = note(blackboard, "faded", scope=WORKING)
    blackboard.expire(600.0)
    assert Maintenance(blackboard).relevance(entry) == 0.99**10
    assert blackboard.entries(WORKING) == [entry]


def test_b27_merging_leaves_one_with_what_the_others_knew(blackboard: Blackboard) -> None:
    old = note(blackboard, "The door is locked.", importance=8, tag="door")
    used = blackboard.revise(note(blackboard, "the door is locked"), utility=0.9)
    other = note(blackboard, "the window is open")
    newest = note(blackboard, "the door is locked", tag="key")
    assert Maintenance(blackboard).deduplicate(STM) == 2
    left = {entry.seq: entry for entry in blackboard.entries(STM)}
    assert left.keys() == {other.seq, newest.seq}
    one = left[newest.seq]
    assert (one.importance, one.utility) == (8, 0.9)
    assert one.tags == {"door", "note", "key"}
    assert set(one.sources) == {old.key, used.key}


def test_b27_what_says_something_else_is_not_merged(blackboard: Blackboard) -> None:
    note(blackboard, "the door of the lab is locked")
    note(blackboard, "the door of the gym is open")
    assert Maintenance(blackboard).deduplicate(STM) == 0
    assert len(blackboard.entries(STM)) == 2


def test_b27_reindexing_finds_again_what_an_index_has_lost(tiers: Tiers, tmp_path: Path) -> None:
    note(tiers.blackboard, "the door is locked", tag="door")
    tiers.store.commit(checkpoint=checkpoint(1))
    with closing(sqlite3.connect(tmp_path / "tiers.sqlite", isolation_level=None)) as connection:
        connection.execute("DELETE FROM entry_tags")
    assert tiers.store.tags().get("door") is None
    tiers.memory.maintenance.reindex()
    assert tiers.store.tags()["door"] == 1


def test_b27_a_full_scope_loses_what_is_worth_least_however_old(blackboard: Blackboard) -> None:
    note(blackboard, "old and grave", scope=SENSORY, importance=9)
    useless = note(blackboard, "grave and useless", scope=SENSORY, importance=9)
    blackboard.revise(useless, utility=0.1)
    for number in range(48):
        note(blackboard, f"common {number}", scope=SENSORY)
    note(blackboard, "one more", scope=SENSORY)
    note(blackboard, "yet one more", scope=SENSORY)
    held = texts(blackboard, SENSORY)
    assert len(held) == 50
    assert "old and grave" in held
    assert not {"grave and useless", "common 0"} & set(held)


def test_b34_entries_of_two_runs_never_take_each_others_keys(tiers: Tiers, tmp_path: Path) -> None:
    learnt = []
    for run_id in ("run-a", "run-b"):
        store = open_run_store(tmp_path / f"{run_id}.sqlite", run_id=run_id)
        learnt.append(note(Blackboard(store), f"learnt by {run_id}", scope=EPISODIC))
        store.close()
    assert learnt[0].seq == learnt[1].seq
    note(tiers.blackboard, "learnt here", scope=EPISODIC)
    tiers.memory.take_over(Knowledge(), learnt)
    assert texts(tiers.blackboard, EPISODIC) == [
        "learnt here",
        "learnt by run-a",
        "learnt by run-b",
    ]


def test_b34_a_key_tells_the_run_it_comes_from(store: RunStore) -> None:
    assert note(Blackboard(store), "x").key.startswith("run-1/")


def test_b34_what_all_share_is_looked_after_as_well(tmp_path: Path) -> None:
    tiers = open_tiers(tmp_path / "run.sqlite")
    for text in ("the door is locked", "the door is locked", "the window is open"):
        note(tiers.blackboard, text, scope=COLLECTIVE)
    faded = note(tiers.blackboard, "long ago", scope=COLLECTIVE)
    tiers.blackboard.revise(faded, relevance=0.01)
    (done,) = (
        each for each in tiers.memory.maintenance.run(asked=True) if each.scope == COLLECTIVE
    )
    assert (done.pruned, done.merged) == (1, 1)
    assert texts(tiers.blackboard, COLLECTIVE) == ["the door is locked", "the window is open"]
    tiers.store.close()
