"""The memory actions of an agent, their recollections, and learning from outcomes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import RECOLLECTION, Call, MalformedRecord, MemoryQuery
from memory.blackboard.entry import EntryKind
from memory.flow.subscription import Derived, MemorySubscription
from memory.recall.actions import learn_outcome, recollection_of
from memory.recall.context import gather_context
from memory.tokens import tokens
from tests.memory.recall.memory_fixture import EPISODIC, WORKING, MemoryFixture, open_memory_fixture
from tests.memory.samples import SENSORY, STM

REAL_NAMES = (
    "memory_recall",
    "memory_recall_with_scores",
    "memory_store",
    "memory_forget",
    "memory_deduplicate",
    "memory_prune",
    "memory_transfer_raw",
    "memory_ingest_now",
    "memory_list_tags",
    "memory_stats",
    "memory_map",
)


def test_b11_each_action_has_its_known_name_and_can_be_watched(memory: MemoryFixture) -> None:
    calls: list[str] = []

    def seen(call: Call, _result: object) -> None:
        calls.append(call.name)

    memory.hooks.after("MemoryActions.*", seen)
    actions = memory.actions
    actions.memory_recall(MemoryQuery())
    actions.memory_store({"says": "x"})
    actions.memory_forget(tags=["x"])
    actions.memory_deduplicate(0.95)
    actions.memory_prune(0.1)
    actions.memory_transfer_raw(WORKING, EPISODIC)
    actions.memory_ingest_now()
    actions.memory_list_tags()
    actions.memory_stats()
    actions.memory_map()
    # memory_recall calls memory_recall_with_scores.
    assert calls == [f"MemoryActions.{name}" for name in REAL_NAMES[1:]]
    assert callable(getattr(actions, REAL_NAMES[0]))


def test_b11_a_stored_note_is_recalled_as_a_claim(memory: MemoryFixture) -> None:
    key = memory.actions.memory_store(
        {"location": "lane", "says": "a moth lives here"},
        {"wild"},
        {"kind": "guess", "importance": 6, "sources": ["tick:7"], "scope": STM},
    )
    (entry,) = memory.actions.memory_recall(MemoryQuery(place="lane"))
    assert (entry.key, entry.scope, entry.kind, entry.importance) == (key, STM, "guess", 6)
    assert (entry.status, entry.sources, sorted(entry.tags)) == ("claim", ("tick:7",), ["wild"])


def test_b11_a_note_cannot_be_verified_or_replace_a_fact(memory: MemoryFixture) -> None:
    memory.note({"says": "the gate is shut"}, key="gate", status="verified")
    with pytest.raises(MalformedRecord, match="use inferred or claim"):
        memory.actions.memory_store({}, metadata={"status": "verified"})
    with pytest.raises(MalformedRecord, match="a note with status claim cannot replace it"):
        memory.actions.memory_store({"says": "open"}, metadata={"key": "gate"})
    with pytest.raises(MalformedRecord, match="'colour' is not a field"):
        memory.actions.memory_store({}, metadata={"colour": "red"})
    entry = memory.blackboard.get(WORKING, "gate")
    assert entry is not None
    assert entry.data == {"says": "the gate is shut"}


def test_b11_forget_removes_entries_that_meet_all_conditions_but_not_lasting_ones(
    memory: MemoryFixture,
) -> None:
    memory.blackboard.define(EntryKind("badge", lasting=True))
    memory.note({}, key="badge", kind="badge", tags=("wild",))
    memory.note({}, key="old", tags=("wild",))
    memory.note({}, key="tame", tags=("tame",))
    memory.note({}, key="new", at=60.0, tags=("wild",))

    with pytest.raises(MalformedRecord, match="forget everything"):
        memory.actions.memory_forget()
    assert memory.actions.memory_forget(tags=["wild"], older_than_s=30.0) == 1
    assert memory.actions.memory_forget(keys=["tame"]) == 1
    assert set(memory.found()) == {"badge", "new"}


def test_b11_deduplicate_and_prune_leave_distinct_relevant_entries(memory: MemoryFixture) -> None:
    for at in (0.0, 1.0, 15_000.0):
        memory.note({"says": "the moth is weak to fire", "where": "lane"}, at=at)
    assert memory.actions.memory_prune(0.1) == 2  # decayed by 1% a minute for 250 minutes
    memory.note({"says": "the moth is weak to fire", "where": "lane"}, at=15_001.0)
    assert memory.actions.memory_deduplicate(0.95) == 1
    assert len(memory.found()) == 1


def test_b11_entries_are_transferred_unchanged_and_once(memory: MemoryFixture) -> None:
    raw = memory.note({"says": "x"}, tags=("raw",), status="inferred", importance=8)
    memory.note({"says": "y"}, tags=("other",))
    memory.blackboard.revise(raw, utility=0.8)
    assert memory.actions.memory_transfer_raw(WORKING, EPISODIC, ["raw"]) == 1
    assert memory.actions.memory_transfer_raw(WORKING, EPISODIC, ["raw"]) == 0
    (copy,) = memory.blackboard.entries(EPISODIC)
    assert (copy.key, copy.data, copy.tags) == (raw.key, raw.data, raw.tags)
    assert (copy.status, copy.importance, copy.utility) == ("inferred", 8, 0.8)


def test_b11_pending_entries_are_ingested_on_request(memory: MemoryFixture) -> None:
    memory.flows.add(
        MemorySubscription(
            "up", WORKING, EPISODIC, lambda entries: [Derived("heap", {"of": len(entries)})]
        )
    )
    memory.note({"says": "x"})
    memory.note({"says": "y"})
    assert memory.actions.memory_ingest_now() == {"heap": 1}
    assert [each.data for each in memory.blackboard.entries(EPISODIC)] == [{"of": 2}]


def test_b12_tags_have_current_counts(memory: MemoryFixture) -> None:
    memory.note({}, key="a", tags=("wild", "won"))
    memory.note({}, key="b", tags=("wild",), scope=EPISODIC)
    memory.store.commit()
    memory.note({}, key="c", tags=("wild", "lost"))
    memory.actions.memory_forget(keys=["a"])
    assert memory.actions.memory_list_tags() == {"lost": 1, "wild": 2}
    assert memory.actions.memory_list_tags("*:ltm:*") == {"wild": 1}


def test_b17_a_recall_is_recorded_with_query_and_results(memory: MemoryFixture) -> None:
    memory.note({"location": "lane"}, at=30.0, key="a")
    memory.actions.memory_recall(MemoryQuery(place="lane", max_results=3), "gym")
    memory.actions.memory_recall_with_scores(MemoryQuery(text="nothing of the kind"))

    first, second = memory.blackboard.entries(WORKING, kind=RECOLLECTION)
    recalled = recollection_of(first)
    assert (first.tick, first.game_s) == (60, 30.0)
    assert (recalled.query, recalled.why) == ({"place": "lane", "max_results": 3}, "gym")
    assert recalled.keys == ("a",)
    assert list(recalled.scores) == pytest.approx([0.435])
    assert recollection_of(second).keys == ()
    assert memory.found(text="lane") == ["a"]  # recollections are not recalled themselves
    assert len(memory.found(kinds=(RECOLLECTION,))) == 3


def test_b17_a_recall_outcome_moves_the_utility_by_a_tenth(memory: MemoryFixture) -> None:
    memory.note({"location": "lane"}, key="a")
    expected = 0.5
    for useful in (True, True, False):
        assert learn_outcome(memory.blackboard, ["a", "gone"], useful=useful) == 1
        expected = 0.9 * expected + 0.1 * useful
        entry = memory.blackboard.get(WORKING, "a")
        assert entry is not None
        assert entry.utility == pytest.approx(expected)


def test_b17_useful_entries_rank_first_also_after_a_resume(tmp_path: Path) -> None:
    with open_memory_fixture(tmp_path / "run.sqlite") as memory:
        memory.note({"location": "lane"}, key="helped")
        memory.note({"location": "lane"}, key="newer")
        assert memory.found(place="lane") == ["newer", "helped"]
        learn_outcome(memory.blackboard, ["helped"], useful=True)
        assert memory.found(place="lane") == ["helped", "newer"]
        memory.store.commit()
    with open_memory_fixture(tmp_path / "run.sqlite") as memory:
        assert memory.found(place="lane") == ["helped", "newer"]


def test_b13_stats_and_map_show_counts_and_trust(memory: MemoryFixture) -> None:
    memory.flows.add(MemorySubscription("up", WORKING, EPISODIC, lambda _: []))
    memory.note({"says": "x"})
    memory.actions.memory_store({"says": "y"})
    wrong = memory.note({"says": "z"}, scope=SENSORY)
    memory.blackboard.close(wrong, "not so")

    stats = memory.actions.memory_stats()
    assert stats.scopes == {SENSORY: 1, WORKING: 2}
    assert (stats.count, stats.closed, stats.faults) == (3, 1, 0)
    assert stats.statuses == {"verified": 2, "claim": 1}
    assert stats.pending == {"up": 2}
    assert 0.0 < stats.fullness[WORKING] < 1.0
    assert memory.actions.memory_map().count == stats.count


def test_b37_an_agent_can_query_its_gaps(memory: MemoryFixture) -> None:
    memory.blackboard.define(EntryKind("battle"), EntryKind("action"))
    memory.note({"location": "lane"})
    memory.actions.memory_recall(MemoryQuery(subject="moth"))
    gaps = memory.actions.memory_gaps([EPISODIC, WORKING], ["lane", "cave"])
    assert gaps == [
        f"{EPISODIC} holds nothing",
        "no battle is known",
        'nothing was found for {"subject":"moth"}',
        "nothing is known of cave",
    ]

    memory.note({"species": "moth", "place": "cave"}, kind="battle", scope=EPISODIC)
    memory.actions.memory_recall(MemoryQuery(subject="moth"))
    assert memory.actions.memory_gaps([EPISODIC, WORKING], ["lane", "cave"]) == []


@pytest.fixture(scope="module")
def context_memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryFixture]:
    with open_memory_fixture(tmp_path_factory.mktemp("context") / "run.sqlite") as opened:
        yield opened


def test_b15_context_covers_all_scopes_with_status_and_evidence(memory: MemoryFixture) -> None:
    memory.note({"location": "lane", "says": "a trainer waits"}, importance=9)
    battles = tuple(f"battle:{number}" for number in range(1, 5))
    memory.note(
        {"location": "lane", "says": "moths are weak", "species": ""},
        scope=EPISODIC,
        kind="lesson",
        status="inferred",
        sources=battles,
        importance=5,
    )
    guess = memory.note({"location": "lane", "says": "the gate is shut"}, status="claim")
    memory.blackboard.close(guess, "it was open")

    query = MemoryQuery(place="lane", include_closed=True)
    context = gather_context(memory.actions, query, 200)
    lines = [
        "- action: location lane, says a trainer waits [verified; tick:0]",
        "- lesson: location lane, says moths are weak "
        "[inferred; battle:1, battle:2, battle:3 and 1 more]",
        "- action: location lane, says the gate is shut (no longer so: it was open) "
        "[claim; tick:0]",
    ]
    assert (context.text.splitlines(), context.left_out) == (lines, 0)
    for count in (1, 2):  # the best comes first, and omitted lines are counted
        room = tokens("\n".join(lines[:count]))
        part = gather_context(memory.actions, query, room)
        assert (part.text.splitlines(), part.left_out) == (lines[:count], 3 - count)


@settings(max_examples=30)
@given(
    said=st.lists(st.text(max_size=20).map(lambda text: 20 * text), max_size=6),
    closed=st.text(max_size=10),
    budget=st.integers(0, 300),
)
def test_b15_the_budget_is_never_exceeded(
    context_memory: MemoryFixture, said: list[str], closed: str, budget: int
) -> None:
    for scope in context_memory.blackboard.scopes():
        context_memory.blackboard.clear(scope)
    for text in said:
        entry = context_memory.note({"location": "lane", "says": text})
        if closed:
            context_memory.blackboard.close(entry, closed)
    query = MemoryQuery(place="lane", include_closed=True)
    context = gather_context(context_memory.actions, query, budget)
    assert context.tokens == tokens(context.text) <= budget
    assert len(context.keys) + context.left_out == len(said)
    assert len(context.text.splitlines()) == len(context.keys)
