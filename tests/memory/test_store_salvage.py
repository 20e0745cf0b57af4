"""What is saved of a file that is damaged as a file."""

from pathlib import Path

import pytest

from memory import (
    CorruptStore,
    MemoryFault,
    read_knowledge_store,
    read_run_store,
    repair_file,
    salvage,
)
from tests.memory.samples import NOON
from tests.memory.taught import count, damaged, taught
from tests.memory.test_store_checks import played


def test_all_is_saved_when_only_the_first_page_is_lost(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite", strategies=30, entries=30)
    known = read_knowledge_store(path).load_knowledge()
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    torn = path.read_bytes()
    saved = salvage(path)
    assert read_knowledge_store(saved.path).load_knowledge() == known
    assert count(saved.path, "ltm_entries") == 30
    assert repair_file(saved.path, now=NOON).remaining == ()
    assert path.read_bytes() == torn


def test_what_one_page_holds_is_all_that_a_lost_page_costs(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite", strategies=30, entries=30)
    whole = path.read_bytes()
    held = sum(
        count(path, table) for table in ("successful_strategies", "ltm_entries", "provenance")
    )
    losses = []
    for page in range(2, len(whole) // 4096, 3):
        path.write_bytes(whole[: 4096 * page] + bytes(4096) + whole[4096 * (page + 1) :])
        try:
            saved = salvage(path)
        except CorruptStore:
            pytest.fail(f"nothing was saved without page {page}")
        tables = ("successful_strategies", "ltm_entries", "provenance")
        losses.append(held - sum(saved.saved[table] for table in tables))
        saved.path.unlink()
    assert sorted(losses)[len(losses) // 2] <= 10


def test_a_run_without_its_first_page_can_be_looked_into(tmp_path: Path) -> None:
    path = played(tmp_path / "run.sqlite")
    entries = list(read_run_store(path).live_entries())
    path.write_bytes(bytes(4096) + path.read_bytes()[4096:])
    saved = salvage(path)
    run = read_run_store(saved.path)
    assert (run.run_id, list(run.live_entries())) == ("run-1", entries)


def test_where_nothing_can_be_read_no_new_file_is_left(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(CorruptStore, match="nothing in it can be read"):
        salvage(path)
    assert [each.name for each in tmp_path.iterdir()] == ["m.sqlite"]


@pytest.mark.parametrize("batch", range(4))
def test_whatever_the_damage_the_original_stays_and_what_is_saved_can_be_played_with(
    batch: int, tmp_path: Path
) -> None:
    whole = taught(tmp_path / "whole.sqlite", strategies=30, entries=30).read_bytes()
    path = tmp_path / "m.sqlite"
    for seed in range(6 * batch, 6 * batch + 6):
        data = damaged(whole, seed)
        path.write_bytes(data)
        try:
            saved = salvage(path)
        except MemoryFault:
            saved = None
        assert path.read_bytes() == data
        if saved is not None:
            repair_file(saved.path, now=NOON)
            read_knowledge_store(saved.path).load_knowledge()
            saved.path.unlink()
