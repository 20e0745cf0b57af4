"""Policies of the blackboard: versions, access, validation, eviction, nested events, transactions."""

from collections.abc import Mapping

import pytest

from memory import Blackboard, BlackboardEvent, Entry, MalformedRecord, RunStore
from memory.blackboard import blackboard as module
from memory.blackboard.blackboard import Transaction
from memory.blackboard.entry import COLLECTIVE, EntryKind, Scope
from memory.errors import Conflict, ForbiddenWrite, MemoryFault, UnknownScope
from memory.tiers.knowledge import ConsolidationConfig
from memory.tiers.tactician import TacticianMemory, tactician_kinds
from tests.memory.flow.streams import NOTE, X, Y, held, note, notes
from tests.memory.samples import PATTERN, SENSORY, STM

TALLY = EntryKind(
    "tally",
    key=lambda data: str(data["name"]),
    merge=lambda old, new: {**new, "n": int(str(old["n"])) + int(str(new["n"]))},
)
PROCEDURAL = "agent:play:ltm:procedural"


def count(blackboard: Blackboard, name: str, n: int, **more: object) -> Entry:
    return blackboard.write(X, "tally", {"name": name, "n": n}, tick=1, game_s=0.0, **more)  # type: ignore[arg-type]


def test_b36_a_second_write_makes_a_new_version_and_a_revision_does_not(
    blackboard: Blackboard,
) -> None:
    assert blackboard.policy(STM).capacity == 2000
    assert blackboard.scopes() == []  # reading a policy makes no scope
    first = note(blackboard, 1, key="it")
    changes = blackboard.revise(first, utility=0.8, status="claim")
    assert (changes.seq, changes.version, changes.data) == (first.seq, 1, {"n": 1})
    second = note(blackboard, 2, key="it")
    assert (second.version, second.utility) == (2, 0.8)
    assert second.seq > first.seq
    assert blackboard.entries(X) == [second]
    assert blackboard.get(X, "it") == second
    assert note(blackboard, 2, key="it", scope=Y).version == 1
    blackboard.close(second, "no", ["tick:2"])
    closed = blackboard.close(second, "surely not", ["tick:3"])
    assert (closed.closed, closed.sources) == ("surely not", ("tick:2", "tick:3"))


def test_b36_a_kind_may_merge_entries(store: RunStore) -> None:
    blackboard = Blackboard(store, [TALLY])
    count(blackboard, "a", 1, importance=8, tags=["early"], sources=("tick:1",))
    merged = count(blackboard, "a", 2, tags=["late"], sources=("tick:2",))
    assert [merged.data, merged.version, merged.importance] == [{"name": "a", "n": 3}, 2, 8]
    assert merged.tags == {"early", "late"}
    assert merged.sources == ("tick:1", "tick:2")


def test_b36_each_change_is_an_event(blackboard: Blackboard) -> None:
    seen: list[str] = []
    listening = blackboard.subscribe("agent:*", lambda event: seen.append(event.action))
    entry = note(blackboard, 1, scope=SENSORY)
    blackboard.revise(entry, utility=0.9)
    blackboard.close(entry, "no")
    blackboard.forget(SENSORY)
    note(blackboard, 2, scope=SENSORY)
    blackboard.expire(10.0)
    note(blackboard, 3, scope=SENSORY)
    blackboard.clear(SENSORY)
    note(blackboard, 4, scope=COLLECTIVE)
    assert seen == ["write", "revise", "revise", "forget", "write", "expire", "write", "clear"]
    seen.clear()
    notes(blackboard, range(51), scope=SENSORY)
    assert seen == [*["write"] * 51, "evict"]
    blackboard.unsubscribe(listening)
    note(blackboard, 5, scope=SENSORY)
    assert len(seen) == 52


