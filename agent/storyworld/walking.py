"""Walking in the model: over joins whose needs hold, with all that comes of the maps on the way."""

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from agent.storyworld.atlas import Atlas, Join, Region
from agent.storyworld.moment import Moment


def walk(atlas: Atlas, moment: Moment, ends: Collection[Region]) -> Moment | None:
    """Return the moment after the walk with the fewest joins to one of some regions, or None where there is none.

    What a map does to whoever sets foot on it may shut a way that was open before: then another one is taken.
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
            now = now.having(each.gives, each.takes, pays=each.pays)
            now = replace(now, region=each.end) if each.end is not None else now
    return now.settled(atlas)
