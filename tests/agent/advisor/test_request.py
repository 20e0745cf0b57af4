"""Requests: the order of their parts, the parts from memory, and the ages of observations."""

import datetime as dt
import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from agent.advisor.answer import ANSWER_SCHEMA
from agent.advisor.model import Request
from agent.advisor.port import Purpose
from agent.advisor.prompt import (
    AgeAnnotator,
    Mode,
    build_prompt,
    fill_prompt,
    instruction,
    mode_of,
    prompt_file,
    question_text,
)
from agent.advisor.request import (
    MEMORY_TOKENS,
    NOT_RUN,
    FixedParts,
    memory_parts,
    request_of,
    result,
    text,
    turns_of,
)
from memory.conversation.format import parse
from memory.conversation.view import ConversationView
from memory.store.conversation_record import Message, MessageOrigin
from memory.tokens import tokens
from tests.agent.advisor.advising import LOOK, MODEL, PNG, advising, question
from tests.fake_service.validation import validate


def turn(
    role: str, *blocks: Mapping[str, Any], origin: MessageOrigin = MessageOrigin.PLAY
) -> Message:
    return Message("main", role, blocks, 1, 1.0, origin=origin)


def call(name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}}


VIEW = ConversationView(
    reflection="* reached left_home",
    observations="* stuck on route_1",
    current_task="find a way around the ledge",
    suggested_response="go west",
    tail=(turn("user", text(question_text(question()))),),
)
VIEW_PARTS = (VIEW.reflection, VIEW.observations, VIEW.current_task, VIEW.suggested_response, "")
FIXED = FixedParts(tools=(LOOK,), notes="- lost to the rival with level 5")


def body(request: Request) -> dict[str, Any]:
    """Return the JSON body of the request."""
    return {
        "model": request.model,
        "max_tokens": request.settings.max_tokens,
        "tools": list(request.tools),
        "system": list(request.system),
        "messages": list(request.messages),
        "output_config": {"format": {"type": "json_schema", "schema": request.output_schema}},
    }


def marks(request: Request) -> list[str]:
    """Return the lifetime of each cache mark, in the order of the cache."""
    blocks = [*request.system, *(each for turn in request.messages for each in turn["content"])]
    return [each["cache_control"]["ttl"] for each in blocks if "cache_control" in each]


def prefix(request: Request) -> str:
    """Return the request up to its last cache mark as text, without the marks."""
    blocks = [*request.tools, *request.system]
    blocks += [
        each | {"role": turn["role"]} for turn in request.messages for each in turn["content"]
    ]
    last = max(at for at, each in enumerate(blocks) if "cache_control" in each)
    bare = [
        {key: each[key] for key in each if key != "cache_control"} for each in blocks[: last + 1]
    ]
    return json.dumps(bare)[:-1]


def request(
    view: ConversationView = VIEW, fixed: FixedParts = FIXED, previous: str = ""
) -> Request:
    return request_of(fixed, view, view.tail, model=MODEL, previous=previous)


def test_a_complete_request() -> None:
    sent = body(request())
    assert sent.pop("system")[0]["text"] == prompt_file("rules")
    assert sent.pop("output_config") == {"format": {"type": "json_schema", "schema": ANSWER_SCHEMA}}
    (tool,) = sent.pop("tools")
    looking = {"name": "look", "description": LOOK.label, "input_schema": LOOK.schema}
    assert tool == looking | {"strict": True}
    messages = sent.pop("messages")
    assert {each["role"] for each in messages} == {"user"}
    *turns, (instruction,) = [each["content"] for each in messages]
    assert sent == {"model": MODEL, "max_tokens": 4_000}
    assert turns == snapshot(
        [
            [
                {
                    "type": "text",
                    "text": """\
<memory>
- lost to the rival with level 5
</memory>\
""",
                }
            ],
            [
                {
                    "type": "text",
                    "text": """\
<system-reminder id="om-continuation">
This conversation has grown long, so its older part is in my notes above. Go on naturally from the messages below: do not greet, do not sum up, and do not speak of notes or memory.
</system-reminder>\
""",
                }
            ],
        ]
    )
    assert instruction.pop("cache_control") == {"type": "ephemeral", "ttl": "5m"}
    assert instruction == text(
        """\
Why you are asked: stuck
Tick: 812
<situation>
Place: route_1 (5, 7)
What failed:
- go:viridian: a ledge (tried 812 times)
</situation>
Open goals:
- `first_badge`: beat the first gym
- `heal`: a full party
Candidates:
- `go:west`: walk around
- `talk:girl`: ask her\
"""
    )


