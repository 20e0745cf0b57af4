"""Keep the team healthy, by healers."""

from collections.abc import Collection
from functools import partial
from typing import Final

from agent.capabilities.capability import (
    FREE,
    HP,
    PP,
    SCREEN_REFLEXES,
    BoundAction,
    Capability,
    Sensor,
    home,
    watching,
)
from agent.capabilities.context import GameContext
from agent.capabilities.fighters import HEALED, hp_percent, member, patient, remembered_fighters
from agent.capabilities.travel import at
from agent.planning.domain import Action, Effect, Goal, Require
from agent.skills import Movement, Outcome, Skill, read_text
from agent.story.interactions import Healer
from emulator import Dex, Party, PartyMon, State
from emulator.rules import full_pp

LOW_HP: Final = 40  # percent of the fighter's HP below which healing comes first
LOW_PP: Final = 20  # the same, in percent of the PP of its attacks
PRIORITY: Final = 55
HEAL_COST: Final = 5
HOME: Final = 0  # the first town: it has no healer, and a defeat leads there until one is used
BEFORE: Final = {HP: 100, PP: 100, "healed": 0}
HEALTHY: Final = Goal(
    "healthy",
    (Require(HP, at_least=LOW_HP), Require(PP, at_least=LOW_PP)),
    PRIORITY,
    "keep the team healthy",
)


def pp_percent(dex: Dex, party: Party, fighters: Collection[int]) -> int:
    """Return the least remaining PP of a fighter's attacks in percent; 100 without one that can fight."""
    mons = (party[at] for at in fighters if at < len(party))
    return min((_pp_percent(dex, mon) for mon in mons if mon.hp), default=100)


def _pp_percent(dex: Dex, mon: PartyMon) -> int:
    known = [(slot, dex.all_moves.get(slot.move)) for slot in mon.moves]
    attacks = [(slot, move) for slot, move in known if move is not None and move.power]
    maximum = sum(full_pp(move.pp, slot.pp_ups) for slot, move in attacks)
    return 100 * sum(slot.pp for slot, _ in attacks) // maximum if maximum else 100


def capability(game: GameContext) -> Capability:
    """Keep the team healthy by a healer."""
    healers = [_heal(each, game) for each in game.story.healers]
    return Capability(
        name="recover",
        sensors=(_sensor(game),),
        actions=tuple(healers),
        goals=(HEALTHY,) if healers else (),
    )


def _sensor(game: GameContext) -> Sensor:
    towns = {home(each.town): each.town for each in game.story.healers if each.town is not None}
    fighters = game.shared(remembered_fighters)

    def sources(state: State) -> tuple[object, ...]:
        flags = state.flags
        return state.party, flags.events, flags.used_center, flags.blackout_map

    def read(state: State) -> dict[str, int]:
        # Asking is enough to mark a centre as used, but defeats lead there only after healing.
        woken = state.flags.blackout_map if state.flags.used_center else None
        first = fighters(state)
        return {
            HP: hp_percent(member(state.party, patient(state.party, first))),
            PP: pp_percent(game.dex, state.party, first),
            "healed": int(woken not in {None, HOME}),
            **{fact: int(town == woken) for fact, town in towns.items()},
        }

    return watching({**BEFORE, **dict.fromkeys(towns, 0)}, sources, read)


def _heal(healer: Healer, game: GameContext) -> BoundAction:
    towns = [each.town for each in game.story.healers if each.town is not None]

    action = Action(
        name=f"heal:{healer.place}",
        requires=(Require(at(healer.place), at_least=1), FREE),
        effects=(
            Effect(HP, 100),
            Effect(PP, 100),
            *HEALED,
            Effect("healed", 1),
            *(Effect(home(each), int(each == healer.town)) for each in towns),
        ),
        cost=HEAL_COST,
        label=f"have the team healed in {game.story.place(healer.place).called}",
    )
    return BoundAction(action, partial(_ask, healer, game), suppresses=SCREEN_REFLEXES)


def _ask(healer: Healer, game: GameContext, state: State) -> Skill:
    """Ask a healer; BLOCKED if the team is not whole afterwards, so that other healers and potions come first."""
    last = state

    def read(state: State) -> Movement:
        nonlocal last
        last = yield from read_text(state, say_yes=True)
        return last

    outcome = yield from game.skills.talk(healer.person, game.terrain, state, on_text=read)
    is_healed = all(mon.hp == mon.stats.hp for mon in last.party.mons)
    return outcome if is_healed or outcome is not Outcome.DONE else Outcome.BLOCKED
