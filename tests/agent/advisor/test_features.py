"""A server or a model that lacks a part of the Messages API is found out and asked without it."""

from typing import Any

import pytest

from agent.advisor.features import ServiceFeature, ServiceFeatures
from agent.advisor.model import FaultKind, ModelFault, ModelSettings, Request
from agent.advisor.port import Advice, NoAnswer
from agent.advisor.request import FixedParts
from tests.agent.advisor.advising import LOOK, MODEL, PNG, AdvisorBench, advising, question
from tests.fake_service import ScriptedAnswer, ServiceScenario, ToolCall

ANSWER = {"goals": ["heal"], "candidates": ["go:west"], "note": "", "confidence": 0.7}
LINE = ScriptedAnswer(rounds=[[ToolCall("look", {"place": "pewter"})]], json=ANSWER)
DEEP = FixedParts(tools=(LOOK,), settings=ModelSettings(effort="high"))
FIELDS = {
    "diagnostics": ServiceFeature.DIAGNOSTICS,
    "cache_control": ServiceFeature.CACHE,
    "effort": ServiceFeature.EFFORT,
    "strict": ServiceFeature.STRICT,
    "json_schema": ServiceFeature.FORMAT,
    "thinking": ServiceFeature.THINKING,
    "image": ServiceFeature.PICTURES,
    "tools": ServiceFeature.TOOLS,
}


def lacking(*names: str, is_terse: bool = False) -> ServiceScenario:
    return ServiceScenario(lines=[LINE], lacks=names, is_terse=is_terse)


def answered(bench: AdvisorBench, *ticks: int) -> bool:
    asked = [question(each, picture=PNG) for each in ticks]
    return all(isinstance(bench.advisor.ask(each), Advice) for each in asked)


@pytest.mark.parametrize("name", FIELDS)
def test_a_part_that_a_server_lacks_is_left_out_for_the_rest_of_the_run(name: str) -> None:
    with advising(lacking(name), fixed=DEEP) as bench:
        assert answered(bench, 1, 2)
        assert bench.server.counts.errors == {"invalid_request_error": 1}
        assert bench.claude.features.missing == {MODEL: [FIELDS[name].value]}
        assert bench.counts["parts left out"] == bench.wallet.cancelled == 1
        assert bench.breaker.failures == []
        assert bench.wallet.booked == {}


def test_several_parts_are_found_out_one_after_the_other() -> None:
    names = [each for each in FIELDS if each != "thinking"]
    with advising(lacking(*names), fixed=DEEP) as bench:
        assert answered(bench, 1, 2)
        assert bench.counts["parts left out"] == len(names)


def test_a_server_that_does_not_say_what_it_lacks_gets_the_essentials() -> None:
    with advising(lacking("thinking", "cache_control", is_terse=True), fixed=DEEP) as bench:
        assert answered(bench, 1, 2)
        assert bench.server.counts.errors == {"invalid_request_error": 1}
        assert "thinking" not in bench.bodies()[-1]
        assert "output_config" not in bench.bodies()[-1]


def test_a_request_that_is_refused_without_its_parts_has_another_fault() -> None:
    with advising(lacking("messages", is_terse=True), fixed=DEEP) as bench:
        assert isinstance(bench.advisor.ask(question(1)), NoAnswer)
        assert isinstance(bench.advisor.ask(question(2)), NoAnswer)
        assert bench.claude.features.missing == {}
        assert len(bench.bodies()) == 3
        assert len(bench.breaker.failures) == 2


def test_a_model_of_an_earlier_generation_is_asked_without_thinking_and_effort() -> None:
    with advising(ServiceScenario(lines=[LINE])) as bench:
        bench.wallet.model = "claude-haiku-4-5"
        assert answered(bench, 1)
        lacking_parts = bench.claude.features.missing["claude-haiku-4-5"]
    assert lacking_parts == ["effort", "thinking"]


def test_a_server_without_counting_is_asked_to_count_once() -> None:
    request = Request(MODEL, (), [{"role": "user", "content": "Where to?"}])
    with advising(lacking("count_tokens")) as bench:
        for _ in range(2):
            with pytest.raises(ModelFault):
                bench.claude.count_tokens(request)
        assert len(bench.server.requests) == 1


def test_earlier_calls_become_text_where_there_are_no_tools() -> None:
    features = ServiceFeatures(is_own=False)
    features.leave_out("m", ["tools", "thinking", "an old name"])
    thought = {"type": "thinking", "thinking": "", "signature": "s"}
    call = {"type": "tool_use", "id": "a", "name": "look", "input": {"place": "x"}}
    found = {"type": "tool_result", "tool_use_id": "a", "content": "a gym"}
    messages = [
        {"role": "user", "content": "Where to?"},
        {"role": "assistant", "content": [thought, call]},
        {"role": "user", "content": [found]},
    ]
    body: Any = features.without_missing(
        {"model": "m", "messages": messages, "tools": [{"name": "look"}]}
    )
    assert "tools" not in body
    kinds = [each["type"] for turn in body["messages"][1:] for each in turn["content"]]
    assert kinds == ["text", "text"]
    assert features.missing == {"m": ["thinking", "tools"]}


@pytest.mark.parametrize(
    ("words", "feature"),
    [
        ("messages.1.content.0: Invalid `signature` in `thinking` block", "earlier thinking"),
        ("this model does not support the effort parameter", "effort"),
        ("registry/m does not support tools", "tools"),
        ("messages.1: `tool_use` ids were found without `tool_result` blocks", ""),
        ("prompt is too long: 9 tokens > 8 maximum", ""),
        ("messages: text content blocks must contain non-whitespace text", ""),
    ],
)
def test_only_a_refusal_of_a_part_leaves_it_out(words: str, feature: str) -> None:
    features = ServiceFeatures(is_own=True)
    fault = ModelFault(FaultKind.BAD_REQUEST, f"status 400: {words}")
    assert features.learn(fault, "m") is bool(feature)
    assert features.missing == ({"m": [feature]} if feature else {})
    assert not features.learn(fault, "m")
    assert not features.learn(ModelFault(FaultKind.OVERLOADED, "strict unknown"), "m")


def test_an_error_in_leaving_parts_out_is_a_fault_and_stays_booked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object) -> None:
        raise KeyError("odd")

    monkeypatch.setattr(ServiceFeatures, "without_missing", fails)
    with advising(ServiceScenario(lines=[LINE])) as bench:
        answer = bench.advisor.ask(question(1))
        assert isinstance(answer, NoAnswer)
        assert answer.detail == "unexpected: KeyError"
        assert bench.counts["fault:unexpected"] == 1
        assert bench.breaker.failures == [(FaultKind.UNEXPECTED, None)]
        assert len(bench.wallet.booked) == 1  # at the maximum