def test_d10_the_memory_of_a_conversation_follows_the_rules() -> None:
    assert [each["text"] for each in request().system[1:]] == snapshot(
        [
            """\
<observational-memory>
What I remember of this conversation, in my own notes. Its older messages are no longer shown; I noted what matters while they were. I go on from here as from my own memory: what is marked 🔴 was shown or stated, 🟡 was asked, 🟢 is a guess or earlier advice that nobody confirmed, ✅ is done. Of two notes that contradict each other the newer one holds, and what the game shows now outweighs both.
<observations>
* reached left_home\
""",
            """\
* stuck on route_1
</observations>
<current-task>
find a way around the ledge
</current-task>
<suggested-response>
go west
</suggested-response>
</observational-memory>\
""",
        ]
    )


def test_d01_the_model_sees_observations_and_unobserved_messages() -> None:
    sent = json.dumps(body(request()), ensure_ascii=False)
    for part in (
        "reached left_home",
        "stuck on route_1",
        "Place: route_1",
        "find a way",
        "go west",
    ):
        assert sent.count(part) == 1


def test_d10_changed_memory_replaces_the_earlier_memory() -> None:
    tail = request(ConversationView(*VIEW_PARTS, tail=VIEW.tail)).messages
    assert str(tail).count("om-continuation") == 1
    later = request(ConversationView("* reached the gym", "* beat a bird", tail=VIEW.tail))
    assert "left_home" not in str(later.system)
    assert str(later.messages).count("om-continuation") == 1
    assert str(later.system).count("<observational-memory>") == 1


def test_a_change_in_other_conversations_keeps_the_cache_valid() -> None:
    before = request(ConversationView(*VIEW_PARTS[:4], "seen elsewhere", VIEW.tail))
    after = request(ConversationView(*VIEW_PARTS[:4], "heard elsewhere", VIEW.tail))
    assert marks(before) == ["1h", "1h", "5m", "5m"]
    assert before.system[:-1] == after.system[:-1] == [*request().system[:-1], before.system[-2]]


def test_the_first_message_identifies_the_run() -> None:
    first = request(fixed=replace(FIXED, run="20261122-a")).messages[0]
    assert first["content"][0] == text('<run id="20261122-a" attempt="1"/>')


def test_there_are_at_most_four_marks_and_longer_ones_come_first() -> None:
    assert marks(request()) == ["1h", "1h", "5m", "5m"]
    assert marks(request(ConversationView())) == ["1h"]
    assert marks(request(ConversationView(tail=VIEW.tail), FixedParts())) == ["1h", "5m"]
    assert marks(request(ConversationView(observations="* x", tail=VIEW.tail))) == [
        "1h",
        "5m",
        "5m",
    ]


def test_a_growing_conversation_keeps_its_beginning_byte_for_byte() -> None:
    tail, begun = list(VIEW.tail), prefix(request())
    for more in (
        turn("assistant", text("let me see"), call("a")),
        turn("user", result("a", "found", is_error=False)),
        turn("assistant", text("{}")),
        turn("user", text("Your last answer cannot be used"), origin=MessageOrigin.INJECTED),
        turn("assistant", text("{}")),
        turn("user", text("another question")),
        turn("user", text("a third, for nobody answered")),
    ):
        tail.append(more)
        if more.role == "assistant":
            continue  # no request ends with the model's turn
        grown = prefix(request(ConversationView(*VIEW_PARTS, tail=tuple(tail))))
        assert grown.startswith(begun)
        begun = grown


