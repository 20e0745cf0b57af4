"""Recall finds exactly the stored entries that match cues and filters."""

from collections.abc import Iterator
from dataclasses import astuple
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import Entry, MalformedRecord, MemoryQuery, Recall
from memory.recall.query import MOST_FILTERS, Weights
from memory.store.entry_search import CANDIDATES
from tests.memory.recall.memory_fixture import EPISODIC, WORKING, MemoryFixture, open_memory_fixture
from tests.memory.samples import ACT, MISTAKE, PATTERN, SENSORY, STRATEGY, TOWN, Tiers, checkpoint
from tests.memory.samples import WORKING as TIERS_WORKING


def test_b14_a_query_applies_each_filter(memory: MemoryFixture) -> None:
    memory.note({"location": "lane"}, at=10, key="a", tags=("wild", "won"), kind="battle")
    memory.note({"location": "lane"}, at=20, key="b", tags=("wild",), scope=EPISODIC)
    memory.note({"location": "town"}, at=30, key="c", tags=("tame",))
    memory.blackboard.expire(40.0)

    assert set(memory.found()) == {"a", "b", "c"}
    assert memory.found(scopes=("*:ltm:*",)) == ["b"]
    assert memory.found(kinds=("battle",)) == ["a"]
    assert memory.found(all_of=frozenset({"wild", "won"})) == ["a"]
    assert set(memory.found(any_of=frozenset({"won", "tame"}))) == {"a", "c"}
    assert memory.found(none_of=frozenset({"wild"})) == ["c"]
    assert memory.found(since_s=15, until_s=25) == ["b"]
    assert memory.found(max_age_s=10) == ["c"]
    assert memory.found(key_pattern="[!ab]") == ["c"]
    assert set(memory.found(place="lane")) == {"a", "b"}
    assert memory.found(place="lane", none_of=frozenset({"won"})) == ["b"]


def test_b14_results_are_ten_by_default_and_at_most_a_hundred(memory: MemoryFixture) -> None:
    for number in range(120):
        memory.note({"location": "lane"}, key=f"k{number}")
    assert len(memory.found(place="lane")) == 10
    assert len(memory.found(place="lane", max_results=100)) == 100
    for refused in (0, 101):
        with pytest.raises(MalformedRecord, match=r"is not in 1\.\.100"):
            MemoryQuery(max_results=refused)
    tags = [f"t{number}" for number in range(MOST_FILTERS)]
    assert memory.found(all_of=frozenset(tags)) == memory.found(any_of=frozenset(tags)) == []
    with pytest.raises(MalformedRecord, match="give at most 100"):
        MemoryQuery(all_of=frozenset([*tags, "one more"]))


def test_b14_words_are_found_in_any_case_and_normal_form_once_and_the_best_first(
    memory: MemoryFixture,
) -> None:
    memory.note({"outcome_summary": "the Moth was poisoned"}, key="a")
    memory.note({"outcome_summary": "a crab fled"}, key="b")
    assert memory.found(text="MOTHS poisoning") == ["a"]
    assert memory.found(text='") OR crab* NEAR(') == ["b"]
    assert memory.found(text="?!") == []
    memory.note({"says": "poison moth"}, key="both")
    both, *_, other = memory.store.find(MemoryQuery(text="poison moth"), now_s=0.0)
    assert (both.entry.key, both.score.words) == ("both", 1.0)
    assert 0.0 < other.score.words < 1.0
    memory.store.commit()
    memory.note({"says": "open"}, key="both")
    (entry,) = memory.actions.memory_recall(MemoryQuery(text="open"))
    assert (entry.data["says"], entry.version) == ("open", 2)


@pytest.mark.parametrize(
    "asked",
    [
        {"kinds": ("battle",)},
        {"all_of": frozenset({"rare"})},
        {"any_of": frozenset({"rare", "unheard of"})},
        {"none_of": frozenset({"common"})},
        {"until_s": 0.5},
        {"key_pattern": "rare*"},
        {"scopes": ("*:ltm:*",)},
        {"min_relevance": 0.9},
    ],
)
@pytest.mark.parametrize("cue", [{}, {"place": "lane"}, {"text": "lane"}])
def test_b14_filters_apply_before_the_limit(
    memory: MemoryFixture, asked: dict[str, Any], cue: dict[str, Any]
) -> None:
    memory.note(
        {"location": "lane"},
        scope=EPISODIC,
        kind="battle",
        tags=("rare",),
        key="rare",
        importance=1,
    )
    for number in range(30):  # newer and more important, but filtered out
        data = {"location": "lane"}
        memory.note(data, at=1.0, tags=("common",), key=f"k{number}", importance=9)
    memory.blackboard.expire(3_600.0)
    assert memory.found(max_results=1, **asked, **cue) == ["rare"]


