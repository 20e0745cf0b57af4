"""One moment of a game in the model: where one is, and all that is so."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from agent.storyworld.atlas import Atlas, Fact, Region

# The badge without which a move is of no use outside, by move (engine facts).
BADGE_FOR: Final = {15: 1, 19: 2, 57: 4, 70: 3, 148: 0}
MACHINES: Final = {15: 196, 19: 197, 57: 198, 70: 199, 148: 200}  # the thing that teaches a move
DRINKS: Final = frozenset({60, 61, 62})
LIFT_KEY: Final = 74
GUARDS_SERVED: Final = 6  # the bit of wStatusFlags1
BEDROOM: Final = Region(38, 0)
FIRST_MONEY: Final = 3_000
MOST_MONEY: Final = 999_999


@dataclass(frozen=True, slots=True)
class Moment:
    """Everything a plan can depend on. `facts` are those of the kinds that are there or not; `owned` counts species.

    `home` is the town in which one wakes up after losing, and `hp` the percentage of HP that the team has left.
    """

    region: Region = BEDROOM
    facts: frozenset[Fact] = frozenset()
    money: int = FIRST_MONEY
    level: int = 0
    hp: int = 100
    owned: int = 0
    home: int = 0
    reached: frozenset[str] = frozenset()  # milestones with both witnesses
    visited: frozenset[int] = frozenset()  # maps

    def holds(self, fact: Fact) -> bool:
        """Say whether a fact is so."""
        kind, number = fact
        match kind:
            case "clear":
                return Fact("event", number) not in self.facts
            case "there":
                return Fact("gone", number) not in self.facts
            case "status_clear":
                return Fact("status", number) not in self.facts
            case "field":
                return self._can_use(number)
            case "drink":
                served = Fact("status", number) in self.facts
                return served or any(Fact("item", each) in self.facts for each in DRINKS)
            case "floor":
                return bool(self.facts & {Fact("item", LIFT_KEY), Fact("came", number)})
            case "money":
                return self.money >= number
            case "owned":
                return self.owned >= number
            case "never":
                return False
            case _:
                return fact in self.facts

    def all_hold(self, facts: Iterable[Fact]) -> bool:
        """Say whether all of some facts are so."""
        return all(self.holds(each) for each in facts)

    def having(
        self, gives: Iterable[Fact], takes: Iterable[Fact] = (), *, pays: int = 0
    ) -> "Moment":
        """Return the moment with some facts made true, then others untrue, and money taken in."""
        facts = (self.facts | frozenset(gives)) - frozenset(takes)
        money = min(max(self.money + pays, 0), MOST_MONEY)
        return replace(self, facts=facts, money=money)

    def settled(self, atlas: Atlas) -> "Moment":
        """Return the moment with what comes true by itself."""
        fresh = [rule.then for rule in atlas.rules if self.all_hold(rule.when)]
        return self.having(fact for then in fresh for fact in then) if fresh else self

    def _can_use(self, move: int) -> bool:
        return Fact("move", move) in self.facts and Fact("badge", BADGE_FOR[move]) in self.facts
