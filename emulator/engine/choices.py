"""What the game offers a side in a position, as numbers of one kind (see `position`), and what simple policies choose."""

from typing import Final

import numpy as np

from emulator.compiled import compiled
from emulator.engine.chance import below
from emulator.engine.items import ETHER, MAX_ETHER, SAFARI_BALL, has_use, needs_member, place_of
from emulator.engine.move_value import (
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
from emulator.engine.stages import next_member
from emulator.rules import codes, effects
from emulator.rules.position import Position, Tables

MOST: Final = 512
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
MANY_MOVES: Final = codes.SLOTS * codes.SLOTS + 1


@compiled
def legal_choices(position: Position, side: int) -> np.ndarray:
    """Return what a side can choose: moves, or GO_ON or STRUGGLES; switches; our items, and running.

    While a replacement waits, these are the members that can be sent (SWITCH + place) and, once, RUN from
    a wild Pokemon (`run_instead`). The computer's side has its
    moves only: items and switches of trainers come with the turn.
    """
    found = np.zeros(MOST, np.int64)
    count = 0
    if position.outcome in (codes.WE_SEND, codes.THEY_SEND, codes.BOTH_SEND):
        count = add_members(position, side, found, count)
        if position.kind == codes.WILD and not position.must_send:
            found[count] = codes.RUN
            count += 1
        return found[:count]
    if position.kind == codes.SAFARI:
        for choice in (
            codes.ITEM + SAFARI_BALL * codes.PER_ITEM,
            codes.BAIT,
            codes.ROCK,
            codes.RUN,
        ):
            found[count] = choice
            count += 1
        return found[:count]
    mon = position.sides[side]
    if mon.volatile & (codes.RECHARGING | codes.RAGING | codes.THRASHING | codes.CHARGING):
        found[0] = codes.GO_ON
        return found[:1]
    count = add_moves(position, side, found, count)
    if side == codes.OURS or position.kind == codes.LINK:
        count = add_members(position, side, found, count)
    if side == codes.OURS and position.kind != codes.LINK:
        count = add_items(position, found, count)
        if position.kind == codes.WILD:
            found[count] = codes.RUN
            count += 1
    return found[:count]


@compiled
def add_moves(position: Position, side: int, found: np.ndarray, count: int) -> int:
    """Add the moves that can be selected, or what comes instead; return the new count."""
    mon, other = position.sides[side], position.sides[1 - side]
    held = mon.status & (codes.ASLEEP | codes.FROZEN) or mon.volatile & (
        codes.BIDING | codes.TRAPPING
    )
    if held or other.volatile & codes.TRAPPING:
        found[count] = codes.GO_ON
        return count + 1
    before = count
    counts_pp = side == codes.OURS or position.kind == codes.LINK
    for slot in range(codes.SLOTS):
        if not mon.moves[slot] or mon.disabled == slot + 1 or (counts_pp and mon.pp[slot] == 0):
            continue
        if (
            mon.moves[slot] == effects.MOVE_MIMIC
            and side == codes.OURS
            and position.kind != codes.LINK
        ):
            for copied in range(codes.SLOTS):
                if other.moves[copied]:
                    found[count] = codes.MIMIC_ONE + slot * codes.SLOTS + copied
                    count += 1
            continue
        found[count] = slot
        count += 1
    if count == before:
        found[count] = codes.STRUGGLES
        count += 1
    return count


@compiled
def add_members(position: Position, side: int, found: np.ndarray, count: int) -> int:
    """Add the members that can be sent; return the new count."""
    mon = position.sides[side]
    for place in range(mon.count):
        if place != mon.out and mon.team[place].hp > 0:
            found[count] = codes.SWITCH + place
            count += 1
    return count


@compiled
def add_items(position: Position, found: np.ndarray, count: int) -> int:
    """Add the items of the bag that have a use, on each member or move; return the new count."""
    for at in range(codes.BAG):
        item = int(position.bag_items[at])
        if not item or position.bag_counts[at] == 0:
            continue
        for target in range(codes.TEAM * codes.SLOTS):
            place, slot = target // codes.SLOTS, target % codes.SLOTS
            # One without a target is offered once, as for the first member and its first move.
            if slot and not ETHER <= item <= MAX_ETHER:
                continue
            if place and not needs_member(item):
                break
            if has_use(position, item, place, slot):
                found[count] = codes.ITEM + item * codes.PER_ITEM + target
                count += 1
    return count


@compiled
def best_move(position: Position, side: int, policy: int, tables: Tables) -> int:
    """Return the choice of the move that a policy likes best; GO_ON or STRUGGLES where no move can be chosen."""
    found = np.zeros(MANY_MOVES, np.int64)
    count = add_moves(position, side, found, 0)
    if found[0] in (codes.GO_ON, codes.STRUGGLES):
        return int(found[0])
    # What was loaded before stays: Counter looks at it.
    user, target = position.sides[side], position.sides[1 - side]
    own, others = loaded(position, side), loaded(position, 1 - side)
    best, most, kind, other_moves = int(found[0]), -1, FIXED, 0
    for at in range(count):
        choice = int(found[at])
        worth = 0
        if choice < codes.MIMIC_ONE and policy == GREEDY:
            worth = expected_damage(position, side, choice, tables)
        elif choice < codes.MIMIC_ONE:
            worth = attack_value(position, side, choice, tables)
            other_moves += int(user.move.power == 0)
        if worth > most:
            best, most, kind = choice, worth, kind_of(position, side) if worth else FIXED
    if other_moves and most < int(target.hp) * SURE:
        ahead = outlook(position, side, most, kind, tables)
        least = ENOUGH * ahead[0] * ahead[2]
        for at in range(count):
            choice = int(found[at])
            if choice < codes.MIMIC_ONE and not tables.moves[user.moves[choice]].power:
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
        return codes.DECIDES
    if policy == RANDOM:
        found = np.zeros(MANY_MOVES, np.int64)
        count = add_moves(position, side, found, 0)
        return int(found[below(position, count)])
    if (
        policy >= codes.ITEM
        and place_of(position, (policy - codes.ITEM) // codes.PER_ITEM) == codes.NO_ONE
    ):
        return best_move(position, side, ATTACKS, tables)
    if policy >= 0:
        return policy
    mon, at = position.sides[side], CAREFUL - policy
    if 0 <= at < codes.BAG and position.bag_counts[at] and is_healed(position, side, tables):
        return (
            codes.ITEM + int(position.bag_items[at]) * codes.PER_ITEM + int(mon.out) * codes.SLOTS
        )
    return best_move(position, side, policy, tables)


@compiled
def choose_member(position: Position, side: int, policy: int) -> int:
    """Return the place of the member that a policy sends: any of them, or the next."""
    if policy != RANDOM:
        return next_member(position, side)
    found = np.zeros(codes.TEAM, np.int64)
    count = add_members(position, side, found, 0)
    return int(found[below(position, count)]) - codes.SWITCH
