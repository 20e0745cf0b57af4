"""Many turns and whole battles at once: arrays of positions, played by simple policies."""

from typing import Final

import numpy as np

from emulator.rules.engine import effects
from emulator.rules.engine.chance import below
from emulator.rules.engine.choices import add_members, add_moves
from emulator.rules.engine.compiled import compiled
from emulator.rules.engine.hit import (
    after_types,
    damage_before_types,
    scaled_accuracy,
    special_damage,
)
from emulator.rules.engine.move_use import load_move
from emulator.rules.engine.position import (
    BOTH_SEND,
    DECIDES,
    GOES_ON,
    MIMIC_ONE,
    OURS,
    SLOTS,
    SPEED,
    SWITCH,
    TEAM,
    THEIRS,
    THEY_SEND,
    WE_SEND,
    Position,
)
from emulator.rules.engine.sending import next_member
from emulator.rules.engine.tables import Tables
from emulator.rules.engine.turn import play_turn, send

RANDOM: Final = 0  # any move that can be selected
GREEDY: Final = 1  # the move with the most expected damage
AS_THE_GAME: Final = 2  # for the foe: as wild Pokemon and trainers choose
HITS: Final = 3  # of a move with several: on average
MANY_MOVES: Final = SLOTS * SLOTS + 1
CUT_OFF: Final = -1


@compiled
def play_turns(
    positions: np.ndarray, ours: np.ndarray, theirs: np.ndarray, tables: Tables
) -> np.ndarray:
    """Play one turn in each position, in place, and return the outcomes; `ours` and `theirs` hold choices."""
    outcomes = np.zeros(len(positions), np.int64)
    for at in range(len(positions)):
        outcomes[at] = play_turn(positions[at], int(ours[at]), int(theirs[at]), tables)
    return outcomes


@compiled
def expected_damage(position: Position, side: int, slot: int, tables: Tables) -> int:
    """Return about 256 times the damage that a move does on average, at most the target's HP."""
    user, target = position.sides[side], position.sides[1 - side]
    load_move(position, side, int(user.moves[slot]), tables)
    effect = user.move.effect
    if effect == effects.SUPER_FANG:
        damage = int(target.hp) // 2
    elif effect == effects.SPECIAL_DAMAGE:
        damage = special_damage(position, side)
    elif effect == effects.ONE_HIT:
        damage = int(target.hp) * int(user.stats[SPEED] >= target.stats[SPEED])
    else:
        position.critical = 0
        damage = after_types(position, side, tables, damage_before_types(position, side))
        if effect in effects.SEVERAL_HITS:
            damage *= HITS
        elif effect in (effects.TWICE, effects.TWINEEDLE):
            damage *= 2
    return min(damage, int(target.hp)) * (scaled_accuracy(position, side, tables) + 1)


@compiled
def choose(position: Position, side: int, policy: int, tables: Tables) -> int:
    """Return the choice of a policy: a move."""
    if policy == AS_THE_GAME:
        return DECIDES
    found = np.zeros(MANY_MOVES, np.int64)
    count = add_moves(position, side, found, 0)
    if policy == RANDOM or found[0] >= SLOTS:
        return int(found[below(position, count)])
    # What was loaded before stays: Counter looks at it.
    loaded = position.sides[side].move
    number, effect, power = int(loaded.number), int(loaded.effect), int(loaded.power)
    kind, accuracy = int(loaded.type), int(loaded.accuracy)
    best, most = int(found[0]), -1
    for at in range(count):
        choice = int(found[at])
        worth = expected_damage(position, side, choice, tables) if choice < MIMIC_ONE else 0
        if worth > most:
            best, most = choice, worth
    loaded.number, loaded.effect, loaded.power = number, effect, power
    loaded.type, loaded.accuracy = kind, accuracy
    return best


@compiled
def choose_member(position: Position, side: int, policy: int) -> int:
    """Return the place of the member that a policy sends: any of them, or the next."""
    if policy != RANDOM:
        return next_member(position, side)
    found = np.zeros(TEAM, np.int64)
    count = add_members(position, side, found, 0)
    return int(found[below(position, count)]) - SWITCH


@compiled
def play_on(position: Position, ours: int, theirs: int, turns: int, tables: Tables) -> int:
    """Play a battle to its end by two policies, at most so many turns; return the outcome, or CUT_OFF."""
    until = int(position.turns) + turns
    while True:
        outcome = int(position.outcome)
        if outcome == GOES_ON:
            if position.turns >= until:
                return CUT_OFF
            own = choose(position, OURS, ours, tables)
            play_turn(position, own, choose(position, THEIRS, theirs, tables), tables)
        elif outcome in (WE_SEND, BOTH_SEND):
            send(position, OURS, choose_member(position, OURS, ours), tables)
        elif outcome == THEY_SEND:
            send(position, THEIRS, choose_member(position, THEIRS, theirs), tables)
        else:
            return outcome


@compiled
def play_out(
    positions: np.ndarray, ours: int, theirs: int, turns: int, tables: Tables
) -> np.ndarray:
    """Play each position to its end, in place, and return the outcomes; copies need a seed of their own each."""
    outcomes = np.zeros(len(positions), np.int64)
    for at in range(len(positions)):
        outcomes[at] = play_on(positions[at], ours, theirs, turns, tables)
    return outcomes


def copies(position: Position, count: int, seed: int) -> np.ndarray:
    """Return `count` copies of a position with chances of their own, which follow from `seed`."""
    made = np.empty(count, position.dtype)
    made[:] = position
    made["seed"] = seed + np.arange(count)
    made["draws"] = 0
    return made
