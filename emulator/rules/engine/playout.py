"""Many turns and whole battles at once: arrays of positions, played by simple policies."""

from typing import Final

import numpy as np

from emulator.rules.engine.chance import below
from emulator.rules.engine.choices import add_members, add_moves
from emulator.rules.engine.compiled import compiled
from emulator.rules.engine.items import place_of
from emulator.rules.engine.move_value import (
    FIXED,
    attack_value,
    best_attack_value,
    expected_damage,
    kind_of,
    loaded,
    outlook,
    reload,
    taken_after,
)
from emulator.rules.engine.position import (
    BAG,
    BOTH_SEND,
    DECIDES,
    GO_ON,
    GOES_ON,
    ITEM,
    MIMIC_ONE,
    NO_ONE,
    OURS,
    PER_ITEM,
    SLOTS,
    STRUGGLES,
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

# Policies. Those of our side in decisions: the best attack, or the same with an item of the bag on one that is low
# (CAREFUL less its place in the bag); or a choice that is made again and again, by its own number.
ATTACKS: Final = -1
CAREFUL: Final = -2
RANDOM: Final = -30  # any move that can be selected
GREEDY: Final = -31  # the move with the most expected damage
AS_THE_GAME: Final = -32  # for the foe: as wild Pokemon and trainers choose
LOW: Final = 0.4  # below this share of its HP
SURE: Final = 230  # of 256: an attack that knocks out with this chance is enough
ENOUGH: Final = 0.9  # of the damage to be taken: what a move without damage must spare
MANY_MOVES: Final = SLOTS * SLOTS + 1


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
def best_move(position: Position, side: int, policy: int, tables: Tables) -> int:
    """Return the choice of the move that a policy likes best; GO_ON or STRUGGLES where no move can be chosen."""
    found = np.zeros(MANY_MOVES, np.int64)
    count = add_moves(position, side, found, 0)
    if found[0] in (GO_ON, STRUGGLES):
        return int(found[0])
    # What was loaded before stays: Counter looks at it.
    user, target = position.sides[side], position.sides[1 - side]
    own, others = loaded(position, side), loaded(position, 1 - side)
    best, most, kind, other_moves = int(found[0]), -1, FIXED, 0
    for at in range(count):
        choice = int(found[at])
        worth = 0
        if choice < MIMIC_ONE and policy == GREEDY:
            worth = expected_damage(position, side, choice, tables)
        elif choice < MIMIC_ONE:
            worth = attack_value(position, side, choice, tables)
            other_moves += int(user.move.power == 0)
        if worth > most:
            best, most, kind = choice, worth, kind_of(position, side) if worth else FIXED
    if other_moves and most < int(target.hp) * SURE:
        ahead = outlook(position, side, most, kind, tables)
        least = ENOUGH * ahead[0] * ahead[2]
        for at in range(count):
            choice = int(found[at])
            if choice < MIMIC_ONE and not tables.moves[user.moves[choice]].power:
                taken = taken_after(position, side, choice, ahead, tables)
                if taken < least:
                    best, least = choice, taken
    reload(position, side, own)
    reload(position, 1 - side, others)
    return best


@compiled
def is_healed(position: Position, side: int, tables: Tables) -> bool:
    """Return whether a potion is due: for a low member that does damage; another one takes the foe's attacks for the rest."""
    mon = position.sides[side]
    if mon.hp >= LOW * mon.max_hp:
        return False
    return best_attack_value(position, side, tables) > 0


@compiled
def choose(position: Position, side: int, policy: int, tables: Tables) -> int:
    """Return the choice of a policy; an item of the bag that is used up leaves the best attack."""
    if policy == AS_THE_GAME:
        return DECIDES
    if policy == RANDOM:
        found = np.zeros(MANY_MOVES, np.int64)
        count = add_moves(position, side, found, 0)
        return int(found[below(position, count)])
    if policy >= ITEM and place_of(position, (policy - ITEM) // PER_ITEM) == NO_ONE:
        return best_move(position, side, ATTACKS, tables)
    if policy >= 0:
        return policy
    mon, at = position.sides[side], CAREFUL - policy
    if 0 <= at < BAG and position.bag_counts[at] and is_healed(position, side, tables):
        return ITEM + int(position.bag_items[at]) * PER_ITEM + int(mon.out) * SLOTS
    return best_move(position, side, policy, tables)


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
    """Play a battle to its end by two policies, at most so many turns; return the outcome, GOES_ON without an end."""
    until = int(position.turns) + turns
    while True:
        outcome = int(position.outcome)
        if outcome == GOES_ON:
            if position.turns >= until:
                return GOES_ON
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
