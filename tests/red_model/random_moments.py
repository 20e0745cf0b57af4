"""Legal moments of the model that no plan led to: random walks over what the world allows."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any, Final

from tests.red_model.model import Model, Refused
from tests.red_model.moment import MACHINES, Moment, arrive, walk, within_reach
from tests.red_model.planner import End, Game, Thinker
from tests.red_model.world import Atlas, Fact, Happening, Region

PURSE: Final = (
    2_000  # money that is never spent: fees and drinks must be paid, and a trainer pays once
)
TRIES: Final = 8
FURTHEST: Final = 300  # actions of a planned game
SAFARI: Final = range(217, 226)  # maps of the zone
SAFARI_GATE: Final = Region(156, 1)
STATIONS: Final = {
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


class Wanderer:
    """A player that does what is possible, in a random order, and leaves some of it out."""

    def __init__(self, model: Model, chance: Random) -> None:
        self._model, self._chance = model, chance

    def moment(self, thinker: Thinker) -> Moment:
        """Return a moment after walks at random, with a part of a planned game between them."""
        chance = self._chance
        now = self._walked(Moment(), chance.randrange(60))
        game = Game(self._model, thinker, self._seen(now))
        return self._walked(game.after(chance.randrange(FURTHEST)), chance.randrange(120))

    def _walked(self, now: Moment, length: int) -> Moment:
        ways = (self._happen, self._stroll, self._grow, self._spend, self._lose, self._rest)
        for way in self._chance.choices(ways, (70, 12, 10, 3, 2, 3), k=length):
            now = way(now)
        return self._seen(now)

    def _happen(self, now: Moment) -> Moment:
        """Make something happen that is within reach; what the story is about is likelier than what is not."""
        found = list(self._possible(now))
        weights = [1 if each.id.startswith(("foe_", "thing_")) else 6 for each in found]
        for each in self._chance.choices(found, weights, k=TRIES) if found else ():
            try:
                return self._taught(self._model.happen(each, self._strong(now, each)))
            except Refused:
                continue  # the way there undoes what it needs
        return self._stroll(now)

    def _possible(self, now: Moment) -> Iterator[Happening]:
        """Yield what would change anything within reach, but for the end of the game."""
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

    def _strong(self, now: Moment, each: Happening) -> Moment:
        """Return the moment with a team that could win: one of level ten does not beat the last four."""
        return replace(now, level=max(now.level, each.level - self._chance.randrange(6)), hp=100)

    def _taught(self, now: Moment) -> Moment:
        """Teach a machine of the bag to a Pokemon that can learn its move, or leave it in the bag."""
        for move, item in MACHINES.items():
            able = now.holds(Fact("owns", move)) and now.holds(Fact("item", item))
            if able and self._chance.random() < 0.5:
                now = now.having([Fact("move", move)])
        return now

    def _stroll(self, now: Moment) -> Moment:
        """Walk to somewhere within reach, with all that the way does to boulders, switches and fees."""
        ends = sorted(within_reach(self._atlas, now))
        return walk(self._atlas, now, {self._chance.choice(ends)}) or now

    def _grow(self, now: Moment) -> Moment:
        """Train, catch a Pokemon, or lose HP doing so; the catch may learn a move that the team could not."""
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
        """Spend money on what does not matter here, and use up or drink what one carries."""
        drinks = [Fact("item", each) for each in (60, 61, 62) if self._chance.random() < 0.5]
        money = now.money - self._chance.randrange(max(now.money - PURSE, 0) + 1)
        return replace(now.having((), drinks), money=money)

    def _lose(self, now: Moment) -> Moment:
        """Lose a battle, or run out of steps in the zone: one finds oneself elsewhere, at half the money."""
        here = now.region.map_id
        if here in SAFARI:
            return arrive(self._atlas, replace(now, region=SAFARI_GATE), here)
        if not now.level or not now.home:
            return now
        (inside,) = [region for region, town in STATIONS.items() if town == now.home]
        kept = max(now.money // 2, min(now.money, PURSE))
        return arrive(self._atlas, replace(now, region=Region(inside, 0), money=kept, hp=100), here)

    def _rest(self, now: Moment) -> Moment:
        """Have the team healed at a place within reach."""
        near = [each for each in within_reach(self._atlas, now) if each.map_id in STATIONS]
        if not near or not now.level:
            return now
        there = walk(self._atlas, now, {self._chance.choice(sorted(near))})
        return (
            replace(there, hp=100, home=STATIONS[there.region.map_id]) if there is not None else now
        )

    def _seen(self, now: Moment) -> Moment:
        """Return the moment with the milestones reached that must have been passed to stand there."""
        story = self._model.story
        behind = [
            each.id for each in story.milestones if each.behind and self._behind(each.behind, now)
        ]
        return replace(now, reached=now.reached | frozenset(behind))

    def _behind(self, fact: str, now: Moment) -> bool:
        return now.home != 0 if fact == "healed" else now.holds(self._model.fact(fact))

    @property
    def _atlas(self) -> Atlas:
        return self._model.atlas


def game_from(number: int) -> dict[str, Any]:
    """Play from the random moment of a number to the end, and return what came of it."""
    planner = Thinker.of_red()
    model = Model(Atlas.of_red(), planner.story)
    start = Wanderer(model, Random(f"playthrough:{number}")).moment(planner)
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
