"""How long ago it was, as a model is told: worked out when memory changes, and then kept to the byte until it does again.

An age that moved with every call would void all that the service has cached behind it.
"""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.advisor.port import Question
from agent.advisor.talk import Sight
from memory.thread.message import Message
from memory.thread.temporal import Now, annotated


@dataclass(frozen=True, slots=True)
class Dated:
    """A sight whose observations say how old they are, as of when they became what they are."""

    reflection: str
    observations: str
    current_task: str
    suggested_response: str
    others: str
    tail: Sequence[Message]


class Dating:
    """Tells the age of what is observed. `today` is metadata: nothing in play depends on it."""

    def __init__(self, today: Callable[[], dt.date] | None = None) -> None:
        self._today = today
        self._told: dict[str, str] = {}  # by what was observed, as it was told first

    def dated(self, sight: Sight, question: Question) -> Dated:
        """Return `sight` with ages: those of the question at which its observations were new."""
        date = self._today() if self._today is not None else None
        now = Now(date, question.game_s, question.tick)
        texts = (sight.reflection, sight.observations)
        self._told = {
            each: self._told[each] if each in self._told else annotated(each, now) for each in texts
        }
        return Dated(
            self._told[sight.reflection],
            self._told[sight.observations],
            sight.current_task,
            sight.suggested_response,
            sight.others,
            sight.tail,
        )
