"""Which entries say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import Entry
from memory.flow.maintenance import alike, groups, words

WORDS = st.lists(
    st.sampled_from(["one", "two", "three", "four", "five", "six", "seven", "eight"]), max_size=7
)
SAYINGS = st.lists(st.tuples(st.sampled_from(["note", "place"]), WORDS), max_size=14)


def entries_of(sayings: list[tuple[str, list[str]]]) -> list[Entry]:
    return [
        Entry(seq, "agent:play:stm", kind, 0, 0.0, {"": " ".join(said)}, frozenset(), 3, None)
        for seq, (kind, said) in enumerate(sayings)
    ]


def one_by_one(entries: list[Entry], threshold: float) -> list[list[Entry]]:
    """Each entry held against the newest of every group, which is what a group is."""
    found: list[list[Entry]] = []
    for entry in reversed(entries):
        for group in found:
            near = alike(words(group[0]), words(entry)) >= threshold
            if near and group[0].kind == entry.kind:
                group.append(entry)
                break
        else:
            found.append([entry])
    return found


@given(SAYINGS, st.sampled_from([0.0, 0.25, 0.5, 0.6, 0.75, 0.8, 0.95, 1.0]))
def test_groups_are_those_of_holding_each_against_each(
    sayings: list[tuple[str, list[str]]], threshold: float
) -> None:
    entries = entries_of(sayings)
    assert groups(entries, threshold) == one_by_one(entries, threshold)


def test_e37_many_entries_that_are_nearly_alike_are_grouped_without_holding_each_against_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    entries = entries_of([("note", ["the", "same", "again", str(n)]) for n in range(2_000)])
    held = 0

    def counting(one: frozenset[str], other: frozenset[str]) -> float:
        nonlocal held
        held += 1
        return alike(one, other)

    monkeypatch.setattr("memory.flow.maintenance.alike", counting)
    assert len(groups(entries, 0.95)) == 2_000
    assert held < 10_000  # of two million pairs
