"""Checks of memory files: their findings, their repairs, and that nothing else changes."""

import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from memory import (
    CorruptStore,
    MemoryFault,
    StoreError,
    create_run,
    file_fault,
    open_run_store,
    read_knowledge_store,
)
from memory.errors import ForeignStore, NewerStore
from memory.inspect import check_file, repair_file
from memory.store.checks.finding import CheckFinding
from tests.memory.samples import MONTH, NOON, checkpoint, open_tiers
from tests.memory.store.taught import RUN, alter, changed, count, damaged, taught

COPIED = (
    "origin, run_id, sequence, scope, kind, version, tick, game_s, tags, importance, relevance, utility, status, "
    "sources, closed, count, merged"
)
NEW_STRATEGY = (
    f"INSERT INTO ltm_entries (key, data, {COPIED}) SELECT 'strategy:{{0}}', json_set(data, '$.strategy_id', '{{0}}', "
    f"'$.success_rate', {{1}}, '$.total_uses', {{2}}), {COPIED} FROM ltm_entries WHERE key = 'strategy:s0'"
)


class Fault(NamedTuple):
    """The sort and some words of a finding, the statements that cause it, and whether repair removes it."""

    sort: str
    words: str
    statements: tuple[str, ...]
    is_fixed: bool


def fault(sort: str, words: str, *statements: str, is_fixed: bool = True) -> Fault:
    return Fault(sort, words, statements, is_fixed)


def battles(changes: str) -> str:
    return f"UPDATE entries SET {changes} WHERE scope = 'agent:play:stm' AND kind = 'battle'"


def entries(changes: str, where: str = "id = 1") -> str:
    return f"UPDATE ltm_entries SET {changes} WHERE {where}"


FAULTS = (
    fault("contradiction", "has two rows", NEW_STRATEGY.format("s9", 0.0, 1)),
    fault(
        "contradiction",
        "it failed 9 of 10 times",
        changed("pattern", success_count=1, failure_count=9, confidence=0.1, relevance_score=0.1),
    ),
    fault("count", "is 1.50 wins", changed("strategy", "s0", success_rate=0.5, total_uses=3)),
    fault("count", "used 0 times", changed("strategy", "s0", total_uses=0)),
    fault("count", "occurred 0 times", changed("mistake", occurrence_count=0)),
    fault("count", "severity 'huge'", changed("mistake", severity="'huge'")),
    fault("count", "3 of 4 is 0.75", changed("pattern", confidence=0.2)),
    fault("count", "comes after", changed("mistake", first_occurred="(data ->> 'last_occurred') + 9.0")),
    fault(
        "count",
        "1 sessions, and 7 of 4 battles",
        "UPDATE contributions SET contribution = json_set(contribution, '$.record.data.victories', 7) "
        "WHERE key = 'totals:all'",
    ),
    fault("count", "has 0 lessons", entries("count = 0")),
    fault("damage", "is unreadable", entries("sources = '['", "key = 'strategy:s0'")),
    fault("orphan", "no lesson of it is known", "DELETE FROM deliveries"),
    fault("orphan", "'run:nobody' leads nowhere", entries("sources = '[\"run:nobody\"]'"), is_fixed=False),
    fault(
        "orphan",
        "rows of run nobody",
        "INSERT INTO contributions VALUES ('ltm:semantic', 'mistake:m1', 'nobody', 1, '{}', '', '[]')",
        is_fixed=False,
    ),
    fault("damage", "'mistake:m1' is unreadable", changed("mistake", situation="'not'")),
    fault("damage", "is unreadable", entries("data = '[1'", "id = 2")),
    fault("damage", "is unreadable", entries("status = 'claim', tags = CAST(x'ff41' AS TEXT)")),
    fault("damage", "is unreadable", changed("mistake", occurrence_count="'many'")),
    fault("stale", "under 0.3", entries("relevance = 0.1", "key = 'mistake:m1'")),
    fault("stale", "closed (not so)", entries("closed = 'not so', relevance = 0.7", "key = 'strategy:s0'")),
    fault("stale", "6 months have passed", changed("pattern", last_validated=1784000000.0), is_fixed=False),
    fault("stale", "faded to 0.10", entries("relevance = 0.1, importance = 3")),
    fault(
        "stale",
        "there are 123, and room for 100",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120) "
        f"INSERT INTO ltm_entries (key, data, {COPIED}) SELECT 'strategy:x' || i, json_set(data, '$.strategy_id', "
        f"'x' || i, '$.player_pokemon', 'mon' || i), {COPIED} FROM ltm_entries, n WHERE key = 'strategy:s0'",
    ),
)  # fmt: skip


