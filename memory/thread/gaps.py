"""Where time went by between two messages, said in a line between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from memory.thread.message import Message

SHORTEST_GAP_S: Final = 600
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def gap_between(earlier: Message, later: Message) -> str:
    """Return the line that stands between two messages: '' where less than ten minutes went by, of play or by the clock.

    Where nobody noted the time of day, play alone counts.
    """
    told = []
    if (played := later.game_s - earlier.game_s) >= SHORTEST_GAP_S:
        told.append(f"{_span(played)} of play")
    passed = (later.created_ms - earlier.created_ms) / 1_000
    if earlier.created_ms > 0 and passed >= SHORTEST_GAP_S:
        told.append(_span(passed))
    return f"[{', '.join(told)} later]" if told else ""


def _span(seconds: float) -> str:
    unit, length = next(each for each in _UNITS if seconds >= each[1])
    number = int(seconds // length)
    return f"{number} {unit}{'' if number == 1 else 's'}"
