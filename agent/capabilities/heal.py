"""Looking after the team: somebody who heals it is worth a walk when it is worn."""

from typing import Final

from agent.capabilities.capability import Capability, Deed, Sensor
from agent.capabilities.story import Healer, Story
from agent.capabilities.travel import at
from agent.perception import Percept
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, Terrain, talk
from emulator import Party, State
from memory import Recall

WORN: Final = 40  # percent of the team's HP below which healing comes first
PRIORITY: Final = 55
COST: Final = 5
HOME: Final = 0  # the town where the game begins: it heals nobody, and losing leads there first

FACTS: Final = frozenset({"party:hp", "healed"})


def healing(story: Story, terrain: Terrain) -> Capability:
    """Have the team healed when it is worn, by anybody who does that."""
    called = {place.name: place.called for place in story.places}
    deeds = tuple(_deed(healer, called[healer.place], terrain) for healer in story.healers)
    healthy = Goal(
        "healthy", (Require("party:hp", at_least=WORN),), PRIORITY, "keep the team on its feet"
    )
    return Capability(
        name="heal",
        sensors=(Sensor(FACTS, _read),),
        deeds=deeds,
        goals=(healthy,) if deeds else (),
    )


def hp_percent(party: Party) -> int:
    """Return how much of its HP the team has left; nobody to be hurt counts as all of it."""
    whole = sum(mon.stats.hp for mon in party.mons)
    left = sum(min(mon.hp, mon.stats.hp) for mon in party.mons)
    return 100 * left // whole if whole else 100


def _read(percept: Percept, _recall: Recall) -> dict[str, int]:
    state = percept.state
    if not state.game_started:
        return {"party:hp": 100, "healed": 0}
    # Asking is enough for the centre to count as used; only who is healed there wakes up there.
    healed = state.flags.used_center and state.flags.blackout_map != HOME
    return {"party:hp": hp_percent(state.party), "healed": int(healed)}


def _deed(healer: Healer, place: str, terrain: Terrain) -> Deed:
    def begin(state: State) -> Skill:
        return talk(healer.person, terrain, state, say_yes=True)

    action = Action(
        name=f"heal:{healer.place}",
        requires=(Require(at(healer.place), at_least=1), Require("in_control", at_least=1)),
        effects=(Effect("party:hp", 100), Effect("healed", 1)),
        cost=COST,
        says=f"have the team healed in {place}",
    )
    return Deed(action, begin, masters=frozenset({"busy", "text", "stray_menu"}))
