"""What becomes of entries on their way, and that nothing goes before what was made of it is kept."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pytest

from memory import Blackboard, Entry, RunStore, open_run_store
from memory.flow.flows import Flows
from memory.flow.subscription import (
    SUMMARY,
    Derived,
    Filtering,
    MemorySubscription,
    Summarizing,
    identity,
)
from memory.tokens import CHARACTERS
from tests.memory.samples import STM, WORKING, checkpoint


def note(blackboard: Blackboard, tick: int, text: str, *, importance: int = 3) -> Entry:
    return blackboard.write(
        WORKING, "note", {"text": text}, tick=tick, game_s=tick / 2, importance=importance
    )


def notes(blackboard: Blackboard) -> list[Entry]:
    return [
        note(blackboard, 1, "a rat in the grass"),
        note(blackboard, 5, "lost to the leader", importance=9),
        note(blackboard, 9, "a rat in the cave"),
    ]


def carrying(
    blackboard: Blackboard, transformer: Callable[[Sequence[Entry]], Iterable[Derived]]
) -> Flows:
    flows = Flows(blackboard)
    flows.add(MemorySubscription("notes", WORKING, STM, transformer, consumes=True))
    return flows


def fail(*_: object) -> str:
    raise TimeoutError("no answer")


def test_b24_entries_pass_as_they_are_or_are_left_out(blackboard: Blackboard) -> None:
    entries = notes(blackboard)
    assert [(each.key, each.data) for each in identity(entries)] == [
        (entry.key, entry.data) for entry in entries
    ]
    grave = Filtering(lambda entry: entry.importance > 5)
    assert [each.key for each in grave(entries)] == [entries[1].key]


def test_b24_a_summary_without_a_model_holds_what_it_stands_for(blackboard: Blackboard) -> None:
    entries = notes(blackboard)
    (summary,) = Summarizing("sum up")(entries)
    assert (summary.kind, summary.data["count"], summary.status) == (SUMMARY, 3, "inferred")
    text = str(summary.data["text"])
    for said in ("3 note", "ticks 1 to 9", "lost to the leader"):
        assert said in text
    assert summary.sources == tuple(entry.key for entry in entries)
    assert summary.importance == 9


def test_b24_a_model_is_given_all_entries_and_makes_a_claim(blackboard: Blackboard) -> None:
    asked: list[tuple[str, str]] = []

    def model(prompt: str, text: str) -> str:
        asked.append((prompt, text))
        return " rats everywhere "

    (summary,) = Summarizing("sum up", model)(notes(blackboard))
    assert (summary.data["text"], summary.status) == ("rats everywhere", "claim")
    ((prompt, text),) = asked
    assert prompt == "sum up"
    assert all(said in text for said in ("in the grass", "the leader", "in the cave"))


@pytest.mark.parametrize("model", [fail, lambda _prompt, _text: " "], ids=["fails", "is silent"])
def test_b24_where_a_model_fails_or_is_silent_there_is_a_summary_all_the_same(
    blackboard: Blackboard, model: Callable[[str, str], str]
) -> None:
    (summary,) = Summarizing("sum up", model)(notes(blackboard))
    assert "lost to the leader" in str(summary.data["text"])


def test_b24_a_summary_keeps_within_its_tokens(blackboard: Blackboard) -> None:
    wordy = Summarizing("sum up", lambda _prompt, text: text * 1000, max_tokens=20)
    (summary,) = wordy(notes(blackboard))
    assert 0 < len(str(summary.data["text"])) <= 20 * CHARACTERS


def test_b25_what_is_derived_names_its_sources(blackboard: Blackboard) -> None:
    entries = notes(blackboard)
    carrying(blackboard, Summarizing("sum up")).run()
    (summary,) = blackboard.entries(STM, kind=SUMMARY)
    assert summary.sources == tuple(entry.key for entry in entries)
    assert blackboard.entries(WORKING) == []


def test_b25_sources_stay_when_nothing_could_be_made_of_them(blackboard: Blackboard) -> None:
    entries = notes(blackboard)
    flows = carrying(blackboard, fail)  # type: ignore[arg-type]  # it returns nothing at all
    assert not flows.run()
    assert blackboard.faults["edge notes"] > 0
    assert blackboard.entries(WORKING) == entries == flows.pending("notes")


def test_b25_sources_stay_when_what_was_made_of_them_is_refused(blackboard: Blackboard) -> None:
    entries = notes(blackboard)
    flows = carrying(blackboard, lambda _: [Derived("x", {}, importance=11)])
    assert not flows.run()
    assert blackboard.faults["edge notes"] == 1
    assert blackboard.entries(WORKING) == entries == flows.pending("notes")


@pytest.mark.parametrize("committed", [False, True])
def test_b25_a_process_that_ends_leaves_the_sources_or_what_was_made_of_them(
    tmp_path: Path,
    committed: bool,  # noqa: FBT001
) -> None:
    def open_run() -> tuple[RunStore, Blackboard, Flows]:
        store = open_run_store(tmp_path / "run.sqlite", run_id="run-1")
        blackboard = Blackboard(store)
        flows = carrying(blackboard, Summarizing("sum up"))
        store.attach("flows", flows)
        return store, blackboard, flows

    store, blackboard, flows = open_run()
    notes(blackboard)
    store.commit(checkpoint=checkpoint(1))
    flows.run()
    if committed:
        store.commit(checkpoint=checkpoint(2))
    store.close()
    store, blackboard, flows = open_run()
    assert len(blackboard.entries(WORKING)) == len(flows.pending("notes")) == 3 * (not committed)
    flows.run()
    (summary,) = blackboard.entries(STM, kind=SUMMARY)
    assert summary.data["count"] == 3
    store.close()
