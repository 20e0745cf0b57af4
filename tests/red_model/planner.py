"""The agent's planner on the model instead of a cartridge, with the same capabilities, story, goals and search."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush
from typing import Final

from agent.capabilities.capability import domain_of, home
from agent.capabilities.context import GameContext
from agent.capabilities.registry import capabilities_for
from agent.capabilities.story_tasks import reached
from agent.capabilities.travel import MAP, at
from agent.planning.domain import Action, Domain, Facts
from agent.planning.search import Plan, plan
from agent.skills import FLY, Terrain
from agent.skills.distances import MapDistances
from agent.story.milestones import MilestoneLedger
from agent.story.story import Story
from emulator import CartridgeKind, Dex, Species, World
from emulator.dex.items import Item
from emulator.dex.trainers import TeamMember, TrainerClass
from emulator.dex.wild import Wild, WildSlot, WildTable
from emulator.ram.party import Stats
from emulator.rules.stats import Growth
from memory import Hooks
from tests.red_model.model import Model, Refused
from tests.red_model.moment import MACHINES, Moment
from tests.red_model.world import Atlas, Fact


class AtlasDistances(MapDistances):
    """The distances between maps of an atlas, with every join open; a map counts as half its size."""

    def __init__(self, atlas: Atlas) -> None:
        super().__init__(World.empty())
        self._breadth = {map_id: 1 + sum(size) // 4 for map_id, size in atlas.sizes.items()}
        self._ends: defaultdict[int, set[int]] = defaultdict(set)
        for start, joins in atlas.joins.items():
            self._ends[start.map_id].update(each.end.map_id for each in joins)
        self._found: dict[int, Mapping[int, int]] = {}

    def steps(self, start: int, end: int) -> int:
        """Return the approximate number of steps between two maps; 0 within one map."""
        if start not in self._found:
            self._found[start] = self._spread(start)
        return self._found[start].get(end, super().steps(start, end))

    def _spread(self, start: int) -> Mapping[int, int]:
        steps, waiting = {start: 0}, [(0, start)]
        while waiting:
            so_far, here = heappop(waiting)
            further = so_far + self._breadth[here]
            for end in self._ends[here]:
                if further < steps.get(end, further + 1):
                    steps[end] = further
                    heappush(waiting, (further, end))
        return steps


@dataclass(frozen=True, slots=True)
class ModelPlanner:
    """The planning domain of all capabilities, and the story it was built from."""

    domain: Domain
    story: Story

    @staticmethod
    @cache
    def of_red() -> "ModelPlanner":
        """Return the planner for Pokemon Red; its dex holds only the teams and wild levels of the model."""
        atlas, story = Atlas.of_red(), Story.of(CartridgeKind.RED)
        terrain = Terrain(World.empty())
        terrain.map_distances = AtlasDistances(atlas)
        context = GameContext(
            story, terrain, _dex(atlas), MilestoneLedger(story.milestones, Hooks()), 0
        )
        return ModelPlanner(domain_of(capabilities_for(context)), story)


def _dex(atlas: Atlas) -> Dex:
    """Return the dex of the model: teams, wild Pokemon, HMs and the species that learn them."""
    trainers = {
        number: TrainerClass(
            number,
            f"class {number}",
            0,
            tuple(tuple(TeamMember(*each) for each in team) for team in teams),
            (),
        )
        for number, teams in atlas.teams.items()
    }
    wild = {
        map_id: Wild(
            WildTable(rate, tuple(WildSlot(*each, Fraction(1, len(slots))) for each in slots)), None
        )
        for map_id, (rate, slots) in atlas.wild.items()
    }
    return replace(
        Dex(),
        all_species={number: _species(number, *known) for number, known in atlas.species.items()},
        all_items={
            item: Item(item, f"item {item}", 0, key=True, teaches=move)
            for move, item in MACHINES.items()
        },
        all_trainers=trainers,
        wild=wild,
    )


def _species(number: int, experience: int, machines: frozenset[int]) -> Species:
    return Species(
        index=number,
        dex=0,
        name=f"species {number}",
        base=Stats(0, 0, 0, 0, 0),
        types=(0, 0),
        catch_rate=0,
        base_experience=experience,
        growth=Growth(1, 1, 0, 0, 0),
        first_moves=(),
        level_up_moves=(),
        evolutions=(),
        machines=tuple(sorted(machines)),
    )


# Facts outside of the model count as fulfilled: supplies, the lead, the bag, memory, errands.
FULFILLED = (
    *("supplied:", "right_lead", "strong_against:", "recalled:"),
    *("errand:", "bag:balls", "team:"),
)


def sense(model: Model, domain: Domain, moment: Moment) -> dict[str, int]:
    """Return all facts of a moment."""
    story = model.story
    facts = {name: int(name.startswith(FULFILLED)) for name in domain.sensed}
    facts |= {"game_started": 1, "new_game": 1, "in_control": 1, MAP: moment.region.map_id}
    facts |= {"party:hp": moment.hp, "party:pp": 100, "healed": int(moment.home != 0)}
    facts |= {at(each.name): int(model.is_at(each, moment)) for each in story.places}
    for name, mark in story.ram_facts.items():
        facts[name] = int(moment.holds(Fact(mark.kind.value, mark.number)))
    facts |= {home(each.town): int(moment.home == each.town) for each in story.healers if each.town}
    for land in story.lands:
        facts[land.fact] = int(land.hinders(inside=model.is_in(land, moment)))
    for move in story.field_moves:
        known = moment.holds(Fact("owns", move.move)) or moment.holds(Fact("move", move.move))
        facts[move.able] = int(known)
    facts["fly:able"] = int(moment.holds(Fact("field", FLY)))
    facts |= {f"visited:{each.name}": int(each.map_id in moment.visited) for each in story.places}
    for task in story.tasks:
        if task.ready in facts:
            facts[task.ready] = int(moment.level >= model.wanted_level(task))
    facts |= {reached(each): int(each.id in moment.reached) for each in story.milestones}
    return {name: value for name, value in facts.items() if name in domain.sensed}


FAME: Final = Fact("fame", 1)
LAST: Final = "task:beat_champion"
MOST_ACTIONS: Final = 1_500


class End(Enum):
    """How a game ended."""

    FAME = "the Hall of Fame"
    NO_PLAN = "no plan is known"
    REFUSED = "the world refused an action"
    TOO_LONG = "it did not come to an end"


@dataclass(slots=True)
class Game:
    """One game in the model: its current moment, and the actions done so far."""

    model: Model
    planner: ModelPlanner
    moment: Moment
    done: list[Action] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    end: End | None = None
    why: str = ""
    _plan: Plan | None = None

    def play(self, watch: Callable[["Game"], None] = lambda _game: None) -> End:
        """Play to the end and return how it ended; call `watch` after every action."""
        while self.end is None:
            self._step()
            watch(self)
        return self.end

    def after(self, actions: int) -> Moment:
        """Return the moment after `actions` actions, or at an earlier end of the game."""
        while self.end is None and len(self.done) < actions and not self._is_last():
            self._step()
        return self.moment

    def _is_last(self) -> bool:
        return self._plan is not None and any(each.name == LAST for each in self._plan.actions[:1])

    def facts(self) -> Facts:
        """Return the facts that the sensors would return now."""
        return sense(self.model, self.planner.domain, self.moment)

    def _step(self) -> None:
        chosen = self._chosen(self.facts())
        if self.moment.holds(FAME):
            self.end = End.FAME
        elif chosen is None:
            self.end, self.why = End.NO_PLAN, f"at {self.moment.region}"
        elif len(self.done) >= MOST_ACTIONS:
            self.end, self.why = End.TOO_LONG, chosen.goal.label
        else:
            self._carry_out(chosen)

    def _carry_out(self, chosen: Plan) -> None:
        action = chosen.actions[0]
        try:
            self.moment = self.model.carry_out(action, self.moment)
        except Refused as refusal:
            self.end, self.why = End.REFUSED, f"{action.name} for {chosen.goal.name!r}: {refusal}"
            return
        self.done.append(action)
        self._plan = chosen.rest()

    def _chosen(self, facts: Facts) -> Plan | None:
        """Return the plan for the first open goal that has one; the current plan is kept while it is valid."""
        kept = (
            self._plan
            if self._plan is not None and self._plan.actions and self._plan.stands(facts)
            else None
        )
        for goal in self.planner.domain.open_goals(facts):
            if kept is not None and kept.goal is goal:
                return kept
            found = plan(goal, facts, self.planner.domain.actions)
            if found is not None and found.actions:
                self.plans.append(found)
                return found
        return None
