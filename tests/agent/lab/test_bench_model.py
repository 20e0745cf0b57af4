"""bench model plays, asks and books against the loopback server, and leaves a picture and one JSON object."""

import json
import os
from dataclasses import dataclass
from typing import Any

import pytest

from agent.advisor.model import Reply, Request, Usage
from agent.fake_claude.answers import tokens_of_text
from agent.lab.bench.limits import FigureBound, Lapses
from agent.lab.bench.model import ModelEffort, measure_model
from agent.lab.bench.model_games import (
    BLOCK,
    NOTES,
    OBSERVED,
    RULES,
    STATE,
    TAIL,
    CallTokens,
    ConversationTokens,
    call_tokens,
    loopback,
)
from agent.lab.bench.stopwatch import heard
from agent.lab.publish import Findings, as_json
from emulator import demo_cartridge_path, load_cartridge

CARTRIDGE = load_cartridge(demo_cartridge_path())
EFFORT = ModelEffort(ticks=320, questions=8, tape=6, turns=100, calls=5, rounds=10)
TALKS = ["a game", "a game, distilled", "long", "long, distilled"]


@dataclass(frozen=True)
class Left:
    """What the measurement found, and its object and picture."""

    found: Findings
    told: dict[str, Any]
    picture: bytes


@pytest.fixture(scope="module")
def left() -> Left:
    found = measure_model(CARTRIDGE, lambda _: None, EFFORT)
    assert found.draw is not None
    return Left(found, json.loads(as_json(found.figures)), found.draw())


def test_every_figure_with_a_limit_is_there(left: Left) -> None:
    limits = {
        each["bound"]["what"].partition(":")[0]: each["bound"]["limit"]
        for each in left.told["figures"]
    }
    assert limits["recorder, a node"] == 1
    assert limits["reader and observer of tapes, a turn"] == 2
    assert limits["observer of a conversation without a model, a turn"] == 2
    assert limits["before a call that activates what waits, without a model"] == 5
    assert limits["before a call with nothing due, and its request laid out"] == 5
    assert limits["block of what was observed"] == 5
    assert {"hash v1, a node", "mask of the key, a KB"} <= set(limits)
    assert {"a call booked and settled for good, behind many others"} <= set(limits)
    assert {"a question, tools and service apart"} <= set(limits)
    assert all(each["values"]["high"] > 0 for each in left.told["figures"])


def test_the_tables_have_every_figure_and_every_talk(left: Left) -> None:
    figures, talks = left.found.tables
    assert [row["what"] for row in figures] == [
        each["bound"]["what"] for each in left.told["figures"]
    ]
    assert [(row["talk"], row["questions"], row["calls"]) for row in talks] == [
        (each["name"], each["questions"], each["calls"]) for each in left.told["talks"]
    ]
    assert left.picture.startswith(b"\x89PNG")


def test_tokens_are_told_by_kind_and_by_what_they_are_for(left: Left) -> None:
    assert [each["name"] for each in left.told["talks"]] == TALKS
    for each in left.told["talks"]:
        assert each["tokens"]["cache_read"] > each["tokens"]["output"] > 0
        assert each["parts"][RULES] > 0
        assert 0 < each["memory_share"] < 1
        assert abs(each["memory_share"] - each["said"]["memory_share"]) < 0.05


def test_a_session_tells_what_memory_put_into_its_prompts(left: Left) -> None:
    game = left.told["talks"][0]["said"]
    assert game["counts"]["memory tokens"] > 0
    assert game["memory_share"] > 0


def test_as_many_questions_are_asked_as_were_wanted(left: Left) -> None:
    long = left.told["talks"][2]
    assert long["questions"] == EFFORT.questions
    assert long["said"]["counts"]["answers"] == EFFORT.questions
    assert long["calls"] >= EFFORT.questions


def test_the_parts_of_a_request_are_told_apart() -> None:
    block, notes = "<observations>\n- seen\n</observations>", "<memory>\nwon\n</memory>"
    said = {"role": "user", "content": [{"type": "text", "text": "where?"}]}
    now = {"role": "user", "content": [{"type": "text", "text": f"It is now.\n{block}\nAnswer."}]}
    system = [{"type": "text", "text": each} for each in ("rules", notes, "older things")]
    request = Request("claude", system, [said, now], 100)
    reply = Reply("id", "claude", (), "end_turn", Usage(input=100, output=10))
    call = call_tokens(request, "stuck", reply)
    assert set(call.parts) == {RULES, NOTES, OBSERVED, BLOCK, STATE, TAIL}
    assert call.parts[BLOCK] == tokens_of_text(block)
    assert call.memory == sum(map(tokens_of_text, (block, notes, "older things")))
    assert call.total == 110


def test_all_of_an_observers_call_belongs_to_memory() -> None:
    reply = Reply("id", "claude", (), "end_turn", Usage(input=100, output=10, cache_read=5))
    call = call_tokens(Request("claude", (), (), 100), "observer", reply)
    assert call.memory == call.total == 115


def test_a_share_is_of_all_tokens() -> None:
    calls = [
        CallTokens("stuck", {"input": 60, "output": 20}, {}, 20),
        CallTokens("observer", {"input": 20}, {}, 20),
    ]
    assert ConversationTokens("both", 1, calls, {}).memory_share == 0.4
    assert ConversationTokens("none", 0, [], {}).memory_share == 0


def test_nobody_elses_key_is_used_and_the_environment_comes_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "somebody's")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "too")
    with loopback() as server:
        assert os.environ["ANTHROPIC_BASE_URL"] == server.url
        assert os.environ["ANTHROPIC_API_KEY"] != "somebody's"
        assert "ANTHROPIC_AUTH_TOKEN" not in os.environ
    assert os.environ["ANTHROPIC_API_KEY"] == "somebody's"
    assert os.environ["ANTHROPIC_AUTH_TOKEN"] == "too"
    assert "ANTHROPIC_BASE_URL" not in os.environ


def test_calls_are_heard_only_meanwhile() -> None:
    before = Lapses.note
    with heard("agent.lab.bench.limits:Lapses.of") as calls:
        came = Lapses().of(FigureBound("adding", None, None), lambda: 1 + 1)
    assert (came, len(calls), calls[0].result) == (2, 1, 2)
    Lapses().of(FigureBound("adding", None, None), lambda: 1)
    assert len(calls) == 1
    assert Lapses.note is before


def test_what_is_done_is_told_of_the_processor_and_of_the_wall() -> None:
    took = Lapses()
    took.of(FigureBound("adding", 5.0, 1.0), lambda: sum(range(1_000)))
    told = [(each.bound.what, each.bound.limit) for each in took.figures()]
    assert told == [
        ("adding: of the processor", 5.0),
        ("adding: of the wall, with the disk", 5.0),
    ]