def test_b14_filters_apply_before_the_candidate_limit(tmp_path: Path) -> None:
    with open_memory_fixture(tmp_path / "run.sqlite") as memory:
        template = memory.note({"location": "lane"}, key="old", tags=("rare",))
        for seq in range(2, CANDIDATES + 50):
            newer = template._replace(seq=seq, key=f"k{seq}", tags=frozenset({"common"}))
            memory.store.put_entry(newer._replace(game_s=float(seq)))
        memory.blackboard.expire(5_000.0)
        for cue in ({"place": "lane"}, {"text": "lane"}, {}):
            assert memory.found(none_of=frozenset({"common"}), **cue) == ["old"]


def test_b14_expired_and_closed_entries_are_omitted_by_default(memory: MemoryFixture) -> None:
    memory.note({"location": "lane"}, key="short", ttl_s=5.0)
    closed = memory.note({"location": "lane"}, key="wrong")
    memory.blackboard.close(closed, "the way is open", ["tick:7"])
    memory.note({"location": "lane"}, key="right")

    def found(**more: bool) -> set[str]:
        """Return the results after some time, before any expiry ran."""
        query = MemoryQuery(place="lane", **more)  # type: ignore[arg-type]
        return {each.entry.key for each in memory.store.find(query, now_s=6.0)}

    assert found() == {"right"}
    assert found(include_expired=True) == {"right", "short"}
    assert found(include_closed=True) == {"right", "wrong"}


def test_b14_min_relevance_applies_after_decay(memory: MemoryFixture) -> None:
    memory.note({"location": "lane"}, at=0, key="old")  # working memory decays by 1% a minute
    memory.note({"location": "lane"}, at=6_000, key="new")
    assert memory.found(place="lane", min_relevance=0.5) == ["new"]
    assert set(memory.found(place="lane", min_relevance=0.3)) == {"new", "old"}


def test_uncommitted_entries_are_found_and_removed_ones_are_not(memory: MemoryFixture) -> None:
    kept = memory.note({"location": "lane"}, key="kept")
    gone = memory.note({"location": "lane"}, key="gone")
    memory.store.commit()
    memory.blackboard.forget(WORKING, keys={gone.key})
    memory.note({"location": "lane"}, key="fresh", scope=SENSORY)
    memory.blackboard.revise(kept, importance=9)

    found = memory.actions.memory_recall(MemoryQuery(place="lane"))
    assert [(each.key, each.importance) for each in found] == [("kept", 9), ("fresh", 3)]


def test_a_search_changes_no_saved_state(memory: MemoryFixture) -> None:
    before = memory.note({"location": "lane"}, key="before")
    memory.store.commit(checkpoint=checkpoint(1))
    memory.note({"location": "lane"}, key="after")
    assert set(memory.found(place="lane")) == {"before", "after"}

    moment = memory.store.checkpoints.latest()
    assert moment is not None
    memory.store.rewind(moment)
    assert list(memory.store.live_entries()) == [before]
    assert memory.found(place="lane") == ["before"]


def test_place_and_subject_queries_use_covering_indexes(memory: MemoryFixture) -> None:
    """The number of rows read depends on the matching entries only, and only result rows are loaded."""
    plans: list[str] = []
    rows = memory.store._database.rows

    def explained(sql: str, values: object = ()) -> list[tuple[Any, ...]]:
        plans.extend(row[3] for row in rows(f"EXPLAIN QUERY PLAN {sql}", values))  # type: ignore[arg-type]
        return rows(sql, values)  # type: ignore[arg-type]

    memory.store._database.rows = explained  # type: ignore[method-assign, assignment]
    memory.found(place="lane", subject="moth", scopes=("agent:*",), kinds=("battle",), max_age_s=60)
    assert "SEARCH entries USING COVERING INDEX live_places (place=? AND game_s>?)" in plans
    assert "SEARCH entries USING COVERING INDEX live_subjects (subject=? AND game_s>?)" in plans
    assert not [each for each in plans if each.startswith("SCAN entries")]


WORDS = st.sampled_from(["lane", "town", "moth", "crab", "won", "lost", ""])
TAGS = st.frozensets(st.sampled_from(["wild", "tame", "won"]), max_size=2)
WRITTEN = st.fixed_dictionaries(
    {
        "scope": st.sampled_from([WORKING, EPISODIC, SENSORY]),
        "kind": st.sampled_from(["action", "battle"]),
        "data": st.fixed_dictionaries({"location": WORDS, "species": WORDS}),
        "tags": TAGS,
        "importance": st.integers(1, 10),
        "after": st.sampled_from([0.0, 1.0, 30.0]),
        "fate": st.sampled_from(["kept", "kept", "kept", "forgotten", "closed", "revised"]),
    }
)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "text": WORDS,
        "place": WORDS,
        "subject": WORDS,
        "scopes": st.sampled_from([(), ("*:working",), ("*:ltm:*", "*:sensory")]),
        "kinds": st.sampled_from([(), ("battle",)]),
        "all_of": TAGS,
        "any_of": TAGS,
        "none_of": TAGS,
        "since_s": st.sampled_from([None, 0.0, 30.0]),
        "until_s": st.sampled_from([None, 1.0, 60.0]),
        "max_age_s": st.sampled_from([None, 0.0, 31.0]),
        "include_closed": st.booleans(),
        "max_results": st.sampled_from([1, 3, 100]),
    },
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryFixture]:
    with open_memory_fixture(tmp_path_factory.mktemp("recall") / "run.sqlite") as opened:
        yield opened