def test_b36_a_scope_may_restrict_its_writers(
    blackboard: Blackboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded = Scope(COLLECTIVE, 9, writers=("manager", "team:*"))
    monkeypatch.setattr(module, "scope_of", lambda _name: guarded)
    for by in ("manager", "team:a"):
        blackboard.write(COLLECTIVE, NOTE, {"n": 1}, tick=1, game_s=0.0, by=by)
    for by in ("", "stranger"):
        with pytest.raises(ForbiddenWrite, match="use 'manager'"):
            blackboard.write(COLLECTIVE, NOTE, {"n": 2}, tick=1, game_s=0.0, by=by)
    assert held(blackboard, COLLECTIVE) == [1, 1]


@pytest.mark.parametrize("scope", ["", "attic", "agent::stm", "agent:play:ltm", "team:"])
def test_b36_an_unknown_scope_is_rejected(blackboard: Blackboard, scope: str) -> None:
    with pytest.raises(UnknownScope):
        note(blackboard, 1, scope=scope)


@pytest.mark.parametrize(
    "data", [{"n": float("nan")}, {"n": {1, 2}}, {1: 2}, {"n": [{"m": {2: 3}}]}, {"n": [object()]}]
)
def test_b36_data_that_is_not_json_is_rejected_without_changes(
    blackboard: Blackboard, data: Mapping[str, object]
) -> None:
    old = note(blackboard, 1, key="it")
    with pytest.raises(MalformedRecord):
        blackboard.write(X, NOTE, data, tick=2, game_s=0.0, key="it")  # type: ignore[arg-type]
    assert blackboard.entries(X) == [old]
    assert blackboard.seq == old.seq


def test_b36_data_invalid_for_its_kind_is_rejected(store: RunStore) -> None:
    blackboard = Blackboard(store, tactician_kinds(ConsolidationConfig()))
    with pytest.raises(MalformedRecord):
        blackboard.write(PROCEDURAL, "pattern", {"n": 1}, tick=1, game_s=0.0)
    nameless = Blackboard(store, [EntryKind("named", key=lambda data: str(data["name"]))])
    with pytest.raises(MalformedRecord, match="'name' is wrong or absent"):
        nameless.write(X, "named", {}, tick=1, game_s=0.0)


def test_b36_the_key_function_of_a_kind_wins(store: RunStore) -> None:
    blackboard = Blackboard(store, tactician_kinds(ConsolidationConfig()))
    tactician = TacticianMemory(blackboard, "play")
    tactician.add_pattern(PATTERN)
    (known,) = blackboard.entries(PROCEDURAL)
    blackboard.write(PROCEDURAL, "pattern", known.data, tick=1, game_s=0.0, key="a name of mine")
    assert list(tactician.patterns) == ["p1"]
    assert tactician.patterns["p1"].success_count == 2 * PATTERN.success_count


def test_b36_only_assessment_fields_can_be_revised(blackboard: Blackboard) -> None:
    entry = note(blackboard, 1)
    for changes in ({"data": {"n": 2}}, {"key": "x"}, {"expires_s": 1.0}, {"importance": 11}):
        with pytest.raises(MalformedRecord):
            blackboard.revise(entry, **changes)
    for importance in (0, 11):
        with pytest.raises(MalformedRecord, match=r"not in 1\.\.10"):
            note(blackboard, 1, importance=importance)
    blackboard.forget(X)
    with pytest.raises(MalformedRecord, match="a scope it has left"):
        blackboard.revise(entry, utility=0.1)


def test_b36_a_limit_applies_to_each_group_and_evicts_the_oldest(store: RunStore) -> None:
    kind = EntryKind("card", limit=2, group=lambda data: data["suit"], rank=lambda entry: (0.0,))
    blackboard = Blackboard(store, [kind])
    for n, suit in enumerate("aabaaa"):
        blackboard.write(X, "card", {"n": n, "suit": suit}, tick=n, game_s=0.0)
    assert held(blackboard, X) == [2, 4, 5]


def test_b36_lasting_kinds_are_evicted_last(store: RunStore) -> None:
    blackboard = Blackboard(store, [EntryKind("law", lasting=True)])
    note(blackboard, 0, scope=SENSORY, kind="law", importance=1)
    for n in range(1, 60):
        note(blackboard, n, scope=SENSORY, importance=9)
    assert held(blackboard, SENSORY)[:2] == [0, 11]
    for n in range(60, 120):
        note(blackboard, n, scope=SENSORY, kind="law", importance=5)
    assert held(blackboard, SENSORY) == list(range(70, 120))  # no other entries are left


def test_b36_a_concurrent_change_is_a_conflict_and_an_error_discards_the_transaction(
    blackboard: Blackboard,
) -> None:
    note(blackboard, 1, key="a")
    transaction = reading_and_writing(blackboard)
    entry = note(blackboard, 3, key="a")
    with pytest.raises(Conflict, match="read it again"), transaction:
        pass
    with pytest.raises(ZeroDivisionError), reading_and_writing(blackboard):
        raise ZeroDivisionError
    assert held(blackboard, Y) == []
    with reading_and_writing(blackboard):  # the retry; a changed utility is no conflict
        blackboard.revise(entry, utility=0.9)
    assert held(blackboard, Y) == [2]


def test_a_listener_to_a_removal_may_change_entries_about_to_be_removed(
    blackboard: Blackboard,
) -> None:
    entries = [note(blackboard, n, key=str(n)) for n in range(4)]

    def listen(event: BlackboardEvent) -> None:
        if event.action in {"forget", "clear"} and event.entry.key == "0":
            blackboard.revise(entries[1], utility=0.9)
            blackboard.forget(X, keys={"2"})

    blackboard.subscribe(X, listen)
    assert blackboard.forget(X, keys=set("0123")) == 3
    assert [blackboard.get(X, key) for key in "0123"] == [None] * 4
    for n in range(4):
        entries[n] = note(blackboard, n, key=str(n))
    assert blackboard.clear(X) == 3
    assert blackboard.get(X, "1") is None
    assert blackboard.count(X) == {}
    assert blackboard.faults == {}


def test_many_revisions_do_not_grow_the_index(blackboard: Blackboard) -> None:
    entry = note(blackboard, 1)
    for n in range(5_000):
        entry = blackboard.revise(entry, utility=n / 5_000)
    index = blackboard._indexes[X]
    assert len(index._heap) + len(index._unranked) < 100
    assert index.lowest() is entry


def reading_and_writing(blackboard: Blackboard) -> Transaction:
    """Return a transaction that reads one entry and writes another."""
    transaction = blackboard.transaction()
    transaction.read(X, "a")
    transaction.write(Y, NOTE, {"n": 2})
    return transaction


def test_b36_a_transaction_applies_all_its_writes_at_once(blackboard: Blackboard) -> None:
    note(blackboard, 5, key="a")
    with blackboard.transaction() as transaction:
        found = transaction.read(X, "a")
        assert found is not None
        transaction.write(X, NOTE, {"n": 6}, key="a")
        transaction.write(Y, NOTE, {"n": 7}, tags=["x"], importance=9)
        assert held(blackboard, X) == [5]  # nothing before the end
    assert (held(blackboard, X), held(blackboard, Y)) == ([6], [7])
    assert [(each.version, each.tick) for each in transaction.written] == [(2, 5), (1, 5)]


@pytest.mark.parametrize("change", ["made", "gone", "gone and made again", "closed"])
def test_b36_a_concurrent_creation_removal_or_closing_is_a_conflict(
    blackboard: Blackboard, change: str
) -> None:
    entry = None if change == "made" else note(blackboard, 1, key="a")
    transaction = reading_and_writing(blackboard)
    if change.startswith("gone"):
        blackboard.forget(X)
    if change.endswith(("made", "made again")):
        note(blackboard, 1, key="a")  # equal version and data, but a new seq
    if change == "closed":
        assert entry is not None
        blackboard.close(entry, "no")
    with pytest.raises(Conflict), transaction:
        pass
    assert held(blackboard, Y) == []


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"scope": "attic"}, UnknownScope),
        ({"data": {"n": {1}}}, MalformedRecord),
        ({"importance": 0}, MalformedRecord),
        ({"kind": "strict"}, MalformedRecord),
        ({"kind": "named"}, MalformedRecord),
    ],
)
def test_b36_an_invalid_write_is_rejected_before_anything_is_written(
    store: RunStore, more: dict[str, object], error: type[MemoryFault]
) -> None:
    def strict(_data: object) -> None:
        raise MalformedRecord("never right")

    kinds = [
        EntryKind("strict", check=strict),
        EntryKind("named", key=lambda data: str(data["name"])),
    ]
    blackboard = Blackboard(store, kinds)
    bad: dict[str, object] = {"scope": Y, "kind": NOTE, "data": {"n": 2}, **more}
    transaction = blackboard.transaction()
    transaction.write(X, NOTE, {"n": 1})
    with pytest.raises(error), transaction:
        transaction.write(**bad)  # type: ignore[arg-type]
    assert (held(blackboard, X), held(blackboard, Y)) == ([], [])
