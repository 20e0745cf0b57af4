"""Merging of memories: no lesson is lost or counted twice, in any order, and each row lists its runs."""

import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory import CorruptStore, as_json, open_knowledge_store, read_knowledge_store
from memory.codec import decode
from memory.errors import ForeignStore, MissingStore
from memory.inspect import forget_items
from memory.store.knowledge_store import MAX_ENTRIES
from memory.store.lasting import KnowledgeReader
from memory.team_memory import AGREED, MemoryManagementAgent
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.lasting import OutboxRow
from tests.memory.samples import MISTAKE, MONTH, NOON, PATTERN, PREFERENCE
from tests.memory.store.taught import LESSONS, closure, note

merge = partial(MemoryManagementAgent.merge, now=NOON + 12 * MONTH)


@pytest.fixture
def a(tmp_path: Path) -> Path:
    return tmp_path / "a.sqlite"


@pytest.fixture
def b(tmp_path: Path) -> Path:
    return tmp_path / "b.sqlite"


@pytest.fixture
def c(tmp_path: Path) -> Path:
    return tmp_path / "c.sqlite"


def teach(path: Path, run: str, lessons: Sequence[OutboxRow], *, now: float = NOON) -> Path:
    with closing(open_knowledge_store(path, now=now)) as store:
        store.deliver(run, lessons)
    return path


def open_monthly(path: Path, months: int) -> None:
    for month in range(1, months + 1):
        open_knowledge_store(path, now=NOON + month * MONTH).close()


def read(path: Path) -> KnowledgeReader:
    return read_knowledge_store(path)


def mistake(sequence: int, at: float, status: str = "verified") -> OutboxRow:
    record = replace(MISTAKE, first_occurred=at, last_occurred=at)
    return OutboxRow(sequence, sequence, "mistake", {**as_json(record), "status": status})


def archived(path: Path) -> list[str]:
    with closing(read(path)) as reader:
        rows = reader._database.rows("SELECT key FROM archive ORDER BY key")
    return [str(key) for (key,) in rows]


def test_b31_every_row_lists_all_contributing_runs(a: Path, b: Path, c: Path) -> None:
    merge([teach(a, "run-1", LESSONS), teach(b, "run-2", LESSONS[:3])], c)
    with closing(read(c)) as reader:
        origins = reader.origins()
        assert origins["ltm:semantic", "mistake:m1"] == ("run-1", "run-2")
        assert origins["ltm:semantic", "preference:f1"] == ("run-1",)
        contributions = reader.contributions("ltm:semantic", "mistake:m1")
        counts = {
            run: each.content["data"]["occurrence_count"] for run, each in contributions.items()
        }
        assert counts == {"run-1": 3, "run-2": 3}
        known = reader.load_knowledge()
        assert known.mistakes["m1"].occurrence_count == 6
        assert known.patterns["p1"].success_count == 2 * PATTERN.success_count
        assert (known.total_sessions, known.total_battles, known.overall_win_rate) == (1, 4, 0.75)


def test_b34_common_contributions_of_diverged_copies_count_once(a: Path, b: Path, c: Path) -> None:
    teach(a, "run-1", LESSONS)
    shutil.copyfile(a, b)
    teach(a, "run-2", LESSONS)
    teach(b, "run-1", [*LESSONS, mistake(6, NOON)])
    merge([a, b], c)
    with closing(read(c)) as reader:
        known = reader.load_knowledge()
        assert known.mistakes["m1"].occurrence_count == 3 * MISTAKE.occurrence_count
        assert known.total_sessions == 2
        assert (reader.delivered("run-1"), reader.delivered("run-2")) == (6, 5)
    # A resumed run continues its deliveries to the merged memory.
    teach(c, "run-1", [*LESSONS, mistake(6, NOON), mistake(7, NOON)])
    with closing(read(c)) as reader:
        assert reader.load_knowledge().mistakes["m1"].occurrence_count == 12


def test_b34_merging_again_changes_no_byte_of_target_or_sources(a: Path, b: Path, c: Path) -> None:
    teach(a, "run-1", LESSONS)
    teach(b, "run-2", [note(1, "gate")])
    sources = {each: each.read_bytes() for each in (a, b)}
    assert merge([a, b], c).changed
    made = c.read_bytes()
    for again in ([a], [b], [b, a], [c]):
        merged = merge(again, c)
        assert (merged.changed, merged.copy) == (False, None)
    assert c.read_bytes() == made
    assert {each: each.read_bytes() for each in sources} == sources
    assert sorted(each.name for each in c.parent.iterdir()) == ["a.sqlite", "b.sqlite", "c.sqlite"]


