"""What the game offers a side in a position, as numbers of one kind (see `position`)."""

from typing import Final

import numpy as np

from emulator.rules.engine import effects
from emulator.rules.engine.compiled import compiled
from emulator.rules.engine.items import ETHER, MAX_ETHER, SAFARI_BALL, has_use, needs_member
from emulator.rules.engine.position import (
    ASLEEP,
    BAG,
    BAIT,
    BIDING,
    BOTH_SEND,
    CHARGING,
    FROZEN,
    GO_ON,
    ITEM,
    LINK,
    MIMIC_ONE,
    OURS,
    PER_ITEM,
    RAGING,
    RECHARGING,
    ROCK,
    RUN,
    SAFARI,
    SLOTS,
    STRUGGLES,
    SWITCH,
    TEAM,
    THEY_SEND,
    THRASHING,
    TRAPPING,
    WE_SEND,
    WILD,
    Position,
)

MOST: Final = 512


@compiled
def legal_choices(position: Position, side: int) -> np.ndarray:
    """Return what a side can choose: moves, or GO_ON or STRUGGLES; switches; our items, and running.

    While a replacement waits, these are the members that can be sent (SWITCH + place) and, once, RUN from
    a wild Pokemon (`run_instead`). The computer's side has its
    moves only: items and switches of trainers come with the turn.
    """
    found = np.zeros(MOST, np.int64)
    count = 0
    if position.outcome in (WE_SEND, THEY_SEND, BOTH_SEND):
        count = add_members(position, side, found, count)
        if position.kind == WILD and not position.must_send:
            found[count] = RUN
            count += 1
        return found[:count]
    if position.kind == SAFARI:
        for choice in (ITEM + SAFARI_BALL * PER_ITEM, BAIT, ROCK, RUN):
            found[count] = choice
            count += 1
        return found[:count]
    mon = position.sides[side]
    if mon.volatile & (RECHARGING | RAGING | THRASHING | CHARGING):
        found[0] = GO_ON
        return found[:1]
    count = add_moves(position, side, found, count)
    if side == OURS or position.kind == LINK:
        count = add_members(position, side, found, count)
    if side == OURS and position.kind != LINK:
        count = add_items(position, found, count)
        if position.kind == WILD:
            found[count] = RUN
            count += 1
    return found[:count]


@compiled
def add_moves(position: Position, side: int, found: np.ndarray, count: int) -> int:
    """Add the moves that can be selected, or what comes instead; return the new count."""
    mon, other = position.sides[side], position.sides[1 - side]
    held = mon.status & (ASLEEP | FROZEN) or mon.volatile & (BIDING | TRAPPING)
    if held or other.volatile & TRAPPING:
        found[count] = GO_ON
        return count + 1
    before = count
    counts_pp = side == OURS or position.kind == LINK
    for slot in range(SLOTS):
        if not mon.moves[slot] or mon.disabled == slot + 1 or (counts_pp and mon.pp[slot] == 0):
            continue
        if mon.moves[slot] == effects.MOVE_MIMIC and side == OURS and position.kind != LINK:
            for copied in range(SLOTS):
                if other.moves[copied]:
                    found[count] = MIMIC_ONE + slot * SLOTS + copied
                    count += 1
            continue
        found[count] = slot
        count += 1
    if count == before:
        found[count] = STRUGGLES
        count += 1
    return count


@compiled
def add_members(position: Position, side: int, found: np.ndarray, count: int) -> int:
    """Add the members that can be sent; return the new count."""
    mon = position.sides[side]
    for place in range(mon.count):
        if place != mon.out and mon.team[place].hp > 0:
            found[count] = SWITCH + place
            count += 1
    return count


@compiled
def add_items(position: Position, found: np.ndarray, count: int) -> int:
    """Add the items of the bag that have a use, on each member or move; return the new count."""
    for at in range(BAG):
        item = int(position.bag_items[at])
        if not item or position.bag_counts[at] == 0:
            continue
        for target in range(TEAM * SLOTS):
            place, slot = target // SLOTS, target % SLOTS
            # One without a target is offered once, as for the first member and its first move.
            if slot and not ETHER <= item <= MAX_ETHER:
                continue
            if place and not needs_member(item):
                break
            if has_use(position, item, place, slot):
                found[count] = ITEM + item * PER_ITEM + target
                count += 1
    return count
