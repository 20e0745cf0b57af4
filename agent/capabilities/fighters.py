"""The members of the team that fight next, and their health: the best lead and the strongest."""

from collections.abc import Callable, Collection, Iterable
from typing import Final, TypeAlias

from agent.battle.odds import chance_to_beat, led_by, rested
from agent.capabilities.context import GameContext
from agent.capabilities.readiness import readiness
from agent.planning.domain import Effect
from agent.story.opponents import ahead, team_against
from emulator import Party, PartyMon, State

POISONED: Final = "party:poisoned"
AILING: Final = "party:ailing"  # the fighter has another status that an item of the bag cures
FALLEN: Final = "party:fallen"  # a strong member has fainted that an item of the bag revives
WORN: Final = "row:worn"  # the fighter needs a potion before the next of a row of trainers
# What a healer does to these facts.
HEALED: Final = tuple(Effect(fact, 0) for fact in (POISONED, AILING, FALLEN, WORN))
BEHIND: Final = 6  # levels by which a trainee may lag behind the strongest member
BETTER: Final = 0.05  # gain of the chance to win that justifies a swap
Fighters: TypeAlias = Callable[[State], tuple[int, ...]]


def remembered_fighters(game: GameContext) -> Callable[[State], tuple[int, ...]]:
    """Return a function for the positions of the members whose health counts: the best lead and the strongest.

    They are those of a rested team, and found again only when the team, the events or memory change.
    """
    last: tuple[object, ...] = ()
    positions: tuple[int, ...] = ()

    def fighters(state: State) -> tuple[int, ...]:
        nonlocal last, positions
        now = game.strength_of(state.party), state.flags.events, game.experience.lessons
        if now != last:
            last, positions = now, _fighters(game, state)
        return positions

    return fighters


def _fighters(game: GameContext, state: State) -> tuple[int, ...]:
    party, task = rested(game.dex, state.party), next(ahead(game.story, state), None)
    if not party.mons:
        return ()
    everyone = range(len(party))
    strongest = strongest_of(party, everyone)
    if task is None or not readiness(game, state, task).ready:
        return (strongest,)
    team = team_against(game.story, game.dex, task, state)
    chances = {at: chance_to_beat(game.dex, led_by(party, at), team) for at in everyone}
    least = max(chances.values()) - BETTER
    lead = strongest_of(party, [at for at in everyone if chances[at] >= least])
    return tuple(dict.fromkeys((lead, strongest)))


def strongest_of(party: Party, positions: Iterable[int]) -> int:
    """Return the position of the member with the highest level, the first one of equals."""
    return max(positions, key=lambda at: (party[at].level, -at))


def hp_percent(mon: PartyMon | None) -> int:
    """Return the remaining HP of a Pokemon in percent; 100 for none."""
    maximum = mon.stats.hp if mon is not None else 0
    return 100 * min(mon.hp, maximum) // maximum if mon is not None and maximum else 100


def patient(party: Party, fighters: Collection[int]) -> int:
    """Return the position of the fighter with the least HP."""
    known = (at for at in fighters if at < len(party))
    return min(known, key=lambda at: hp_percent(party[at]), default=0)


def member(party: Party, position: int) -> PartyMon | None:
    """Return the member at a position, or None."""
    return party[position] if position < len(party) else None