def test_b34_a_merge_backs_up_the_old_target(a: Path, c: Path) -> None:
    teach(a, "run-1", LESSONS)
    teach(c, "run-2", LESSONS[:1])
    merged = merge([a], c)
    assert merged.copy is not None
    assert merged.runs == ("run-1", "run-2")
    with closing(read(merged.copy)) as before, closing(read(c)) as now:
        assert before.load_knowledge().patterns.keys() == now.load_knowledge().patterns.keys()
        assert before.load_knowledge().mistakes == {}
        assert before.delivered("run-2") == 1


def test_b32_contradictions_are_decided_by_trust_then_date_and_the_loser_is_closed(
    a: Path, b: Path, c: Path
) -> None:
    def preference(value: str, status: str, at: float) -> list[OutboxRow]:
        record = as_json(replace(PREFERENCE, preference_value=value, updated_at=at))
        payload = {**record, "status": status, "sources": [f"tick:{value}"]}
        return [OutboxRow(1, 1, "preference", payload)]

    cases = [
        (("old", "verified", NOON), ("new", "inferred", NOON + 9), "old"),
        (("claimed", "claim", NOON + 9), ("ruled", "inferred", NOON), "ruled"),
        (("old", "inferred", NOON), ("new", "inferred", NOON + 9), "new"),
    ]
    sql = "SELECT run_id, overruled, evidence FROM contributions WHERE overruled <> ''"
    for one, other, believed in cases:
        merge([teach(a, "run-1", preference(*one)), teach(b, "run-2", preference(*other))], c)
        with closing(read(c)) as reader:
            assert reader.load_knowledge().preferences["f1"].preference_value == believed
            ((loser, reason, evidence),) = reader._database.rows(sql)
        winner = "run-2" if loser == "run-1" else "run-1"
        assert reason.startswith(f"{winner} says otherwise")
        assert decode(evidence) == [f"run:{winner}", f"tick:{believed}"]
        for path in (a, b, c):
            path.unlink()


@pytest.mark.parametrize(
    ("closing_status", "status", "at", "holds"),
    [
        ("verified", "verified", NOON + 9, True),
        ("verified", "inferred", NOON + 9, False),
        ("verified", "verified", NOON - 9, False),
        ("inferred", "inferred", NOON + 9, True),  # a rule may reopen what a rule closed
        ("inferred", "claim", NOON + 9, False),
    ],
)
def test_b32_a_row_stays_closed_unless_newer_equally_trusted_evidence_reopens_it(
    a: Path, b: Path, c: Path, closing_status: str, status: str, at: float, *, holds: bool
) -> None:
    teach(
        a,
        "run-1",
        [
            mistake(1, NOON - 99),
            closure(2, "mistake_records", "m1", at=NOON, status=closing_status),
        ],
    )
    teach(b, "run-2", [mistake(1, at, status)])
    for sources in ([a, b], [b, a]):
        merge(sources, c)
        with closing(read(c)) as reader:
            where = reader.entry("ltm:semantic", "mistake:m1")
            assert where is not None
            assert (where.closed == "") == holds
            assert ("m1" in reader.load_knowledge().mistakes) == holds
            if not holds:
                assert where.sources == ("tick:9",)
        c.unlink()


def test_b32_rows_of_several_runs_become_collective_with_their_origins(
    a: Path, b: Path, c: Path
) -> None:
    merge([teach(a, "run-1", LESSONS), teach(b, "run-2", LESSONS[:3])], c)
    with closing(read(c)) as reader:
        shared = [each for each in reader.seed() if each.scope == "collective"]
    assert {each.data["about"] for each in shared} == {"pattern:p1", "strategy:s1", "mistake:m1"}
    for each in shared:
        assert each.kind == AGREED
        assert each.data["origins"] == ["run-1", "run-2"]
        assert {"run:run-1", "run:run-2"} <= set(each.sources)
        assert each.key.startswith("memory-management/")
    record: Any = next(each.data["record"] for each in shared if each.data["kind"] == "mistake")
    assert record["occurrence_count"] == 6


def test_b34_a_merge_ages_no_memory(a: Path, b: Path, c: Path) -> None:
    teach(a, "run-1", LESSONS[:1])
    teach(b, "run-2", [note(1, "gate")])
    open_monthly(b, 6)
    merge([a, b], c)
    with closing(read(c)) as reader:
        assert reader.load_knowledge().patterns["p1"].relevance_score == 0.75
        assert reader.entries()[0].relevance == 1.0
    open_monthly(a, 6)
    open_monthly(c, 6)
    assert not merge([a], c).changed
    with closing(read(c)) as reader:
        assert reader.load_knowledge().patterns["p1"].relevance_score == 0.75 * 0.95**6
        assert reader.entries()[0].relevance == 0.95**6


