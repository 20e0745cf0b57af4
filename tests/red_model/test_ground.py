"""On the real ground, the route search finds what the story needs, in its order, and nothing that is shut."""

from collections import Counter

import pytest

from agent.skills.roam import wild_squares
from agent.skills.route import Hop, Spot
from emulator import Cartridge, Obstacle, World
from emulator.world.world import Floor
from tests.emulator.synthetic.facts import event_numbers, real_maps
from tests.red_model.footing import Footing
from tests.red_model.ground import RedGround
from tests.red_model.journeys import CARD_KEY, CUT, SURF, Journeys
from tests.red_model.model import Model
from tests.red_model.moment import LIFT_KEY, Moment
from tests.red_model.planner import End, Game, ModelPlanner
from tests.red_model.world import Atlas, Fact

CLASSES = {"~": Obstacle.WATER, "T": Obstacle.TREE}
SOLID = "#Tc~v<>"
PALLET, CERULEAN, CELADON, FUCHSIA, CINNABAR, SAFFRON, HIDEOUT_B4F = 0, 3, 6, 7, 8, 10, 202
SABRINAS_PADS, SPINNERS, MANSION, CYCLING_ROAD = 178, 45, (165, 214, 215, 216), 28
ISLANDS, STORE_ELEVATORS = {159, 160, 161, 162}, {127, 236}
# Maps of the story whose parts join over a house, a gate or another field only.
PARTED = {CERULEAN, 23}
ROOF_MACHINE, BY_THE_CARD_KEY, BY_THE_MOON_STONE = (
    Spot(126, 11, 2),
    Spot(210, 20, 16),
    Spot(200, 2, 12),
)


@pytest.fixture(scope="module")
def journeys(synthetic_cartridge: Cartridge) -> Journeys:
    model = Model(Atlas.of_red(), ModelPlanner.of_red().story)
    return Journeys(model, RedGround(World.of(synthetic_cartridge)))


def late(journeys: Journeys, *facts: Fact) -> Moment:
    """Return a moment with all doors open, all badges, CUT and SURF, and more facts."""
    opened = {door.fact for door in journeys.doors if door.so}
    moves = {Fact("move", each.number) for each in (CUT, SURF)}
    badges = {Fact("badge", number) for number in range(8)}
    return Moment(facts=frozenset({*opened, CARD_KEY, *moves, *badges, *facts}))


def maps_of(route: list[Hop] | None) -> set[int]:
    assert route is not None
    return {hop.to.map_id for hop in route}


def arrivals(journeys: Journeys, map_id: int) -> list[Spot]:
    """Return the squares at which a map is entered by its warps."""
    warps = journeys.ground.tables.map(map_id).warps
    return [Spot(map_id, *warp.position) for warp in warps if warp.press or warp.steps]


def test_every_square_and_warp_is_as_in_the_facts(journeys: Journeys) -> None:
    world = journeys.ground.plain({}, {})
    for each in real_maps():
        game_map = world.map(each["id"])
        for row, warp in zip(each["warps"], game_map.warps, strict=True):
            assert warp.trigger.value == row["trigger"]
        for y, kinds in enumerate(journeys.ground.rows.get(each["id"], ())):
            for x, kind in enumerate(kinds):
                assert game_map.passable(x, y) == (kind not in SOLID)
                assert game_map.obstacle(x, y) is CLASSES.get(kind)


class Follower:
    """Follows a game of the planner on the ground, action by action, and lists what the ground or the facts refuse."""

    def __init__(self, journeys: Journeys) -> None:
        self.journeys, self.footing = journeys, Footing()
        self.moments, self.spot = [Moment()], None
        self.failed, self.carried = list[tuple[str, Spot]](), Counter[int]()
        arrivals = journeys.model.atlas.arrivals
        self._moved = {map_id for map_id, rows in arrivals.items() if any(row.end for row in rows)}

    spot: Spot | None

    def follow(self, game: Game) -> None:
        """Follow the last action of a game, which may have been its end."""
        before, journeys = self.moments[-1], self.journeys
        if len(game.done) != len(self.moments):
            return
        start = self.spot
        if start is None or start.map_id != before.region.map_id:
            start = Spot(before.region.map_id, *journeys.model.atlas.squares[before.region])
        spot, name = journeys.follow(start, before, game.done[-1]), game.done[-1].name
        if spot is None:
            self.failed.append((name, start))
        self._step(name, before)
        self.spot = None if game.moment.region.map_id in self._moved else spot
        self.moments.append(game.moment)

    def _step(self, name: str, moment: Moment) -> None:
        kinds, fights = self.journeys.kinds(moment), self.journeys.fights(moment)
        for spot, hop in self.journeys.walk:
            end = self.footing.after(spot, hop.facing, kinds) if hop.by is None else None
            if end not in {None, hop.to} or fights.get(hop.to[:3], name) != name:
                self.failed.append((name, spot))
            self.carried[spot.map_id] += hop.to != spot.next_to(hop.facing)


