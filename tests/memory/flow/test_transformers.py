"""What happens to entries on their way."""

import pytest

from memory import Blackboard
from memory.flow import Flows
from memory.flow.subscription import MAX_TOKENS, SUMMARY, Filtering, Summarizing, identity
from memory.tokens import tokens
from tests.memory.flow.streams import NOTE, X, Y, edge, held, note


def test_b24_identity_carries_entries_as_they_are(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    flows.add(edge("up", transformer=identity))
    blackboard.write(
        X, NOTE, {"n": 1}, tick=5, game_s=2.0, tags=["a"], importance=8, status="claim"
    )
    flows.run()
    (below,), (above,) = blackboard.entries(X), blackboard.entries(Y)
    assert [above.kind, above.data, above.tags, above.importance, above.status] == [
        NOTE,
        {"n": 1},
        {"a"},
        8,
        "claim",
    ]
    assert (above.key, above.sources) == (below.key, (below.key,))


def test_b24_filtering_carries_what_passes(blackboard: Blackboard) -> None:
    flows = Flows(blackboard)
    grave = Filtering(lambda entry: entry.importance > 5)
    flows.add(edge("up", transformer=grave))
    note(blackboard, 1)
    note(blackboard, 2, importance=6)
    flows.run()
    assert held(blackboard, Y) == [2]
    assert flows.pending("up") == []  # what did not pass was looked at all the same


def test_b24_a_summarizer_that_is_given_is_used(blackboard: Blackboard) -> None:
    asked: list[tuple[str, str]] = []

    def summarize(prompt: str, text: str) -> str:
        asked.append((prompt, text))
        return " Three notes were made. "

    flows = Flows(blackboard)
    flows.add(edge("up", transformer=Summarizing("In one line:", summarize), consumes=True))
    below = [note(blackboard, n, tags=[f"tag {n}"], importance=n + 4) for n in range(3)]
    flows.run()
    (summary,) = blackboard.entries(Y)
    assert asked == [("In one line:", "tick 0: note: n 0\ntick 1: note: n 1\ntick 2: note: n 2")]
    assert summary.kind == SUMMARY
    assert summary.data == {"text": "Three notes were made.", "count": 3}
    assert summary.sources == tuple(each.key for each in below)
    assert summary.tags == {"tag 0", "tag 1", "tag 2"}
    assert (summary.importance, summary.status) == (6, "claim")
    assert held(blackboard, X) == []


def failing(_prompt: str, _text: str) -> str:
    raise TimeoutError("nobody answers")


@pytest.mark.parametrize("summarize", [None, failing, lambda _prompt, _text: "  \n"])
def test_b24_without_a_summary_the_entries_are_told_in_figures(
    blackboard: Blackboard, summarize: object
) -> None:
    flows = Flows(blackboard)
    transformer = Summarizing("In one line:", summarize)  # type: ignore[arg-type]
    flows.add(edge("up", transformer=transformer, consumes=True))
    below = [note(blackboard, n, importance=9 if n == 3 else 3) for n in range(30)]
    blackboard.write(X, "battle", {"enemy": "rat"}, tick=40, game_s=0.0, importance=8)
    flows.run()
    (summary,) = blackboard.entries(Y)
    text = str(summary.data["text"])
    assert text.startswith("ticks 0 to 40: 30 note, 1 battle.")
    assert {"tick 3: note: n 3", "tick 40: battle: enemy rat"} <= {*text.splitlines()}
    assert len(summary.sources) == len(below) + 1
    assert summary.status == "inferred"  # no model has said it
    assert held(blackboard, X) == []


def test_b24_a_summary_has_500_tokens_at_most(blackboard: Blackboard) -> None:
    assert MAX_TOKENS == 500
    flows = Flows(blackboard)
    flows.add(edge("by model", transformer=Summarizing("", lambda _prompt, text: text * 9)))
    flows.add(edge("by rule", transformer=Summarizing("")))
    for n in range(20):
        blackboard.write(X, NOTE, {"text": "word " * 300}, tick=n, game_s=0.0)
    flows.run()
    assert [tokens(str(each.data["text"])) for each in blackboard.entries(Y)] == [500, 500]
