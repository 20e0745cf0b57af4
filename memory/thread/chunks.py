"""What was observed of a run of messages, what was reflected of all of it, and how far activating goes.

Pure: knows no file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_LEFT: Final = 1_000  # tokens of messages that stay if they can, where the floor is higher
OVERSHOOT: Final = 0.95  # of the floor: by how much more than wanted may go


@dataclass(frozen=True, slots=True)
class Chunk:
    """What was observed of the messages `from_seq` to `to_seq`, which have `message_tokens`; `text` has `tokens`.

    It waits until it is activated, and then stands in for them.
    """

    from_seq: int
    to_seq: int
    text: str
    tokens: int
    message_tokens: int
    source: str
    current_task: str = ""
    suggested_response: str = ""
    created_ms: int = 0
    id: int = 0
    count: int = (
        0  # of messages; known when it is made, to find out whether all of them are still there
    )


@dataclass(frozen=True, slots=True)
class Reflection:
    """What takes the place of all observations of messages up to `upto_seq`; generation 0 is that of no reflection."""

    generation: int
    upto_seq: int
    text: str
    tokens: int
    source: str
    current_task: str = ""
    suggested_response: str = ""
    created_ms: int = 0
    id: int = 0


class Edge(NamedTuple):
    """A place between two messages: the number of the one before it, and all tokens up to there."""

    seq: int
    tokens: int


def boundary(edges: Sequence[Edge], total: int, floor: int) -> Edge | None:
    """Return the edge up to which messages go, so that about `floor` of their `total` tokens stay; None without edges.

    It is the nearest that lets enough go, unless that takes far too much or leaves next to nothing; then the
    last before. `edges` are in their order.
    """
    target = total - floor
    over = next((each for each in edges if each.tokens >= target), None)
    under = next((each for each in reversed(edges) if each.tokens < target), None)
    if over is None or under is None:
        return over or under
    least = min(LEAST_LEFT, floor)
    is_too_much = over.tokens - target > OVERSHOOT * floor or total - over.tokens < least
    return under if is_too_much else over
