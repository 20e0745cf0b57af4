"""Copies of files that are being written."""

from pathlib import Path

import pytest

from memory import (
    Blackboard,
    RunStore,
    StoreError,
    open_knowledge_store,
    open_run_store,
    read_knowledge_store,
    read_run_store,
)
from memory.store.database import open_readonly
from memory.store.schema import RUN_SCHEMA
from tests.memory.samples import NOON, WORKING, checkpoint, step


def test_a_run_can_be_copied_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="run-1")
    blackboard = Blackboard(store)
    reader = read_run_store(path)
    for tick in range(1, 40):
        store.append_step(step(tick))
        blackboard.write(WORKING, "n", {"n": tick}, tick=tick, game_s=float(tick))
        if tick % 10 == 0:
            store.commit(checkpoint=checkpoint(tick))
            source = store if tick % 20 else reader
            source.backup(tmp_path / f"copy-{tick}.sqlite")
    store._database.execute("BEGIN IMMEDIATE")  # as in the middle of a commit
    store._database.execute("DELETE FROM steps")
    reader.backup(tmp_path / "meanwhile.sqlite")
    store._database.execute("ROLLBACK")
    reader.close()
    store.close()
    for tick, name in [(10, "copy-10"), (20, "copy-20"), (30, "copy-30"), (30, "meanwhile")]:
        copy = tmp_path / f"{name}.sqlite"
        assert sorted(each.name for each in tmp_path.glob(f"{name}*")) == [copy.name]
        again = open_run_store(copy, run_id="other")
        assert again.run_id == "run-1"
        assert [row.tick for row in again.steps()] == list(range(1, tick + 1))
        assert again.latest_checkpoint() == checkpoint(tick)
        assert [each.data["n"] for each in again.live_entries()] == list(range(1, tick + 1))
        again.close()
        open_readonly(copy, RUN_SCHEMA).close()


def test_knowledge_can_be_copied_while_runs_deliver(tmp_path: Path) -> None:
    store = open_knowledge_store(tmp_path / "memory.sqlite", now=NOON)
    store.backup(tmp_path / "copy.sqlite")
    reader = read_knowledge_store(tmp_path / "copy.sqlite")
    assert reader.content_hash() == store.content_hash()
    reader.close()
    store.close()


def test_a_copy_overwrites_nothing_and_leaves_nothing_half_done(
    tmp_path: Path, store: RunStore
) -> None:
    (tmp_path / "letter.txt").write_text("somebody's", encoding="utf-8")
    with pytest.raises(StoreError, match=r"letter\.txt exists; name a place"):
        store.backup(tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text(encoding="utf-8") == "somebody's"
    with pytest.raises(StoreError, match="cannot be used"):
        store.backup(tmp_path / "no such folder" / "copy.sqlite")
    assert not list(tmp_path.glob("*copy*"))
