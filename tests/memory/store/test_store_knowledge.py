"""Rows that outlive runs: their origin, closing, decay, merging, archive and reuse as seeds."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import (
    Entry,
    Json,
    KnowledgeStore,
    MalformedRecord,
    as_json,
    open_knowledge_store,
    open_run_store,
    read_knowledge_store,
)
from memory.codec import decode, encode
from memory.errors import UnknownScope
from memory.inspect import forget_items
from memory.store.database import in_memory
from memory.store.knowledge_store import MAX_ENTRIES
from memory.store.outbox import require_deliverable
from memory.store.schema import KNOWLEDGE_SCHEMA
from memory.tiers.knowledge import KINDS, ConsolidationConfig, Knowledge
from memory.tiers.lasting import LessonKind, OutboxRow
from tests.memory.samples import (
    EPISODIC,
    MISTAKE,
    MONTH,
    NOON,
    PATTERN,
    PREFERENCE,
    STRATEGY,
    WORKING,
    checkpoint,
)
from tests.memory.store.taught import SEMANTIC, closure, count, note

TOTALS: dict[str, Json] = {"sessions": 1, "battles": 0, "victories": 0}
TEAM = "team:red"
SHARED = "collective"


@pytest.fixture
def store(path: Path) -> Iterator[KnowledgeStore]:
    opened = open_knowledge_store(path, now=NOON)
    yield opened
    opened.close()


def keys(entries: list[Entry]) -> list[str]:
    return [entry.key for entry in entries]


def archived(store: KnowledgeStore) -> list[tuple[str, str, Any]]:
    rows = store._database.rows("SELECT scope, key, row FROM archive ORDER BY number")
    return [(scope, key, decode(row)) for scope, key, row in rows]


def known(store: KnowledgeStore, key: str) -> Entry | None:
    """The knowledge with a key, closed ones too."""
    scope = "ltm:procedural" if key.startswith(("pattern", "strategy")) else "ltm:semantic"
    return store.entry(scope, key)


def test_b34_entries_of_different_runs_never_collide(store: KnowledgeStore) -> None:
    store.deliver("run-1", [note(1, "a", key="run-1/5"), note(2, "b", key="note:x")])
    store.deliver("run-2", [note(1, "c", key="run-2/5"), note(2, "d", key="note:x")])
    nameless = {name: value for name, value in note(3, "e").payload.items() if name != "key"}
    store.deliver("run-2", [OutboxRow(3, 3, "entry", nameless)])
    assert keys(store.entries()) == [
        "run-1/5",
        "run-1/note:x",
        "run-2/5",
        "run-2/note:x",
        "run-2/lesson-3",
    ]


def test_b33_a_seed_names_its_first_run_after_later_lessons_too(store: KnowledgeStore) -> None:
    store.deliver("run-1", [note(1, "wall", sources=["tick:7"], tick=7, game_s=3.5)])
    (seed,) = store.seed()
    assert (seed.key, seed.sources) == ("run-1/note:wall", ("tick:7", "run:run-1"))
    assert (seed.tick, seed.game_s) == (7, 3.5)
    # The next run rewrote the entry it started with, and delivers it.
    again = note(1, "gate", key=seed.key, sources=list(seed.sources), utility=0.9)
    store.deliver("run-2", [again])
    (seed,) = store.seed()
    assert (seed.key, seed.version, seed.data) == ("run-1/note:wall", 2, {"says": "gate"})
    assert seed.sources == ("tick:7", "run:run-1")
    assert seed.utility == 0.9
    assert [row[2]["data"] for row in archived(store)] == [{"says": "wall"}]


def test_b33_a_run_starts_with_at_most_a_hundred_seeds_of_each_kind_best_first(
    store: KnowledgeStore,
) -> None:
    lessons = [note(n, str(n), importance=1 + n % 10) for n in range(1, 131)]
    lessons += [note(n, str(n), scope=TEAM, kind="other") for n in range(131, 134)]
    lessons += [note(200, "useless", importance=10, utility=0.01)]
    lessons += [note(201, "useful", importance=5, utility=1.0)]
    lessons += [note(202, "untrue", importance=10, closed="seen otherwise")]
    store.deliver("run-1", lessons)
    seeds = store.seed()
    worth = [each.importance * each.utility for each in seeds]
    assert worth == sorted(worth, reverse=True)
    assert len(seeds) == 103
    # Newest first among entries of equal value.
    assert [each.data["says"] for each in seeds[:3]] == ["useful", "129", "119"]
    names = {each.data["says"] for each in seeds}
    assert "useful" in names
    assert not {"useless", "untrue"} & names
    assert len(store.seed(limit_per_kind=2)) == 4
    assert len(store.entries()) == 136


@pytest.mark.parametrize("scope", [TEAM, SHARED, EPISODIC])
def test_entries_of_every_lasting_scope_are_stored(store: KnowledgeStore, scope: str) -> None:
    store.deliver("run-1", [note(1, "a", scope=scope)])
    assert [entry.scope for entry in store.seed()] == [scope]


BAD: list[tuple[LessonKind, dict[str, Json]]] = [
    ("entry", {**note(1, "a").payload, "importance": 11}),
    ("entry", {**note(1, "a").payload, "data": None}),
    ("entry", {"scope": SEMANTIC}),
    ("close", {"table": "nowhere", "id": "m1", "reason": "r", "evidence": []}),
    ("close", {"table": "mistake_records", "id": "m1", "reason": "r"}),
    ("close", {"table": "mistake_records", "id": "m1", "reason": "r", "evidence": "tick:1"}),
    ("mistake", {"mistake_id": "m1"}),
    ("totals", {"sessions": 1}),
]


@pytest.mark.parametrize(("kind", "payload"), BAD)
def test_an_undeliverable_lesson_is_refused_and_does_not_block_others(
    tmp_path: Path, store: KnowledgeStore, kind: LessonKind, payload: dict[str, Json]
) -> None:
    run = open_run_store(tmp_path / "run.sqlite", run_id="run-1")
    with pytest.raises(MalformedRecord):
        run.outbox.add(1, kind, payload)
    run.outbox.add(2, "mistake", as_json(MISTAKE))
    run.commit(checkpoint=checkpoint(2))
    assert store.deliver(run.run_id, run.outbox.rows()) == 1
    run.close()


def test_an_entry_of_a_short_lived_scope_is_not_a_lesson() -> None:
    for scope in (WORKING, "agent:play:stm", "team:", "collectively"):
        with pytest.raises(UnknownScope, match="does not outlive a run"):
            require_deliverable("entry", note(1, "a", scope=scope).payload)


def test_e24_a_pruned_row_is_deleted_and_does_not_return(path: Path) -> None:
    config = ConsolidationConfig(max_mistakes=1)
    mistakes = [replace(MISTAKE, mistake_id=f"m{n}", occurrence_count=n) for n in (1, 2)]
    lessons = [OutboxRow(n, n, "mistake", as_json(each)) for n, each in enumerate(mistakes, 1)]
    with closing(open_knowledge_store(path, now=NOON, config=config)) as store:
        store.deliver("run-1", lessons[:1])
        loaded_before = store.load_knowledge()
        store.deliver("run-1", lessons)
        assert count(path, "mistake_records") == 1
        assert loaded_before.mistakes.keys() == {"m1"}
    for now in (NOON, NOON + MONTH):
        with closing(open_knowledge_store(path, now=now, config=config)) as store:
            store.deliver("run-1", lessons)  # delivered again after a crash
            store.deliver("run-1", [OutboxRow(3, 3, "totals", TOTALS)])
            assert store.load_knowledge().mistakes.keys() == {"m2"}
    with closing(open_knowledge_store(path, now=NOON + MONTH)) as reader:
        ((*place, row),) = archived(reader)
    assert place == ["ltm:semantic", "mistake:m1"]
    assert row["data"] == as_json(mistakes[0])
    origin = [row[name] for name in ("status", "run_id", "sequence", "tick", "sources")]
    assert origin == ["verified", "run-1", 1, 1, []]


def test_e24_a_row_worth_too_little_is_archived_and_can_return(store: KnowledgeStore) -> None:
    lost = replace(STRATEGY, success_rate=0.0, total_uses=3)
    won = replace(STRATEGY, success_rate=1.0, total_uses=1)
    store.deliver("run-1", [OutboxRow(1, 1, "strategy", as_json(lost))])
    assert known(store, "strategy:s1") is None  # it never worked
    store.deliver("run-2", [OutboxRow(1, 1, "strategy", as_json(won))])
    assert known(store, "strategy:s1") is None
    key, row = archived(store)[-1][1:]
    assert (key, row["run_id"]) == ("strategy:s1", "run-2")
    assert (row["data"]["success_rate"], row["data"]["total_uses"]) == (0.25, 4)
    store.deliver("run-2", [OutboxRow(2, 2, "strategy", as_json(won))])
    assert store.load_knowledge().strategies["s1"].total_uses == 5


def test_e34_knowledge_is_saved_and_loaded_equal_and_removed_rows_stay_removed(path: Path) -> None:
    mistakes = {"m1": MISTAKE, "m2": replace(MISTAKE, mistake_id="m2")}
    preferences = {PREFERENCE.preference_id: PREFERENCE}
    whole = Knowledge({"p1": PATTERN}, {"s1": STRATEGY}, mistakes, preferences, 2, 4, 0.25)
    records = ((kind, each) for kind in KINDS for each in whole.of(kind.table).values())
    lessons: list[tuple[Any, Any]] = [(kind.name, as_json(each)) for kind, each in records]
    lessons.append(("totals", {"sessions": 2, "battles": 4, "victories": 1}))
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.deliver("run-1", [OutboxRow(at, at, *each) for at, each in enumerate(lessons, 1)])
    with closing(open_knowledge_store(path, now=NOON)) as store:
        assert store.load_knowledge() == whole
    del whole.mistakes["m2"]
    forget_items(path, {("mistake_records", "mistake_records", "m2")}, now=NOON)
    with closing(read_knowledge_store(path)) as reader:
        assert reader.load_knowledge() == whole
    with closing(open_knowledge_store(path, now=NOON)) as store:
        assert [row[:2] for row in archived(store)] == [("ltm:semantic", "mistake:m2")]


DRAWN: list[tuple[LessonKind, dict[str, Json]]] = [
    ("pattern", as_json(PATTERN)),
    ("pattern", as_json(replace(PATTERN, pattern_id="p2", success_count=1))),
    ("strategy", as_json(STRATEGY)),
    ("mistake", as_json(MISTAKE)),
    ("mistake", as_json(replace(MISTAKE, mistake_id="m2"))),
    ("preference", as_json(PREFERENCE)),
    ("totals", {"sessions": 1, "battles": 4, "victories": 3}),
    ("entry", dict(note(1, "a").payload)),
    ("entry", dict(note(1, "b", key="note:b").payload)),
    ("entry", {**note(1, "a").payload, "key": "note:same"}),  # merged with the first
    ("close", dict(closure(1, "mistake_records", "m2").payload)),
]


def content(store: KnowledgeStore) -> list[object]:
    """Return what a run reads of a store, but the order of rows."""
    held = sorted(encode(as_json_entry(each)) for each in store.entries())
    delivered = [store.delivered(run) for run in ("run-1", "run-2")]
    return [encode(store.load_knowledge().to_json()), held, delivered, store.size()]


def as_json_entry(entry: Entry) -> Json:
    fields = {**entry._asdict(), "seq": 0, "tags": sorted(entry.tags), "relevance": 0}
    return {name: list(each) if isinstance(each, tuple) else each for name, each in fields.items()}


@settings(max_examples=40, deadline=None)
@given(
    before=st.lists(st.sampled_from(DRAWN), max_size=12),
    other=st.lists(st.sampled_from(DRAWN), max_size=4),
    end=st.lists(st.sampled_from(DRAWN), min_size=1, max_size=8),
)
def test_what_an_end_contributed_is_taken_back(
    before: list[tuple[LessonKind, dict[str, Json]]],
    other: list[tuple[LessonKind, dict[str, Json]]],
    end: list[tuple[LessonKind, dict[str, Json]]],
) -> None:
    lessons = [OutboxRow(n, n, *each) for n, each in enumerate([*before, *end], 1)]
    theirs = [OutboxRow(n, n, *each) for n, each in enumerate(other, 1)]
    with closing(KnowledgeStore(in_memory(KNOWLEDGE_SCHEMA), now=NOON)) as store:
        store.age()
        store.deliver("run-2", theirs)
        store.deliver("run-1", lessons[: len(before)])
        expected, then = content(store), decode(encode(store.contributed_by("run-1")))
        store.deliver("run-1", lessons)
        for _ in range(2):  # a kill may come between
            store.take_back("run-1", then)
            assert content(store) == expected


def test_what_is_forgotten_after_an_end_stays_so(path: Path) -> None:
    rows = [OutboxRow(n, n, "mistake", as_json(MISTAKE)) for n in (1, 2)]
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.deliver("run-1", rows[:1])
        then = store.contributed_by("run-1")
        store.deliver("run-1", rows)
    forget_items(path, {("mistake_records", "mistake_records", MISTAKE.mistake_id)}, now=NOON)
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.take_back("run-1", decode(encode(then)))
        assert not store.load_knowledge().mistakes


def test_e25_a_delivery_writes_only_changed_rows(store: KnowledgeStore) -> None:
    patterns = [replace(PATTERN, pattern_id=f"p{n}", pattern_type=str(n // 50)) for n in range(500)]
    store.deliver(
        "run-1", [OutboxRow(n, n, "pattern", as_json(each)) for n, each in enumerate(patterns)]
    )
    changes = "SELECT total_changes()"
    ((before,),) = store._database.rows(changes)
    store.deliver("run-1", [OutboxRow(900, 900, "pattern", as_json(patterns[7]))])
    ((after,),) = store._database.rows(changes)
    # The delivery, the contribution and the replaced row.
    assert after - before <= 6
    assert store.load_knowledge().patterns["p7"].success_count == 2 * PATTERN.success_count


def test_a_closed_row_stays_with_its_reason_and_is_not_loaded(store: KnowledgeStore) -> None:
    payload = {**as_json(MISTAKE), "status": "inferred", "sources": ["tick:3", "run-1/4"]}
    store.deliver("run-1", [OutboxRow(3, 3, "mistake", payload)])
    learnt = known(store, "mistake:m1")
    assert learnt is not None
    assert (learnt.status, learnt.tick, learnt.sources) == ("inferred", 3, ("tick:3", "run-1/4"))
    before = store.content_hash()
    store.deliver("run-2", [closure(1, "mistake_records", "m1", reason="the wall can be climbed")])
    assert store.load_knowledge().mistakes == {}
    closed = known(store, "mistake:m1")
    assert closed is not None
    assert (closed.status, closed.tick) == ("inferred", 3)
    assert closed.sources[-1] == "tick:9"
    assert closed.closed == "the wall can be climbed"
    assert store.content_hash() != before
    store.deliver("run-2", [closure(2, "mistake_records", "m2"), closure(3, "ltm_entries", "x")])
    assert (known(store, "mistake:m2"), store.entries()) == (None, [])  # nothing to close
    assert archived(store) == []


def test_a_later_lesson_reopens_a_closed_row_with_all_its_evidence(store: KnowledgeStore) -> None:
    # The same evidence yields a lesson and its contradiction; the lesson may come second.
    lesson = OutboxRow(2, 7, "mistake", as_json(MISTAKE))
    store.deliver("run-1", [replace(closure(1, "mistake_records", "m1"), tick=7), lesson])
    assert store.load_knowledge().mistakes == {}
    store.deliver("run-1", [replace(lesson, sequence=3, tick=9)])
    assert store.load_knowledge().mistakes["m1"].occurrence_count == 2 * MISTAKE.occurrence_count
    opened = known(store, "mistake:m1")
    assert opened is not None
    assert opened.closed == ""


@pytest.mark.parametrize("name", ["note:a", "run-1/note:a"])
def test_an_entry_is_closed_by_its_key_with_or_without_the_run(
    store: KnowledgeStore, name: str
) -> None:
    store.deliver("run-1", [note(1, "a"), note(2, "b"), closure(3, "ltm_entries", name)])
    closed, _ = store.entries()
    assert (closed.closed, closed.sources) == ("wrong", ("tick:9", "run:run-1"))
    assert keys(store.seed()) == ["run-1/note:b"]


def test_e31_entries_decay_by_the_month_and_are_archived_complete(path: Path) -> None:
    lessons = [
        note(1, "plain", tags=["t"], status="inferred"),
        note(2, "useful", utility=1.0),
        note(3, "useless", utility=0.0),
        note(4, "important", importance=8, utility=0.0),
    ]
    with closing(open_knowledge_store(path, now=NOON)) as store:
        store.deliver("run-1", lessons)
    gone: list[tuple[int, list[str]]] = []
    for months in range(1, 201):
        with closing(open_knowledge_store(path, now=NOON + months * MONTH)) as store:
            says = [str(row[2]["data"]["says"]) for row in archived(store)]
        if not gone or gone[-1][1] != says:
            gone.append((months, says))
    assert [says for _, says in gone] == [
        [],
        ["useless"],
        ["useless", "plain"],
        ["useless", "plain", "useful"],
    ]
    assert [months for months, _ in gone] == [1, 10, 24, 32], gone
    with closing(open_knowledge_store(path, now=NOON + 200 * MONTH)) as store:
        (left,) = store.seed()
        (row,) = [row for _, key, row in archived(store) if key == "run-1/note:plain"]
    assert left.data == {"says": "important"}
    assert left.relevance == pytest.approx(0.95**200)
    lesson = {"scope": SEMANTIC, "kind": "note", "data": {"says": "plain"}, "tags": ["t"]}
    judged = {"importance": 5, "utility": 0.5, "status": "inferred", "sources": [], "closed": ""}
    learnt = {"origin": "run-1", "run_id": "run-1", "sequence": 1, "count": 1, "merged": []}
    named = {"key": "run-1/note:plain", "version": 1, "tick": 1, "game_s": 0.0}
    assert row == lesson | judged | learnt | named | {"relevance": row["relevance"]}


def test_e31_pruning_and_archiving_are_one_transaction(store: KnowledgeStore) -> None:
    store.deliver("run-1", [note(1, "a", relevance=0.01)])
    store._database.execute("ALTER TABLE archive RENAME TO elsewhere")
    with pytest.raises(Exception, match="no such table"):
        store.maintain()
    store._database.execute("ALTER TABLE elsewhere RENAME TO archive")
    assert keys(store.entries()) == ["run-1/note:a"]
    assert store.maintain() == (0, 1)
    assert len(archived(store)) == 1


@pytest.mark.parametrize("scope", [TEAM, SHARED])
def test_b34_shared_memory_is_maintained(store: KnowledgeStore, scope: str) -> None:
    store.deliver(
        "run-1",
        [
            note(1, "gate", scope=scope, tags=["a"], importance=4, status="inferred"),
            note(2, "faint", scope=scope, relevance=0.1),
            note(3, "gate", importance=2),  # equal content in another run
        ],
    )
    store.deliver("run-2", [note(1, "gate", scope=scope, tags=["b"], utility=0.8)])
    store.deliver("run-3", [note(1, "gate", scope=scope, importance=3)])
    assert store.maintain("ltm:*") == (0, 0)  # other scopes are left alone
    assert store.maintain(scope) == (2, 1)
    gate, elsewhere = sorted(store.seed(), key=lambda entry: entry.scope != scope)
    assert (gate.scope, elsewhere.scope) == (scope, SEMANTIC)
    # The most trusted of them stays, with the evidence and the best of all.
    assert (gate.key, gate.status) == ("run-2/note:gate", "verified")
    assert (gate.tags, gate.importance, gate.utility) == (frozenset({"a", "b"}), 5, 0.8)
    assert set(gate.sources) == {"run:run-1", "run:run-2", "run:run-3"}
    count = "SELECT count, merged FROM ltm_entries WHERE scope = ?"
    ((times, merged),) = store._database.rows(count, (scope,))
    assert times == 3
    assert decode(merged) == ["run-1/note:gate", "run-3/note:gate"]
    assert [row[1] for row in archived(store)] == [
        "run-1/note:gate",
        "run-3/note:gate",
        "run-1/note:faint",
    ]
    assert store.maintain(scope) == (0, 0)
    # A run that knows it by a merged key can still close it.
    store.deliver("run-3", [closure(2, "ltm_entries", "note:gate")])
    assert keys(store.seed()) == ["run-1/note:gate"]


def test_the_cap_of_a_scope_retains_the_most_valuable_entries(store: KnowledgeStore) -> None:
    lessons = [note(n, str(n)) for n in range(1, MAX_ENTRIES + 1)]
    lessons += [note(900, "closed", importance=10, closed="no"), note(901, "best", importance=9)]
    store.deliver("run-1", lessons)
    says = {str(each.data["says"]) for each in store.entries()}
    assert len(says) == MAX_ENTRIES
    assert not {"closed", "1"} & says
    assert [row[2]["data"]["says"] for row in archived(store)] == ["1", "closed"]
    assert "best" in says
