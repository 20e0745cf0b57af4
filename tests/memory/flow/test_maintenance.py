"""Maintenance of scopes, in game time that each test sets."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import Blackboard, Entry, Json, RunStore
from memory.flow.maintenance import Maintenance, field_words, similar_groups, similarity
from tests.memory.flow.streams import NOTE, X, edge, held, note, notes
from tests.memory.samples import PATTERN, SENSORY, STM, WORKING, Tiers, checkpoint

TALE = "the old man by the pond tells of a cave behind the mill where bats sleep all day long"


def say(blackboard: Blackboard, text: str, **more: object) -> Entry:
    fields: dict[str, Any] = {"importance": 3, **more}
    return blackboard.write(X, "tale", {"text": text}, tick=1, game_s=blackboard.game_s, **fields)


@pytest.fixture
def maintenance(blackboard: Blackboard) -> Maintenance:
    return Maintenance(blackboard)


@pytest.mark.parametrize(("minutes", "left"), [(0, 1.0), (1, 0.99), (60, 0.99**60)])
def test_b26_relevance_decays_each_minute(
    blackboard: Blackboard, maintenance: Maintenance, minutes: int, left: float
) -> None:
    entry = note(blackboard, 1)
    blackboard.expire(60.0 * minutes)
    assert maintenance.relevance(entry) == pytest.approx(left)
    half = blackboard.revise(entry, relevance=0.5)
    assert maintenance.relevance(half) == pytest.approx(0.5 * left)
    assert blackboard.entries(X) == [half]  # reading changes nothing


def test_b26_decayed_entries_are_pruned_when_their_scope_is_due(
    blackboard: Blackboard, maintenance: Maintenance
) -> None:
    note(blackboard, 1)
    blackboard.expire(599.0)
    assert maintenance.run() == []
    blackboard.expire(230 * 60.0)  # 0.99^230 is less than 0.1, and 0.99^229 is not
    note(blackboard, 2)
    assert maintenance.run() == [X]
    assert held(blackboard, X) == [2]
    assert maintenance.run() == []  # not due again
    assert maintenance.run(forced=True) == [X]
    assert held(blackboard, X) == [2]


def test_b26_due_scopes_are_known_after_a_restore(store: RunStore) -> None:
    blackboard = Blackboard(store)
    maintenance = Maintenance(blackboard)
    store.attach("maintenance", maintenance)
    note(blackboard, 1)
    blackboard.expire(700.0)
    assert len(maintenance.run()) == 1
    store.commit(checkpoint=checkpoint(1))
    again = Maintenance(blackboard)
    store.attach("maintenance", again)
    blackboard.expire(1_200.0)
    assert again.run() == []


def test_b26_the_consolidator_maintains_each_level_without_a_planner(tiers: Tiers) -> None:
    for _ in range(2):
        tiers.blackboard.write(WORKING, "tale", {"text": TALE}, tick=1, game_s=0.0)
    tiers.blackboard.expire(600.0)
    tiers.consolidator.tick(1000)
    assert len(tiers.blackboard.entries(WORKING, kind="tale")) == 1
    tiers.blackboard.expire(300 * 60.0)
    tiers.consolidator.tick(2000)
    assert tiers.blackboard.entries(WORKING, kind="tale") == []


def test_b27_a_time_to_live_survives_decay_and_revision(
    blackboard: Blackboard, maintenance: Maintenance
) -> None:
    entry = note(blackboard, 1, ttl_s=100.0)
    blackboard.expire(90.0)
    maintenance.run(forced=True)
    entry = blackboard.revise(entry, relevance=0.9, utility=0.7, importance=9, tags=["a"])
    assert entry.expires_s == 100.0
    blackboard.expire(99.9)
    assert held(blackboard, X) == [1]
    blackboard.expire(100.0)
    assert held(blackboard, X) == []


def test_b27_equal_entries_are_merged(blackboard: Blackboard, maintenance: Maintenance) -> None:
    first = say(blackboard, TALE, importance=8, tags=("cave",), sources=("tick:1",))
    blackboard.revise(first, utility=0.9)
    last = say(blackboard, TALE, tags=("bats",), sources=("tick:2",))
    other = say(blackboard, "another tale")
    assert maintenance.deduplicate(X) == 1
    merged, rest = blackboard.entries(X)
    assert rest == other
    assert (merged.seq, merged.data) == (last.seq, {"text": TALE})
    assert (merged.importance, merged.utility) == (8, 0.9)
    assert merged.tags == {"cave", "bats"}
    assert merged.sources == ("tick:2", "tick:1", first.key)
    assert maintenance.deduplicate(X) == 0


def test_b27_the_most_trusted_and_longest_lived_of_equal_open_entries_stays(
    blackboard: Blackboard, maintenance: Maintenance
) -> None:
    wrong = blackboard.close(say(blackboard, TALE), "no mill there")
    long = say(blackboard, TALE)
    assert maintenance.deduplicate(X) == 0
    assert blackboard.entries(X) == [wrong, long]
    say(blackboard, TALE, ttl_s=5.0)
    claim = say(blackboard, TALE)
    blackboard.revise(claim, status="claim")
    assert maintenance.deduplicate(X) == 2
    _, kept = blackboard.entries(X)
    assert (kept.key, kept.status, kept.expires_s) == (long.key, "verified", None)


def test_b26_b28_valuable_entries_are_archived_before_pruning_and_the_index_rebuilt_on_request(
    blackboard: Blackboard,
) -> None:
    archived: list[tuple[object, str]] = []
    times = count()
    maintenance = Maintenance(
        blackboard,
        archive=lambda entry, why: archived.append((entry.data["n"], why)),
        reindex=times.__next__,
    )
    note(blackboard, 1, importance=6)
    note(blackboard, 2, importance=7)
    blackboard.expire(300 * 60.0)
    maintenance.run()
    assert archived == [(2, "pruned")]
    assert repr(times) == "count(0)"
    maintenance.run(forced=True)
    assert repr(times) == "count(1)"


def test_b27_words_count_by_field_so_occurrences_are_not_merged(
    blackboard: Blackboard, maintenance: Maintenance
) -> None:
    for n in range(300):
        data: Mapping[str, Json] = {"tick": n, "took": 300 - n, "place": f"house {n % 7}"}
        blackboard.write(X, "act", data, tick=n, game_s=0.0)
    assert maintenance.deduplicate(X) == 0


def test_b27_reindexing_restores_lost_index_rows(tiers: Tiers) -> None:
    tiers.blackboard.write(STM, "tale", {"text": TALE}, tick=1, game_s=0.0, tags=["bats"])
    tiers.store.commit()
    database = tiers.store._database
    database.execute("DELETE FROM entry_tags")
    database.execute("INSERT INTO entry_text (entry_text) VALUES ('delete-all')")
    search = "SELECT count(*) FROM entry_text WHERE entry_text MATCH 'pond'"
    assert (database.row(search), tiers.store.tags()) == ((0,), {})
    assert tiers.memory.maintenance.reindex() > 0
    assert (database.row(search), tiers.store.tags()) == ((1,), {"bats": 1})


def test_b27_a_full_scope_evicts_the_lowest_value_not_the_oldest(blackboard: Blackboard) -> None:
    old = note(blackboard, 0, scope=SENSORY, importance=9)
    for n in range(1, 50):
        note(blackboard, n, scope=SENSORY, importance=5)
    useless, useful = (blackboard.entries(SENSORY)[n] for n in (30, 1))
    for n in range(200):
        blackboard.revise(useful, utility=0.5 + n / 1000)
    blackboard.revise(useless, utility=0.1)
    note(blackboard, 50, scope=SENSORY, importance=5)
    assert useless.data["n"] not in held(blackboard, SENSORY)
    note(blackboard, 51, scope=SENSORY, importance=5)
    assert held(blackboard, SENSORY)[:3] == [0, 1, 3]
    assert blackboard.entries(SENSORY)[0] == old


def test_b28_knowledge_is_neither_pruned_nor_merged(tiers: Tiers) -> None:
    tiers.tactician.add_pattern(PATTERN)
    tiers.tactician.add_pattern(replace(PATTERN, pattern_id="p2"))
    tiers.blackboard.expire(1e7)
    tiers.memory.maintenance.run(forced=True)
    assert set(tiers.tactician.patterns) == {"p1", "p2"}


def test_b28_consolidation_alone(tiers: Tiers) -> None:
    tiers.memory.flows.add(edge("notes", WORKING, STM))
    note(tiers.blackboard, 1, scope=WORKING)
    tiers.consolidator.consolidate(5, reason="demand")
    assert [each.data["n"] for each in tiers.blackboard.entries(STM, kind=NOTE)] == [1]


WORDS = st.lists(
    st.sampled_from(["one", "two", "three", "four", "five", "six", "seven", "eight"]), max_size=7
)
SAYINGS = st.lists(st.tuples(st.sampled_from(["note", "place"]), WORDS), max_size=14)


def entries_of(sayings: list[tuple[str, list[str]]]) -> list[Entry]:
    return [
        Entry(seq, "agent:play:stm", kind, 0, 0.0, {"": " ".join(said)}, frozenset(), 3, None)
        for seq, (kind, said) in enumerate(sayings)
    ]


def one_by_one(entries: list[Entry], threshold: float) -> list[list[Entry]]:
    """Groups by comparing each entry with the newest of each group, which is the definition of a group."""
    found: list[list[Entry]] = []
    for entry in reversed(entries):
        for group in found:
            near = similarity(field_words(group[0]), field_words(entry)) >= threshold
            if near and group[0].kind == entry.kind:
                group.append(entry)
                break
        else:
            found.append([entry])
    return found


@given(SAYINGS, st.sampled_from([0.0, 0.25, 0.5, 0.6, 0.75, 0.8, 0.95, 1.0]))
def test_groups_equal_those_of_comparing_all_pairs(
    sayings: list[tuple[str, list[str]]], threshold: float
) -> None:
    entries = entries_of(sayings)
    assert similar_groups(entries, threshold) == one_by_one(entries, threshold)


def test_e37_many_similar_entries_are_grouped_without_comparing_all_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = entries_of([("note", ["the", "same", "again", str(n)]) for n in range(2_000)])
    held = 0

    def counting(one: frozenset[str], other: frozenset[str]) -> float:
        nonlocal held
        held += 1
        return similarity(one, other)

    monkeypatch.setattr("memory.flow.maintenance.similarity", counting)
    assert len(similar_groups(entries, 0.95)) == 2_000
    assert held < 10_000  # of two million pairs


def test_b28_each_of_time_to_live_capacity_and_pruning_alone(
    blackboard: Blackboard, maintenance: Maintenance
) -> None:
    notes(blackboard, range(60), scope=SENSORY)
    assert held(blackboard, SENSORY) == list(range(10, 60))
    note(blackboard, 1)
    blackboard.expire(9.99)
    assert len(held(blackboard, SENSORY)) == 50
    blackboard.expire(10.0)
    assert held(blackboard, SENSORY) == []
    blackboard.expire(60.0)
    note(blackboard, 2)
    assert maintenance.prune(X, 0.99) == 0
    assert maintenance.prune(X, 0.991) == 1
    assert held(blackboard, X) == [2]
