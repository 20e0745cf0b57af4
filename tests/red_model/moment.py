"""One moment of a game in the model, and walking over joins whose needs hold, with what the maps on the way do."""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from tests.red_model.world import Atlas, Fact, Join, Region

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


def walk(atlas: Atlas, moment: Moment, ends: Collection[Region]) -> Moment | None:
    """Return the moment after the walk with the fewest joins to one of some regions, or None where there is none.

    Entering a map may shut a way that was open before: then another one is taken.
    """
    barred: set[Join] = set()
    while True:
        way = _way(atlas, moment, ends, barred)
        if way is None:
            return None
        now = moment
        for join in way:
            if now.region != join.start:
                return walk(atlas, now, ends)  # carried off on the way
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
    """Return the regions to which joins lead as things are, of one map where that is asked for, and none over `shut`."""
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
    came: dict[Region, Join | None] = {moment.region: None}
    waiting = deque([moment.region])
    while waiting:
        here = waiting.popleft()
        if here in ends:
            return list(_unwound(came, here))[::-1]
        for join in atlas.joins.get(here, ()):
            if join.end not in came and join not in barred and moment.all_hold(join.needs):
                came[join.end] = join
                waiting.append(join.end)
    return None


def _unwound(came: Mapping[Region, Join | None], end: Region) -> Iterator[Join]:
    join = came[end]
    while join is not None:
        yield join
        join = came[join.start]


def _over(atlas: Atlas, moment: Moment, join: Join) -> Moment:
    now = replace(moment, region=join.end)
    return arrive(atlas, now, join.start.map_id) if join.end.map_id != join.start.map_id else now


def arrive(atlas: Atlas, moment: Moment, start: int) -> Moment:
    """Return the moment after setting foot on its map from map `start`."""
    now = replace(moment, visited=moment.visited | {moment.region.map_id})
    for each in atlas.arrivals.get(moment.region.map_id, ()):
        if each.start in (None, start) and moment.all_hold(each.when):
            now = now.having(each.gives, each.takes)
            now = replace(now, region=each.end) if each.end is not None else now
    return now.settled(atlas)
