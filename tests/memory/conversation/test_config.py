"""Part D, the settings: `true`, or the names of the design."""

import pytest

from memory.conversation.config import ConversationConfig, parse_config
from memory.errors import MalformedRecord
from memory.store.conversation_record import ConversationScope

SAMPLE = {
    "scope": "resource",
    "model": "google/gemini-2.5-flash",
    "observation": {
        "messageTokens": 20_000,
        "bufferTokens": 0.25,
        "bufferActivation": 0.75,
        "blockAfter": 1.5,
    },
    "reflection": {"observationTokens": 90_000, "bufferActivation": 0.4, "blockAfter": 1.5},
}


def test_d20_d25_true_gives_the_defaults_and_false_turns_off() -> None:
    defaults = ConversationConfig()
    assert parse_config(True) == defaults
    assert parse_config({"storage": None, "options": {"observationalMemory": True}}) == defaults
    assert parse_config(False) is None
    config = parse_config({"observation": {"bufferTokens": False}})
    assert config is not None
    assert config.observation.buffer_step == 0


def test_d02_d20_the_defaults_are_those_of_the_design() -> None:
    config = ConversationConfig()
    observation, reflection = config.observation, config.reflection
    assert (observation.message_tokens, reflection.observation_tokens) == (30_000, 40_000)
    sizes = observation.buffer_step, observation.floor, observation.blocking
    assert sizes == (6_000, 6_000, 36_000)
    assert (reflection.buffering, reflection.blocking) == (20_000, 48_000)
    assert (observation.temperature, reflection.temperature) == (0.3, 0.0)
    assert config.scope is ConversationScope.THREAD


@pytest.mark.parametrize("wrapped", [False, True])
def test_d02_d25_the_full_sample_parses_unchanged(*, wrapped: bool) -> None:
    sample = {"memory": {"options": {"observationalMemory": SAMPLE}}} if wrapped else SAMPLE
    config = parse_config(sample)
    assert config is not None
    observation, reflection = config.observation, config.reflection
    assert (config.scope, config.model) == (ConversationScope.RESOURCE, "google/gemini-2.5-flash")
    assert (observation.message_tokens, observation.buffer_step) == (20_000, 5_000)
    assert (observation.floor, observation.blocking) == (5_000, 30_000)
    assert (reflection.observation_tokens, reflection.buffering) == (90_000, 36_000)
    assert reflection.blocking == 135_000
    assert config.hard_limit > observation.blocking + reflection.blocking


def test_d25_names_may_be_camel_or_snake_case() -> None:
    snake = "share_token_budget", "message_tokens", "model_settings"
    camel = "shareTokenBudget", "messageTokens", "modelSettings"
    one, other = (
        parse_config({share: True, "observation": {size: 10, model: {"temperature": 0.1}}})
        for share, size, model in (snake, camel)
    )
    assert one == other != parse_config(True)


@pytest.mark.parametrize(
    "wrong",
    [
        "yes",
        {"scope": "planet"},
        {"tokensOfMessages": 5},
        {"observation": {"messageTokens": "many"}},
        {"observation": {"messageTokens": 0}},
        {"observation": {"messageTokens": -1}},
        {"observation": {"bufferActivation": 1.5}},
        {"observation": {"blockAfter": 0.5}},
        {"observation": {"bufferTokens": 40_000}},
        {"observation": True},
        {"scope": True},
    ],
)
def test_d25_invalid_settings_are_rejected_in_one_line(wrong: object) -> None:
    with pytest.raises(MalformedRecord) as refusal:
        parse_config(wrong)
    assert "\n" not in str(refusal.value)
