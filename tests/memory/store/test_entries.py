"""Entries in a run's file: revised, rewritten, dropped, rewound, and searched by word, tag and place."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from memory import (
    Checkpoint,
    CorruptStore,
    Entry,
    Json,
    MalformedRecord,
    RunStore,
    open_run_store,
    read_run_store,
)
from memory.store.checkpoints import CheckpointReason
from memory.store.checks.run import check_run
from memory.store.entries import COUNT_TAGS
from tests.memory.samples import SENSORY, STM, WORKING, checkpoint, step

WORDS = ("stone", "river", "cave", "moon")


CHECK_WORDS = "INSERT INTO entry_text (entry_text, rank) VALUES ('integrity-check', 1)"


FULL = Entry(
    7,
    STM,
    "battle",
    12,
    6.5,
    {"enemy_pokemon": "Muddle", "location": "Dawnvale", "nested": {"moves": ["tail whip"]}, "n": 1},
    frozenset({"fight", "lost"}),
    8,
    900.0,
    "battle:b1",
    3,
    0.9,
    0.7,
    "inferred",
    ("tick:12", "run-1/5"),
    "won since",
)


def entry(seq: int, *, scope: str = WORKING, word: str = "stone", **more: object) -> Entry:
    plain = Entry(seq, scope, "note", seq, seq / 2, {"says": word}, frozenset({word}), 3, None)
    return plain._replace(**{"key": f"run-1/{seq}", **more})  # type: ignore[arg-type]


def found(store: RunStore, word: str) -> list[int]:
    sql = (
        "SELECT seq FROM entry_text JOIN entries ON entries.id = entry_text.rowid "
        "WHERE entry_text MATCH ? ORDER BY seq"
    )
    return [seq for (seq,) in store._database.rows(sql, (f'"{word}"',))]


def live(store: RunStore) -> list[Entry]:
    return list(store.live_entries())


def test_a_row_has_the_place_subject_and_text_of_its_entry(store: RunStore) -> None:
    written = [
        FULL,
        entry(8)._replace(data={"place": "Lab", "species": "Rat", "subject": "Boy"}),
        entry(9)._replace(data={"location": None, "n": 3}, tags=frozenset()),
        entry(10)._replace(data={"says": "river\0 cave"}),
        entry(42, key="pattern:run"),  # unlike a key with a number, it is indexed
    ]
    for each in written:
        store.put_entry(each)
    store.record.append(step(1))
    store.commit()
    assert live(store) == written
    rows = store._database.rows("SELECT place, subject, text FROM entries ORDER BY seq")
    assert rows[:3] == [
        ("Dawnvale", "Muddle", "battle battle:b1 fight lost Muddle Dawnvale tail whip"),
        ("Lab", "Rat", "note stone Lab Rat Boy"),
        ("", "", "note"),
    ]
    assert (found(store, "cave"), found(store, "run")) == ([10], [42])
    problems = [each.what for each in check_run(store._database)]
    assert all("leads nowhere" in each for each in problems), problems


def test_a_revision_replaces_the_entry_in_its_position(store: RunStore) -> None:
    for seq in (1, 2, 3):
        store.put_entry(entry(seq))
    store.commit(checkpoint=checkpoint(1))
    revised = entry(2, utility=0.9, closed="seen otherwise")
    store.put_entry(entry(2, utility=0.8))
    store.put_entry(revised)
    store.commit()
    assert live(store) == [entry(1), revised, entry(3)]
    (before,) = store.checkpoints.all()
    store.rewind(before)
    assert live(store) == [entry(1), entry(2), entry(3)]


def test_an_entry_rewritten_under_its_key_exists_once_and_an_uncommitted_one_leaves_no_row(
    store: RunStore,
) -> None:
    store.put_entry(entry(1))
    store.drop_entry(1)
    store.put_entry(entry(2, scope=SENSORY))
    store.drop_entry(2)
    first, second = entry(3, key="location:Lab"), entry(4, key="location:Lab", version=2)
    store.put_entry(first)
    store.commit(checkpoint=checkpoint(1))
    store.put_entry(second)  # the new one first, as a blackboard does
    store.drop_entry(3)
    store.commit()
    store.put_entry(entry(5))
    store.commit()
    store.put_entry(entry(5, utility=0.1))
    store.drop_entry(5)
    store.commit()
    assert live(store) == [second]
    assert store._database.row("SELECT count(*) FROM entries") == (2,)  # no checkpoint holds more
    (before,) = store.checkpoints.all()
    store.rewind(before)
    assert live(store) == [first]


def test_b12_tags_are_counted_from_their_index_with_those_of_uncommitted_entries(
    store: RunStore,
) -> None:
    for seq in (1, 2, 3):
        store.put_entry(entry(seq, scope=STM if seq == 3 else WORKING, word="old"))
    store.commit()
    assert store.tags() == {"old": 3}
    assert store.tags("*:stm") == {"old": 1}
    store.drop_entry(1)
    store.put_entry(entry(2, word="new"))
    store.put_entry(entry(4, word="new"))
    store.put_entry(entry(5, scope=SENSORY, word="new"))
    waiting = store.tags()
    assert waiting == {"new": 2, "old": 1}
    store.commit()
    assert store.tags() == waiting
    plan = store._database.rows(f"EXPLAIN QUERY PLAN {COUNT_TAGS}", ("*",))
    steps = [line for *_, line in plan]
    assert [each.split()[:2] for each in steps] == [["SCAN", "entry_tags"]]
    # Tags that only the row of an entry has are not counted.
    store._database.execute("UPDATE entries SET tags = '[\"other\"]'")
    assert store.tags() == waiting


@pytest.mark.parametrize(
    "bad",
    [{"data": {"n": float("nan")}}, {"tags": frozenset({b"x"})}, {"sources": (b"x",)}],
    ids=str,
)
def test_an_entry_that_is_not_json_is_refused_before_the_commit(
    store: RunStore, bad: dict[str, object]
) -> None:
    with pytest.raises(MalformedRecord):
        store.put_entry(entry(1)._replace(**bad))  # type: ignore[arg-type]
    store.record.append(step(1))
    store.commit()
    assert live(store) == []


@pytest.mark.parametrize(
    ("sql", "index"),
    [
        ("scope = 'a' AND kind = 'b' AND seq > 1 ORDER BY seq", "live_kinds"),
        ("place = 'a' AND place <> '' AND game_s > 1 ORDER BY game_s", "live_places"),
        ("subject = 'a' AND subject <> '' AND game_s > 1 ORDER BY game_s", "live_subjects"),
        ("key = 'a'", "live_keys"),
        ("key = 'a' AND scope = 'b'", "live_keys"),
        ("seq = 1", "live_seqs"),
    ],
)
def test_queries_of_recall_use_an_index(store: RunStore, sql: str, index: str) -> None:
    query = f"EXPLAIN QUERY PLAN SELECT id FROM entries WHERE dropped_after IS NULL AND {sql}"
    plan = [line for *_, line in store._database.rows(query)]
    assert len(plan) == 1
    assert index in plan[0]


BREAKAGES: dict[str, str] = {
    "words lost": "DELETE FROM entry_text_data WHERE id > 10",
    "no words": "INSERT INTO entry_text (entry_text) VALUES ('delete-all')",
    "words of the wrong row": "UPDATE entries SET text = 'else', place = '' WHERE seq = 7",
    "tags lost": "DELETE FROM entry_tags",
    "tags invented": "INSERT INTO entry_tags VALUES ('ghost', 'agent:play:stm', 99)",
}


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_broken_index_is_rebuilt(tmp_path: Path, breakage: str) -> None:
    path = tmp_path / "run.sqlite"
    store = open_run_store(path, run_id="run-1")
    for each in (FULL, entry(8, word="river"), entry(9, scope=SENSORY), entry(10)):
        store.put_entry(each)
    store.commit(checkpoint=checkpoint(1))
    store.drop_entry(10)
    store.commit()

    def indexes(read: RunStore) -> object:
        rows = read._database.rows("SELECT place, subject, text FROM entries ORDER BY id")
        try:
            words = [found(read, word) for word in ("whip", "river", "stone", "else")]
        except CorruptStore:
            return "broken"
        return words, read.tags(), rows

    right = indexes(store)
    store._database.execute(BREAKAGES[breakage])
    store.close()  # so that no part of the index is cached
    store = open_run_store(path, run_id="run-1")
    assert indexes(store) != right
    assert store.reindex() == 2
    assert indexes(store) == right
    store._database.execute(CHECK_WORDS)
    (before,) = store.checkpoints.all()
    store.rewind(before)
    assert store.tags() == {"fight": 1, "lost": 1, "river": 1, "stone": 1}
    store.close()


def test_a_broken_index_stops_neither_a_commit_nor_a_rewind(store: RunStore) -> None:
    store.put_entry(entry(1))
    store.put_entry(entry(2, word="river"))
    store.commit(checkpoint=checkpoint(1))
    delete_words = "INSERT INTO entry_text (entry_text) VALUES ('delete-all')"
    store._database.execute(delete_words)
    store.drop_entry(1)  # it is not in the index it is removed from
    store.put_entry(entry(3))
    store.commit()
    assert (found(store, "stone"), found(store, "river")) == ([3], [2])
    store._database.execute(delete_words)
    (before,) = store.checkpoints.all()
    store.rewind(before)
    assert (found(store, "stone"), found(store, "river")) == ([1], [2])


REASONS: tuple[CheckpointReason, ...] = (*("consolidation",) * 3, "milestone", "start")
UNNEEDED = """
    SELECT id FROM entries WHERE dropped_after IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM checkpoints
        WHERE checkpoints.id <= entries.dropped_after AND checkpoints.last_entry >= entries.id)