def test_a_whole_game_of_the_planner_can_be_walked(journeys: Journeys) -> None:
    """Every walk, conversation, push and training ground of the story, with gates and doors as they are then.

    By the written facts each press leads where the route says, over pads, arrow tiles, holes and doors that switches open,
    and no walk comes to the square of a fight that is still ahead.
    """
    follower = Follower(journeys)
    game = Game(journeys.model, ModelPlanner.of_red(), Moment())
    assert (game.play(follower.follow), game.why) == (End.FAME, "")
    assert follower.failed == []
    assert journeys.left == PARTED
    assert sum(action.name.startswith("travel:") for action in game.done) > 100
    assert all(follower.carried[map_id] for map_id in (SABRINAS_PADS, SPINNERS, *MANSION))


def test_cycling_road_is_shut_without_a_bicycle(journeys: Journeys) -> None:
    start = Spot(CELADON, *journeys.ground.tables.arrival(CELADON, 0))
    awake = [journeys.model.fact(f"event:beat_route{number}_snorlax") for number in (12, 16)]
    bicycle = journeys.model.fact("item:bicycle")
    for facts, through in ((awake, False), (awake[1:], None), ([*awake[1:], bicycle], True)):
        moment = late(journeys).having(facts, {*awake, bicycle} - {*facts})
        dry = moment.having((), [Fact("move", SURF.number)])
        route = journeys.route(start, dry, lambda spot: spot.map_id == FUCHSIA)
        assert (None if route is None else CYCLING_ROAD in maps_of(route)) is through


def test_every_nurse_clerk_and_statue_is_reached_from_the_door(journeys: Journeys) -> None:
    story, moment = journeys.model.story, late(journeys)
    places = {each.name: each.map_id for each in story.places}
    people = [(places[each.place], each.person) for each in story.healers]
    people += [(places[each.place], each.person) for each in story.clerks]
    for target in [journeys.person(*each) for each in people]:
        for door in arrivals(journeys, target.map_id):
            assert journeys.faced(door, moment, target) is not None, target
    statues = [(each.map_id, each.sign) for each in story.milestones if each.sign is not None]
    assert len(statues) == 8
    for map_id, sign in statues:
        assert map_id is not None
        below = Spot(map_id, sign[0], sign[1] + 1)
        doors = arrivals(journeys, map_id)
        assert any(journeys.route(each, moment, below.__eq__) is not None for each in doors)


def test_wild_pokemon_live_where_the_planner_trains(journeys: Journeys) -> None:
    moment, places = late(journeys), {each.name: each for each in journeys.model.story.places}
    names = [each.name for each in ModelPlanner.of_red().domain.actions]
    trained = [places[each.removeprefix("train:")] for each in names if each.startswith("train:")]
    assert len(trained) > 15
    everywhere = journeys.reached(Spot(PALLET, 5, 6), moment)
    for place in trained:
        wild = {
            Spot(place.map_id, *each)
            for each in wild_squares(journeys.world(moment).map(place.map_id))
        }
        if place.spot is not None:
            start = Spot(place.map_id, *place.spot)
            assert journeys.route(start, moment, wild.__contains__) is not None, place.name
        else:
            assert place.only_ways or wild & everywhere, place.name


def test_no_route_crosses_the_current_of_the_islands(journeys: Journeys) -> None:
    fallen = [
        Fact("event", event_numbers()[f"EVENT_SEAFOAM3_BOULDER{n}_DOWN_HOLE"]) for n in (1, 2)
    ]
    start = Spot(FUCHSIA, *journeys.ground.tables.arrival(FUCHSIA, 0))
    for moment, through in ((late(journeys), False), (late(journeys, *fallen), True)):
        route = journeys.route(start, moment, lambda spot: spot.map_id == CINNABAR)
        assert bool(maps_of(route) & ISLANDS) is through


def test_no_route_enters_the_elevators_of_the_stores(journeys: Journeys) -> None:
    """Their warps lead back to the floor of entry."""
    moment = late(journeys)
    for start, end in ((ROOF_MACHINE, CELADON), (BY_THE_CARD_KEY, SAFFRON)):
        route = journeys.route(start, moment, lambda spot, end=end: spot.map_id == end)  # type: ignore[misc]
        assert maps_of(route).isdisjoint(STORE_ELEVATORS)


def test_the_elevator_of_the_hideout_is_ridden_only_with_its_key(journeys: Journeys) -> None:
    def rides(moment: Moment) -> bool:
        route = journeys.route(BY_THE_MOON_STONE, moment, lambda spot: spot.map_id == HIDEOUT_B4F)
        assert route is not None
        return any(isinstance(hop.by, Floor) for hop in route)

    assert not rides(late(journeys))
    assert rides(late(journeys, Fact("item", LIFT_KEY)))
