"""Keep the team healthy: by healers, potions and antidotes."""

from collections.abc import Collection
from functools import partial
from typing import Final

from agent.battle import items
from agent.battle.items import HEALS
from agent.capabilities.capability import (
    FREE,
    SCREEN_REFLEXES,
    BoundAction,
    Capability,
    Sensor,
    watching,
)
from agent.capabilities.context import GameContext
from agent.capabilities.travel import at
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Skill, no_skill, talk, use_item
from agent.story.interactions import Healer
from emulator import Dex, Party, PartyMon, State

LOW_HP: Final = 40  # percent of the team's HP below which healing comes first
LOW_PP: Final = 20  # the same, in percent of the PP of its attacks
REFRESHED: Final = 70  # percent of HP expected after a potion
PRIORITY: Final = 55
HEAL_COST: Final = 5
POTION_COST: Final = 20  # more than the walk to a healer of the same town, less than to the next
CURE_COST: Final = 10
HOME: Final = 0  # the first town: it has no healer, and a defeat leads there until one is used
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
    (Require("party:hp", at_least=LOW_HP), Require("party:pp", at_least=LOW_PP)),
    PRIORITY,
    "keep the team healthy",
)
# Poison takes HP at every step, so an antidote comes before the walk to a healer.
CURED: Final = Goal(
    "cured", (Require("party:poisoned", at_most=0),), PRIORITY + 1, "cure the poison"
)


def hp_percent(party: Party) -> int:
    """Return the remaining HP of the team in percent; 100 for an empty team."""
    maximum = sum(mon.stats.hp for mon in party.mons)
    left = sum(min(mon.hp, mon.stats.hp) for mon in party.mons)
    return 100 * left // maximum if maximum else 100


def pp_percent(dex: Dex, party: Party) -> int:
    """Return the highest remaining PP of a member's attacks in percent; 100 without any member."""
    return max((_pp_percent(dex, mon) for mon in party.mons if mon.hp), default=100)


def _pp_percent(dex: Dex, mon: PartyMon) -> int:
    known = [(slot, dex.all_moves.get(slot.move)) for slot in mon.moves]
    attacks = [(slot, move) for slot, move in known if move is not None and move.power]
    maximum = sum(move.pp + slot.pp_ups * (move.pp // 5) for slot, move in attacks)
    return 100 * sum(slot.pp for slot, _ in attacks) // maximum if maximum else 100


def capability(game: GameContext) -> Capability:
    """Keep the team healthy: by a healer, or with items from the bag."""
    healers = [_heal(each, game) for each in game.story.healers]
    return Capability(
        name="recover",
        sensors=(_sensor(game),),
        actions=(*healers, _potion(game.story.kept), _ANTIDOTE) if healers else (),
        goals=(HEALTHY, CURED) if healers else (),
    )


def _sensor(game: GameContext) -> Sensor:
    towns = {home(each.town): each.town for each in game.story.healers if each.town is not None}
    kept = game.story.kept

    def sources(state: State) -> tuple[object, ...]:
        flags = state.flags
        return state.party, state.bag, flags.used_center, flags.blackout_map

    def read(state: State) -> dict[str, int]:
        # Asking is enough to mark a centre as used, but defeats lead there only after healing.
        woken = state.flags.blackout_map if state.flags.used_center else None
        poisoned = any(mon.status.poisoned and mon.hp for mon in state.party.mons)
        return {
            "party:hp": hp_percent(state.party),
            "party:pp": pp_percent(game.dex, state.party),
            "party:poisoned": int(poisoned),
            "healed": int(woken not in {None, HOME}),
            "bag:potions": sum(map(state.bag.quantity, items.potions(state.bag, kept))),
            "bag:antidotes": state.bag.quantity(items.ANTIDOTE),
            **{fact: int(town == woken) for fact, town in towns.items()},
        }

    return watching({**BEFORE, **dict.fromkeys(towns, 0)}, sources, read)


def home(town: int) -> str:
    """Return the name of the fact that a defeat leads to this town."""
    return f"home:{town}"


def _heal(healer: Healer, game: GameContext) -> BoundAction:
    towns = [each.town for each in game.story.healers if each.town is not None]

    action = Action(
        name=f"heal:{healer.place}",
        requires=(Require(at(healer.place), at_least=1), FREE),
        effects=(
            Effect("party:hp", 100),
            Effect("party:pp", 100),
            Effect("party:poisoned", 0),
            Effect("healed", 1),
            *(Effect(home(each), int(each == healer.town)) for each in towns),
        ),
        cost=HEAL_COST,
        label=f"have the team healed in {game.story.place(healer.place).called}",
    )
    begin = partial(talk, healer.person, game.terrain, say_yes=True)
    return BoundAction(action, begin, suppresses=SCREEN_REFLEXES)


def _take_potion(kept: Collection[int], state: State) -> Skill:
    """Heal the member that lost most HP with the smallest potion that suffices, or the largest carried."""
    lost = [mon.stats.hp - mon.hp if mon.hp else 0 for mon in state.party.mons]
    held = items.potions(state.bag, kept)
    if not held or not any(lost):
        return no_skill()
    enough = [item for item in held if HEALS[item] >= max(lost)]
    chosen = min(enough, key=HEALS.__getitem__) if enough else held[-1]
    return use_item(chosen, lost.index(max(lost)), state)


def _take_antidote(state: State) -> Skill:
    mons = enumerate(state.party.mons)
    poisoned = next((at for at, mon in mons if mon.status.poisoned and mon.hp), None)
    return no_skill() if poisoned is None else use_item(items.ANTIDOTE, poisoned, state)


def _potion(kept: Collection[int]) -> BoundAction:
    action = Action(
        name="use:potion",
        requires=(Require("bag:potions", at_least=1), FREE),
        effects=(Effect("party:hp", REFRESHED),),
        cost=POTION_COST,
        label="use a potion",
    )
    return BoundAction(action, partial(_take_potion, kept), suppresses=SCREEN_REFLEXES)


_ANTIDOTE: Final = BoundAction(
    Action(
        name="use:antidote",
        requires=(Require("bag:antidotes", at_least=1), FREE),
        effects=(Effect("party:poisoned", 0),),
        cost=CURE_COST,
        label="use an antidote",
    ),
    _take_antidote,
    suppresses=SCREEN_REFLEXES,
)
