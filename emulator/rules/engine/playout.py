"""Many turns and whole battles at once: arrays of positions, played by simple policies."""

from typing import Final

import numpy as np

from emulator.rules.engine import effects
from emulator.rules.engine.chance import below
from emulator.rules.engine.choices import add_members, add_moves
from emulator.rules.engine.compiled import compiled
from emulator.rules.engine.hit import (
    after_types,
    critical_threshold,
    damage_before_types,
    scaled_accuracy,
    special_damage,
)
from emulator.rules.engine.items import place_of
from emulator.rules.engine.move_use import load_move
from emulator.rules.engine.position import (
    ASLEEP,
    BAG,
    BOTH_SEND,
    DECIDES,
    FOCUSED,
    GOES_ON,
    ITEM,
    MIMIC_ONE,
    NO_ONE,
    OURS,
    PER_ITEM,
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

# Policies. Those of our side in decisions: the best attack, or the same with an item of the bag on one that is low
# (CAREFUL less its place in the bag); or a choice that is made again and again, by its own number.
ATTACKS: Final = -1
CAREFUL: Final = -2
RANDOM: Final = -30  # any move that can be selected
GREEDY: Final = -31  # the move with the most expected damage
AS_THE_GAME: Final = -32  # for the foe: as wild Pokemon and trainers choose
LOW: Final = 3  # below this part of its HP
HITS: Final = 3  # of a move with several: on average
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
def move_value(position: Position, side: int, slot: int, tables: Tables) -> int:
    """Return what a move is worth to a playout: its damage, and the turns that it takes from the target."""
    user, target = position.sides[side], position.sides[1 - side]
    damage = attack_value(position, side, slot, tables)
    effect = int(user.move.effect)
    if effect == effects.SLEEP and not target.status:
        # Only an attack that knocks out is better.
        return int(target.hp) * (scaled_accuracy(position, side, tables) + 1) - 1
    if effect == effects.TRAP and user.stats[SPEED] > target.stats[SPEED]:
        return damage * 2
    # Of two attacks that knock out, the one that goes first.
    return damage + int(user.move.number == effects.MOVE_QUICK_ATTACK)


@compiled
def attack_value(position: Position, side: int, slot: int, tables: Tables) -> int:
    """Return the expected damage of a move for each turn that it takes."""
    user, target = position.sides[side], position.sides[1 - side]
    damage = expected_damage(position, side, slot, tables)
    effect, number = int(user.move.effect), int(user.move.number)
    if number == effects.MOVE_COUNTER or (
        effect == effects.DREAM_EATER and not target.status & ASLEEP
    ):
        return 0
    if tables.moves[number].high_critical:
        base_speed = int(tables.species[user.species].base_stats[SPEED + 1])
        critical = critical_threshold(base_speed, int(user.volatile & FOCUSED != 0), 1)
        most = int(target.hp) * (scaled_accuracy(position, side, tables) + 1)
        return min(damage + damage * critical // 256, most)
    if effect == effects.EXPLODE:
        return damage // 8
    if effect in (effects.CHARGE, effects.FLY):
        return damage // 2
    if effect == effects.HYPER_BEAM and damage < int(target.hp) * 200:
        return damage * 5 // 8
    return damage


@compiled
def best_move(position: Position, side: int, policy: int, tables: Tables) -> int:
    """Return the choice of the move that a policy likes best; GO_ON or STRUGGLES where no move can be chosen."""
    found = np.zeros(MANY_MOVES, np.int64)
    count = add_moves(position, side, found, 0)
    if found[0] >= SLOTS:
        return int(found[0])
    # What was loaded before stays: Counter looks at it.
    loaded = position.sides[side].move
    number, effect, power = int(loaded.number), int(loaded.effect), int(loaded.power)
    kind, accuracy = int(loaded.type), int(loaded.accuracy)
    best, most = int(found[0]), -1
    for at in range(count):
        choice = int(found[at])
        worth = 0
        if choice < MIMIC_ONE and policy == GREEDY:
            worth = expected_damage(position, side, choice, tables)
        elif choice < MIMIC_ONE:
            worth = move_value(position, side, choice, tables)
        if worth > most:
            best, most = choice, worth
    loaded.number, loaded.effect, loaded.power = number, effect, power
    loaded.type, loaded.accuracy = kind, accuracy
    return best


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
    if 0 <= at < BAG and position.bag_counts[at] and mon.hp * LOW < mon.max_hp:
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
