"""The conversation with a model as whoever asks sees it: it keeps what is said, and says what is to be sent again."""

from collections.abc import Sequence
from typing import Protocol

from memory.thread.message import Block, Message, Origin


class Sight(Protocol):
    """What of a conversation a call shows: what became of its older part, and its newest messages as they are."""

    @property
    def reflection(self) -> str:
        """What was reflected upon; it changes seldom."""
        ...

    @property
    def observations(self) -> str:
        """What was observed since; it grows at its end."""
        ...

    @property
    def current_task(self) -> str:
        """What the conversation is about, as it was last observed."""
        ...

    @property
    def suggested_response(self) -> str:
        """What was to be said next, as it was last observed."""
        ...

    @property
    def others(self) -> str:
        """What other conversations hold that nobody observed yet."""
        ...

    @property
    def tail(self) -> Sequence[Message]:
        """The messages that nobody observed yet, in their order."""
        ...


class Talk(Protocol):
    """A conversation that never runs out."""

    def say(
        self, role: str, blocks: Sequence[Block], origin: Origin, tick: int, game_s: float
    ) -> Message:
        """Keep one message, and return it as it was kept."""
        ...

    def before_call(self, step: int) -> Sight:
        """Return what the next call of a turn shows; `step` counts the calls of the turn from 0."""
        ...

    def after_turn(self) -> None:
        """Take note that a question is over, answered or not."""
        ...