@settings(max_examples=60)
@given(written=st.lists(WRITTEN, max_size=12), asked=ASKED)
def test_recall_returns_exactly_the_stored_entries_that_match(
    page: MemoryFixture, written: list[dict[str, Any]], asked: dict[str, Any]
) -> None:
    blackboard = page.blackboard
    for scope in blackboard.scopes():
        blackboard.clear(scope)
    page.store.commit()
    blackboard.restore({"seq": blackboard.seq, "game_s": 0.0, "tick": 0})

    now = sum(each["after"] for each in written)
    _write(page, written)
    query = MemoryQuery(**asked)
    live = [each for scope in blackboard.scopes() for each in blackboard.entries(scope)]
    expected = {each.seq: each for each in live if _answers(query, each, now)}
    found = page.store.find(query, now_s=now)
    assert [each.entry for each in found] == [expected[each.entry.seq] for each in found]
    assert len(found) == min(len(expected), query.max_results)
    assert found == sorted(found, key=lambda each: (-each.score.total, -each.entry.seq))


def _write(memory: MemoryFixture, written: list[dict[str, Any]]) -> None:
    now = 0.0
    for number, each in enumerate(written):
        now += each["after"]
        more = {name: each[name] for name in ("scope", "kind", "tags", "importance")}
        entry = memory.note(each["data"], at=now, **more)
        if number == len(written) // 2:
            memory.store.commit()
        fate = each["fate"]
        if fate == "forgotten":
            memory.blackboard.forget(entry.scope, keys={entry.key})
        elif fate == "closed":
            memory.blackboard.close(entry, "no")
        elif fate == "revised":
            memory.blackboard.revise(entry, utility=0.9)


def _answers(query: MemoryQuery, entry: Entry, now: float) -> bool:
    """Return whether an entry matches a query, in plain Python."""
    place, species = str(entry.data["location"]), str(entry.data["species"])
    words = {entry.kind, place, species, *entry.tags} - {""}
    has_words = entry.scope != SENSORY and (entry.importance > 1 or bool(entry.tags))
    cues = [
        bool(words & set(query.words)) and has_words if query.text else None,
        place == query.place if query.place else None,
        species == query.subject if query.subject else None,
    ]
    asked = [each for each in cues if each is not None]
    earliest = query.earliest(now)
    return (
        (any(asked) or not asked)
        and (not query.scopes or any(fnmatchcase(entry.scope, each) for each in query.scopes))
        and (not query.kinds or entry.kind in query.kinds)
        and query.all_of <= entry.tags
        and (not query.any_of or bool(query.any_of & entry.tags))
        and not query.none_of & entry.tags
        and (earliest is None or entry.game_s >= earliest)
        and (query.until_s is None or entry.game_s <= query.until_s)
        and (not entry.closed or query.include_closed)
        and (entry.expires_s is None or entry.expires_s > now)
    )


def test_a_score_is_the_weighted_sum_of_its_parts(memory: MemoryFixture) -> None:
    memory.note({"location": "lane", "species": "moth", "says": "poison"}, key="a", importance=7)
    memory.note({"location": "lane", "species": "crab"}, key="b", at=600.0)
    query = MemoryQuery(text="poison", place="lane", subject="moth")
    first, second = memory.store.find(query, now_s=600.0)

    assert first.entry.key == "a"
    assert first.score[1:] == (1.0, 0.5, 0.7, 0.5, 1.0)
    assert second.score[1:] == (0.0, 1.0, 0.3, 0.5, 0.5)
    weights = Weights()
    assert sum(astuple(weights)[:5]) == pytest.approx(1.0)
    for each in (first, second):
        parts = zip(each.score[1:], astuple(weights)[:5], strict=True)
        assert each.score.total == pytest.approx(sum(part * weight for part, weight in parts))


def test_recall_reads_all_three_tiers(tiers: Tiers) -> None:
    recall = Recall(tiers.blackboard, tiers.observer, tiers.strategist, tiers.tactician)
    assert recall.visits("hometown") == 0
    assert recall.recent(TIERS_WORKING, "action", 5) == []
    tiers.strategist.add_location(TOWN)
    tiers.tactician.add_pattern(PATTERN)
    tiers.tactician.add_mistake(MISTAKE)
    tiers.tactician.add_strategy(STRATEGY)
    entry = tiers.observer.add_action(ACT)
    assert recall.visits("hometown") == 1
    assert recall.recent(TIERS_WORKING, "action", 5) == [entry]
    assert recall.patterns({"location": "town"}) == [PATTERN]
    assert recall.mistakes({"location": "town"}) == [MISTAKE]
    assert recall.strategies("rat", "turtle") == [STRATEGY]
