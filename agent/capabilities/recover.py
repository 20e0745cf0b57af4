"""Looking after the team: whoever heals it is worth a walk when it is worn, and a potion when that is far."""

from collections.abc import Collection
from functools import partial
from typing import Final

from agent.capabilities import supplies
from agent.capabilities.capability import Capability, Deed, Sensor, watching
from agent.capabilities.health import hp_percent, pp_percent
from agent.capabilities.kit import Kit
from agent.capabilities.story import Healer
from agent.capabilities.tactics.items import HEALS
from agent.capabilities.travel import at
from agent.planning import Action, Effect, Goal, Require
from agent.skills import Skill, nothing, talk, use_item
from emulator import Dex, State

WORN: Final = 40  # percent of the team's HP below which healing comes first
TIRED: Final = 20  # percent of the PP of its attacks
REFRESHED: Final = 70  # percent of HP that a potion is taken to leave the team with
PRIORITY: Final = 55
HEAL_COST: Final = 5
POTION_COST: Final = 20  # more than the walk to a healer of the same town, less than to the next
CURE_COST: Final = 10
HOME: Final = 0  # the town where the game begins: it heals nobody, and losing leads there first

MENUS: Final = frozenset(
    {"busy", "text", "stray_menu"}
)  # reflexes that a skill in menus does without

BEFORE: Final = {
    "party:hp": 100,
    "party:pp": 100,
    "party:poisoned": 0,
    "healed": 0,
    "bag:potions": 0,
    "bag:antidotes": 0,
}
HEALTHY: Final = Goal(
    "healthy",
    (
        Require("party:hp", at_least=WORN),
        Require("party:pp", at_least=TIRED),
    ),
    PRIORITY,
    "keep the team on its feet",
)
# Poison takes HP at every step: whoever carries an antidote does not walk to a healer first.
CURED: Final = Goal(
    "cured", (Require("party:poisoned", at_most=0),), PRIORITY + 1, "be rid of the poison"
)


def capability(kit: Kit) -> Capability:
    """Keep the team fit to fight: by a healer, or out of the bag."""
    called = {place.name: place.called for place in kit.story.places}
    healers = [_heal(each, called[each.place], kit) for each in kit.story.healers]
    return Capability(
        name="recover",
        sensors=(_sensor(kit),),
        deeds=(*healers, _potion(kit.story.kept), _ANTIDOTE) if healers else (),
        goals=(HEALTHY, CURED) if healers else (),
    )


def _sensor(kit: Kit) -> Sensor:
    towns = {home(each.town): each.town for each in kit.story.healers if each.town is not None}
    kept = kit.story.kept

    def sources(state: State) -> tuple[object, ...]:
        flags = state.flags
        return state.party, state.bag, flags.used_center, flags.blackout_map

    def read(state: State) -> dict[str, int]:
        facts, flags = _facts(kit.dex, kept, state), state.flags
        used = {
            fact: flags.used_center and flags.blackout_map == town for fact, town in towns.items()
        }
        return {**facts, **{fact: int(so) for fact, so in used.items()}}

    return watching({**BEFORE, **dict.fromkeys(towns, 0)}, sources, read)


def home(town: int) -> str:
    """Return the name of the fact that one would wake up in a town after losing."""
    return f"home:{town}"


def _facts(dex: Dex, kept: Collection[int], state: State) -> dict[str, int]:
    # Asking is enough for the centre to count as used; only who is healed there wakes up there.
    healed = state.flags.used_center and state.flags.blackout_map != HOME
    return {
        "party:hp": hp_percent(state.party),
        "party:pp": pp_percent(dex, state.party),
        "party:poisoned": int(any(mon.status.poisoned and mon.hp for mon in state.party.mons)),
        "healed": int(healed),
        "bag:potions": sum(map(state.bag.quantity, supplies.potions(state.bag, kept))),
        "bag:antidotes": state.bag.quantity(supplies.ANTIDOTE),
    }


def _heal(healer: Healer, place: str, kit: Kit) -> Deed:
    towns = [each.town for each in kit.story.healers if each.town is not None]

    def begin(state: State) -> Skill:
        return talk(healer.person, kit.terrain, state, say_yes=True)

    action = Action(
        name=f"heal:{healer.place}",
        requires=(Require(at(healer.place), at_least=1), Require("in_control", at_least=1)),
        effects=(
            Effect("party:hp", 100),
            Effect("party:pp", 100),
            Effect("party:poisoned", 0),
            Effect("healed", 1),
            *(Effect(home(each), int(each == healer.town)) for each in towns),
        ),
        cost=HEAL_COST,
        says=f"have the team healed in {place}",
    )
    return Deed(action, begin, masters=MENUS)


def _take_potion(kept: Collection[int], state: State) -> Skill:
    """Give whoever lacks most HP the smallest potion that makes up for it, or the largest there is."""
    lost = [mon.stats.hp - mon.hp if mon.hp else 0 for mon in state.party.mons]
    held = supplies.potions(state.bag, kept)
    if not held or not any(lost):
        return nothing()
    position = lost.index(max(lost))
    enough = [item for item in held if HEALS[item] >= lost[position]]
    chosen = min(enough, key=HEALS.__getitem__) if enough else held[-1]
    return use_item(chosen, position, state)


def _take_antidote(state: State) -> Skill:
    mons = enumerate(state.party.mons)
    poisoned = next((at for at, mon in mons if mon.status.poisoned and mon.hp), None)
    return nothing() if poisoned is None else use_item(supplies.ANTIDOTE, poisoned, state)


def _potion(kept: Collection[int]) -> Deed:
    action = Action(
        name="use:potion",
        requires=(Require("bag:potions", at_least=1), Require("in_control", at_least=1)),
        effects=(Effect("party:hp", REFRESHED),),
        cost=POTION_COST,
        says="take a potion out of the bag",
    )
    return Deed(action, partial(_take_potion, kept), masters=MENUS)


_ANTIDOTE: Final = Deed(
    Action(
        name="use:antidote",
        requires=(Require("bag:antidotes", at_least=1), Require("in_control", at_least=1)),
        effects=(Effect("party:poisoned", 0),),
        cost=CURE_COST,
        says="take an antidote out of the bag",
    ),
    _take_antidote,
    masters=MENUS,
)
