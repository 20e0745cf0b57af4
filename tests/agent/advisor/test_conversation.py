"""A conversation of many questions: what is read from the cache, and what an observer's calls go through."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agent.advisor.exchange import distilling
from agent.advisor.model import Request
from agent.advisor.port import Advice, Option
from agent.advisor.request import Fixed, calibrated, text, without_state
from memory.conversation.port import DistillingFailed
from memory.tokens import TokenEstimator
from tests.agent.advisor.advising import KEY, LOOK, MODEL, PNG, Records, advising, question
from tests.fake_service import ScriptedAnswer, ServiceScenario
from tests.fake_service.faults import ServiceFault, ServiceFaultKind


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)


def test_most_of_what_is_sent_is_read_from_the_cache_although_options_change() -> None:
    fixed = Fixed((LOOK,), notes="- lost to the rival\n" * 20)
    block = "<observations>\n" + "- something happened\n" * 15 + "</observations>"
    with advising(fixed=fixed, observed=lambda: block) as bench:
        for tick in range(20):
            goals = tuple(Option(f"goal_{tick}_{at}", "worth it") for at in range(3))
            answer = bench.advisor.ask(question(tick, goals=goals))
            assert isinstance(answer, Advice)
            bench.watch.sleep(60)
        counted = bench.server.counts.tokens
    report = bench.advisor.cache
    assert report.hit_ratio > 0.8
    assert report.calls == bench.counts["calls"] >= 20
    assert report.read == counted["cache_read"]
    assert report.uncached == counted["input"]
    assert report.written == counted["cache_write_5m"] + counted["cache_write_1h"]
    assert report.misses == {}


def test_rules_outlive_the_conversation_in_the_cache() -> None:
    with advising() as bench:
        bench.advisor.ask(question(1))
        written = bench.server.counts.tokens["cache_write_1h"]
        bench.watch.sleep(301)
        bench.advisor.ask(question(2))
        assert bench.server.counts.tokens["cache_read"] >= written > 500


def test_what_was_changed_in_the_middle_is_a_miss_with_a_reason() -> None:
    with advising(ServiceScenario(lines=[ScriptedAnswer(json=GOOD)])) as bench:
        bench.advisor.ask(question(1))
        bench.talk.said[0] = bench.talk.said[1]
        bench.advisor.ask(question(2))
    assert bench.advisor.cache.misses == {"messages_changed": 1}


def test_a_tape_has_the_conversation_in_one_line_and_the_state_beside_it() -> None:
    records = Records()
    observed = "<observations>\n- something\n</observations>"
    with advising(record=without_state(records), observed=lambda: observed) as bench:
        for tick in range(4):
            bench.advisor.ask(question(tick, picture=PNG))
        distilling(bench.calls, "observer")("Observe.", "what was said")
    *asked, (observing, _, plain) = records
    line: list[Mapping[str, Any]] = []
    for request, _, meta in asked:
        messages = [bare(each) for each in request["messages"]]
        assert messages[: len(line)] == line
        assert observed not in str(messages)
        assert "image" not in str(messages)
        picture, state = meta["state"]
        assert picture == "(image)"
        assert observed in state
        line = messages
    assert observing["messages"][0]["content"][0]["text"] == "what was said"
    assert "state" not in plain


def bare(message: Mapping[str, Any]) -> Mapping[str, Any]:
    blocks = message["content"]
    return {**message, "content": [{**each, "cache_control": None} for each in blocks]}


def test_characters_of_a_token_are_learnt_where_somebody_counts() -> None:
    request = Request(MODEL, [text("Be brief. " * 400)], [], 1)
    asked = replace(request, messages=[{"role": "user", "content": [text("west or east? " * 90)]}])
    with advising() as bench:
        counted = bench.claude.count_tokens(asked)
        learnt = calibrated(TokenEstimator(3.0), bench.claude, asked)
        assert calibrated(TokenEstimator(3.0), bench.claude, request) == TokenEstimator(3.0)
    assert abs(learnt("x" * 5_260) - counted) < abs(TokenEstimator(3.0)("x" * 5_260) - counted)


GOOD = {"goals": ["heal"], "candidates": ["go:west"], "note": "", "confidence": 0.5}


def test_an_observer_asks_within_the_same_purse() -> None:
    with advising(
        ServiceScenario(lines=[ScriptedAnswer(system="^Observe", text="* seen")])
    ) as bench:
        assert distilling(bench.calls, "observer")("Observe.", "what was said") == "* seen"
        (body,) = bench.bodies()
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "what was said"}]}
    ]
    assert "output_config" not in body
    assert len(bench.purse.settled) == 1


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (ServiceFaultKind.MAX_TOKENS, "max_tokens"),
        (ServiceFaultKind.REFUSAL, "refusal"),
        (ServiceFaultKind.SERVER_ERROR, "server: status 500"),
        (ServiceFaultKind.HUGE, "too_long: "),
    ],
)
def test_an_observer_that_comes_to_nothing_says_so(kind: ServiceFaultKind, told: str) -> None:
    scenario = ServiceScenario(faults=[ServiceFault(kind, turns=(1, 2, 3))])
    with advising(scenario) as bench, pytest.raises(DistillingFailed, match=told):
        distilling(bench.calls, "observer")("Observe.", "what was said")


def test_an_observer_without_leave_asks_nobody() -> None:
    with advising() as bench:
        bench.purse.model = None
        with pytest.raises(DistillingFailed, match="ceiling"):
            distilling(bench.calls, "reflector")("Reflect.", "much")
        assert bench.bodies() == []
