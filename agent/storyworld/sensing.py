"""What the planner's sensors would tell of a moment of the model."""

from agent.capabilities import reached
from agent.capabilities.field_moves import able
from agent.capabilities.heal import home
from agent.capabilities.travel import MAP, at
from agent.planning import Domain
from agent.skills import FLY
from agent.storyworld.atlas import Fact
from agent.storyworld.carrying import Model
from agent.storyworld.moment import Moment

# What the model does not know counts as in order: nothing lies about, nothing runs short, the right one goes first, a ball is in the bag.
IN_ORDER = ("supplied:", "led", "fits:", "recalled:", "errand:", "bag:balls", "team:")


def sense(model: Model, domain: Domain, moment: Moment) -> dict[str, int]:
    """Return every fact of a moment."""
    story = model.story
    facts = {name: int(name.startswith(IN_ORDER)) for name in domain.sensed}
    facts |= {"game_started": 1, "new_game": 1, "in_control": 1, MAP: moment.region.map_id}
    facts |= {"party:hp": moment.hp, "party:pp": 100, "healed": int(moment.home != 0)}
    facts |= {at(each.name): int(model.is_at(each, moment)) for each in story.places}
    for name, mark in story.marks.items():
        facts[name] = int(moment.holds(Fact(mark.kind.value, mark.number)))
    facts |= {home(each.town): int(moment.home == each.town) for each in story.healers if each.town}
    for land in story.lands:
        facts[land.fact] = int(land.hinders(inside=model.is_in(land, moment)))
    for move in story.field_moves:
        known = moment.holds(Fact("owns", move.move)) or moment.holds(Fact("move", move.move))
        facts[able(move)] = int(known)
    facts["fly:able"] = int(moment.holds(Fact("field", FLY)))
    facts |= {f"visited:{each.name}": int(each.map_id in moment.visited) for each in story.places}
    for task in story.tasks:
        if task.ready in facts:
            facts[task.ready] = int(moment.level >= model.wanted_level(task))
    facts |= {reached(each): int(each.id in moment.reached) for each in story.milestones}
    return {name: value for name, value in facts.items() if name in domain.sensed}
