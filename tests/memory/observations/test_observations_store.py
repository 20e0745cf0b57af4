"""The storage of observations: columns, sessions, queries, restores, and damaged files."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory import BusyStore, Observed, RunStore, StoreError, open_run_store, read_run_store
from memory.observations.observation import Observation, ObservationQuery
from tests.memory.observations.damage import corrupt_table
from tests.memory.samples import checkpoint, step

FAILED = Observed("command_error", "Failed: make", 8, "make", {"exit_code": 2})
RUN = Observed("command_run", "make -> exit 0", 4, "make", supersedes=("command_error",))
READ = Observed("file_read", "a.py", 3, "a.py")
SAID = Observed("note", "the leader is strong", 6, source="llm")


def add(
    store: RunStore, *observed: Observed, session: str = "run-1", tick: int = 1, commit: bool = True
) -> None:
    store.observations.add(session, observed, tick=tick, game_s=tick / 2)
    if commit:
        store.commit()


def contents(store: RunStore, query: ObservationQuery | None = None) -> list[str]:
    found = store.observations.find() if query is None else store.observations.find(query)
    return [each.content for each in found]


def test_c05_observations_are_read_back_unchanged(store: RunStore) -> None:
    add(store, FAILED, tick=7)
    assert store.observations.find() == [
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
    select = "EXPLAIN QUERY PLAN SELECT * FROM observations WHERE session = 'a' ORDER BY "
    for order, index in (
        ("importance DESC, id DESC", "observations_importance"),
        ("id DESC", "observations_"),
    ):
        plan = str(store._database.rows(select + order))
        assert index in plan
        assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize("importance", [0, 11])
def test_c05_importance_is_from_1_to_10(store: RunStore, importance: int) -> None:
    add(store, FAILED._replace(importance=importance))
    assert contents(store) == []
    assert store.faults["observations"] == 1


def test_c05_observations_survive_restart_and_consolidation(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with closing(open_run_store(path, run_id="run-1")) as store:
        add(store, FAILED, READ)
        store.commit(checkpoint=checkpoint(1))
    with closing(open_run_store(path, run_id="run-1")) as again:
        assert contents(again) == ["a.py", "Failed: make"]


def test_c05_deleting_a_session_deletes_its_observations(store: RunStore) -> None:
    add(store, FAILED, session="run-1")
    add(store, READ, session="run-1#2")
    store._database.execute("DELETE FROM sessions WHERE id = 'run-1'")
    assert contents(store) == ["a.py"]
    assert store.observations.sessions() == ["run-1#2"]


def test_c08_a_query_selects_by_type_importance_and_session_newest_or_most_important_first(
    store: RunStore,
) -> None:
    assert store.observations.latest("run-1") is None
    add(store, FAILED, READ, SAID)
    for query, found in (
        (ObservationQuery(limit=2), ["the leader is strong", "a.py"]),
        (ObservationQuery(limit=0), []),
        (ObservationQuery(type="file_read"), ["a.py"]),
        (ObservationQuery(min_importance=6), ["the leader is strong", "Failed: make"]),
        (ObservationQuery(type="file_read", min_importance=6), []),
        (ObservationQuery(min_importance=6, limit=1, session="run-1"), ["the leader is strong"]),
        (ObservationQuery(session="run-1#2"), []),
    ):
        assert contents(store, query) == found
    add(store, FAILED._replace(content="Failed again"), tick=8, commit=False)
    assert contents(store, ObservationQuery(by_importance=True)) == [
        *("Failed again", "Failed: make", "the leader is strong", "a.py")
    ]
    add(store, READ, session="run-1#2", tick=9)
    assert contents(store, ObservationQuery(session="run-1#2")) == ["a.py"]
    assert store.observations.latest("run-1") == 8


def test_c08_c17_a_session_is_cleared_alone(store: RunStore) -> None:
    add(store, FAILED, READ, session="run-1")
    add(store, READ, session="run-1#2")
    assert store.observations.clear("run-1") == 2
    assert contents(store) == ["a.py"]
    assert store.observations.clear("run-1") == 0
    add(store, FAILED, commit=False)
    assert contents(store) == ["Failed: make", "a.py"]  # a query includes uncommitted ones
    assert store.observations.clear("run-1") == 1  # and clearing too
    store.commit()
    assert contents(store) == ["a.py"]


def test_c06_the_source_is_programmatic_or_llm(store: RunStore) -> None:
    add(store, READ, SAID)
    assert [each.source for each in store.observations.find()] == ["llm", "programmatic"]
    with pytest.raises(StoreError, match="CHECK constraint failed: source"):
        store._database.execute("UPDATE observations SET source = 'hearsay'")


def test_c08_many_are_added_at_once_or_none(store: RunStore) -> None:
    add(store, FAILED, RUN, READ, SAID)
    assert len(store.observations.find()) == 4
    with pytest.raises(Exception, match="not JSON"):
        add(store, READ, READ._replace(metadata={"what": object()}))  # type: ignore[dict-item]
    store.commit()
    assert len(store.observations.find()) == 4


def test_c08_each_process_has_its_own_session(tmp_path: Path) -> None:
    path, names = tmp_path / "run.sqlite", []
    for _ in range(11):
        with closing(open_run_store(path, run_id="run-1")) as store:
            names.append(store.next_session())
            add(store, READ, session=names[-1])
            assert store.observations.sessions() == names
    assert names == ["run-1", *(f"run-1#{number}" for number in range(2, 12))]


def test_c05_observations_are_stored_in_the_commit_of_the_record(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    with closing(open_run_store(path, run_id="run-1")) as store:
        store.record.append(step(1))
        add(store, FAILED, commit=False)
        with closing(read_run_store(path)) as reader:
            assert reader.observations.find() == []
        store.commit()
        with closing(read_run_store(path)) as reader:
            assert len(reader.observations.find()) == len(list(reader.record.steps())) == 1


def test_c05_observations_of_a_dead_branch_are_marked(store: RunStore) -> None:
    add(store, FAILED)
    store.commit(checkpoint=checkpoint(1))
    add(store, READ, tick=5)
    add(store, SAID, tick=6, commit=False)
    (moment,) = store.checkpoints.all()
    store.rewind(moment)
    assert contents(store) == ["Failed: make"]
    assert contents(store, ObservationQuery(live=False)) == ["a.py"]
    assert store.observations.latest("run-1") == 1
    add(store, SAID, tick=2)
    assert contents(store) == ["the leader is strong", "Failed: make"]


def test_c20_an_observation_superseded_on_its_subject_is_stale(store: RunStore) -> None:
    add(store, FAILED._replace(about=""), RUN._replace(about=""))
    assert not any(each.stale for each in store.observations.find())
    add(store, FAILED, FAILED._replace(about="test", content="Failed: test"))
    add(store, RUN, tick=9)
    add(store, FAILED._replace(content="Failed again"))
    stale = {each.content: each.stale for each in store.observations.find() if each.about}
    assert stale == {
        "make -> exit 0": "",
        "Failed: test": "",
        "Failed: make": "tick 9: make -> exit 0",
        "Failed again": "",
    }
    assert "Failed: make" not in contents(store, ObservationQuery(current_only=True))[:3]


def test_c20_earlier_sessions_are_superseded_too(store: RunStore) -> None:
    add(store, FAILED, session="run-1")
    add(store, RUN, session="run-1#2", tick=4)
    (old,) = store.observations.find(ObservationQuery(session="run-1"))
    assert old.stale == "tick 4: make -> exit 0"


def test_c20_a_dead_branch_supersedes_nothing(store: RunStore) -> None:
    add(store, FAILED, READ)
    store.observations.mark_stale([2], "the file is gone")
    store.commit(checkpoint=checkpoint(1))
    add(store, RUN, tick=5)
    (moment,) = store.checkpoints.all()
    store.rewind(moment)
    stale = {each.content: each.stale for each in store.observations.find()}
    assert stale == {"a.py": "the file is gone", "Failed: make": ""}


def test_c20_a_caller_can_mark_stale_and_the_first_reason_stays(store: RunStore) -> None:
    add(store, FAILED, READ)
    store.observations.mark_stale([1], "the Makefile was deleted")
    store.observations.mark_stale([1, 2], "another reason")
    assert [each.stale for each in store.observations.find()] == [
        *("another reason", "the Makefile was deleted")
    ]


def test_c20_words_are_searched_in_all_sessions(store: RunStore) -> None:
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


def test_c16_a_corrupt_table_loses_observations_but_no_step(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="run-1")
    add(store, *[FAILED] * 30)
    corrupt_table(path, "observations")
    for tick in (1, 2):
        store.record.append(step(tick))
        add(store, READ, tick=tick)
    store.commit(checkpoint=checkpoint(2))
    assert store.faults["observations"] == 2
    assert [row.tick for row in store.record.steps()] == [1, 2]
    (moment,) = store.checkpoints.all()
    assert moment.tick == 2
    store.rewind(moment)  # a restore still works
    assert store.faults["observations"] == 3
    store.close()


def test_c16_a_locked_file_gets_the_observations_later(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="run-1")
    store._database.execute("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        store.record.append(step(1))
        add(store, FAILED, commit=False)
        with pytest.raises(BusyStore, match="locked"):
            store.commit()
        assert not store.commit_if_free()
        assert contents(store) == []  # only committed observations, and no error
        other.execute("ROLLBACK")
    assert store.commit_if_free()
    assert contents(store) == ["Failed: make"]
    assert len(list(store.record.steps())) == 1
    assert store.faults["commit"] == 2
    store.close()
