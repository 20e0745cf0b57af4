"""Reading, writing and watching the blackboard, and several writes as one."""

import pytest

from memory import Blackboard, BlackboardEvent, Entry, MalformedRecord
from memory.blackboard.blackboard import Transaction
from memory.blackboard.entry import EntryKind
from memory.errors import Conflict
from tests.memory.samples import STM, WORKING

GOAL = "goal"


def write(blackboard: Blackboard, key: str, value: int) -> Entry:
    return blackboard.write(STM, GOAL, {"value": value}, tick=1, game_s=0.0, key=key)


def values(blackboard: Blackboard) -> dict[str, object]:
    return {entry.key: entry.data["value"] for entry in blackboard.entries(STM)}


def positive(data: object) -> None:
    if not (isinstance(data, dict) and data["value"] > 0):
        raise MalformedRecord("value must be positive")


def test_b36_a_key_written_again_is_a_new_version(blackboard: Blackboard) -> None:
    first, second = write(blackboard, "a", 1), write(blackboard, "a", 2)
    assert (first.version, second.version) == (1, 2)
    assert blackboard.get(STM, "a") == second
    assert blackboard.entries(STM) == [second]


def test_b36_several_writes_are_one(blackboard: Blackboard) -> None:
    with Transaction(blackboard, tick=1, game_s=0.0) as transaction:
        transaction.write(STM, GOAL, {"value": 1}, key="a")
        transaction.write(STM, GOAL, {"value": 2}, key="b")
        assert values(blackboard) == {}
    assert values(blackboard) == {"a": 1, "b": 2}
    assert [entry.key for entry in transaction.written] == ["a", "b"]


def test_b36_an_error_leaves_nothing_written(blackboard: Blackboard) -> None:
    def interrupted() -> None:
        with Transaction(blackboard, tick=1, game_s=0.0) as transaction:
            transaction.write(STM, GOAL, {"value": 1}, key="a")
            raise TimeoutError

    with pytest.raises(TimeoutError):
        interrupted()
    assert values(blackboard) == {}


def test_b36_what_was_read_and_written_by_another_meanwhile_is_a_conflict(
    blackboard: Blackboard,
) -> None:
    write(blackboard, "a", 1)

    def outdated(key: str) -> None:
        with Transaction(blackboard, tick=1, game_s=0.0) as transaction:
            transaction.read(STM, key)
            write(blackboard, key, 5)
            transaction.write(STM, GOAL, {"value": 9}, key="b")

    for key in ("a", "new"):
        with pytest.raises(Conflict, match=f"'{key}'"):
            outdated(key)
    assert values(blackboard) == {"a": 5, "new": 5}


def test_b36_every_change_is_an_event(blackboard: Blackboard) -> None:
    seen: list[str] = []

    def listen(event: BlackboardEvent) -> None:
        seen.append(event.action)

    blackboard.subscribe("agent:*", listen)
    entry = write(blackboard, "a", 1)
    blackboard.revise(entry, utility=0.9)
    blackboard.close(blackboard.entries(STM)[0], "it is over")
    blackboard.forget(STM)
    write(blackboard, "b", 1)
    blackboard.clear(STM)
    blackboard.write(WORKING, "x", {}, tick=1, game_s=0.0, ttl_s=5.0)
    blackboard.expire(5.0)
    assert seen == ["write", "revise", "revise", "forget", "write", "clear", "write", "expire"]


def test_b36_a_kind_says_what_may_be_written_and_how_many_stay(blackboard: Blackboard) -> None:
    blackboard.define(EntryKind(GOAL, check=positive, limit=2))
    with pytest.raises(MalformedRecord, match="positive"):
        write(blackboard, "a", 0)
    for number, key in enumerate("abc", start=1):
        write(blackboard, key, number)
    assert values(blackboard) == {"b": 2, "c": 3}
