"""A question without an answer is not sent again, so that no later one fails by what it said."""

import json
from typing import Any

import pytest

from agent.advisor.exchange import ClaudeAdvisor
from agent.advisor.model import FaultKind, ModelFault, ModelSettings, Reply, Request, Usage
from agent.advisor.port import Advice, NoAnswer, NoAnswerReason
from agent.advisor.request import FixedParts, bare
from memory.store.conversation_record import MessageOrigin
from tests.agent.advisor.advising import LOOK, PNG, AdvisorBench, advising, question
from tests.agent.advisor.test_exchange import WORD, fault_scenario, tool_scenario
from tests.fake_service import ToolCall

WHOLE = {FaultKind.BAD_REQUEST, "model_context_window_exceeded"}  # of the conversation
CURIOUS = tool_scenario([ToolCall("look", {"place": "pewter"})])
DEEP = FixedParts(tools=(LOOK,), settings=ModelSettings(effort="high"))


def fails_on(bench: AdvisorBench, word: str, outcome: FaultKind | str) -> list[bool]:
    """Let each request that has `word` end as `outcome` says; return for each request whether it had."""
    real, met = bench.claude.complete, list[bool]()

    def complete(request: Request) -> Reply:
        met.append(word in json.dumps([*request.system, *request.messages]))
        if not met[-1]:
            return real(request)
        if isinstance(outcome, FaultKind):
            raise ModelFault(outcome, "status 4xx: content", is_free=True)
        return Reply("msg_stop", request.model, (), outcome, Usage(9, 1))

    bench.claude.complete = complete  # type: ignore[method-assign]
    return met


def sent(body: dict[str, Any]) -> list[Any]:
    return [(turn["role"], each) for turn in body["messages"] for each in bare(turn["content"])]


def answered(bench: AdvisorBench, *ticks: int) -> bool:
    return all(isinstance(bench.advisor.ask(question(each)), Advice) for each in ticks)


OUTCOMES = (
    *(FaultKind.BAD_REQUEST, FaultKind.TIMEOUT, FaultKind.DENIED),  # of all, transient, permanent
    *("refusal", "model_context_window_exceeded", "max_tokens", "pause_turn", "end_turn", "new"),
)


@pytest.mark.parametrize("outcome", OUTCOMES, ids=str)
def test_a_question_that_failed_by_its_content_is_not_sent_with_the_next_one(
    outcome: FaultKind | str,
) -> None:
    with advising(CURIOUS, fixed=DEEP) as bench:
        assert answered(bench, 1)
        met = fails_on(bench, WORD, outcome)
        failed = bench.advisor.ask(question(2, situation=WORD, picture=PNG))
        assert isinstance(failed, NoAnswer)
        assert all(met)
        met.clear()
        assert answered(bench, 3, 4)
        assert not any(met)
        assert not bench.server.counts.errors  # thinking that was sent back is still valid
        bodies = [sent(each) for each in bench.bodies()]
    assert "image" not in str(bodies)
    begun = 0 if outcome in WHOLE else len(bodies[1])
    assert bodies[2][:begun] == bodies[1][:begun]
    assert bench.counts["conversations left behind"] == (outcome in WHOLE)
    assert not bench.advisor.calls.cache.misses.keys() - (
        {"messages_changed"} if not begun else set()
    )


def test_what_an_unanswered_question_said_of_the_state_is_said_again() -> None:
    def observed() -> str:
        return "<observations>\n## Items\n- POTION\n</observations>"

    with advising(fault_scenario(), observed=observed) as bench:
        fails_on(bench, WORD, "refusal")
        bench.advisor.ask(question(1, situation=WORD))
        assert answered(bench, 2, 3)
        second, third = map(str, bench.bodies())
    assert second.count("- POTION") == third.count("- POTION") == 1


def test_after_two_refusals_in_a_row_nothing_before_them_is_sent() -> None:
    """The refusal may be of what was said before."""
    with advising(fault_scenario()) as bench:
        assert isinstance(bench.advisor.ask(question(1, situation=WORD)), Advice)
        fails_on(bench, WORD, "refusal")
        later = [bench.advisor.ask(question(tick)) for tick in (2, 3, 4, 5)]
    assert [isinstance(each, Advice) for each in later] == [False, False, True, True]
    reasons = [each.reason for each in later if isinstance(each, NoAnswer)]
    assert reasons == [NoAnswerReason.REFUSED] * 2


@pytest.mark.parametrize("outcome", [FaultKind.BAD_REQUEST, "refusal"], ids=str)
def test_another_process_leaves_behind_what_this_one_did(outcome: FaultKind | str) -> None:
    with advising(fault_scenario()) as bench:
        met = fails_on(bench, WORD, outcome)
        bench.advisor.ask(question(1, situation=WORD))
        again = ClaudeAdvisor(
            bench.calls, bench.advisor.conversation, FixedParts(), observed=lambda: None
        )
        assert isinstance(again.ask(question(2)), Advice)
    assert met == [True, False]


def test_a_conversation_that_is_not_accepted_is_left_behind_until_a_checkpoint_before_it() -> None:
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    with advising(fault_scenario()) as bench:
        said = bench.conversation.say
        said("user", [{"type": "text", "text": "Which way?"}], MessageOrigin.PLAY, 1, 1.0)
        said("assistant", [call, call], MessageOrigin.MODEL, 1, 1.0)
        said("assistant", [{"type": "text", "text": "West."}], MessageOrigin.MODEL, 1, 1.0)
        refused = bench.advisor.ask(question(1))
        assert isinstance(refused, NoAnswer)
        assert "bad_request" in refused.detail
        assert answered(bench, 2, 3)
        del bench.conversation.messages[3:]
        assert isinstance(bench.advisor.ask(question(1)), NoAnswer)
        bench.conversation.messages.clear()
        assert answered(bench, 1)
    assert bench.counts["conversations left behind"] == 2


def test_a_question_of_a_process_that_ended_within_it_is_not_sent() -> None:
    with advising(CURIOUS) as bench:
        bench.advisor.ask(question(1, situation=WORD))
        del bench.conversation.messages[-1]  # the answer
        assert answered(bench, 2)
    assert [WORD in json.dumps(each) for each in bench.bodies()] == [True, True, False, False]
