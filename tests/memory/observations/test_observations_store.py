"""Where observations are kept: columns, sessions, questions, going back, and what becomes of them in a damaged file."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory import BusyStore, Observed, RunStore, StoreError, open_run_store, read_run_store
from memory.observations.observation import Observation, ObservationQuery
from tests.memory.observations.damage import scribble_over
from tests.memory.samples import checkpoint, step

FAILED = Observed("command_error", "Failed: make", 8, "make", {"exit_code": 2})
RUN = Observed("command_run", "make -> exit 0", 4, "make", overtakes=("command_error",))
READ = Observed("file_read", "a.py", 3, "a.py")
SAID = Observed("note", "the leader is strong", 6, source="llm")


def add(
    store: RunStore, *observed: Observed, session: str = "run-1", tick: int = 1, commit: bool = True
) -> None:
    store.add_observations(session, observed, tick=tick, game_s=tick / 2)
    if commit:
        store.commit()


def contents(store: RunStore, query: ObservationQuery | None = None) -> list[str]:
    found = store.observations() if query is None else store.observations(query)
    return [each.content for each in found]


def test_c05_what_was_observed_comes_back_as_it_was(store: RunStore) -> None:
    add(store, FAILED, tick=7)
    assert store.observations() == [
        Observation(
            1,
            "run-1",
            "command_error",
            "Failed: make",
            {"exit_code": 2},
            8,
            "programmatic",
            7,
            3.5,
            "make",
        )
    ]


def test_c05_the_table_has_its_columns_and_indexes(store: RunStore) -> None:
    columns = [row[1] for row in store._database.rows("PRAGMA table_info(observations)")]
    assert columns[:8] == [
        *("id", "session", "type", "content", "metadata", "importance", "source", "created")
    ]
    indexed = {
        name: [
            (row[2], row[3])
            for row in store._database.rows(f"PRAGMA index_xinfo({name})")
            if row[2] is not None and row[5]
        ]
        for (_, name, *_) in store._database.rows("PRAGMA index_list(observations)")
    }
    assert indexed["observations_session"] == [("session", 0)]
    assert indexed["observations_type"] == [("session", 0), ("type", 0)]
    assert indexed["observations_importance"][:2] == [("session", 0), ("importance", 1)]


@pytest.mark.parametrize("importance", [0, 11])
def test_c05_importance_is_from_1_to_10(store: RunStore, importance: int) -> None:
    add(store, FAILED._replace(importance=importance))
    assert contents(store) == []
    assert store.faults["observations"] == 1


def test_c05_they_outlive_the_process_and_any_consolidation(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with closing(open_run_store(path, run_id="run-1")) as store:
        add(store, FAILED, READ)
        store.commit(checkpoint=checkpoint(1))
    with closing(open_run_store(path, run_id="run-1")) as again:
        assert contents(again) == ["a.py", "Failed: make"]


def test_c05_a_session_that_goes_takes_its_observations_along(store: RunStore) -> None:
    add(store, FAILED, session="run-1")
    add(store, READ, session="run-1#2")
    store._database.execute("DELETE FROM sessions WHERE id = 'run-1'")
    assert contents(store) == ["a.py"]
    assert store.sessions() == ["run-1#2"]


def test_c05_the_important_of_a_session_are_found_without_a_look_at_the_others(
    store: RunStore,
) -> None:
    for order, index in (
        ("importance DESC, id DESC", "observations_importance"),
        ("id DESC", "observations_"),
    ):
        plan = store._database.rows(
            f"EXPLAIN QUERY PLAN SELECT * FROM observations WHERE session = 'a' ORDER BY {order}"
        )
        assert index in str(plan)
        assert "TEMP B-TREE" not in str(plan)


def test_c06_rules_and_models_are_told_apart_and_nobody_else_is(store: RunStore) -> None:
    add(store, READ, SAID)
    assert [each.source for each in store.observations()] == ["llm", "programmatic"]
    with pytest.raises(StoreError, match="CHECK constraint failed: source"):
        store._database.execute("UPDATE observations SET source = 'hearsay'")


def test_c08_many_are_added_in_one_go_or_none(store: RunStore) -> None:
    add(store, FAILED, RUN, READ, SAID)
    assert len(store.observations()) == 4
    with pytest.raises(Exception, match="not JSON"):
        add(store, READ, READ._replace(metadata={"what": object()}))  # type: ignore[dict-item]
    store.commit()
    assert len(store.observations()) == 4


def test_c08_the_newest_come_first_and_as_many_as_are_asked_for(store: RunStore) -> None:
    add(store, FAILED, READ, SAID)
    assert contents(store, ObservationQuery(limit=2)) == ["the leader is strong", "a.py"]
    assert contents(store, ObservationQuery(limit=0)) == []


def test_c08_the_most_important_come_first_where_that_is_asked_for(store: RunStore) -> None:
    add(store, READ, FAILED, SAID, FAILED._replace(content="Failed again"))
    assert contents(store, ObservationQuery(heaviest=True)) == [
        *("Failed again", "Failed: make", "the leader is strong", "a.py")
    ]


def test_c08_they_are_asked_for_by_type_and_by_least_importance(store: RunStore) -> None:
    add(store, FAILED, READ, SAID)
    assert contents(store, ObservationQuery(type="file_read")) == ["a.py"]
    assert contents(store, ObservationQuery(min_importance=6)) == [
        *("the leader is strong", "Failed: make")
    ]
    assert contents(store, ObservationQuery(type="file_read", min_importance=6)) == []
    both = ObservationQuery(min_importance=6, limit=1, session="run-1")
    assert contents(store, both) == ["the leader is strong"]


def test_c08_sessions_do_not_see_each_other(store: RunStore) -> None:
    add(store, FAILED, session="run-1")
    add(store, READ, session="run-1#2", tick=9)
    assert contents(store, ObservationQuery(session="run-1")) == ["Failed: make"]
    assert contents(store, ObservationQuery(session="run-1#2")) == ["a.py"]
    assert contents(store, ObservationQuery(session="run-1#3")) == []


def test_c08_a_session_is_cleared_alone(store: RunStore) -> None:
    add(store, FAILED, READ, session="run-1")
    add(store, READ, session="run-1#2")
    assert store.clear_observations("run-1") == 2
    assert contents(store) == ["a.py"]
    assert store.clear_observations("run-1") == 0
    add(store, FAILED, commit=False)  # what waits for a commit is cleared as well
    assert store.clear_observations("run-1") == 1
    store.commit()
    assert contents(store) == ["a.py"]


def test_c08_the_last_moment_of_a_session_is_known(store: RunStore) -> None:
    assert store.latest_observation("run-1") is None
    add(store, FAILED, tick=3)
    add(store, READ, tick=8)
    add(store, READ, tick=20, session="run-1#2")
    assert store.latest_observation("run-1") == 8


def test_c08_each_process_has_a_session_of_its_own(tmp_path: Path) -> None:
    path, names = tmp_path / "run.sqlite", []
    for _ in range(11):
        with closing(open_run_store(path, run_id="run-1")) as store:
            names.append(store.next_session())
            add(store, READ, session=names[-1])
            assert store.sessions() == names
    assert names == ["run-1", *(f"run-1#{number}" for number in range(2, 12))]


def test_c17_what_was_just_observed_is_there_when_it_is_asked_for(store: RunStore) -> None:
    add(store, FAILED, commit=False)
    assert contents(store) == ["Failed: make"]


def test_c05_they_are_kept_in_the_commit_of_the_record_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with closing(open_run_store(path, run_id="run-1")) as store:
        store.append_step(step(1))
        add(store, FAILED, commit=False)
        with closing(read_run_store(path)) as reader:
            assert reader.observations() == []
        store.commit()
        with closing(read_run_store(path)) as reader:
            assert len(reader.observations()) == len(list(reader.steps())) == 1


def test_c05_what_a_dead_branch_observed_is_marked_as_such(store: RunStore) -> None:
    add(store, FAILED)
    store.commit(checkpoint=checkpoint(1))
    add(store, READ, tick=5)
    add(store, SAID, tick=6, commit=False)
    (moment,) = store.checkpoints()
    store.rewind(moment)
    assert contents(store) == ["Failed: make"]
    assert contents(store, ObservationQuery(live=False)) == ["a.py"]
    assert store.latest_observation("run-1") == 1
    add(store, SAID, tick=2)
    assert contents(store) == ["the leader is strong", "Failed: make"]


def test_c20_what_a_later_one_overtakes_no_longer_holds(store: RunStore) -> None:
    add(store, FAILED, FAILED._replace(about="test", content="Failed: test"))
    add(store, RUN, tick=9)
    stale = {each.content: each.stale for each in store.observations()}
    assert stale == {
        "make -> exit 0": "",
        "Failed: test": "",
        "Failed: make": "tick 9: make -> exit 0",
    }
    assert "Failed: make" not in contents(store, ObservationQuery(holding=True))


def test_c20_what_fails_again_holds_again(store: RunStore) -> None:
    add(store, FAILED, RUN, FAILED)
    assert [bool(each.stale) for each in store.observations()] == [False, False, True]


def test_c20_what_is_about_nothing_overtakes_nothing(store: RunStore) -> None:
    add(store, FAILED._replace(about=""), RUN._replace(about=""))
    assert not any(each.stale for each in store.observations())


def test_c20_sessions_before_are_overtaken_too(store: RunStore) -> None:
    add(store, FAILED, session="run-1")
    add(store, RUN, session="run-1#2", tick=4)
    (old,) = store.observations(ObservationQuery(session="run-1"))
    assert old.stale == "tick 4: make -> exit 0"


def test_c20_what_a_dead_branch_overtook_holds_again(store: RunStore) -> None:
    add(store, FAILED, READ)
    store.mark_stale([2], "the file is gone")
    store.commit(checkpoint=checkpoint(1))
    add(store, RUN, tick=5)
    (moment,) = store.checkpoints()
    store.rewind(moment)
    stale = {each.content: each.stale for each in store.observations()}
    assert stale == {"a.py": "the file is gone", "Failed: make": ""}


def test_c20_whoever_knows_better_marks_what_no_longer_holds_and_the_first_reason_stays(
    store: RunStore,
) -> None:
    add(store, FAILED, READ)
    store.mark_stale([1], "the Makefile was deleted")
    store.mark_stale([1, 2], "another reason")
    assert [each.stale for each in store.observations()] == [
        *("another reason", "the Makefile was deleted")
    ]


def test_c20_words_are_searched_for_in_all_sessions(store: RunStore) -> None:
    add(store, SAID, FAILED, session="run-1")
    add(store, SAID._replace(content="The LEADER is beaten"), session="run-1#2")
    assert contents(store, ObservationQuery(words="leader")) == [
        *("The LEADER is beaten", "the leader is strong")
    ]
    assert contents(store, ObservationQuery(words="leader STRONG")) == ["the leader is strong"]
    assert contents(store, ObservationQuery(words="leader", session="run-1#2")) == [
        "The LEADER is beaten"
    ]
    assert contents(store, ObservationQuery(words="100% _")) == []


def test_c16_a_damaged_table_costs_its_observations_and_no_step(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="run-1")
    add(store, *[FAILED] * 30)
    scribble_over(path, "observations")
    for tick in (1, 2):
        store.append_step(step(tick))
        add(store, READ, tick=tick)
    store.commit(checkpoint=checkpoint(2))
    assert store.faults["observations"] == 2
    assert [row.tick for row in store.steps()] == [1, 2]
    (moment,) = store.checkpoints()
    assert moment.tick == 2
    store.rewind(moment)  # and going back is possible all the same
    assert store.faults["observations"] == 3
    store.close()


def test_c16_a_file_that_somebody_holds_takes_all_of_it_later(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="run-1")
    store._database.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.append_step(step(1))
        add(store, FAILED, commit=False)
        with pytest.raises(BusyStore, match="locked"):
            store.commit()
        assert not store.commit_if_free()
        assert contents(store) == []  # what was committed, and no error
        other.execute("ROLLBACK")
    assert store.commit_if_free()
    assert contents(store) == ["Failed: make"]
    assert len(list(store.steps())) == 1
    assert store.faults["commit"] == 2
    store.close()
