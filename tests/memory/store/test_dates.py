"""Wrong dates, of files and of clocks: not believed, corrected once, and never a reason to forget."""

import logging
import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory import KnowledgeStore, as_json, open_knowledge_store
from memory.inspect import check_file, forget_items, item_key, repair_file, restore_items, view_file
from memory.store.checks.repair import Repairs
from memory.store.knowledge_store import MOST_COPIES
from memory.team_memory import MemoryManagementAgent
from memory.tiers.lasting import LessonKind, OutboxRow
from tests.memory.samples import MISTAKE, MONTH, NOON, PATTERN, PREFERENCE, STRATEGY
from tests.memory.store.taught import LESSONS, RUN, alter, changed, note, taught

YEAR = 365 * 86_400.0
FAR = 4_102_444_800.0  # the year 2100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return taught(tmp_path / "m.sqlite")


def held(path: Path, now: float = NOON) -> set[tuple[str, str, str]]:
    with view_file(path, now=now) as view:
        return {item_key(each) for each in view.items()}


def stats(path: Path) -> tuple[float, float]:
    with view_file(path, now=NOON) as view:
        ((decayed_at, opened_at),) = view._database.rows("SELECT decayed_at, opened_at FROM dates")
    return decayed_at, opened_at


def opened(path: Path, now: float) -> KnowledgeStore:
    return open_knowledge_store(path, now=now)


def test_plays_under_a_clock_far_ahead_cost_a_month_and_lessons_stay_afterwards(path: Path) -> None:
    before = held(path)
    for hour in range(200):
        with closing(opened(path, FAR + hour * 3_600)) as store:
            store.deliver(f"far {hour}", [note(1, f"gate {hour}", at=FAR)])
    assert before <= held(path, FAR)
    for hour in range(200, 210):
        with closing(opened(path, NOON + hour * 3_600)) as store:
            store.deliver(f"right {hour}", [note(1, f"gate {hour}", at=NOON)])
    assert before <= held(path)
    assert len(held(path)) == len(before) + 210
    assert stats(path)[0] <= NOON + 210 * 3_600
    assert check_file(path, now=NOON + 210 * 3_600) == []


def test_time_in_which_the_clock_is_right_counts_in_full_and_a_pause_as_a_month(path: Path) -> None:
    for week in range(1, 11):
        opened(path, NOON + week * 7 * 86_400).close()
    assert stats(path)[0] == NOON + 70 * 86_400
    opened(path, NOON + 3 * YEAR).close()
    assert stats(path) == (NOON + 70 * 86_400 + MONTH, NOON + 3 * YEAR)
    opened(path, NOON + 3 * YEAR + 60).close()
    assert stats(path)[0] == NOON + 70 * 86_400 + MONTH + 60


@pytest.mark.parametrize("clock", [0.0, 315_532_800.0, 946_684_800.0, 1_230_768_000.0])
def test_a_clock_that_was_never_set_changes_nothing_and_its_lessons_stay(
    path: Path, clock: float
) -> None:
    before, at = held(path), stats(path)
    with closing(opened(path, clock)) as store:
        store.deliver("reset", [note(1, "gate", at=clock), *LESSONS[1:3]])
    assert stats(path) == at
    assert before < held(path)
    with closing(opened(path, NOON + 60)) as store:
        assert "gate" in {each.data.get("says") for each in store.entries()}
    assert check_file(path, now=NOON + 60) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE dates SET decayed_at = decayed_at + 315360000.0",
        "UPDATE dates SET decayed_at = 1e18",
        "UPDATE dates SET decayed_at = 9e999, opened_at = -9e999",
        "UPDATE dates SET decayed_at = 0.0, opened_at = 0.0",
        changed("mistake", first_occurred=1.0, last_occurred=1.0),
        changed("strategy", last_used=1e18),
        changed("pattern", last_validated="'yesterday'"),
        "UPDATE contributions SET contribution = json_set(contribution, '$.at', 1.0, '$.relevant_at', 1.0)",
        "UPDATE contributions SET contribution = json_set(contribution, '$.at', 'yesterday')",
        "UPDATE contributions SET contribution = json_set(contribution, '$.record.data[7]', 1e12) WHERE key = 'mistake:m1'",
        "INSERT INTO archive VALUES (1, 'ltm:semantic', 'mistake:m9', 9e999, '{}')",
    ],
)
def test_a_wrong_date_is_named_by_check_corrected_once_and_costs_nothing(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture, statement: str
) -> None:
    before = held(path)
    alter(path, statement)
    named = [each for each in check_file(path, now=NOON) if "it becomes" in each.repair]
    assert named
    assert all(each.what for each in named)
    mended, merged = tmp_path / "mended.sqlite", tmp_path / "merged.sqlite"
    shutil.copyfile(path, mended)
    assert {each.sort for each in repair_file(mended, now=NOON).fixed} == {"count"}
    assert held(mended) == before
    assert check_file(mended, now=NOON) == []
    result = MemoryManagementAgent.merge([path], merged, now=NOON)
    assert result.corrected
    assert held(merged) == before
    with caplog.at_level(logging.WARNING):
        opened(path, NOON + 60).close()
        opened(path, NOON + 120).close()
    assert held(path) == before
    (line,) = caplog.messages
    assert line.startswith(f"{path}: ")
    assert "wrong dates corrected: " in line
    assert line.endswith(f"the file before is {path}.before-ageing-1")
    assert (tmp_path / "m.sqlite.before-ageing-1").exists()
    assert check_file(path, now=NOON + 120) == []


