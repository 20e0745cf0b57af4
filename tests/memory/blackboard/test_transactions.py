"""Several reads and writes that are one, or none."""

import pytest

from memory import Blackboard, MalformedRecord, RunStore
from memory.blackboard.blackboard import Transaction
from memory.blackboard.entry import EntryKind
from memory.errors import Conflict, MemoryFault, UnknownScope
from tests.memory.flow.streams import NOTE, X, Y, held, note


def copied(blackboard: Blackboard) -> Transaction:
    """Return what reads one entry and is to write another."""
    transaction = blackboard.transaction()
    transaction.read(X, "a")
    transaction.write(Y, NOTE, {"n": 2})
    return transaction


def test_b36_several_writes_become_one(blackboard: Blackboard) -> None:
    note(blackboard, 5, key="a")
    with blackboard.transaction() as transaction:
        found = transaction.read(X, "a")
        assert found is not None
        transaction.write(X, NOTE, {"n": 6}, key="a")
        transaction.write(Y, NOTE, {"n": 7}, tags=["x"], importance=9)
        assert held(blackboard, X) == [5]  # nothing before the end
    assert (held(blackboard, X), held(blackboard, Y)) == ([6], [7])
    assert [(each.version, each.tick) for each in transaction.written] == [(2, 5), (1, 5)]


def test_b36_what_was_written_by_another_meanwhile_is_a_conflict(blackboard: Blackboard) -> None:
    note(blackboard, 1, key="a")
    transaction = copied(blackboard)
    note(blackboard, 3, key="a")
    with pytest.raises(Conflict, match="read it again"), transaction:
        pass
    assert held(blackboard, Y) == []
    with copied(blackboard):  # tried again
        pass
    assert held(blackboard, Y) == [2]


@pytest.mark.parametrize("change", ["made", "gone", "gone and made again", "closed"])
def test_b36_so_is_what_came_went_or_turned_out_wrong(blackboard: Blackboard, change: str) -> None:
    entry = None if change == "made" else note(blackboard, 1, key="a")
    transaction = copied(blackboard)
    if change.startswith("gone"):
        blackboard.forget(X)
    if change.endswith(("made", "made again")):
        note(blackboard, 1, key="a")  # the same version of the same words, and yet another
    if change == "closed":
        assert entry is not None
        blackboard.close(entry, "no")
    with pytest.raises(Conflict), transaction:
        pass
    assert held(blackboard, Y) == []


def test_b36_how_useful_something_proved_is_no_conflict(blackboard: Blackboard) -> None:
    entry = note(blackboard, 1, key="a")
    with copied(blackboard):
        blackboard.revise(entry, utility=0.9)
    assert held(blackboard, Y) == [2]


def test_b36_an_error_leaves_nothing_behind(blackboard: Blackboard) -> None:
    transaction = copied(blackboard)
    with pytest.raises(ZeroDivisionError), transaction:
        raise ZeroDivisionError
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
def test_b36_what_is_refused_is_refused_before_anything_is_written(
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
