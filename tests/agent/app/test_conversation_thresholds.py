"""The thresholds of a conversation: those of the design, unless the model has no room for them."""

import pytest

from agent.app.model import SHARE, fitting
from memory.conversation.config import ConversationConfig


@pytest.mark.parametrize("room", [None, 1_000_000, 200_000])
def test_a_model_with_room_enough_gets_the_thresholds_of_the_design(room: int | None) -> None:
    assert fitting(ConversationConfig(), room) == ConversationConfig()


@pytest.mark.parametrize("room", [1_000, 8_000, 32_000, 100_000])
def test_a_small_model_gets_thresholds_that_it_can_take(room: int) -> None:
    config = fitting(ConversationConfig(), room)
    assert config.hard_limit <= room * SHARE + 2
    assert config.hard_limit > room * SHARE * 0.95
    assert config.observation.message_tokens < config.reflection.observation_tokens
