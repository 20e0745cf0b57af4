"""The transcript that only grows: thinking stays valid, a changed beginning drops it, and a cut answer loses it."""

import json
from itertools import pairwise
from typing import Any

import pytest

from agent.advisor.model import ModelSettings, Reply, Usage
from agent.advisor.port import Advice, NoAnswer
from agent.advisor.request import FixedParts, bare
from agent.advisor.transcript import stored_reply
from memory.conversation.view import ConversationView
from tests.agent.advisor.advising import LOOK, AdvisorBench, advising, question
from tests.fake_service import ScriptedAnswer, ServiceScenario, ToolCall

ANSWER = {"goals": ["heal"], "candidates": ["go:west"], "note": "", "confidence": 0.7}
CURIOUS = ServiceScenario(
    lines=[ScriptedAnswer(rounds=[[ToolCall("look", {"place": "pewter"})]], json=ANSWER)]
)
DEEP = FixedParts(tools=(LOOK,), settings=ModelSettings(effort="high"))


def thoughts(body: dict[str, Any]) -> int:
    blocks = [block for turn in body["messages"] for block in turn["content"]]
    return sum(each["type"] == "thinking" for each in blocks)


def answered(bench: AdvisorBench, *ticks: int) -> bool:
    return all(isinstance(bench.advisor.ask(question(each)), Advice) for each in ticks)


def test_thinking_is_sent_back_and_the_service_accepts_it() -> None:
    with advising(CURIOUS, fixed=DEEP) as bench:
        assert answered(bench, 1, 2, 3)
        assert not bench.server.counts.errors
        bodies = bench.bodies()
    assert [thoughts(each) for each in bodies] == [0, 1, 2, 3, 4, 5]
    for before, after in pairwise(bodies):
        sent, again = (
            [  # byte for byte, as the cache of the service wants it
                json.dumps([turn["role"], each])
                for turn in body["messages"]
                for each in bare(turn["content"])
            ]
            for body in (before, after)
        )
        assert again[: len(sent)] == sent
    assert bench.advisor.calls.cache.misses == {}


def test_after_a_change_at_the_beginning_older_thinking_is_left_out_for_good() -> None:
    with advising(CURIOUS, fixed=DEEP) as bench:
        assert answered(bench, 1, 2)
        bench.conversation.view = ConversationView(observations="* reached left_home")
        assert answered(bench, 3, 4)
        assert not bench.server.counts.errors
        assert [thoughts(each) for each in bench.bodies()[4:]] == [0, 1, 2, 3]


def test_thinking_of_an_earlier_process_or_model_is_left_out() -> None:
    with advising(CURIOUS, fixed=DEEP) as first:
        assert answered(first, 1)
    with advising(CURIOUS, fixed=DEEP) as bench:
        bench.conversation.messages += first.conversation.messages
        assert answered(bench, 2)
        bench.wallet.model = "claude-haiku-5-5"
        assert answered(bench, 3)
        assert not bench.server.counts.errors
        assert [thoughts(each) for each in bench.bodies()] == [0, 1, 0, 1]


def test_after_a_restored_checkpoint_the_service_accepts_the_transcript() -> None:
    with advising(CURIOUS, fixed=DEEP) as bench:
        assert answered(bench, 1, 2)
        del bench.conversation.messages[5:]
        assert answered(bench, 2, 3)
        assert not bench.server.counts.errors


def test_thinking_without_room_for_an_answer_is_no_answer() -> None:
    narrow = FixedParts(tools=(LOOK,), settings=ModelSettings(effort="max", max_tokens=500))
    with advising(CURIOUS, fixed=narrow) as bench:
        assert isinstance(bench.advisor.ask(question()), NoAnswer)
        assert bench.server.counts.tokens["output"] == 3 * 500  # thinking is billed
        assert not bench.server.counts.errors


THOUGHT = {"type": "thinking", "thinking": "", "signature": "s"}
SAID = {"type": "text", "text": "West."}


@pytest.mark.parametrize(
    ("blocks", "kept"),
    [
        ([THOUGHT, SAID], [THOUGHT, SAID]),
        ([SAID, THOUGHT], [SAID]),
        ([THOUGHT], []),
        ([THOUGHT | {"signature": ""}, SAID], [SAID]),
        ([{"type": "redacted_thinking", "data": "d"}, SAID],) * 2,
        ([{"type": "tool_use", "id": "a", "name": "look", "input": {}}, SAID], [SAID]),
    ],
)
def test_an_answer_is_stored_with_thinking_that_can_be_sent_back(
    blocks: list[dict[str, Any]], kept: list[dict[str, Any]]
) -> None:
    reply = Reply("msg_1", "m", blocks, "end_turn", Usage())
    assert stored_reply(reply, (), str, calls=False) == kept