def test_a33_the_notes_of_the_last_session_are_in_the_first_request() -> None:
    assert "lost to the rival with level 5" in str(request(ConversationView()).messages[0])
    assert "<memory>" not in str(request(ConversationView(), FixedParts()).messages)


def test_a_call_without_a_stored_result_gets_an_error_result() -> None:
    turns = turns_of(
        [turn("user", text("where?")), turn("assistant", call("a")), turn("user", text("and now?"))]
    )
    assert turns[2]["content"] == [result("a", NOT_RUN, is_error=True), text("and now?")]


def test_a_result_whose_call_was_observed_is_dropped() -> None:
    kept = turn("user", result("a", "found", is_error=False), text("and now?"))
    assert turns_of([kept]) == [{"role": "user", "content": [text("and now?")]}]
    assert turns_of([turn("user", result("a", "found", is_error=False))]) == []


def test_a_conversation_begins_with_a_user_turn_and_has_no_blank_text() -> None:
    begun = turns_of([turn("assistant", text("west"))])
    assert [each["role"] for each in begun] == ["user", "assistant"]
    turns = turns_of([turn("user", text(" \n"), text("a")), turn("assistant", text(""))])
    assert turns == [{"role": "user", "content": [text("a")]}]


NAMES = st.sampled_from("abc")
BLOCKS = st.lists(
    st.builds(text, st.sampled_from(["west", " "]))
    | st.builds(call, NAMES)
    | st.builds(result, NAMES, st.just("found"), is_error=st.booleans()),
    max_size=3,
)


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """Draw a conversation in any order, as a crash may leave it; the ids of calls are unique."""
    messages, ids = [], 0
    for role, blocks in draw(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), BLOCKS))):
        kept = []
        for block in blocks:
            if block["type"] == "tool_use":
                ids += 1
                block = block | {"id": f"{block['id']}{ids}"}
            if (block["type"] == "tool_use") <= (role == "assistant"):
                kept.append(block)
        if role == "assistant":
            kept = [each for each in kept if each["type"] != "tool_result"]
        messages.append(turn(role, *kept))
    return messages


@given(conversations())
def test_a_request_with_any_conversation_is_valid(tail: list[Message]) -> None:
    validate(body(request(ConversationView(*VIEW_PARTS, tail=tuple(tail)))))


@given(conversations(), conversations())
def test_later_messages_do_not_change_earlier_turns(
    tail: list[Message], later: list[Message]
) -> None:
    begun = turns_of(tail)
    assert turns_of(tail + later)[: len(begun)] == begun


@pytest.mark.parametrize("purpose", Purpose)
def test_each_purpose_has_its_own_instruction(purpose: Purpose) -> None:
    others = {instruction(question(purpose=each)) for each in Purpose if each is not purpose}
    assert instruction(question(purpose=purpose)) not in others
    planned = purpose in {Purpose.MILESTONE, Purpose.ROUTINE}
    assert (mode_of(question(purpose=purpose)).value == "plan") is planned


def test_every_placeholder_of_a_prompt_is_filled() -> None:
    assert "$" not in fill_prompt("repair", problem="it is empty") + fill_prompt(
        "unanswered", reason="fault"
    )
    with pytest.raises(KeyError):
        fill_prompt("repair")


def test_the_text_of_a_question_mentions_its_picture() -> None:
    assert "sha256" in question_text(question(picture=PNG))


BLOCK = "<observations>\n## Setbacks\n- lost against RAT L9\n</observations>"


@pytest.mark.parametrize("mode", Mode)
def test_c09_c14_observations_follow_the_environment_and_leave_no_empty_block(mode: Mode) -> None:
    text = build_prompt("You are at the gym.", BLOCK, mode)
    assert f"You are at the gym.\n\n{BLOCK}\n\n" in text
    assert text.count("<observations>") == 1
    for nothing in (None, ""):
        text = build_prompt("You are at the gym.", nothing, mode)
        assert "observations>" not in text
        assert "\n\n\n" not in text
        assert "You are at the gym.\n\nTrust" in text