def test_b34_a_merge_keeps_the_caps_and_archives_the_rest(a: Path, b: Path, c: Path) -> None:
    def mistakes(numbers: range) -> list[OutboxRow]:
        records = (replace(MISTAKE, mistake_id=f"m{n}") for n in numbers)
        return [OutboxRow(n, 1, "mistake", as_json(each)) for n, each in enumerate(records, 1)]

    merge(
        [teach(a, "run-1", mistakes(range(4))), teach(b, "run-2", mistakes(range(2, 6)))],
        c,
        config=ConsolidationConfig(max_mistakes=3),
    )
    with closing(read(c)) as reader:
        # Mistakes of both occurred most often; among the others the id decides.
        assert reader.load_knowledge().mistakes.keys() == {"m0", "m2", "m3"}
    assert archived(c) == ["mistake:m1", "mistake:m4", "mistake:m5"]


def test_b34_a_full_scope_retains_the_same_entries_in_any_order(a: Path, b: Path, c: Path) -> None:
    half = MAX_ENTRIES // 2 + 10
    teach(a, "run-1", [note(n, f"a{n}") for n in range(1, half + 1)])
    teach(b, "run-2", [note(n, f"b{n}") for n in range(1, half + 1)])
    merge([a, b], c)
    other = c.with_name("other.sqlite")
    merge([b, a], other)
    with closing(read(c)) as one, closing(read(other)) as two:
        keys = [each.key for each in one.entries()]
        assert len(keys) == MAX_ENTRIES
        assert keys == [each.key for each in two.entries()]
        assert one.content_hash() == two.content_hash()
    assert len(archived(c)) == 20


def test_b34_entries_with_equal_key_or_equal_content_are_merged(a: Path, b: Path, c: Path) -> None:
    teach(a, "run-1", [note(1, "gate", tags=["x"]), note(2, "wall", status="claim")])
    teach(b, "run-1", [note(1, "gate", tags=["x"])])
    passed_on = note(1, "wood", key="run-1/note:wall", sources=["run:run-1"])
    teach(b, "run-2", [passed_on, note(2, "gate", tags=["y"])])
    merge([a, b], c)
    with closing(read(c)) as reader:
        gate, wall = sorted(reader.entries(), key=lambda each: str(each.data["says"]))
        assert (gate.key, gate.tags) == ("run-1/note:gate", frozenset("xy"))
        assert (wall.key, wall.data) == ("run-1/note:wall", {"says": "wood"})
        ((count, merged),) = reader._database.rows(
            "SELECT count, merged FROM ltm_entries WHERE key = 'run-1/note:gate'"
        )
        assert (count, decode(merged)) == (2, ["run-2/note:gate"])
        ((loser, reason),) = reader._database.rows(
            "SELECT run_id, overruled FROM contributions WHERE overruled <> ''"
        )
    assert (loser, reason) == (
        "run-1",
        "run-2 says otherwise, which is verified and more to be trusted",
    )


def test_b34_a_forgotten_row_does_not_return_from_a_copy(a: Path, b: Path, c: Path) -> None:
    teach(a, "run-1", LESSONS)
    shutil.copyfile(a, b)
    forget_items(a, {("mistake_records", "mistake_records", "m1")}, now=NOON)
    merge([b, a], c)
    with closing(read(c)) as reader:
        assert reader.load_knowledge().mistakes == {}
        assert reader.load_knowledge().patterns.keys() == {"p1"}
    assert "mistake:m1" in archived(c)


def test_a_merge_refuses_other_files_and_creates_none(a: Path, b: Path, c: Path) -> None:
    teach(a, "run-1", LESSONS)
    with pytest.raises(MissingStore, match="does not exist"):
        merge([a, b], c)
    b.write_text("a letter", encoding="utf-8")
    with pytest.raises(ForeignStore, match="not a SQLite file"):
        merge([a, b], c)
    b.write_bytes(a.read_bytes()[:5000])
    with pytest.raises(CorruptStore, match="damaged"):
        merge([a, b], c)
    assert not c.exists()
    whole = a.read_bytes()
    with pytest.raises(CorruptStore):
        merge([b], a)
    assert a.read_bytes() == whole
