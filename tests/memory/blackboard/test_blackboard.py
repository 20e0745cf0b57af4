"""The blackboard: scopes, capacities, time to live, events."""

from memory import Blackboard, BlackboardEvent, Entry, RunStore
from tests.memory.flow.streams import NOTE, X, held, note, notes
from tests.memory.samples import SENSORY, STM, WORKING, Tiers


def test_entries_are_oldest_first_and_can_be_filtered(blackboard: Blackboard) -> None:
    entries = [note(blackboard, n) for n in range(6)]
    note(blackboard, 99, kind="other")
    assert blackboard.entries(X, kind=NOTE) == entries
    assert blackboard.entries(X, kind=NOTE, limit=2) == entries[-2:]
    assert blackboard.entries(X, kind=NOTE, since_seq=entries[3].seq) == entries[4:]
    assert blackboard.entries(X, kind="absent") == []
    assert blackboard.entries("agent:other:working") == []


def test_a_full_scope_evicts_the_least_important_then_the_oldest(blackboard: Blackboard) -> None:
    for n in range(53):
        note(blackboard, n, scope=SENSORY, importance=2 if n in {10, 20} else 5)
    assert set(range(53)) - {*held(blackboard, SENSORY)} == {10, 20, 0}


def test_entries_expire_by_game_seconds(blackboard: Blackboard) -> None:
    blackboard.expire(100.0)
    note(blackboard, 1, scope=SENSORY)
    blackboard.expire(105.0)
    note(blackboard, 2, scope=SENSORY, ttl_s=1.0)
    note(blackboard, 3, scope=WORKING)
    assert blackboard.expire(105.9) == 0
    assert blackboard.expire(106.0) == 1
    assert held(blackboard, SENSORY) == [1]
    blackboard.write(SENSORY, NOTE, {"n": 4}, tick=4, game_s=110.0)  # a write brings its own time
    assert (held(blackboard, SENSORY), held(blackboard, WORKING)) == ([4], [3])


def test_forget_removes_by_scope_kind_or_seq(blackboard: Blackboard) -> None:
    first = note(blackboard, 1)
    note(blackboard, 2)
    note(blackboard, 3, kind="other")
    assert blackboard.forget(X, through_seq=first.seq) == 1
    assert blackboard.forget(X, kind="other") == 1
    assert held(blackboard, X) == [2]
    assert blackboard.forget(X) == 1
    assert blackboard.forget("agent:nobody:working") == 0


def test_a_broken_listener_does_not_disturb_the_writer(store: RunStore) -> None:
    seen: list[str] = []
    blackboard = Blackboard(store, on_fault=lambda name, _error: seen.append(name))

    def broken(_event: BlackboardEvent) -> None:
        raise ValueError("broken")

    blackboard.subscribe("*", broken)
    notes(blackboard, (1, 2))
    assert blackboard.faults == {broken.__qualname__: 2}
    assert seen == [broken.__qualname__]


def test_committed_entries_survive_a_restart(store: RunStore) -> None:
    blackboard = Blackboard(store)
    kept = note(blackboard, 1, tags=("a", "b"), importance=9)
    store.commit()
    note(blackboard, 2)
    assert Blackboard(store).entries(X) == [kept]


def test_evicted_entries_are_deleted_from_the_file(store: RunStore) -> None:
    blackboard = Blackboard(store)
    for part in (range(30), range(30, 80)):
        notes(blackboard, part, scope=SENSORY)
        store.commit()
    assert [entry.data["n"] for entry in store.live_entries()] == list(range(30, 80))


def test_entries_of_earlier_runs_are_known_from_tick_0(tiers: Tiers) -> None:
    old = Entry(7, STM, "tale", 900, 450.0, {"n": 1}, frozenset({"old"}), 8, None, key="run-0/7")
    tiers.memory.inherit([old])
    (entry,) = tiers.blackboard.entries(STM, kind="tale")
    assert entry == old._replace(seq=entry.seq, tick=0, game_s=0.0, expires_s=entry.expires_s)
    assert tiers.memory.map().pending == 0  # earlier runs delivered it


def test_changes_differs_after_each_change_and_only_then(blackboard: Blackboard) -> None:
    seen = [blackboard.changes(X)]
    entry = note(blackboard, 1, ttl_s=5.0)
    for change in (
        lambda: None,
        lambda: blackboard.revise(entry, utility=1.0),
        lambda: blackboard.expire(6.0),
        lambda: blackboard.restore(blackboard.to_json()),
    ):
        change()
        seen.append(blackboard.changes(X))
    assert len(set(seen)) == len(seen)
    note(blackboard, 2, scope=STM)
    assert blackboard.changes(X) == seen[-1]
