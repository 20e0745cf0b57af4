"""One game from one legal moment, and what is worth telling of it."""

from dataclasses import dataclass
from functools import cache
from random import Random

from agent.storyworld.atlas import Atlas, Fact
from agent.storyworld.carrying import Model
from agent.storyworld.playing import End, Game
from agent.storyworld.thinker import Thinker
from agent.storyworld.wandering import Wanderer


@dataclass(frozen=True, slots=True)
class Told:
    """Where a game began, how it ended, and how much of what it took."""

    seed: int
    badges: int
    map_id: int
    end: End
    why: str
    actions: int
    plans: int
    longest: int


@cache
def model() -> Model:
    """Return the model, made once a process."""
    return Model(Atlas.of_red(), Thinker.of_red().story)


def played(seed: int) -> Told:
    """Play the game of a seed to its end."""
    thinker = Thinker.of_red()
    start = Wanderer(model(), Random(f"playthrough:{seed}")).moment(thinker)
    game = Game(model(), thinker, start)
    end = game.play()
    return Told(
        seed=seed,
        badges=sum(start.holds(Fact("badge", bit)) for bit in range(8)),
        map_id=start.region.map_id,
        end=end,
        why=game.why,
        actions=len(game.done),
        plans=len(game.plans),
        longest=max((len(each.actions) for each in game.plans), default=0),
    )
