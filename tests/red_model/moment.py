"""The game state of the model, and walks over joins whose needs hold, with the effects of the maps on the way."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tests.red_model.world import Atlas, Fact, Join, Region

# The badge that each field move requires, by move (engine facts).
BADGE_FOR: Final = {15: 1, 19: 2, 57: 4, 70: 3, 148: 0}
MACHINES: Final = {15: 196, 19: 197, 57: 198, 70: 199, 148: 200}  # the machine of a move
DRINKS: Final = frozenset({60, 61, 62})
LIFT_KEY: Final = 74
GUARDS_SERVED: Final = 6  # the bit of wStatusFlags1
BEDROOM: Final = Region(38, 0)
FIRST_MONEY: Final = 3_000
MOST_MONEY: Final = 999_999


@dataclass(frozen=True, slots=True)
class Moment:
    """The game state of the model. `facts` holds the true facts; `owned` counts species.

    `home` is the town where the player wakes up after a loss, and `hp` the team's remaining HP in percent.
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
        """Return whether a fact is true."""
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
        """Return whether all facts are true."""
        return all(self.holds(each) for each in facts)

    def having(
        self, gives: Iterable[Fact], takes: Iterable[Fact] = (), *, pays: int = 0
    ) -> "Moment":
        """Return the moment with some facts added, then others removed, and money paid."""
        facts = (self.facts | frozenset(gives)) - frozenset(takes)
        return replace(self, facts=facts, money=min(max(self.money + pays, 0), MOST_MONEY))

    def settled(self, atlas: Atlas) -> "Moment":
        """Return the moment after the rules that apply by themselves."""
        new = [rule.then for rule in atlas.rules if self.all_hold(rule.when)]
        return self.having(fact for then in new for fact in then) if new else self

    def _can_use(self, move: int) -> bool:
        return Fact("move", move) in self.facts and Fact("badge", BADGE_FOR[move]) in self.facts


def walk(atlas: Atlas, moment: Moment, ends: Collection[Region]) -> Moment | None:
    """Return the moment after the walk with the fewest joins to one of some regions, or None without a way.

    Entering a map may close a way that was open before; then another way is tried.
    """
    barred: set[Join] = set()
    while True:
        way = _way(atlas, moment, ends, barred)
        if way is None:
            return None
        now = moment
        for join in way:
            if now.region != join.start:
                return walk(atlas, now, ends)  # moved elsewhere on the way
            if not now.all_hold(join.needs):
                barred.add(join)
                break
            now = _over(atlas, now, join)
        else:
            if now.region in ends:
                return now
            barred.add(way[-1])


def within_reach(
    atlas: Atlas, moment: Moment, *, map_id: int | None = None, shut: Collection[Join] = ()
) -> frozenset[Region]:
    """Return the regions reachable now, optionally within one map, and without the joins in `shut`."""
    seen, waiting = {moment.region}, [moment.region]
    while waiting:
        for join in atlas.joins.get(waiting.pop(), ()):
            stays = map_id is None or join.end.map_id == map_id
            if stays and join.end not in seen and join not in shut and moment.all_hold(join.needs):
                seen.add(join.end)
                waiting.append(join.end)
    return frozenset(seen)


def _way(
    atlas: Atlas, moment: Moment, ends: Collection[Region], barred: Collection[Join]
) -> list[Join] | None:
    came_from: dict[Region, Join | None] = {moment.region: None}
    waiting = deque([moment.region])
    while waiting:
        here = waiting.popleft()
        if here in ends:
            return list(_joins_back(came_from, here))[::-1]
        for join in atlas.joins.get(here, ()):
            if join.end not in came_from and join not in barred and moment.all_hold(join.needs):
                came_from[join.end] = join
                waiting.append(join.end)
    return None


def _joins_back(came_from: Mapping[Region, Join | None], end: Region) -> Iterator[Join]:
    join = came_from[end]
    while join is not None:
        yield join
        join = came_from[join.start]


def _over(atlas: Atlas, moment: Moment, join: Join) -> Moment:
    now = replace(moment, region=join.end)
    return arrive(atlas, now, join.start.map_id) if join.end.map_id != join.start.map_id else now


def arrive(atlas: Atlas, moment: Moment, start: int) -> Moment:
    """Return the moment after entering its map from map `start`."""
    now = replace(moment, visited=moment.visited | {moment.region.map_id})
    for each in atlas.arrivals.get(moment.region.map_id, ()):
        if each.start in (None, start) and moment.all_hold(each.when):
            now = now.having(each.gives, each.takes)
            now = replace(now, region=each.end) if each.end is not None else now
    return now.settled(atlas)
