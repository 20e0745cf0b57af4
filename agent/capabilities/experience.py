"""What earlier failures and battles say, for whoever weighs what to do. It only reads, and it can be done without."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final

from agent.capabilities.ways import Verdict, best_of
from memory import WAYPOINT, BlackboardEvent, Json, MistakeRecord, Recall, SuccessfulStrategy


class Use(Enum):
    """What memory may change of play; each can be switched off by itself."""

    COSTS = "costs"  # what keeps failing in a place costs more there
    STRENGTH = "strength"  # who won is challenged again only by who has grown since
    WINS = "wins"  # who always won is ready again as it was then, and may try it a level younger
    CHOICES = "choices"  # of several ways none is taken again that clearly took longer


LATELY: Final = 100  # earlier runs whose ways are looked at
EVERY_USE: Final = frozenset(Use)


class Experience:
    """Memory as decisions ask it. Answers are kept until it has `learnt` something.

    `lessons` counts how often that was: whoever keeps conclusions draws them anew when it changes. `reasons` are
    facts that memory holds back, and why, in words; `grounds` are facts that are so because of memory alone.
    """

    def __init__(
        self, recall: Recall | None = None, uses: frozenset[Use] = EVERY_USE, episodes: str = ""
    ) -> None:
        self.lessons = 0
        self.reasons: dict[str, str] = {}
        self.grounds: dict[str, str] = {}
        self._recall = recall
        self._uses = uses
        self._episodes = episodes  # the scope of what earlier runs tell as it was
        self._failing: dict[str, Mapping[str, MistakeRecord]] = {}
        self._defeats: dict[str, tuple[MistakeRecord, ...]] = {}
        self._wins: dict[tuple[str, str], tuple[SuccessfulStrategy, ...]] = {}

    def learnt(self, _event: BlackboardEvent) -> None:
        """Ask memory anew from now on: what is known for good has changed."""
        self.lessons += 1
        self._failing.clear()
        self._defeats.clear()
        self._wins.clear()

    def failing(self, place: str) -> Mapping[str, MistakeRecord]:
        """Return the mistake of each action that keeps failing in a place, by the action's name."""
        if place not in self._failing:
            mistakes = self._mistakes(Use.COSTS, {"location": place})
            found = {str(each.situation.get("action")): each for each in reversed(mistakes)}
            self._failing[place] = found
        return self._failing[place]

    def defeats(self, own: str) -> tuple[MistakeRecord, ...]:
        """Return the battles that a Pokemon of this name began and lost, the gravest first."""
        if own not in self._defeats:
            mistakes = self._mistakes(Use.STRENGTH, {"player_pokemon": own})
            self._defeats[own] = tuple([each for each in mistakes if _is_defeat(each)])
        return self._defeats[own]

    def wins(self, own: str, enemies: str) -> tuple[SuccessfulStrategy, ...]:
        """Return how a Pokemon of this name won against `enemies`, all that were met; the most proven first."""
        if self._recall is None or Use.WINS not in self._uses:
            return ()
        if (own, enemies) not in self._wins:
            self._wins[own, enemies] = tuple(self._recall.strategies(enemies, own))
        return self._wins[own, enemies]

    def best_way(self, choice: str, ways: Sequence[int], drawn: int) -> Verdict:
        """Return which of several ways to take; `drawn` where memory has nothing to say."""
        if self._recall is None or Use.CHOICES not in self._uses:
            return Verdict(drawn)
        return best_of(choice, ways, drawn, self._recall.recent(self._episodes, WAYPOINT, LATELY))

    def _mistakes(self, use: Use, context: Mapping[str, Json]) -> Sequence[MistakeRecord]:
        return (
            () if self._recall is None or use not in self._uses else self._recall.mistakes(context)
        )


def _is_defeat(mistake: MistakeRecord) -> bool:
    situation = mistake.situation
    levels = situation.get("player_level"), situation.get("enemy_level")
    return all(isinstance(level, int) for level in levels) and "enemy_pokemon" in situation
