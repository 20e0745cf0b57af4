"""Each edge carries each entry once, despite errors, removals and concurrent writes."""

from collections.abc import Iterator, Sequence

import pytest

from memory import Blackboard, BlackboardEvent, Entry, MalformedRecord, RunStore
from memory.blackboard.entry import EntryKind
from memory.flow.flows import Flows
from memory.flow.subscription import Derived, Periodic, Threshold, Transformer, identity, of_kinds
from tests.memory.flow.streams import NOTE, X, Y, Z, copies, edge, held, note, notes, numbers
from tests.memory.samples import SENSORY, checkpoint


@pytest.fixture
def flows(blackboard: Blackboard) -> Flows:
    return Flows(blackboard)


def refusing(*bad: int) -> Transformer:
    def transformer(entries: Sequence[Entry]) -> Iterator[Derived]:
        if any(each.data["n"] in bad for each in entries):
            raise ValueError("cannot take it")
        yield from copies(entries)

    return transformer


def test_a_failing_transformer_carries_nothing_and_reaches_no_writer(
    blackboard: Blackboard, flows: Flows
) -> None:
    works = False

    def transformer(entries: Sequence[Entry]) -> Iterator[Derived]:
        yield from copies(entries[:1])
        if not works:
            raise RuntimeError("half way")
        yield from copies(entries[1:])

    flows.add(edge("up", transformer=transformer, trigger=Threshold(1, 3), consumes=True))
    notes(blackboard, range(3))
    assert (held(blackboard, X), held(blackboard, Y)) == ([0, 1, 2], [])
    assert blackboard.faults["edge up"] > 0
    works = True
    flows.run()
    assert (held(blackboard, X), held(blackboard, Y)) == ([], [0, 1, 2])


def test_one_rejected_entry_does_not_block_the_others(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("up", transformer=refusing(1)))
    notes(blackboard, range(4))
    flows.run()
    note(blackboard, 4)
    flows.run()
    assert held(blackboard, Y) == [0, 2, 3, 4]
    assert flows.carried("up") == 4


def test_a_rejected_result_is_counted_and_the_rest_is_written_once(store: RunStore) -> None:
    def check(data: object) -> None:
        if data == {"n": 1}:
            raise MalformedRecord("no ones")

    blackboard = Blackboard(store, [EntryKind("copy", check=check)])
    flows = Flows(blackboard)
    flows.add(edge("up", transformer=lambda found: [Derived("copy", each.data) for each in found]))
    notes(blackboard, range(3))
    flows.run()
    flows.run()
    assert held(blackboard, Y) == [0, 2]
    assert blackboard.faults == {"edge up": 1}


def test_an_entry_that_expires_while_pending_is_carried_first(
    blackboard: Blackboard, flows: Flows
) -> None:
    flows.add(edge("up", SENSORY))
    note(blackboard, 1, scope=SENSORY)
    note(blackboard, 2, scope=SENSORY, ttl_s=1.0)
    blackboard.expire(2.0)
    blackboard.expire(20.0)
    assert (held(blackboard, SENSORY), held(blackboard, Y)) == ([], [1, 2])
    blackboard.write(SENSORY, NOTE, {"n": 3}, tick=1, game_s=5.0)  # after its expiry
    assert (held(blackboard, SENSORY), held(blackboard, Y)) == ([], [1, 2, 3])


def test_an_evicted_entry_is_carried_despite_an_earlier_trigger(
    blackboard: Blackboard, flows: Flows
) -> None:
    # A write to the sensory scope makes `on` due, and then evicts an entry that `on` has not carried.
    flows.add(
        edge("in", X, SENSORY, trigger=Threshold(1, 60)),
        edge("on", SENSORY, Y, trigger=Threshold(1, 51)),
    )
    notes(blackboard, range(60))
    assert sorted(map(int, map(str, held(blackboard, Y)))) == list(range(len(held(blackboard, Y))))
    flows.run("on")
    assert sorted(map(int, map(str, held(blackboard, Y)))) == list(range(60))


