"""What a model is told: where the observations stand, in both modes, and that they are of this moment."""

import logging

import pytest

from agent.advisor.prompt import Mode, PromptContext, build_prompt, prompt_now

BLOCK = "<observations>\n## Setbacks\n- lost against RAT L9\n</observations>"


@pytest.mark.parametrize("mode", Mode)
def test_c14_observations_stand_behind_the_environment(mode: Mode) -> None:
    text = build_prompt(PromptContext("You are at the gym.", BLOCK), mode)
    assert f"You are at the gym.\n\n{BLOCK}\n\n" in text
    assert text.count("<observations>") == 1


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("nothing", [None, ""])
def test_c09_c14_without_observations_no_line_is_left_for_them(
    mode: Mode, nothing: str | None
) -> None:
    text = build_prompt(PromptContext("You are at the gym.", nothing), mode)
    assert "observations>" not in text
    assert "\n\n\n" not in text
    assert "You are at the gym.\n\nTrust" in text
    assert text == build_prompt(PromptContext("You are at the gym."), mode)


def test_c14_the_two_modes_ask_for_different_things() -> None:
    act, plan = (build_prompt(PromptContext("here", BLOCK), mode) for mode in Mode)
    assert act != plan
    assert "what it should do now" in act
    assert "nothing is done yet" in plan


def test_c14_what_was_observed_is_not_filled_in() -> None:
    text = build_prompt(PromptContext("costs $5", "$context ${environment}"), Mode.ACT)
    assert "costs $5\n\n$context ${environment}" in text


def test_c17_each_prompt_is_of_its_own_moment() -> None:
    moments, blocks = iter(["first", "second"]), iter([None, BLOCK])
    texts = [prompt_now(lambda: next(moments), lambda: next(blocks), Mode.ACT) for _ in range(2)]
    assert "first" in texts[0]
    assert BLOCK not in texts[0]
    assert f"second\n\n{BLOCK}" in texts[1]


def test_c18_the_size_of_the_block_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="agent.advisor.prompt")
    prompt_now(lambda: "here", lambda: "x" * 41, Mode.PLAN)
    prompt_now(lambda: "here", lambda: None, Mode.PLAN)
    assert [record.getMessage() for record in caplog.records] == [
        "the block of observations has 41 characters, 11 tokens",
        "the block of observations has 0 characters, 0 tokens",
    ]
    assert {record.levelno for record in caplog.records} == {logging.DEBUG}