"""


class Model:
    """A store, and its expected content as plain copies."""

    def __init__(self, store: RunStore, chance: Random) -> None:
        self.store = store
        self.chance = chance
        self.live: dict[int, Entry] = {}
        self.committed: dict[int, Entry] = {}
        self.moments: list[tuple[Checkpoint, dict[int, Entry]]] = []
        self.seq = 0
        self.tick = 0

    def act(self) -> None:
        acts = [self.put] * 8 + [self.revise, self.drop] * 3 + [self.commit] * 3
        self.chance.choice([*acts, self.checkpoint, self.checkpoint, self.go_back])()

    def put(self) -> None:
        self.seq += 1
        scope = self.chance.choice((SENSORY, WORKING, STM))
        self._put(entry(self.seq, scope=scope, word=self.chance.choice(WORDS)))

    def revise(self) -> None:
        if self.live:
            old = self.chance.choice(list(self.live.values()))
            tags = frozenset({self.chance.choice(WORDS)})
            self._put(old._replace(utility=self.chance.random(), tags=tags))

    def drop(self) -> None:
        if self.live:
            seq = self.chance.choice(list(self.live))
            del self.live[seq]
            self.store.drop_entry(seq)

    def commit(self) -> None:
        self.store.commit()
        self.committed = dict(self.live)

    def checkpoint(self) -> None:
        self.tick += self.chance.choice((0, 1, 1))
        why = self.chance.choice(REASONS)
        self.store.commit(checkpoint=replace(checkpoint(self.tick), why=why))
        self.committed = dict(self.live)
        retained = {mark.id for mark in self.store.checkpoints.marks()}
        moments = [*self.moments, (next(self.store.checkpoints.all()), dict(self.live))]
        self.moments = [each for each in moments if each[0].id in retained]
        assert not self.store._database.rows(UNNEEDED)

    def go_back(self) -> None:
        if self.moments:
            back = self.chance.randrange(len(self.moments))
            moment, then = self.moments[back]
            self.store.rewind(moment)
            del self.moments[back + 1 :]
            self.tick = moment.tick
            self.live, self.committed = dict(then), dict(then)

    def _put(self, new: Entry) -> None:
        self.live[new.seq] = new
        self.store.put_entry(new)


@pytest.mark.parametrize("seed", range(4))
def test_random_operations_keep_file_and_indexes_equal_to_the_model(
    tmp_path: Path, seed: int
) -> None:
    store = open_run_store(tmp_path / "run.sqlite", run_id="run-1")
    model = Model(store, Random(seed))
    for _ in range(250):
        model.act()
        expected = [model.committed[seq] for seq in sorted(model.committed)]
        assert live(store) == expected
        searched = [each for each in expected if each.scope != SENSORY]
        for word in ("stone", "moon"):
            with_word = [each for each in searched if word in (each.data["says"], *each.tags)]
            assert found(store, word) == [each.seq for each in with_word]
        now = [each for each in model.live.values() if each.scope != SENSORY]
        assert store.tags() == Counter(tag for each in now for tag in each.tags)
    store._database.execute(CHECK_WORDS)
    store.close()


def test_e34_a_session_is_saved_by_name_and_loaded_equal(tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    saved: Json = {"objectives": [{"id": "o1", "progress": 0.5}], "battles": [], "name": None}
    with closing(open_run_store(path, run_id="run-1")) as store:
        store.strategist_checkpoints.save("s1", 5, {"older": True})
        store.strategist_checkpoints.save("s1", 10, saved)
        store.strategist_checkpoints.save("s2", 11, [1, 2])
        assert store.strategist_checkpoints.load("s1") == saved
        with closing(read_run_store(path)) as reader:
            assert reader.strategist_checkpoints.load("s1") is None  # not before the commit
            store.commit()
            assert reader.strategist_checkpoints.load("s1") == saved
    with closing(open_run_store(path, run_id="run-1")) as again:
        loaded = [again.strategist_checkpoints.load(name) for name in ("s1", "s2", "s3")]
    assert loaded == [saved, [1, 2], None]


def test_e34_a_session_saved_on_a_dead_branch_is_not_returned(store: RunStore) -> None:
    store.strategist_checkpoints.save("s1", 5, "first")
    store.commit(checkpoint=checkpoint(5))
    store.strategist_checkpoints.save("s1", 8, "second")
    store.strategist_checkpoints.save("s2", 8, "other")
    store.commit(checkpoint=checkpoint(8))
    store.strategist_checkpoints.save("s1", 9, "third")
    newer, older = store.checkpoints.all()
    store.rewind(newer)  # what was not committed is lost
    assert store.strategist_checkpoints.load("s1") == "second"
    store.rewind(older)
    assert store.strategist_checkpoints.load("s1") == "first"
    assert store.strategist_checkpoints.load("s2") is None
    for tick in range(10, 20):
        store.strategist_checkpoints.save("s1", tick, tick)
        store.commit(checkpoint=checkpoint(tick))
    assert store.strategist_checkpoints.load("s1") == 19
    assert store._database.row("SELECT count(*) FROM strategist_checkpoints") == (8,)
