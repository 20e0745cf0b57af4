"""A game of the planner put to the route search, on the real ground as scripts and gates have it at each moment."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from agent.planning.domain import Action
from agent.skills.boulders import BoulderRoom, find_pushes
from agent.skills.roam import wild_squares
from agent.skills.route import Hop, Obstacles, Spot, find_route, hops
from agent.skills.talk import places_to_talk
from agent.skills.walk import Destination
from agent.story.interactions import Interaction
from agent.story.places import Place
from emulator import Facing, MapSquare, Obstacle, World
from emulator.world.map_objects import MapObjectKind
from tests.emulator.synthetic.facts import event_numbers, load, real_maps
from tests.red_model.ground import RedGround
from tests.red_model.model import Model, marked_squares
from tests.red_model.moment import Moment
from tests.red_model.world import Fact

CUT, SURF, CARD_KEY = Fact("field", 15), Fact("field", 57), Fact("item", 48)
PASSES: Final = {Obstacle.TREE: CUT, Obstacle.WATER: SURF, Obstacle.LOCKED_DOOR: CARD_KEY}
STOOD_ON: Final = ("walk_to", "visit")  # interactions on the named squares; others face the square
ANY_SIDE: Final = ("search", "play_on")


@dataclass(frozen=True, slots=True)
class Door:
    """Squares that are open while a fact holds, or while it does not."""

    squares: tuple[MapSquare, ...]
    fact: Fact
    so: bool


@dataclass
class Journeys:
    """The ground at each moment of a game, and the routes on it.

    `left` are maps that something done there led out of; `walk` is the route of the last action, from each spot by one press.
    """

    model: Model
    ground: RedGround
    left: set[int] = field(default_factory=set)
    walk: list[tuple[Spot, Hop]] = field(default_factory=list)
    _plains: dict[tuple[int, ...], World] = field(default_factory=dict)

    @cached_property
    def doors(self) -> tuple[Door, ...]:
        """The doors that scripts open and shut."""
        return tuple(self._doors())

    def _doors(self) -> Iterator[Door]:
        for map_id, row in load("regions.json")["maps"].items():
            for door in row.get("dynamic", ()):
                name, _, value = door["open_when"].partition("=")
                fact = CARD_KEY if name == "ITEM_CARD_KEY" else Fact("event", event_numbers()[name])
                squares = tuple((int(map_id), x, y) for x, y in door["cells"])
                yield Door(squares, fact, so=value != "0")

    @cached_property
    def standing(self) -> frozenset[MapSquare]:
        """The squares of people that never walk and never leave."""
        return frozenset(
            (each["id"], row["x"], row["y"])
            for each in real_maps()
            for row in each["objects"]
            if row["kind"] in ("npc", "trainer") and row["move"] == "STAY" and "toggle" not in row
        )

    def holds(self, moment: Moment, fact: str) -> bool:
        """Return whether a fact of the story holds in a moment."""
        return moment.holds(self.model.fact(fact))

    def world(self, moment: Moment) -> World:
        """Return the world at a moment."""
        lifts = {
            car: lift
            for car, lift in self.model.story.lifts.items()
            if all(self.holds(moment, fact) for fact in lift.needs)
        }
        if tuple(lifts) not in self._plains:
            self._plains[tuple(lifts)] = self.ground.plain(self.model.story.carries, lifts)
        kinds = self.kinds(moment)
        passes = [obstacle for obstacle, fact in PASSES.items() if moment.holds(fact)]
        return self.ground.variant(self._plains[tuple(lifts)], kinds, passes)

    def fights(self, moment: Moment) -> dict[MapSquare, str]:
        """Return the squares that begin a fight of the story at a moment, with the action that means to."""
        story = self.model.story
        return {
            (story.place(task.place).map_id, *square): f"task:{task.id}"
            for task in story.tasks
            if task.against is not None
            and not self.holds(moment, task.sets)
            and all(self.holds(moment, fact) for fact in task.needs)
            for square in marked_squares(task.interaction, "walk_to")
        }

    def kinds(self, moment: Moment) -> dict[MapSquare, str]:
        """Return the class of each square of a door at a moment."""
        return {square: kind for door in self.doors for square, kind in self._kinds(door, moment)}

    def _kinds(self, door: Door, moment: Moment) -> Iterator[tuple[MapSquare, str]]:
        """Yield the class of each square of a door; where it is shut at first, the facts lack the open ground."""
        first = [self.ground.kind(square) for square in door.squares]
        for square, kind in zip(door.squares, first, strict=True):
            if door.fact == CARD_KEY:
                yield square, "L"
            elif (door.fact in moment.facts) is not door.so:
                yield square, "#"
            elif kind == "#":
                yield square, "A" if "A" in first else "."

    def walls(self, moment: Moment) -> Obstacles:
        """Return the people that always stand somewhere, and the gates that are shut."""
        walls = set(self.standing)
        for gate in self.model.story.gates:
            is_open = all(self.holds(moment, fact) for fact in gate.needs)
            if not is_open and not any(self.holds(moment, fact) for fact in gate.instead):
                walls |= {(gate.map_id, x, y) for x, y in gate.squares}
        return Obstacles(frozenset(walls))

    def route(
        self, start: Spot, moment: Moment, arrived: Callable[[Spot], bool]
    ) -> list[Hop] | None:
        """Return the route of the agent at a moment."""
        return find_route(self.world(moment), start, arrived, obstacles=self.walls(moment))

    def reached(self, start: Spot, moment: Moment) -> set[Spot]:
        """Return every spot that routes lead to at a moment."""
        world, walls = self.world(moment), self.walls(moment).walls
        spots, waiting = {start}, [start]
        while waiting:
            ends = {hop.to for hop in hops(world, waiting.pop())}
            waiting += (new := ends - spots - walls)
            spots |= new
        return spots

    def follow(self, start: Spot, moment: Moment, action: Action) -> Spot | None:
        """Return where an action ends that begins at `start`, or None if the ground does not allow it."""
        kind, _, rest = action.name.partition(":")
        name = rest.partition(":")[0]
        places = {each.name: each for each in self.model.story.places}
        self.walk = []
        match kind:
            case "travel":
                return self._end(start, moment, end_of(places[name]).accepts)
            case "heal":
                nurse = next(each for each in self.model.story.healers if each.place == name)
                return self.faced(start, moment, self.person(start.map_id, nurse.person))
            case "train":
                wild = set(wild_squares(self.world(moment).map(start.map_id)))
                return self._end(start, moment, lambda spot: spot[1:] in wild, here=True)
            case "task":
                task = next(each for each in self.model.story.tasks if each.id == rest)
                return self.interact(start, moment, task.interaction)
            case _:
                return start

    def interact(self, start: Spot, moment: Moment, interaction: Interaction) -> Spot | None:
        """Return where the player stands to do an interaction, or None if no such square is reached."""
        if interaction.key == "push":
            return self._push(start, moment, *interaction.value[0])
        if interaction.key == "leave":
            return self._end(start, moment, lambda spot: spot.map_id == interaction.value)
        if interaction.people:
            found = (
                self.faced(start, moment, self.person(start.map_id, slot))
                for slot in interaction.people
            )
            return next((each for each in found if each is not None), None)
        squares = [Spot(start.map_id, *square) for square in marked_squares(interaction)]
        if interaction.key in STOOD_ON:
            return self._end(start, moment, squares.__contains__, here=True)
        facings = tuple(Facing) if interaction.key in ANY_SIDE else (Facing.UP,)
        sides = {square.next_to(facing.opposite) for square in squares for facing in facings}
        return self._end(start, moment, sides.__contains__, here=True)

    def person(self, map_id: int, slot: int) -> Spot:
        """Return the square where a person stands at first."""
        people = self.ground.tables.map(map_id).people
        return next(Spot(map_id, each.x, each.y) for each in people if each.slot == slot)

    def faced(self, start: Spot, moment: Moment, target: Spot) -> Spot | None:
        sides = dict(places_to_talk(target, self.world(moment)))
        return self._end(start, moment, sides.__contains__, here=True)

    def _end(
        self, start: Spot, moment: Moment, arrived: Callable[[Spot], bool], *, here: bool = False
    ) -> Spot | None:
        route = self.route(start, moment, arrived)
        if here and any(hop.to.map_id != start.map_id for hop in route or ()):
            self.left.add(start.map_id)
        spots = [start, *(hop.to for hop in route or ())]
        self.walk = list(zip(spots, route or (), strict=False))
        return None if route is None else route[-1].to if route else start

    def _push(self, start: Spot, moment: Moment, slot: int, goal: tuple[int, int]) -> Spot | None:
        world = self.world(moment)
        people = world.map(start.map_id).people
        boulders = {
            each.slot: (each.x, each.y) for each in people if each.kind is MapObjectKind.BOULDER
        }
        others = frozenset((each.x, each.y) for each in people if each.slot not in boulders)
        pushes = find_pushes(BoulderRoom(world, boulders, others, others), start, slot, goal)
        return None if not pushes else Spot(start.map_id, *pushes[-1].stand)


def end_of(place: Place) -> Destination:
    """Return the destination of a walk to a place."""
    return Destination(place.map_id, None if place.spot is None else frozenset({place.spot}))
