"""The blackboard: scopes, capacities, time to live, events."""

import pytest

from memory import Blackboard, BlackboardEvent, Entry, MalformedRecord, RunStore
from tests.memory.samples import SENSORY, STM, WORKING, Tiers


def write(
    blackboard: Blackboard,
    scope: str,
    number: int,
    *,
    game_s: float = 0.0,
    tags: tuple[str, ...] = (),
    importance: int = 3,
    ttl_s: float | None = None,
) -> Entry:
    return blackboard.write(
        scope,
        "n",
        {"n": number},
        tick=number,
        game_s=game_s,
        tags=tags,
        importance=importance,
        ttl_s=ttl_s,
    )


def numbers(blackboard: Blackboard, scope: str) -> list[object]:
    return [entry.data["n"] for entry in blackboard.entries(scope)]


def test_entries_are_oldest_first_and_can_be_filtered(blackboard: Blackboard) -> None:
    entries = [write(blackboard, WORKING, n) for n in range(6)]
    blackboard.write(WORKING, "other", {"n": 99}, tick=9, game_s=0.0)
    assert blackboard.entries(WORKING, kind="n") == entries
    assert blackboard.entries(WORKING, kind="n", limit=2) == entries[-2:]
    assert blackboard.entries(WORKING, kind="n", since_seq=entries[3].seq) == entries[4:]
    assert blackboard.entries(WORKING, kind="absent") == []
    assert blackboard.entries("agent:other:working") == []


def test_a_full_scope_evicts_the_least_important_then_the_oldest(blackboard: Blackboard) -> None:
    for n in range(50):
        write(blackboard, SENSORY, n, importance=2 if n in {10, 20} else 5)
    write(blackboard, SENSORY, 50, importance=5)
    write(blackboard, SENSORY, 51, importance=5)
    write(blackboard, SENSORY, 52, importance=5)
    gone = set(range(53)) - set(numbers(blackboard, SENSORY))
    assert gone == {10, 20, 0}


def test_entries_expire_by_game_seconds(blackboard: Blackboard) -> None:
    write(blackboard, SENSORY, 1, game_s=100.0)
    write(blackboard, SENSORY, 2, game_s=105.0, ttl_s=1.0)
    write(blackboard, WORKING, 3, game_s=105.0)
    assert blackboard.expire(105.9) == 0
    assert blackboard.expire(106.0) == 1
    assert numbers(blackboard, SENSORY) == [1]
    write(blackboard, SENSORY, 4, game_s=110.0)  # a write brings its own time
    assert numbers(blackboard, SENSORY) == [4]
    assert numbers(blackboard, WORKING) == [3]


def test_forget_removes_by_scope_kind_or_seq(blackboard: Blackboard) -> None:
    first = write(blackboard, WORKING, 1)
    write(blackboard, WORKING, 2)
    blackboard.write(WORKING, "other", {"n": 3}, tick=1, game_s=0.0)
    assert blackboard.forget(WORKING, through_seq=first.seq) == 1
    assert blackboard.forget(WORKING, kind="other") == 1
    assert numbers(blackboard, WORKING) == [2]
    assert blackboard.forget(WORKING) == 1
    assert blackboard.forget("agent:nobody:working") == 0


def test_a_broken_listener_does_not_disturb_the_writer(store: RunStore) -> None:
    seen: list[str] = []
    blackboard = Blackboard(store, on_fault=lambda name, _error: seen.append(name))

    def broken(_event: BlackboardEvent) -> None:
        raise ValueError("broken")

    blackboard.subscribe("*", broken)
    write(blackboard, WORKING, 1)
    write(blackboard, WORKING, 2)
    assert blackboard.faults == {broken.__qualname__: 2}
    assert seen == [broken.__qualname__]


@pytest.mark.parametrize("importance", [0, 11])
def test_importance_is_from_one_to_ten(blackboard: Blackboard, importance: int) -> None:
    with pytest.raises(MalformedRecord, match=r"not in 1\.\.10"):
        write(blackboard, WORKING, 1, importance=importance)


def test_committed_entries_survive_a_restart(store: RunStore) -> None:
    blackboard = Blackboard(store)
    kept = write(blackboard, STM, 1, tags=("a", "b"), importance=9)
    store.commit()
    write(blackboard, STM, 2)
    assert Blackboard(store).entries(STM) == [kept]


def test_evicted_entries_are_deleted_from_the_file(store: RunStore) -> None:
    blackboard = Blackboard(store)
    for n in range(30):
        write(blackboard, SENSORY, n)
    store.commit()
    for n in range(30, 80):
        write(blackboard, SENSORY, n)
    store.commit()
    assert [entry.data["n"] for entry in store.live_entries()] == list(range(30, 80))


def test_entries_of_earlier_runs_are_known_from_tick_0(tiers: Tiers) -> None:
    old = Entry(7, STM, "tale", 900, 450.0, {"n": 1}, frozenset({"old"}), 8, None, key="run-0/7")
    tiers.memory.inherit([old])
    (entry,) = tiers.blackboard.entries(STM, kind="tale")
    assert (entry.key, entry.data, entry.tags, entry.importance) == (
        "run-0/7",
        old.data,
        old.tags,
        8,
    )
    assert (entry.tick, entry.game_s) == (0, 0.0)
    assert tiers.memory.map().pending == 0  # earlier runs delivered it


def test_changes_differs_after_each_change_and_only_then(blackboard: Blackboard) -> None:
    seen = [blackboard.changes(WORKING)]

    def note_changes() -> None:
        seen.append(blackboard.changes(WORKING))

    entry = write(blackboard, WORKING, 1, ttl_s=5.0)
    note_changes()
    blackboard.revise(entry, utility=1.0)
    note_changes()
    blackboard.expire(6.0)
    note_changes()
    blackboard.restore(blackboard.to_json())
    note_changes()
    assert len(set(seen)) == len(seen)
    write(blackboard, STM, 2)
    assert blackboard.changes(WORKING) == seen[-1]
