"""What memory has to say, within a budget."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import MemoryQuery
from memory.recall import gather_context
from memory.tokens import tokens
from tests.memory.recall.recalling import EPISODIC, Remembering, remembering


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remembering]:
    with remembering(tmp_path_factory.mktemp("context") / "run.sqlite") as opened:
        yield opened


@pytest.fixture(autouse=True)
def _nothing_yet(memory: Remembering) -> None:
    _clear(memory)


def _clear(memory: Remembering) -> None:
    for scope in memory.blackboard.scopes():
        memory.blackboard.clear(scope)


def test_b15_context_comes_from_all_scopes_with_trust_and_evidence(memory: Remembering) -> None:
    memory.note({"location": "lane", "says": "a trainer waits"}, importance=9)
    memory.note(
        {"location": "lane", "says": "moths are weak", "species": ""},
        scope=EPISODIC,
        kind="lesson",
        status="inferred",
        sources=("battle:1", "battle:2", "battle:3", "battle:4"),
        importance=5,
    )
    guess = memory.note({"location": "lane", "says": "the gate is shut"}, status="claim")
    memory.blackboard.close(guess, "it was open")

    query = MemoryQuery(place="lane", include_closed=True)
    context = gather_context(memory.actions, query, 200)
    assert context.text.splitlines() == [
        "- action: location lane, says a trainer waits [verified; tick:0]",
        "- lesson: location lane, says moths are weak "
        "[inferred; battle:1, battle:2, battle:3 and 1 more]",
        "- action: location lane, says the gate is shut (no longer so: it was open) "
        "[claim; tick:0]",
    ]
    assert context.left_out == 0


def test_b15_the_most_valuable_comes_first_and_what_does_not_fit_is_counted(
    memory: Remembering,
) -> None:
    for importance in (2, 9, 5):
        memory.note(
            {"location": "lane", "says": "x" * 40}, importance=importance, key=f"{importance}"
        )
    one = gather_context(memory.actions, MemoryQuery(place="lane"), 25)
    assert (one.keys, one.left_out) == (("9",), 2)
    two = gather_context(memory.actions, MemoryQuery(place="lane"), 50)
    assert (two.keys, two.left_out) == (("9", "5"), 1)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    said=st.lists(st.text(max_size=20).map(lambda text: 20 * text), max_size=6),
    closed=st.text(max_size=10),
    budget=st.integers(0, 300),
)
def test_b15_the_budget_is_never_exceeded(
    memory: Remembering, said: list[str], closed: str, budget: int
) -> None:
    _clear(memory)
    for text in said:
        entry = memory.note({"location": "lane", "says": text})
        if closed:
            memory.blackboard.close(entry, closed)
    query = MemoryQuery(place="lane", include_closed=True)
    context = gather_context(memory.actions, query, budget)
    assert context.tokens == tokens(context.text) <= budget
    assert len(context.keys) + context.left_out == len(said)
    assert len(context.text.splitlines()) == len(context.keys)
