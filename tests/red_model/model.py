"""The model that performs or refuses the actions of a plan."""

from dataclasses import dataclass, replace
from typing import Final

from agent.planning.domain import Action
from agent.story.facts import parse_fact
from agent.story.interactions import Interaction, Task
from agent.story.places import Land, Place, Square
from agent.story.story import FIELD_MOVES, Story
from tests.red_model.moment import MACHINES, Moment, arrive, walk, within_reach
from tests.red_model.world import Atlas, Fact, Happening, Region

LOSS: Final = 35  # percent of HP lost in a story battle
HP_LEFT: Final = 30  # percent of HP left after training
LEVELS: Final = 4  # levels gained by one training action
HIGHEST: Final = 100
FIRST_LEVEL: Final = 5
FIRST_INDOOR_MAP: Final = 37
FIRST_HM: Final = 50  # index among the machines of a species


class Refused(Exception):
    """The world refuses an action; the message gives the reason."""


def marked_squares(interaction: Interaction, *keys: str) -> tuple[Square, ...]:
    """Return the squares that a story file names for an interaction; with `keys`, only for these kinds."""
    value = interaction.value
    match interaction.key:
        case key if keys and key not in keys:
            return ()
        case "walk_to" | "search":
            return tuple(value)
        case "push":
            return tuple(square for _, square in value)
        case "examine":
            return (value,)
        case "visit":
            return tuple(value["ask_at"])
        case "answer" | "play_on" | "vend":
            return (value["at"],)
        case _:
            return ()