def test_a_merge_with_a_memory_dated_ahead_does_not_age_ours(path: Path, tmp_path: Path) -> None:
    before = held(path)
    theirs = tmp_path / "theirs.sqlite"
    with closing(opened(theirs, NOON + 10 * YEAR)) as store:
        store.deliver("ahead", [note(1, "gate", at=NOON + 10 * YEAR)])
    for now in (NOON, NOON + 3_600):
        MemoryManagementAgent.merge([theirs], path, now=now)
        assert before < held(path)
    assert stats(path)[0] <= NOON + 3_600


def test_an_opening_that_archives_says_so_and_keeps_the_last_copies(
    path: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    lines = 0
    for month in range(1, 60):
        with closing(opened(path, NOON + month * MONTH)) as store:
            store.deliver(f"run {month}", [note(1, f"gate {month}", utility=0.0, at=NOON)])
        lines = len(caplog.messages)
    assert lines > MOST_COPIES
    assert all("rows archived, worth too little by now: " in each for each in caplog.messages)
    copies = list(tmp_path.glob("*before-ageing*"))
    assert len(copies) == MOST_COPIES
    assert max(copies, key=lambda each: each.stat().st_mtime_ns).name in caplog.messages[-1]


def test_lessons_of_a_run_that_began_under_a_wrong_clock_are_dated_by_the_memory(
    path: Path,
) -> None:
    before = held(path)
    rows = [
        replace(
            each,
            payload={**each.payload, "last_occurred": FAR}
            if each.kind == "mistake"
            else each.payload,
        )
        for each in LESSONS
    ]
    with closing(opened(path, NOON)) as store:
        store.deliver("late", [*rows, note(6, "gate", at=1.0)])
        assert store.load_knowledge().mistakes["m1"].last_occurred == NOON
    assert before < held(path)
    assert check_file(path, now=NOON) == []


def test_a_new_memory_begun_under_any_clock_keeps_its_lessons(tmp_path: Path) -> None:
    for number, clock in enumerate((0.0, 1_230_768_000.0, NOON, FAR, 9_214_646_400.0)):
        path = tmp_path / f"{number}.sqlite"
        with closing(opened(path, clock)) as store:
            store.deliver(RUN, [note(1, "gate", at=clock), *LESSONS[1:]])
        before = held(path, clock)
        for later in (clock + 60, NOON, NOON + 60):
            opened(path, later).close()
        assert held(path) == before


def faded(path: Path, pauses: list[int], months: int) -> list[object]:
    """What lessons are worth so many months after they were taught, each of which has an opening."""
    at = NOON
    opened(path, at).close()
    for days in pauses:
        at += days * 86_400
        opened(path, at).close()
    rows: list[tuple[LessonKind, Any]] = [
        ("pattern", replace(PATTERN, last_validated=at)),
        ("mistake", replace(MISTAKE, first_occurred=at, last_occurred=at)),
        ("strategy", replace(STRATEGY, first_used=at, last_used=at, success_rate=0.4)),
        ("preference", replace(PREFERENCE, created_at=at, updated_at=at)),
    ]
    lessons = [OutboxRow(n, n, kind, as_json(each)) for n, (kind, each) in enumerate(rows)]
    lessons = [*lessons[1:], replace(lessons[0], sequence=9)]
    with closing(opened(path, at)) as store:
        for run in ("run-1", "run-2"):  # what several runs say has a date of its own
            store.deliver(run, [*lessons, note(10, run, at=at)])
    for _ in range(months):
        at += 28 * 86_400
        opened(path, at).close()
    with closing(opened(path, at)) as store:
        known, entries = store.load_knowledge(), store.entries()
    left = [
        *(each.relevance_score for each in known.patterns.values()),
        *(each.confidence for each in known.preferences.values()),
        *(each.relevance for each in entries),
    ]
    return [sorted(known.mistakes), sorted(known.strategies), *(round(each, 6) for each in left)]


@settings(max_examples=6, deadline=None)
@given(st.lists(st.integers(1, 900), max_size=3), st.integers(0, 14))
@example([365], 11)
def test_what_is_taught_after_any_pauses_fades_like_what_was_taught_before(
    pauses: list[int], months: int
) -> None:
    with TemporaryDirectory() as folder:
        known = faded(Path(folder) / "paused.sqlite", pauses, months)
        assert known == faded(Path(folder) / "new.sqlite", [], months)


def test_a_closing_after_a_long_pause_is_newer_than_the_evidence(path: Path) -> None:
    late = NOON + YEAR
    with closing(opened(path, late)) as store:
        evidence = as_json(replace(PATTERN, last_validated=late))
        store.deliver("late", [OutboxRow(1, 1, "pattern", evidence)])
        closed = Repairs(store._database, now=late + 60)
        pattern = store.entry("ltm:procedural", f"pattern:{PATTERN.pattern_id}")
        assert pattern is not None
        closed.close_entry(pattern, "it failed")
        store.deliver("later", [*LESSONS[1:3]])
        store.deliver("late", [OutboxRow(2, 2, "pattern", evidence)])
        assert store.load_knowledge().patterns == {}
    forget_items(path, held(path, late), now=late + 120)
    with view_file(path, now=late + 180) as view:
        numbers = {each.number for each in view.archive()}
    restore_items(path, numbers, now=late + 180)
    with closing(opened(path, late + 240)) as store:
        store.deliver("late", [OutboxRow(3, 3, "pattern", evidence)])
        assert store.load_knowledge().patterns == {}


def test_a_merge_and_a_repair_under_an_unset_clock_change_no_date(
    path: Path, tmp_path: Path
) -> None:
    theirs, before = taught(tmp_path / "theirs.sqlite"), stats(path)
    with closing(opened(theirs, NOON)) as store:
        store.deliver("run-2", [note(1, "gate", at=NOON)])
    repair_file(path, now=0.0)
    assert stats(path) == before
    MemoryManagementAgent.merge([theirs], path, now=0.0)
    assert stats(path) == before
    with closing(opened(unset := tmp_path / "unset.sqlite", 0.0)) as store:
        store.deliver("run-3", [note(1, "hall", at=0.0)])
    MemoryManagementAgent.merge([unset], path, now=NOON)
    assert stats(path) == before


def test_what_a_run_delivers_during_a_merge_has_believed_dates(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = taught(tmp_path / "theirs.sqlite")

    def delivering(copied: Path, kept: Path) -> None:
        shutil.copyfile(copied, kept)
        with closing(opened(path, FAR)) as store:
            store.deliver("meanwhile", [note(1, "gate", at=FAR)])

    monkeypatch.setattr("memory.store.merge.copy_file", delivering)
    with closing(opened(theirs, NOON)) as store:
        store.deliver("run-2", [note(1, "hall", at=NOON)])
    MemoryManagementAgent.merge([theirs], path, now=NOON)
    assert check_file(path, now=NOON) == []
