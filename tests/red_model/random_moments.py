"""Random legal moments of the model, made by random walks over everything that the world allows."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from agent.capabilities.story_tasks import reached, with_passed
from tests.red_model.model import Model, Refused
from tests.red_model.moment import MACHINES, Moment, arrive, walk, within_reach
from tests.red_model.planner import End, Game, ModelPlanner, sense
from tests.red_model.world import Atlas, Fact, Happening, Region

RESERVED_MONEY: Final = 2_000  # money that is never spent: it is needed for fees and drinks, and a trainer pays only once
TRIES: Final = 8
MOST_PLANNED: Final = 300  # actions of a planned game
SAFARI: Final = range(217, 226)  # maps of the zone
SAFARI_GATE: Final = Region(156, 1)
HEALERS: Final = {
    41: 1,
    58: 2,
    64: 3,
    68: 15,
    81: 21,
    89: 5,
    133: 6,
    141: 4,
    154: 7,
    171: 8,
    174: 9,
    182: 10,
}  # healers, towns


class RandomPlayer:
    """A player that performs possible actions in random order, and skips some."""

    def __init__(self, model: Model, chance: Random) -> None:
        self._model, self._chance = model, chance

    def moment(self, planner: ModelPlanner) -> Moment:
        """Return a moment after two random walks with a part of a planned game between them."""
        chance = self._chance
        now = self._random_walk(Moment(), chance.randrange(60))
        game = Game(self._model, planner, self._with_milestones(now))
        return self._random_walk(game.after(chance.randrange(MOST_PLANNED)), chance.randrange(120))

    def walk(self, now: Moment, length: int) -> Iterator[Moment]:
        """Yield the moments of a random walk, with the milestones that each shows."""
        ways = (self._perform, self._walk, self._grow, self._spend, self._lose, self._rest)
        for way in self._chance.choices(ways, (70, 12, 10, 3, 2, 3), k=length):
            now = way(now)
            yield self._with_milestones(now)

    def _random_walk(self, now: Moment, length: int) -> Moment:
        return [self._with_milestones(now), *self.walk(now, length)][-1]

    def _perform(self, now: Moment) -> Moment:
        """Perform a reachable happening; those of the story are likelier than others."""
        found = list(self._possible(now))
        weights = [1 if each.id.startswith(("foe_", "thing_")) else 6 for each in found]
        for each in self._chance.choices(found, weights, k=TRIES) if found else ():
            try:
                return self._teach(self._model.happen(each, self._strong_enough(now, each)))
            except Refused:
                continue  # the way there removes a requirement
        return self._walk(now)

    def _possible(self, now: Moment) -> Iterator[Happening]:
        """Yield the reachable happenings that change a fact, except the end of the game."""
        open_regions = within_reach(self._atlas, now)
        for map_id in sorted({each.map_id for each in open_regions}):
            for each in self._atlas.happenings.get(map_id, ()):
                near = not each.regions.isdisjoint(open_regions) and now.all_hold(each.needs)
                if (
                    near
                    and each.id != "champion"
                    and now.having(each.gives, each.takes).facts != now.facts
                ):
                    yield each

    def _strong_enough(self, now: Moment, each: Happening) -> Moment:
        """Return the moment with a team strong enough to win the battle."""
        return replace(now, level=max(now.level, each.level - self._chance.randrange(6)), hp=100)

    def _teach(self, now: Moment) -> Moment:
        """Teach machines of the bag to Pokemon that can learn the move, each with a chance of a half."""
        for move, item in MACHINES.items():
            able = now.holds(Fact("owns", move)) and now.holds(Fact("item", item))
            if able and self._chance.random() < 0.5:
                now = now.having([Fact("move", move)])
        return now

    def _walk(self, now: Moment) -> Moment:
        """Walk to a random reachable region, with all effects on boulders, switches and fees."""
        ends = sorted(within_reach(self._atlas, now))
        return walk(self._atlas, now, {self._chance.choice(ends)}) or now

    def _grow(self, now: Moment) -> Moment:
        """Train, catch Pokemon and lose HP; a catch may be able to learn a new field move."""
        if not now.level:
            return now
        grown = replace(
            now,
            level=min(now.level + self._chance.randrange(6), 100),
            hp=self._chance.randint(1, 100),
        )
        grown = replace(grown, owned=now.owned + self._chance.randrange(3))
        learner = Fact("owns", self._chance.choice(list(MACHINES)))
        return grown.having([learner]) if self._chance.random() < 0.3 else grown

    def _spend(self, now: Moment) -> Moment:
        """Spend money on things outside of the model, and use up drinks."""
        drinks = [Fact("item", each) for each in (60, 61, 62) if self._chance.random() < 0.5]
        money = now.money - self._chance.randrange(max(now.money - RESERVED_MONEY, 0) + 1)
        return replace(now.having((), drinks), money=money)

    def _lose(self, now: Moment) -> Moment:
        """Lose a battle or run out of Safari steps: the player is moved, and a lost battle costs half the money."""
        here = now.region.map_id
        if here in SAFARI:
            return arrive(self._atlas, replace(now, region=SAFARI_GATE), here)
        if not now.level or not now.home:
            return now
        (inside,) = [region for region, town in HEALERS.items() if town == now.home]
        kept = max(now.money // 2, min(now.money, RESERVED_MONEY))
        return arrive(self._atlas, replace(now, region=Region(inside, 0), money=kept, hp=100), here)

    def _rest(self, now: Moment) -> Moment:
        """Heal the team at a reachable healer."""
        near = [each for each in within_reach(self._atlas, now) if each.map_id in HEALERS]
        if not near or not now.level:
            return now
        there = walk(self._atlas, now, {self._chance.choice(sorted(near))})
        return (
            replace(there, hp=100, home=HEALERS[there.region.map_id]) if there is not None else now
        )

    def _with_milestones(self, now: Moment) -> Moment:
        """Return the moment with all milestones reached that its facts imply."""
        return replace(now, reached=now.reached | passed(self._model, now))

    @property
    def _atlas(self) -> Atlas:
        return self._model.atlas


def passed(model: Model, now: Moment) -> frozenset[str]:
    """Return the milestones that the facts of a moment show to be passed."""
    facts = with_passed(model.story, sense(model, ModelPlanner.of_red().domain, now))
    return frozenset(each.id for each in model.story.milestones if facts[reached(each)])


def game_from(number: int) -> dict[str, Any]:
    """Play from the random moment of this number to the end, and return the result."""
    planner = ModelPlanner.of_red()
    model = Model(Atlas.of_red(), planner.story)
    start = RandomPlayer(model, Random(f"playthrough:{number}")).moment(planner)
    game = Game(model, planner, start)
    end = game.play()
    return {
        "name": f"game {number}",
        "badges": sum(start.holds(Fact("badge", bit)) for bit in range(8)),
        "map": start.region.map_id,
        "end": end.value,
        "actions": len(game.done),
        "plans": len(game.plans),
        "longest plan": max((len(each.actions) for each in game.plans), default=0),
        "problems": [] if end is End.FAME else [f"{end.value}: {game.why}"],
    }
