"""Scenarios as data: what is answered to whom, in which order, and what a file may say."""

import json
from pathlib import Path
from typing import Any, Final

import anthropic
import pytest

from agent.errors import UsageError
from tests.agent.claude_support import (
    FORMAT,
    LOOK,
    QUESTION,
    SCHEMA,
    answered,
    client_of,
    request,
    served,
)
from tests.agent.schema_check import fits
from tests.fake_service import (
    FakeClaude,
    ParsedRequest,
    ServiceFaultKind,
    scenario_named,
    scenario_of,
    shipped,
)

SCRIPT: Final = """
about = "Two answers in turn, then one for whoever is stuck."

[[answer]]
times = 1
text = "first of $turn"

[[answer]]
turns = [2]
text = "second: $question"

[[answer]]
purpose = "stuck|no_plan"
json = { goals = ["$goal"], note = "try $candidate", confidence = 0.5 }

[[answer]]
system = "(?i)brief"
text = "brief"
stop = "stop_sequence"

[[answer]]
user = "b[aeiou]d"
text = "no"
"""


def text_of(reply: anthropic.types.Message) -> str:
    return "".join(block.text for block in reply.content if block.type == "text")


def test_answers_are_given_in_turn_and_to_whom_they_are_meant_for() -> None:
    with served(SCRIPT) as (_, client):

        def ask(words: str, **more: object) -> str:
            return text_of(client.messages.create(**request(words, **more)))

        assert ask("a") == "first of 1"
        assert ask("why?") == "second: why?"
        assert json.loads(ask(QUESTION, output_config=FORMAT)) == {
            "goals": ["first_badge"],
            "note": "try go:lab",
            "confidence": 0.5,
        }
        assert ask("a", system="Be BRIEF.") == "brief"
        assert ask("a bad one") == "no"
        assert ask("a good one").startswith("[fake-claude")


CALLS: Final = """
[[answer]]
calls = [
    { name = "look", input = { place = "$goal" } },
    { name = "look", input = { place = "home" } },
    { name = "$tool", round = 2 },
]
json = { goals = ["healed"], note = "", confidence = 1.0 }
"""


def test_tools_are_called_round_by_round_and_then_comes_the_answer() -> None:
    asked: dict[str, Any] = request(QUESTION, tools=[LOOK], output_config=FORMAT)
    with served(CALLS) as (_, client):
        first = client.messages.create(**asked)
        inputs = [block.input for block in first.content if block.type == "tool_use"]
        assert inputs == [{"place": "first_badge"}, {"place": "home"}]
        asked["messages"] = answered(asked["messages"], first, "a gym", "a bed")
        # What is true now may stand behind the results; the question is still the same.
        asked["messages"][-1]["content"].append({"type": "text", "text": "It is night."})
        second = client.messages.create(**asked)
        call = second.content[0]
        assert call.type == "tool_use"
        assert fits(call.input, LOOK["input_schema"])
        asked["messages"] = answered(asked["messages"], second, "dark")
        last = client.messages.create(**asked)
    assert json.loads(text_of(last))["goals"] == ["healed"]
    assert last.stop_reason == "end_turn"


def test_an_enum_of_the_schema_is_what_is_offered() -> None:
    goals = {"type": "array", "items": {"enum": ["oak", "brock"]}}
    parts = {"properties": {"goals": goals}, "required": ["goals"]}
    asked = {"format": {"type": "json_schema", "schema": SCHEMA | parts}}
    with served('[[answer]]\njson = { goals = ["$goal"] }') as (_, client):
        reply = client.messages.create(**request(QUESTION, output_config=asked))
    assert json.loads(text_of(reply)) == {"goals": ["oak"]}


WRONG: Final = {
    "fault = 3": "the file cannot have fault = 3",
    "fault = [3]": "[[fault]] is a table of its own",
    '[[answer]]\ncalls = [{ name = "look", round = "2" }]': "a call cannot have round = '2'",
    "goals = 3": "the file does not know 'goals'; it knows",
    '[[answer]]\nanswer = "x"': "[[answer]] does not know 'answer'; it knows",
    '[[answer]]\nkind = "shout"': "shout",
    '[[answer]]\nuser = "("': "missing",
    '[[fault]]\nkind = "flu"': "flu",
    "[[fault]]\nturns = [1]": "kind = '' is none of rate_limit",
    'kinds = ["flu"]': "flu",
    "faults = 2.0": "say a number from 0 to 1",
    "= 3": "line 1",
}


@pytest.mark.parametrize("text", WRONG)
def test_a_wrong_scenario_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(UsageError, match=r"^scenario mine\.toml: ") as raised:
        scenario_of("mine.toml", text)
    assert WRONG[text] in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_scenario_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(UsageError, match="sensible"):
        scenario_named("nonsense")


def test_a_folder_is_all_of_its_files_in_order(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text('faults = 0.5\nkinds = ["empty"]\n[[answer]]\ntext = "b"')
    (tmp_path / "a.toml").write_text('[[answer]]\ntext = "a"\ntimes = 1')
    scenario = scenario_named(str(tmp_path))
    assert [line.text for line in scenario.lines] == ["a", "b"]
    assert scenario.spread.share == 0.5
    assert scenario.spread.kinds == (ServiceFaultKind.EMPTY,)
    assert scenario_named(str(tmp_path / "b.toml")).lines == scenario.lines[1:]


@pytest.mark.parametrize("name", shipped())
def test_every_scenario_that_ships_can_be_played(name: str) -> None:
    scenario = scenario_named(name)
    assert scenario.about
    with FakeClaude(scenario) as server, client_of(server, timeout=0.2) as client:
        for _ in range(2):
            try:
                client.messages.create(**request(QUESTION, tools=[LOOK]))
            except (anthropic.APIError, ValueError):
                continue
    assert server.requests


def test_an_outage_begins_with_the_third_request() -> None:
    with FakeClaude(scenario_named("outage")) as server, client_of(server) as client:
        client.messages.create(**request())
        client.messages.create(**request())
        with pytest.raises(anthropic.OverloadedError):
            client.messages.create(**request())


def test_what_a_question_offers_stands_after_words_about_the_answer() -> None:
    repair = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "I do not know."},
        {"role": "user", "content": "That is no JSON."},
    ]
    script = '[[answer]]\npurpose = "stuck"\nuser = "no JSON"\ntext = "$goal, then $candidate"'
    with served(script) as (_, client):
        reply = client.messages.create(**request() | {"messages": repair})
    assert text_of(reply) == "first_badge, then go:lab"


def test_after_an_answer_was_sent_back_the_question_is_still_known() -> None:
    said = [
        {"role": "user", "content": QUESTION.replace("stuck", "routine")},
        {"role": "assistant", "content": "Go on."},
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": "I would go west."},
        {"role": "user", "content": "That is no JSON object. Answer again."},
    ]
    ask = ParsedRequest({**request(), "messages": said, "output_config": FORMAT})
    assert ask.purpose == "stuck"
    assert ask.rounds == 0
    assert ask.user.count("go:lab") == 1
    assert ask.user.endswith("Answer again.")
