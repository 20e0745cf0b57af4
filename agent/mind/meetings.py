"""What of encounters is remembered: people, shelves and barred ways, each once, as the cartridge showed it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from agent.capabilities import Hearing, Story
from agent.mind.remembering import AGENT, game_seconds
from emulator import State
from memory import (
    BARRED,
    HEARD,
    SHELF,
    Call,
    PersonHeard,
    Produced,
    Producers,
    ShelfSeen,
    WayBarred,
    as_json,
    scope_name,
)

IMPORTANCE = 6


@dataclass(frozen=True, slots=True)
class MeetingProducers:
    """The extractors of encounters; `tick` is that of the run at this moment."""

    story: Story
    tick: Callable[[], int]

    def register(self, producers: Producers) -> None:
        """Watch encounters, which go to short-term memory."""
        scope = scope_name(AGENT, "stm")
        producers.register("Encounters.heard", self.heard, scope=scope, kind=HEARD)
        producers.register("Encounters.looked", self.looked, scope=scope, kind=SHELF)
        producers.register("Encounters.barred", self.barred, scope=scope, kind=BARRED)
        producers.register("Encounters.passed", self.passed, scope=scope, kind=BARRED)

    def heard(self, call: Call, hearing: Hearing) -> Produced:
        """Somebody who was talked to, and what came of it."""
        state: State = call.args[0]
        here = state.map.map_id
        place = self.story.called(here)
        return self._produced(
            PersonHeard(place, here, hearing.slot, hearing.words, hearing.came), state
        )

    def looked(self, call: Call, wares: tuple[int, ...]) -> Produced:
        """What somebody has for sale."""
        state, slot = call.args[:2]
        here = state.map.map_id
        return self._produced(ShelfSeen(self.story.called(here), here, slot, wares), state)

    def barred(self, call: Call, square: tuple[int, int, int]) -> Produced:
        """A square that a walk could not step on."""
        began, _, towards = call.args
        return self._way(began, square, towards, passed=False)

    def passed(self, call: Call, square: tuple[int, int, int]) -> Produced:
        """A square that barred the way, and does no more."""
        return self._way(call.args[0], square, "", passed=True)

    def _way(
        self, state: State, square: tuple[int, int, int], towards: str, *, passed: bool
    ) -> Produced:
        place = self.story.called(square[0])
        return self._produced(WayBarred(place, towards, *square, passed), state)

    def _produced(self, record: Any, state: State) -> Produced:  # noqa: ANN401  # an encounter
        return Produced(as_json(record), self.tick(), game_seconds(state), importance=IMPORTANCE)
