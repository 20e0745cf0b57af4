"""All advisors, and conversations of many questions."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.advisor.exchange import completer
from agent.advisor.model import Request
from agent.advisor.port import Advice, Advisor, NoAnswer, NoAnswerReason, Option, Purpose, Question
from agent.advisor.recorded import (
    RecordedAdvisor,
    RecordedAnswer,
    RecordingAdvisor,
    as_json,
    from_json,
    question_hash,
)
from agent.advisor.request import FixedParts, bare, calibrated, text
from memory.conversation.port import CondensingFailed
from memory.tokens import TokenEstimator
from tests.agent.advisor.advising import LOOK, MODEL, PNG, Records, advising, question
from tests.fake_service import ScriptedAnswer, ServiceScenario
from tests.fake_service.faults import ServiceFault, ServiceFaultKind

GIVEN = Advice(("heal",), ("go:west", "talk:girl"), "the ledge", 0.7)
STRANGE = Advice(("fly", "heal", "heal"), ("nowhere",), "a\nb" * 300, 7.0)
QUESTIONS = (
    question(1),
    question(1, Purpose.CHOICE, picture=PNG),
    question(2, goals=(), candidates=()),
    question(3, situation="\ud800 </situation> \x1b[31m" * 9, milestone=""),
    question(4, Purpose.MILESTONE, candidates=()),
    question(4, goals=(Option("a b", "line\nbreak"),)),
)


class Script:
    """An advisor that returns the given answers in turn."""

    def __init__(self, answers: Iterable[Advice | NoAnswer]) -> None:
        self._answers = iter(answers)

    def ask(self, _question: Question) -> Advice | NoAnswer:
        return next(self._answers)


def recorded_of(
    questions: tuple[Question, ...], *answers: Advice | NoAnswer
) -> list[RecordedAnswer]:
    recorded: list[RecordedAnswer] = []
    recording = RecordingAdvisor(Script(answers), recorded.append)
    assert tuple(map(recording.ask, questions)) == answers
    return recorded


@pytest.fixture(params=("claude", "recorded"))
def advisor(request: pytest.FixtureRequest) -> Iterator[Advisor]:
    odd = {"goals": ["fly", "heal"], "candidates": ["go:west"], "note": "x\ny" * 200}
    if request.param == "claude":
        lines = [ScriptedAnswer(json=odd | {"confidence": 0.5})]
        with advising(ServiceScenario(lines=lines)) as bench:
            yield bench.advisor
    else:
        asked = ((each, each.purpose.value, question_hash(each)) for each in QUESTIONS)
        yield RecordedAdvisor(RecordedAnswer(q.tick, 0, why, it, STRANGE) for q, why, it in asked)


def test_an_advisor_answers_with_names_of_the_question_or_not_at_all(advisor: Advisor) -> None:
    for each in QUESTIONS:
        answer = advisor.ask(each)
        if isinstance(answer, NoAnswer):
            assert answer.reason in NoAnswerReason
            continue
        assert set(answer.goals) <= {option.name for option in each.goals}
        assert set(answer.candidates) <= {option.name for option in each.candidates}
        assert len(set(answer.goals)) == len(answer.goals)
        assert len(answer.note) <= 300
        assert answer.note.isprintable()
        assert 0 <= answer.confidence <= 1


def test_a_recording_repeats_the_answers_to_the_same_questions() -> None:
    questions = (question(1), question(1, Purpose.CHOICE), question(7))
    recorded = recorded_of(questions, GIVEN, NoAnswer(NoAnswerReason.FAULT, "broke"), GIVEN)
    read = [from_json(json.loads(json.dumps(as_json(each)))) for each in recorded]
    assert read == recorded
    again = RecordedAdvisor(read)
    assert [again.ask(each) for each in questions] == [each.answer for each in recorded]
    assert again.counts == {"given": 3}


def test_a_recording_does_not_answer_a_different_question() -> None:
    again = RecordedAdvisor(recorded_of((question(1), question(2)), GIVEN, GIVEN))
    assert isinstance(again.ask(question(1, situation="elsewhere")), NoAnswer)
    missing = again.ask(question(3))
    assert isinstance(missing, NoAnswer)
    assert missing.reason is NoAnswerReason.NOT_RECORDED
    assert again.ask(question(2)) == GIVEN
    assert again.counts == {"another": 1, "missing": 1, "given": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"situation": "elsewhere"},
        {"goals": ()},
        {"candidates": (Option("go:west", "swim"),)},
        {"picture": PNG},
        {"milestone": "badge"},
        {"purpose": Purpose.CHOICE},
        {"game_s": 1.0},
    ],
)
def test_each_field_of_a_question_changes_its_hash(change: dict[str, object]) -> None:
    changed = replace(question(), **change)  # type: ignore[arg-type]
    assert question_hash(changed) != question_hash(question())
    assert question_hash(question()) == question_hash(question())


@pytest.mark.parametrize(
    "fields", [{}, {"tick": 1, "ordinal": 0, "question": "x"}, {"tick": None}, {"silent": "maybe"}]
)
def test_reading_an_invalid_recorded_answer_raises_value_error(fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"not a recorded answer|is not a valid|int"):
        from_json(fields)


NAMES = st.lists(st.text(), max_size=3).map(tuple)


@settings(max_examples=30)
@given(
    st.builds(Advice, NAMES, NAMES, st.text(), st.floats(0, 1))
    | st.builds(NoAnswer, st.sampled_from(NoAnswerReason), st.text())
)
def test_a_recorded_answer_survives_json(answer: Advice | NoAnswer) -> None:
    answered = RecordedAnswer(3, 1, "stuck", "abc", answer)
    assert from_json(json.loads(json.dumps(as_json(answered)))) == answered


def test_most_input_is_read_from_the_cache_although_options_change() -> None:
    fixed = FixedParts((LOOK,), notes="- lost to the rival\n" * 20)
    block = "<observations>\n" + "- something happened\n" * 15 + "</observations>"
    with advising(fixed=fixed, observed=lambda: block) as bench:
        for tick in range(20):
            goals = tuple(Option(f"goal_{tick}_{at}", "worth it") for at in range(3))
            answer = bench.advisor.ask(question(tick, goals=goals))
            assert isinstance(answer, Advice)
            bench.clock.pause(60)
        counted = bench.server.counts.tokens
    report = bench.advisor.calls.cache
    assert report.hit_ratio > 0.8
    assert bench.counts["calls"] >= 20
    assert report.read == counted["cache_read"]
    assert report.uncached == counted["input"]
    assert report.written == counted["cache_write_5m"] + counted["cache_write_1h"]
    assert report.misses == {}


def test_the_rules_stay_cached_longer_than_the_conversation() -> None:
    with advising() as bench:
        bench.advisor.ask(question(1))
        written = bench.server.counts.tokens["cache_write_1h"]
        bench.clock.pause(301)
        bench.advisor.ask(question(2))
        assert bench.server.counts.tokens["cache_read"] >= written > 500


def test_a_changed_message_is_a_cache_miss_with_a_reason() -> None:
    with advising(ServiceScenario(lines=[ScriptedAnswer(json=GOOD)])) as bench:
        bench.advisor.ask(question(1))
        bench.conversation.messages[0] = bench.conversation.messages[1]
        bench.advisor.ask(question(2))
    assert bench.advisor.calls.cache.misses == {"messages_changed": 1}


def test_a_tape_has_one_growing_conversation() -> None:
    records = Records()
    observed = "<observations>\n- something\n</observations>"
    scenario = ServiceScenario(lines=[ScriptedAnswer(json=GOOD)])
    with advising(scenario, record=records, observed=lambda: observed) as bench:
        for tick in range(4):
            bench.advisor.ask(question(tick, picture=PNG))
        completer(bench.calls, "observer")("Observe.", "what was said")
    *asked, (observing, _, _) = records
    sent: list[dict[str, Any]] = []
    for number, (request, _, _) in enumerate(asked, start=1):
        messages = [{**each, "content": bare(each["content"])} for each in request["messages"]]
        assert messages[: len(sent)] == sent
        assert str(messages).count("- something") == 1  # said once, it stays in the transcript
        assert str(messages).count("'image'") == number
        sent = messages
    assert observing["messages"][0]["content"][0]["text"] == "what was said"


def test_the_token_estimator_is_calibrated_by_a_count_of_the_service() -> None:
    request = Request(MODEL, [text("Be brief. " * 400)], [])
    asked = replace(request, messages=[{"role": "user", "content": [text("west or east? " * 90)]}])
    with advising() as bench:
        counted = bench.claude.count_tokens(asked)
        estimate = calibrated(TokenEstimator(3.0), bench.claude, asked)
        assert calibrated(TokenEstimator(3.0), bench.claude, request) == TokenEstimator(3.0)
    assert abs(estimate("x" * 5_260) - counted) < abs(TokenEstimator(3.0)("x" * 5_260) - counted)


GOOD = {"goals": ["heal"], "candidates": ["go:west"], "note": "", "confidence": 0.5}


def test_an_observer_call_is_booked_in_the_same_wallet() -> None:
    line = ScriptedAnswer(system="^Observe", text="* seen")
    with advising(ServiceScenario(lines=[line])) as bench:
        assert completer(bench.calls, "observer")("Observe.", "what was said") == "* seen"
        (body,) = bench.bodies()
    assert body["messages"] == [{"role": "user", "content": [text("what was said")]}]
    assert body["output_config"] == {"effort": "low"}
    assert len(bench.wallet.settled) == 1


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (ServiceFaultKind.MAX_TOKENS, "max_tokens"),
        (ServiceFaultKind.REFUSAL, "refusal"),
        (ServiceFaultKind.SERVER_ERROR, "server: status 500"),
        (ServiceFaultKind.HUGE, "too_long: "),
    ],
)
def test_a_failed_observer_call_raises_with_the_reason(kind: ServiceFaultKind, reason: str) -> None:
    scenario = ServiceScenario(faults=[ServiceFault(kind, turns=(1, 2, 3))])
    with advising(scenario) as bench, pytest.raises(CondensingFailed, match=reason):
        completer(bench.calls, "observer")("Observe.", "what was said")


def test_an_observer_without_permission_makes_no_call() -> None:
    with advising() as bench:
        bench.wallet.model = None
        with pytest.raises(CondensingFailed, match="ceiling"):
            completer(bench.calls, "reflector")("Reflect.", "much")
        assert bench.bodies() == []
