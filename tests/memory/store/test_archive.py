"""Rows that come back from the archive: as they were, to stay, and for play to use."""

from contextlib import closing
from pathlib import Path

import pytest

from memory import MemoryItem, open_knowledge_store, read_knowledge_store
from memory.errors import StoreError
from memory.inspect import check_file, forget_items, item_key, restore_items, view_file
from memory.store.checks.repair import ArchivedItem
from memory.team_memory import MemoryManagementAgent
from tests.memory.samples import MONTH, NOON
from tests.memory.store.taught import LESSONS, alter, note, taught


def items(path: Path, now: float = NOON) -> list[MemoryItem]:
    with view_file(path, now=now) as view:
        return sorted(view.items(), key=item_key)


def archive(path: Path, now: float = NOON) -> list[ArchivedItem]:
    with view_file(path, now=now) as view:
        return view.archive()


def without_numbers(path: Path) -> list[object]:
    return [{**each.as_json(), "number": None} for each in items(path)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return taught(tmp_path / "m.sqlite")


def test_forgotten_items_come_back_as_they_were(path: Path) -> None:
    before = without_numbers(path)
    forget_items(path, {item_key(each) for each in items(path)}, now=NOON)
    gone = archive(path)
    assert items(path) == []
    assert {each.why for each in gone} == {"forgotten or repaired"}
    assert {each.at for each in gone} == {NOON}
    copy = restore_items(path, {each.number for each in gone}, now=NOON)
    assert without_numbers(path) == before
    assert archive(path) == []
    assert len(archive(copy)) == len(before)
    assert check_file(path, now=NOON) == []


def test_restored_items_survive_openings_deliveries_and_merges(path: Path, tmp_path: Path) -> None:
    kept = {item_key(each) for each in items(path)}
    for month in range(1, 61):
        open_knowledge_store(path, now=NOON + month * MONTH).close()
    later = NOON + 60 * MONTH
    gone = archive(path, later)
    assert {each.why for each in gone} == {"worth too little, or over a limit"}
    assert {item_key(each.item) for each in gone} >= {
        key for key in kept if key[0] != "ltm_entries"
    }
    restore_items(path, {each.number for each in gone}, now=later)
    for month in range(61, 70):
        with closing(open_knowledge_store(path, now=NOON + month * MONTH)) as store:
            store.deliver(f"run-{month}", [note(1, f"gate {month}")])
            store.maintain()
    assert kept <= {item_key(each) for each in items(path, later)}
    found = check_file(path, now=NOON + 70 * MONTH)
    assert not [each for each in found if "it is archived" in each.repair]
    merged = tmp_path / "merged.sqlite"
    MemoryManagementAgent.merge([path], merged, now=NOON + 70 * MONTH)
    assert kept <= {item_key(each) for each in items(merged, later)}
    with closing(read_knowledge_store(merged)) as reader:
        assert reader.load_knowledge().mistakes.keys() == {"m1"}


def test_a_restored_item_can_be_forgotten_and_restored_again(path: Path) -> None:
    before = without_numbers(path)
    for _ in range(3):
        forget_items(path, {item_key(each) for each in items(path)}, now=NOON)
        open_knowledge_store(path, now=NOON).close()
        assert items(path) == []
        restore_items(path, {each.number for each in archive(path)}, now=NOON)
        assert without_numbers(path) == before
    with closing(open_knowledge_store(path, now=NOON)) as store:
        counted = store.load_knowledge().mistakes["m1"].occurrence_count
        store.deliver("run-2", LESSONS)  # later lessons add to a restored row
        assert store.load_knowledge().mistakes["m1"].occurrence_count == counted + 3
    forget_items(path, {item_key(each) for each in items(path)}, now=NOON)
    count = len(archive(path))
    alter(path, "UPDATE archive SET row = '{' WHERE number = (SELECT max(number) FROM archive)")
    assert len(archive(path)) == count - 1  # what cannot be read stays there
    with pytest.raises(StoreError, match="does not exist"):
        restore_items(path.with_name("run.sqlite"), {1}, now=NOON)


def test_what_is_a_part_of_another_entry_is_no_loss(path: Path) -> None:
    with closing(open_knowledge_store(path, now=NOON)) as store:
        for run in ("run-2", "run-3", "run-4"):
            store.deliver(run, [note(1, "the gate is shut", at=NOON)])
        assert store.maintain() == (2, 0)
    assert archive(path) == []
    forget_items(path, {item_key(each) for each in items(path)}, now=NOON)
    restore_items(path, {each.number for each in archive(path)}, now=NOON)
    with closing(open_knowledge_store(path, now=NOON)) as store:
        assert [each.version for each in store.entries() if each.kind == "note"] == [1]
        assert archive(path) == []
