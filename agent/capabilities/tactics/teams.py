"""A team against a team, each in its order: the chance that the last one standing is ours."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from agent.capabilities.tactics.duel import standing_at
from agent.capabilities.tactics.fighters import fighter_from, fighter_of
from agent.capabilities.tactics.matchup import Starts, best_attack, duel
from emulator import BattleMon, Dex, Member, Odds, Party

UNLIKELY: Final = 3e-3  # what is less likely than this is not followed


def chance_to_beat(dex: Dex, party: Party, enemies: Sequence[Member]) -> float:
    """Return the chance that a team as it is now beats a trainer's, both in their order.

    Every mon fights with the attack that does most, nobody is healed or changed; so it is an estimate from below.
    """
    own = tuple([fighter_of(mon, at) for at, mon in enumerate(party.mons) if mon.hp])
    made = [fighter_from(dex, member, at) for at, member in enumerate(enemies)]
    return beats(dex, own, tuple([each for each in made if each is not None]))


@lru_cache(maxsize=512)
def beats(dex: Dex, own: tuple[BattleMon, ...], foes: tuple[BattleMon, ...]) -> float:
    """Return the chance that `own` beat `foes`, one after the other; who wins goes on as hurt as he is."""
    if not foes or not own:
        return float(not foes)
    # By who faces whom: the damage that the own mon brings along, or the enemy; the other comes fresh.
    ours: dict[tuple[int, int], Odds] = {(0, 0): standing_at(own[0])}
    theirs: dict[tuple[int, int], Odds] = {}
    won = 0.0
    for at in sorted(np.ndindex(len(own), len(foes)), key=sum):
        here = (at[0], at[1])
        for starts in (Starts(own=ours.get(here)), Starts(enemy=theirs.get(here))):
            known = starts.own if starts.own is not None else starts.enemy
            if known is None or known.sum() < UNLIKELY:
                continue
            mon, foe = own[here[0]], foes[here[1]]
            end = duel(dex, mon, foe, best_attack(dex, mon, foe), starts=starts)
            if here[1] + 1 == len(foes):
                won += end.chance
            else:
                _add(ours, (here[0], here[1] + 1), end.won)
            if here[0] + 1 < len(own):
                _add(theirs, (here[0] + 1, here[1]), end.lost)
    return min(won, 1.0)


def _add(odds: dict[tuple[int, int], Odds], place: tuple[int, int], more: Odds) -> None:
    odds[place] = odds[place] + more if place in odds else more