def found(path: Path, now: float = NOON) -> list[CheckFinding]:
    return check_file(path, now=now)


def findings_of(fault: Fault, path: Path) -> list[CheckFinding]:
    return [each for each in found(path) if each.sort == fault.sort and fault.words in each.what]


def test_rows_removed_by_repair_are_in_the_archive(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite")
    alter(path, "DELETE FROM deliveries")
    repair_file(path, now=NOON)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT * FROM deliveries").fetchall() == [(RUN, 8)]
    alter(
        path,
        "UPDATE ltm_entries SET data = '{not' WHERE key = 'mistake:m1'",
        "DELETE FROM ltm_entries WHERE kind = 'milestone_time' AND data ->> 'turns' = 2",
        changed("strategy", "s1", total_uses=0),
    )
    repair_file(path, now=NOON)
    assert count(path, "mistake_records") == 0
    with closing(sqlite3.connect(path)) as connection:
        archived = dict(connection.execute("SELECT key, row FROM archive"))
    assert archived.keys() == {"mistake:m1", "strategy:s1"}
    assert "{not" in archived["mistake:m1"]


def test_duplicate_strategies_are_merged_with_the_battles_of_both(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite")
    alter(path, NEW_STRATEGY.format("s8", 0.0, 1), NEW_STRATEGY.format("s9", 0.5, 2))
    repair_file(path, now=NOON)
    strategies = read_knowledge_store(path).load_knowledge().strategies
    assert strategies.keys() == {"s0", "s1", "s2"}
    assert (strategies["s0"].total_uses, strategies["s0"].success_rate) == (5, 0.6)


def test_old_knowledge_has_only_stale_findings(tmp_path: Path) -> None:
    path, later = taught(tmp_path / "m.sqlite"), NOON + 40 * MONTH
    alter(
        path,
        f"UPDATE dates SET decayed_at = {later}, opened_at = {later}",
        "UPDATE ltm_entries SET relevance = 0.1",
    )
    assert {each.sort for each in found(path, later)} == {"stale"}


RUN_FAULTS = (
    fault("orphan", "1 tags", "INSERT INTO entry_tags VALUES ('lost', 'agent:play:stm', 999)"),
    fault("damage", "battle:b1@1", battles("data = '{'")),
    fault("orphan", "'tick:99999'", battles("sources = '[\"tick:99999\"]'"), is_fixed=False),
    fault("stale", "game seconds ago", battles("expires_s = game_s - 900.0")),
    fault("damage", "is unreadable", "UPDATE outbox SET payload = '[' WHERE sequence = 1"),
    fault(
        "count",
        "do not add up",
        "UPDATE entries SET data = json_set(data, '$.victories', 7) WHERE kind = 'session_totals'",
        is_fixed=False,
    ),
    fault("orphan", "in an unknown scope", battles("scope = 'attic'"), is_fixed=False),
)


def played(path: Path) -> Path:
    tiers = open_tiers(path)
    tiers.fight(1)
    for tick in (10, 11, 12):
        tiers.act(tick, "up", success=False)
    tiers.consolidator.consolidate(1000)
    tiers.store.commit(checkpoint=checkpoint(1000))
    tiers.store.close()
    return path


def test_a_file_from_play_has_no_findings_and_is_not_repaired(tmp_path: Path) -> None:
    path = taught(tmp_path / "m.sqlite")
    before = path.read_bytes()
    assert found(path) == []
    assert repair_file(path, now=NOON).copy is None
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    assert found(played(tmp_path / "run.sqlite")) == []


@pytest.mark.parametrize(
    ("made", "fault"),
    [*((taught, each) for each in FAULTS), *((played, each) for each in RUN_FAULTS)],
    ids=lambda each: each.words if isinstance(each, Fault) else "",
)
def test_each_fault_is_found_and_repaired_where_the_repair_is_unambiguous(
    made: Callable[[Path], Path], fault: Fault, tmp_path: Path
) -> None:
    path = made(tmp_path / "m.sqlite")
    alter(path, *fault.statements)
    before = path.read_bytes()
    first, *more = findings_of(fault, path)
    assert made is taught or not more
    assert path.read_bytes() == before
    assert bool(first.repair) is fault.is_fixed
    repaired = repair_file(path, now=NOON)
    assert (first in repaired.fixed) is fault.is_fixed
    assert (first in repaired.remaining) is not fault.is_fixed
    assert found(path) == list(repaired.remaining)
    if fault.is_fixed:
        assert repaired.remaining == ()
        assert repaired.copy is not None
        assert found(repaired.copy) != []
        if made is taught:
            read_knowledge_store(path).load_knowledge()
        else:
            open_run_store(path, run_id="run-1").close()


def test_a_run_in_play_is_not_repaired(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run", {}, run_id="run-1")
    folder.store.commit(checkpoint=checkpoint(1))
    assert found(tmp_path / "run") == []
    with pytest.raises(StoreError, match="in use by another process"):
        repair_file(tmp_path / "run", now=NOON)
    folder.close()


@pytest.mark.parametrize(
    ("name", "content", "kind", "words"),
    [
        ("empty.sqlite", b"", ForeignStore, "is empty"),
        (
            "words.sqlite",
            b"these are words, and no file of SQLite's",
            ForeignStore,
            "not a SQLite file",
        ),
        ("cut.sqlite", None, CorruptStore, "damaged"),
    ],
)
def test_an_unreadable_file_is_refused_and_unchanged(
    name: str, content: bytes | None, kind: type[MemoryFault], words: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    (tmp_path / "whole").mkdir()
    whole = taught(tmp_path / "whole" / "m.sqlite").read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if content is None else content)
    before = path.read_bytes()
    for look in (check_file, repair_file):
        with pytest.raises(kind, match=words) as raised:
            look(path, now=NOON)
        assert "\n" not in str(raised.value)
    assert path.read_bytes() == before
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([name, "whole"])


def test_repair_refuses_newer_and_foreign_files_and_folders(tmp_path: Path) -> None:
    newer = taught(tmp_path / "newer.sqlite")
    alter(newer, "PRAGMA user_version = 99")
    alter(tmp_path / "other.sqlite", "CREATE TABLE notes (text)")
    for path, kind, words in (
        (newer, NewerStore, "update the program"),
        (tmp_path / "other.sqlite", ForeignStore, "is not a memory file nor a record of a run"),
        (tmp_path, StoreError, "folder without run.sqlite"),
        (tmp_path / "none.sqlite", StoreError, "does not exist"),
    ):
        with pytest.raises(kind, match=words):
            repair_file(path, now=NOON)


def test_a_file_locked_by_another_process_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = taught(tmp_path / "m.sqlite")
    monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, timeout=0.05))
    alter(path, "PRAGMA journal_mode = DELETE", changed("mistake", occurrence_count=0))
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked by another process"):
            check_file(path, now=NOON)
    assert found(path) != []


@pytest.mark.parametrize("batch", range(10))
def test_a_damaged_file_raises_only_memory_faults_and_is_unchanged(
    batch: int, tmp_path: Path
) -> None:
    whole = taught(tmp_path / "whole.sqlite", strategies=30, entries=30).read_bytes()
    path = tmp_path / "m.sqlite"
    for seed in range(20 * batch, 20 * batch + 8):
        data = damaged(whole, seed)
        path.write_bytes(data)
        with suppress(MemoryFault):
            check_file(path, now=NOON)
        assert path.read_bytes() == data, seed
        assert {each.name for each in tmp_path.iterdir()} == {"m.sqlite", "whole.sqlite"}, seed


def test_an_overwritten_json_text_is_a_fault_though_all_pages_fit(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="a")
    store.record.add_event(1, "milestone", {"picture": "A" * 20_000})
    store.commit()
    store.close()
    assert file_fault(path) is None
    whole = path.read_bytes()
    at = whole.rindex(b"A" * 100)
    path.write_bytes(whole[: at + 50] + bytes(50) + whole[at + 100 :])
    flaw = file_fault(path)
    assert isinstance(flaw, CorruptStore)
    assert "a text of its events cannot be read" in str(flaw)