def test_c14_the_two_modes_ask_for_different_things() -> None:
    act, plan = (build_prompt("here", BLOCK, mode) for mode in Mode)
    assert act != plan
    assert "what it should do now" in act
    assert "nothing is done yet" in plan


def test_c14_placeholders_in_observations_are_not_filled() -> None:
    text = build_prompt("costs $5", "$context ${environment}", Mode.ACT)
    assert "costs $5\n\n$context ${environment}" in text


def test_c18_the_size_of_the_block_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="agent.advisor.prompt")
    build_prompt("here", "x" * 41, Mode.PLAN)
    build_prompt("here", None, Mode.PLAN)
    assert [record.getMessage() for record in caplog.records] == [
        "the block of observations has 41 characters, 11 tokens",
        "the block of observations has 0 characters, 0 tokens",
    ]
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}


SHARE_BLOCK = "<observations>\n- a door opened\n</observations>"
NOTES = "lost to the rival"


def test_rules_and_questions_do_not_count_as_memory() -> None:
    system = [{"type": "text", "text": "rules"}]
    sent = [{"role": "user", "content": [{"type": "text", "text": "<situation>here</situation>"}]}]
    assert list(memory_parts(Request("claude", system, sent))) == []


def test_system_text_after_the_rules_and_tagged_texts_count_as_memory() -> None:
    system = [{"type": "text", "text": each} for each in ("rules", "observed", "reflected")]
    reminder = '<system-reminder id="on">go on</system-reminder>'
    blocks = [
        {"type": "text", "text": f"{reminder}Now.\n{SHARE_BLOCK}\nWhat next?"},
        {"type": "tool_result", "tool_use_id": "1", "content": SHARE_BLOCK},
    ]
    request = Request("claude", system, [{"role": "user", "content": blocks}])
    assert list(memory_parts(request)) == ["observed", "reflected", reminder, SHARE_BLOCK]


def test_an_advisor_counts_the_memory_tokens_of_its_prompts() -> None:
    with advising(fixed=FixedParts(notes=NOTES), observed=lambda: SHARE_BLOCK) as bench:
        bench.advisor.ask(question())
        bench.advisor.ask(question(tick=900))
    noted = tokens(f"<memory>\n{NOTES}\n</memory>")
    # The second request still holds the observations of the first, and does not repeat them.
    assert bench.counts[MEMORY_TOKENS] == 2 * noted + 2 * tokens(SHARE_BLOCK)


OBSERVED = "Date: 2026-11-20\n* 🔴 (14:30) milestone reached: left_home"


def test_d11_observations_have_their_age_and_keep_it_until_they_change() -> None:
    days = iter(dt.date(2026, 11, 22) + dt.timedelta(days=each) for each in range(9))
    ages, view = AgeAnnotator(lambda: next(days)), ConversationView(observations=OBSERVED)
    first = ages.annotate(view, question(tick=100)).observations
    assert "2 days ago" in first
    # A day and 800 ticks later:
    assert ages.annotate(view, question(tick=900)).observations == first
    grown = view._replace(observations=f"{OBSERVED}\n* 🟡 (15:00) asked what comes next")
    second = ages.annotate(grown, question(tick=950)).observations
    assert "4 days ago" in second
    assert "950" in second
    assert parse(second) == parse(grown.observations)


def test_d11_without_a_date_observations_show_game_time() -> None:
    text = (
        AgeAnnotator()
        .annotate(ConversationView(reflection=OBSERVED), question(tick=100))
        .reflection
    )
    assert "tick 100" in text
    assert "ago" not in text
    empty = AgeAnnotator().annotate(ConversationView(), question())
    assert (empty.reflection, empty.observations) == ("", "")