def test_an_entry_written_during_a_carry_waits_for_the_next(
    blackboard: Blackboard, flows: Flows
) -> None:
    flows.add(edge("up", trigger=Threshold(1, 1)))

    def answer(event: BlackboardEvent) -> None:
        flows.run("up", final=True)  # a run during a carry carries nothing twice
        n = event.entry.data["n"]
        if event.action == "write" and isinstance(n, int) and n < 3:
            note(blackboard, n + 1)

    blackboard.subscribe(Y, answer)
    note(blackboard, 0)
    assert held(blackboard, Y) == [0, 1, 2, 3]


def test_keep_last_counts_only_accepted_entries_and_young_ones_stay_for_keep_s(
    blackboard: Blackboard, flows: Flows
) -> None:
    flows.add(
        edge("up", accepts=of_kinds("act"), consumes=True, keep_last=2),
        edge("old", Z, Y, consumes=True, keep_s=10.0),
    )
    note(blackboard, 1, scope=Z)
    blackboard.expire(9.0)
    note(blackboard, 2, scope=Z)
    for n in range(4):
        note(blackboard, n, kind="act")
    notes(blackboard, range(4, 9))
    flows.run()
    assert numbers(blackboard.entries(X, kind="act")) == [2, 3]
    assert held(blackboard, Z) == [1, 2]
    blackboard.expire(10.0)
    note(blackboard, 3, scope=Z)
    flows.run()
    assert held(blackboard, Z) == [2, 3]


def test_a_pending_entry_written_again_is_carried_in_its_new_version(
    blackboard: Blackboard, flows: Flows
) -> None:
    flows.add(edge("up"))
    for n in range(3):
        note(blackboard, n, key="the note")
    flows.run()
    assert held(blackboard, Y) == [2]
    note(blackboard, 3, key="the note")
    flows.run()
    assert held(blackboard, Y) == [2, 3]


def test_a_closed_entry_is_not_carried(blackboard: Blackboard, flows: Flows) -> None:
    flows.add(edge("up", transformer=identity, consumes=True))
    wrong = note(blackboard, 1)
    note(blackboard, 2)
    blackboard.close(wrong, "the cartridge says otherwise")
    flows.run()
    assert (held(blackboard, X), held(blackboard, Y)) == ([1], [2])  # the closed entry stays


def test_an_edge_added_after_a_restore_continues(store: RunStore, blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(edge("up"), edge("gone", target=Z))
    note(blackboard, 1)
    flows.run()
    store.attach("flows", flows)
    store.commit(checkpoint=checkpoint(1))
    later = Flows(blackboard)
    store.attach("flows", later)
    later.add(edge("up"), edge("new", target=Z))
    assert numbers(later.pending("up")) == []
    assert numbers(later.pending("new")) == [1]
    store.commit(checkpoint=checkpoint(2))
    last = Flows(blackboard)
    store.attach("flows", last)
    last.add(edge("gone", target=Z))  # although the session before had no such edge
    assert numbers(last.pending("gone")) == []


def test_a_restored_edge_is_due_at_the_same_time(store: RunStore) -> None:
    blackboard = Blackboard(store)
    flows = Flows(blackboard)
    store.attach("flows", flows)
    flows.add(edge("up", trigger=Threshold(1, 4)))
    for _ in range(3):
        note(blackboard, 1, key="one")  # three were accepted, one is still there
    store.commit(checkpoint=checkpoint(1))
    note(blackboard, 2)
    assert held(blackboard, Y) == [1, 2]
    store.rewind(next(iter(store.checkpoints.all())))
    assert held(blackboard, Y) == []
    note(blackboard, 2)
    assert held(blackboard, Y) == [1, 2]


def test_a_failing_edge_is_not_retried_at_each_write(blackboard: Blackboard, flows: Flows) -> None:
    def broken(_entries: Sequence[Entry]) -> list[Derived]:
        raise RuntimeError("broken")

    flows.add(edge("up", transformer=broken, trigger=Threshold(1, 10)))
    flows.add(edge("timed", transformer=broken, trigger=Periodic(10.0)))
    notes(blackboard, range(30))
    assert blackboard.faults["edge up"] <= 3 * (30 + 1)
    assert blackboard.faults["edge timed"] == 0
