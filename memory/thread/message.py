"""One message of a conversation, as it is kept and as it is sent again."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

Block: TypeAlias = "Mapping[str, Any]"  # a content block in the shape of the Messages API


class Origin(Enum):
    """Who a message is from in truth, whatever its role; only what was really said is observed."""

    PLAY = "play"  # a question of the agent, or the result of a tool
    MODEL = "model"
    INJECTED = "injected"  # memory that was put in, reminders, instructions: never observed


@dataclass(frozen=True, slots=True)
class Message:
    """One message; `seq` grows over all threads of a store, and is 0 until the message is kept.

    `blocks` are text, tool_use and tool_result blocks; a picture is kept as a text block that refers to it.
    `tokens` is the estimate for all blocks. `created_ms` is metadata: nothing in play depends on it.
    """

    thread: str
    role: str
    blocks: tuple[Block, ...]
    tick: int
    game_s: float
    tokens: int = 0
    origin: Origin = Origin.PLAY
    created_ms: int = 0
    seq: int = 0
