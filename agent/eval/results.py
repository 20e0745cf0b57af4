"""What an evaluation found: its games, how they were played, and what follows from them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.eval.game import Game
from agent.eval.intervals import Interval, median_interval, share_interval


@dataclass(frozen=True, slots=True)
class Results:
    """All games by seed; `milestones` are those up to `until`, in the order of the story.

    `settings` and `versions` are what it takes to play them again.
    """

    games: tuple[Game, ...]
    milestones: tuple[str, ...]
    until: str
    settings: Mapping[str, Any]
    versions: Mapping[str, str]
    cartridge: Mapping[str, str]

    @property
    def all_played(self) -> bool:
        """Whether every game came to an end without a fault of the program."""
        return all(game.was_played for game in self.games)

    def share(self, milestone: str) -> Interval:
        """Return the share of games that reached a milestone."""
        reached = sum(milestone in game.milestones for game in self.games)
        return share_interval(reached, len(self.games))

    def minutes(self, milestone: str) -> list[float]:
        """Return the game time to a milestone, of each game that reached it."""
        return [
            game.milestones[milestone].minutes
            for game in self.games
            if milestone in game.milestones
        ]

    def median(self, figure: str) -> Interval | None:
        """Return the median of one figure of a game."""
        return median_interval([float(getattr(game, figure)) for game in self.games])

    def stops(self) -> Mapping[str, int]:
        """Return how many games ended in which way, the most frequent first."""
        return dict(Counter(game.stop for game in self.games).most_common())

    def summary(self) -> dict[str, Any]:
        """Return the figures over all games in plain JSON types."""
        won = sum(game.battles_won for game in self.games)
        lost = sum(game.battles_lost for game in self.games)
        return {
            "games": len(self.games),
            "stops": dict(self.stops()),
            "milestones": {name: self._milestone(name) for name in self.milestones},
            "battles_won": _figures(share_interval(won, won + lost)),
            **{name: _figures(self.median(name)) for name in FIGURES},
            "longest_wall_s": max((game.wall_s for game in self.games), default=0.0),
            "totals": {name: _total(self.games, name) for name in TOTALS},
        }

    def _milestone(self, name: str) -> dict[str, Any]:
        minutes = _figures(median_interval(self.minutes(name)))
        return {"reached": _figures(self.share(name)), "game_minutes": minutes}


FIGURES = ("ticks", "frames", "wall_s")
TOTALS = (
    "battles_won",
    "battles_lost",
    "battles_fled",
    "blackouts",
    "episodes",
    "restores",
    "errors",
)


def _figures(interval: Interval | None) -> dict[str, float] | None:
    if interval is None:
        return None
    return {name: round(value, 4) for name, value in interval._asdict().items()}


def _total(games: Sequence[Game], figure: str) -> int:
    return sum(int(getattr(game, figure)) for game in games)