@dataclass(frozen=True, slots=True)
class Model:
    """A world, and the story whose names the plans use."""

    atlas: Atlas
    story: Story

    def carry_out(self, action: Action, moment: Moment) -> Moment:
        """Return the moment after an action, or raise Refused."""
        kind, _, rest = action.name.partition(":")
        match kind:
            case "travel":
                return self._travel(self._place(rest.partition(":")[0]), moment)
            case "task":
                return self._do(self._task(rest), moment)
            case "heal":
                return self._heal(self._place(rest), moment)
            case "train" | "train_alone":
                return self._train(self._place(rest), moment)
            case "witness":
                return self._witness(rest, moment)
            case "teach":
                return self._teach(rest, moment)
            case "catch":
                place, _, wanted = rest.partition(":")
                return self._catch(self._place(place), wanted, moment)
            case "fly":
                return self._fly(self._place(rest), moment)
            case _:
                message = f"the model does not know the action {action.name!r}"
                raise Refused(message)

    def regions_of(self, place: Place) -> frozenset[Region]:
        """Return the regions of a place, or the region of its spot."""
        if place.spot is not None:
            return frozenset({self.atlas.regions[place.map_id, place.spot]})
        return frozenset(
            each for each in self.atlas.regions.values() if each.map_id == place.map_id
        )

    def is_at(self, place: Place, moment: Moment) -> bool:
        """Return whether the player is in a place: on its map, and connected to its spot within the map."""
        if moment.region.map_id != place.map_id:
            return False
        if place.spot is None:
            return True
        joined = within_reach(self.atlas, moment, map_id=place.map_id)
        return not joined.isdisjoint(self.regions_of(place))

    def is_in(self, land: Land, moment: Moment) -> bool:
        """Return whether the player is in a land, judged by one square of the region."""
        return land.covers(moment.region.map_id, self.atlas.squares[moment.region])

    def wanted_level(self, task: Task) -> int:
        """Return the level required for a task: that of the opponent's strongest Pokemon."""
        if task.against is None:
            return 0
        teams = self.atlas.teams.get(task.against.trainer_class, ())
        return max(level for level, _ in teams[task.against.numbers[0] - 1])

    def happening(self, task: Task) -> list[Happening]:
        """Return the happenings of the world that belong to a task."""
        place, interaction = self._place(task.place), task.interaction
        squares = set(marked_squares(interaction))
        if interaction.key == "leave":
            joins = [
                join for each in self.regions_of(place) for join in self.atlas.joins.get(each, ())
            ]
            squares |= {each.at for each in joins if each.end.map_id == interaction.value}
        people = set(interaction.people)
        return [
            each
            for each in self.atlas.happenings.get(place.map_id, ())
            if each.people & people or each.squares & squares
        ]

    def happen(self, each: Happening, moment: Moment) -> Moment:
        """Return the moment after a happening, including the walk to it, or raise Refused."""
        there = walk(self.atlas, moment, each.regions)
        if there is None:
            message = f"no way leads to {each.id!r} from {moment.region}"
            raise Refused(message)
        missing = [fact for fact in each.needs if not there.holds(fact)]
        if missing:
            message = f"{each.id!r} needs {missing[0]}"
            raise Refused(message)
        now = there.having(each.gives, each.takes, pays=each.pays)
        if each.level:
            now = replace(now, hp=max(now.hp - LOSS, 1), level=max(now.level + 1, FIRST_LEVEL))
        if Fact("event", 34) in each.gives:  # EVENT_GOT_STARTER
            now = replace(now, level=FIRST_LEVEL, owned=1)
        if each.end is not None:
            now = arrive(self.atlas, replace(now, region=each.end), each.map_id)
        if each.id == "champion":
            now = now.having([Fact("fame", 1)])
        return now.settled(self.atlas)

    def _travel(self, place: Place, moment: Moment) -> Moment:
        there = walk(self.atlas, moment, self.regions_of(place))
        if there is None:
            message = f"no way leads to {place.name!r} from {moment.region}"
            raise Refused(message)
        return there

    def _do(self, task: Task, moment: Moment) -> Moment:
        found = self.happening(task)
        why = f"task {task.id!r} has no effect at its place"
        for each in found:
            try:
                after = self.happen(each, moment)
            except Refused as refusal:
                why = str(refusal)
                continue
            if after.holds(self.fact(task.sets)):
                return after
            why = f"{each.id!r} does not make {task.sets!r} true"
        raise Refused(why)

    def _witness(self, name: str, moment: Moment) -> Moment:
        milestone = next(each for each in self.story.milestones if each.id == name)
        wrong = milestone.map_id not in (None, moment.region.map_id)
        wrong |= milestone.home not in (None, moment.home)
        if wrong or (milestone.fact is not None and not moment.holds(self.fact(milestone.fact))):
            message = f"milestone {name!r} is not proven here"
            raise Refused(message)
        return replace(moment, reached=moment.reached | {name})

    def _heal(self, place: Place, moment: Moment) -> Moment:
        there = self._travel(place, moment)
        doors = [join for each in self.regions_of(place) for join in self.atlas.joins.get(each, ())]
        towns = [join.end.map_id for join in doors if join.end.map_id < FIRST_INDOOR_MAP]
        return replace(there, hp=100, home=towns[0])

    def _train(self, place: Place, moment: Moment) -> Moment:
        joined = within_reach(self.atlas, moment, map_id=place.map_id)
        grows = place.map_id >= FIRST_INDOOR_MAP or not joined.isdisjoint(self.atlas.grass)
        if place.map_id not in self.atlas.wild or not grows or moment.level == 0:
            message = f"no training is possible in {place.name!r}"
            raise Refused(message)
        return replace(moment, hp=HP_LEFT, level=min(moment.level + LEVELS, HIGHEST))

    def _teach(self, name: str, moment: Moment) -> Moment:
        move = self.story.ram_facts[f"move:{name}"].number
        missing = [
            fact
            for fact in (Fact("item", MACHINES[move]), Fact("owns", move))
            if not moment.holds(fact)
        ]
        if missing:
            message = f"{name!r} cannot be taught without {missing[0]}"
            raise Refused(message)
        return moment.having([Fact("move", move)])

    def _catch(self, place: Place, wanted: str, moment: Moment) -> Moment:
        move = FIELD_MOVES.get(wanted, 0)
        self._train(place, moment)  # encounters exist only where a team can train
        machine = FIRST_HM + list(MACHINES).index(move) if move else -1
        living = {species for _, species in self.atlas.wild[place.map_id][1]}
        if not any(machine in self.atlas.species[each][1] for each in living):
            message = f"no Pokemon that could learn {wanted!r} lives in {place.name!r}"
            raise Refused(message)
        caught = moment.having([Fact("owns", move)])
        return replace(caught, owned=caught.owned + 1)

    def _fly(self, town: Place, moment: Moment) -> Moment:
        landings = [each for each in self.atlas.towns if each.map_id == town.map_id]
        outdoors = moment.region.map_id < FIRST_INDOOR_MAP
        known = town.map_id in moment.visited
        if not (outdoors and known and landings and moment.holds(Fact("field", 19))):
            message = f"the team cannot fly to {town.name!r} from {moment.region}"
            raise Refused(message)
        return arrive(self.atlas, replace(moment, region=landings[0]), moment.region.map_id)

    def fact(self, name: str) -> Fact:
        """Return the world's fact for a fact name of the story."""
        known, so = parse_fact(name)
        mark = self.story.ram_facts[known]
        return Fact(mark.kind.value if so else "clear", mark.number)

    def _place(self, name: str) -> Place:
        return next(each for each in self.story.places if each.name == name)

    def _task(self, name: str) -> Task:
        return next(each for each in self.story.tasks if each.id == name)
