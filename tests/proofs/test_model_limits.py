"""Questions to a model, beside the service itself, stay within their limits of time."""

import os
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from agent.advisor.model import Reply, Request, Usage
from agent.fake_claude.answers import tokens_of_text
from agent.lab.bench.stopwatch import ObservedCall
from tests.proofs.conftest import Sized
from tests.proofs.model_limits import ASKED, COMPLETED, model_job, talk_of
from tests.proofs.played import asking
from tests.proofs.workers import Row

QUESTIONS = 20


@pytest.fixture(scope="module")
def found() -> Row:
    return dict(model_job(QUESTIONS, 0, ticks=180, observations=500)["measured"])


def test_every_figure_with_a_limit_is_measured(found: Row) -> None:
    bounds = {each["what"].partition(":")[0]: each["limit"] for each in found["figures"]}
    assert bounds["recorder, a node"] == 1
    assert bounds["reader and observer of tapes, a turn"] == 2
    assert bounds["observer of a conversation without a model, a turn"] == 2
    assert bounds["before a call with nothing due"] == bounds["a request laid out"] == 5
    assert bounds["block of what was observed"] == 5
    assert "a question, tools and service apart" in bounds
    assert all(each["values"]["high"] > 0 for each in found["figures"])


def test_a_session_counts_the_memory_tokens_in_its_prompts(found: Row) -> None:
    game = found["talks"][0]["said"]
    assert game["counts"]["memory tokens"] > 0
    assert game["memory_share"] > 0


def test_the_requested_number_of_questions_is_asked(found: Row) -> None:
    long = found["talks"][1]
    assert long["questions"] == QUESTIONS
    assert long["said"]["counts"]["answers"] == QUESTIONS
    assert long["calls"] >= QUESTIONS


def completed(purpose: str, system: Sequence[Any], messages: Sequence[Any]) -> ObservedCall:
    reply = Reply("id", "claude", (), "end_turn", Usage(input=100, output=10, cache_read=5))
    request = Request("claude", system, messages)
    return ObservedCall((None, request, purpose), {}, reply, 0.0, 0.0, 0.0)


def test_memory_text_in_a_request_counts_as_memory() -> None:
    block, notes = "<observations>\n- seen\n</observations>", "<memory>\nwon\n</memory>"
    said = {"role": "user", "content": [{"type": "text", "text": "where?"}]}
    now = {"role": "user", "content": [{"type": "text", "text": f"It is now.\n{block}\nAnswer."}]}
    system = [{"type": "text", "text": each} for each in ("rules", notes, "older things")]
    talk = talk_of("one", {ASKED: [], COMPLETED: [completed("stuck", system, [said, now])]}, {})
    own = sum(map(tokens_of_text, (block, notes, "older things")))
    assert talk["memory_share"] == own / 115
    assert (talk["calls"], talk["tokens"].total()) == (1, 115)


def test_observer_calls_count_as_memory_and_the_share_is_of_all_tokens() -> None:
    calls = [completed(purpose, (), ()) for purpose in ("observer", "stuck")]
    unanswered = calls[0]._replace(result=None)
    talk = talk_of("both", {ASKED: [], COMPLETED: [*calls, unanswered]}, {})
    assert (talk["memory_share"], talk["calls"]) == (0.5, 2)


def test_a_stand_in_service_hides_real_keys_and_restores_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "real key")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "too")
    with asking("http://there"):
        assert os.environ["ANTHROPIC_BASE_URL"] == "http://there"
        assert os.environ["ANTHROPIC_API_KEY"] != "real key"
        assert "ANTHROPIC_AUTH_TOKEN" not in os.environ
    assert os.environ["ANTHROPIC_API_KEY"] == "real key"
    assert os.environ["ANTHROPIC_AUTH_TOKEN"] == "too"
    assert "ANTHROPIC_BASE_URL" not in os.environ


@pytest.mark.proof
def test_questions_stay_within_their_limits(proof: Sized) -> None:
    model = proof("model", 60)
    rows = model.rows(partial(model_job, model.size), jobs=1, part=f"size-{model.size}")
    model.judge(rows, rows[0].pop("measured"))
