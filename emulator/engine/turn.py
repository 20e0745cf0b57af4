"""A turn of both sides (MainInBattleLoop), what follows when a Pokemon faints, replacements; whole battles by policies."""

import numpy as np

from emulator.compiled import compiled
from emulator.engine.chance import below, happens
from emulator.engine.choices import choose, choose_member
from emulator.engine.foe import acts_instead, choose_move
from emulator.engine.growth import share_experience
from emulator.engine.items import play_safari_turn, use_bag_item
from emulator.engine.move_use import use_move
from emulator.engine.stages import keep, next_member, send_out
from emulator.engine.status import residual
from emulator.rules import arithmetic, codes, effects
from emulator.rules.position import Position, Tables

run_threshold = compiled(arithmetic.run_threshold)


@compiled
def play_turn(position: Position, ours: int, theirs: int, tables: Tables) -> int:
    """Play one turn with a choice of each side (DECIDES lets the foe choose as the game does).

    The position changes in place; the outcome is GOES_ON, a replacement that waits for `send`, or an end. A choice
    that the game does not offer counts as GO_ON.
    """
    position.turns += 1
    if position.kind == codes.SAFARI:
        position.outcome = play_safari_turn(position, ours, tables)
        return int(position.outcome)
    trapped = position.sides[codes.OURS].volatile & codes.TRAPPING
    we_used_it = begin_turn(position, codes.OURS, ours, 0, tables)
    if position.outcome:
        keep(position, codes.OURS)
        return int(position.outcome)
    if position.kind == codes.LINK:
        they_used_it = begin_turn(position, codes.THEIRS, theirs, trapped, tables)
    else:
        they_used_it = False
        let_foe_choose(position, theirs, tables)
    first = who_is_first(position)
    for side in (first, 1 - first):
        used = we_used_it if side == codes.OURS else they_used_it
        if act(position, side, used, tables):
            return finish(position, tables)
    for side in (codes.OURS, codes.THEIRS):
        mon = position.sides[side]
        if mon.attacks_left == 0:
            mon.volatile &= ~codes.TRAPPING
    keep(position, codes.OURS)
    keep(position, codes.THEIRS)
    return codes.GOES_ON


@compiled
def begin_turn(position: Position, side: int, choice: int, trapped: int, tables: Tables) -> bool:
    """Take a player's choice from the menu; return whether it used the turn.

    `trapped` says that the side was when both chose, even if the other has switched by now.
    """
    mon, other = position.sides[side], position.sides[1 - side]
    if mon.volatile & (codes.RECHARGING | codes.RAGING):
        return False
    if side == codes.OURS:
        mon.volatile &= ~codes.FLINCHED
        other.volatile &= ~codes.FLINCHED
    if mon.volatile & (codes.THRASHING | codes.CHARGING):
        return False
    used = use_turn(position, side, choice, tables)
    if mon.status & (codes.ASLEEP | codes.FROZEN) or mon.volatile & (codes.BIDING | codes.TRAPPING):
        return used
    if trapped or other.volatile & codes.TRAPPING:
        mon.selected = codes.CANNOT_MOVE
    elif not used:
        select(position, side, choice)
    return used


@compiled
def use_turn(position: Position, side: int, choice: int, tables: Tables) -> bool:
    """Switch, run, or use an item, before any move; return whether the choice was one of these."""
    if codes.SWITCH <= choice < codes.SWITCH + codes.TEAM:
        keep(position, side)
        send_out(position, side, choice - codes.SWITCH, tables)
        return True
    if side != codes.OURS or position.kind == codes.LINK:
        return False
    if choice == codes.RUN:
        return try_to_run(position, int(position.sides[codes.OURS].stats[codes.SPEED]))
    if choice < codes.ITEM:
        position.run_attempts = 0
        return False
    used = use_bag_item(position, choice, tables)
    ours = position.sides[codes.OURS]
    if used and ours.volatile & codes.TRAPPING:
        ours.attacks_left -= 1
        if ours.attacks_left == 0:
            ours.volatile &= ~codes.TRAPPING
    return used


@compiled
def try_to_run(position: Position, speed: int) -> bool:
    """Try to run from a wild Pokemon, which ends the battle or costs the turn (TryRunningFromBattle)."""
    if position.kind != codes.WILD:
        return False
    attempt = int(position.run_attempts) + 1
    position.run_attempts = attempt
    foe = position.sides[codes.THEIRS]
    if happens(position, run_threshold(speed, int(foe.stats[codes.SPEED]), attempt)):
        position.outcome = codes.RAN
    return True


@compiled
def run_instead(position: Position) -> int:
    """Try to run from a wild Pokemon instead of sending another of ours; return the outcome.

    The speed that counts is that of the first of the team (DoUseNextMonDialogue).
    """
    position.must_send = 1
    try_to_run(position, int(position.sides[codes.OURS].team[0].stats[codes.SPEED]))
    return int(position.outcome)


@compiled
def select(position: Position, side: int, choice: int) -> None:
    """Select a move by its slot."""
    mon = position.sides[side]
    mon.mimic_slot = codes.NO_ONE
    if choice == codes.STRUGGLES:
        mon.selected = effects.MOVE_STRUGGLE
    elif codes.MIMIC_ONE <= choice < codes.ITEM:
        mon.slot, mon.mimic_slot = (
            (choice - codes.MIMIC_ONE) // codes.SLOTS,
            (choice - codes.MIMIC_ONE) % codes.SLOTS,
        )
        mon.selected = mon.moves[mon.slot]
    elif 0 <= choice < codes.SLOTS:
        mon.slot = choice
        mon.selected = mon.moves[choice]


@compiled
def let_foe_choose(position: Position, choice: int, tables: Tables) -> None:
    """Select the foe's move (SelectEnemyMove)."""
    foe = position.sides[codes.THEIRS]
    if foe.volatile & (
        codes.RECHARGING
        | codes.RAGING
        | codes.CHARGING
        | codes.THRASHING
        | codes.TRAPPING
        | codes.BIDING
    ):
        return
    if foe.status & (codes.ASLEEP | codes.FROZEN):
        return
    if position.sides[codes.OURS].volatile & codes.TRAPPING:
        foe.selected = codes.CANNOT_MOVE
        return
    if choice == codes.DECIDES:
        choice = choose_move(position, tables)
    select(position, codes.THEIRS, choice if choice != codes.NO_ONE else codes.STRUGGLES)


@compiled
def who_is_first(position: Position) -> int:
    """Return the side that acts first: by priority, then by speed, then by chance."""
    ours, theirs = position.sides[codes.OURS], position.sides[codes.THEIRS]
    own, other = priority(int(ours.selected)), priority(int(theirs.selected))
    if own == other:
        own, other = int(ours.stats[codes.SPEED]), int(theirs.stats[codes.SPEED])
    if own == other:
        return below(position, 2)
    return codes.OURS if own > other else codes.THEIRS


@compiled
def priority(move: int) -> int:
    """Return 1 for the move that comes first, -1 for the one that comes last."""
    return int(move == effects.MOVE_QUICK_ATTACK) - int(move == effects.MOVE_COUNTER)


@compiled
def act(position: Position, side: int, used: bool, tables: Tables) -> bool:  # noqa: FBT001
    """Let a side act, and lose HP by poison and the like; return whether that ended the turn."""
    if not used and not (side == codes.THEIRS and acts_instead(position, tables)):
        use_move(position, side, tables)
        if position.outcome or position.sides[1 - side].hp == 0:
            return True
    residual(position, side)
    return bool(position.sides[side].hp == 0)


@compiled
def finish(position: Position, tables: Tables) -> int:
    """End the turn in which a Pokemon fainted or left; return the outcome."""
    if not position.outcome:
        position.outcome = after_faints(position, tables)
    keep(position, codes.OURS)
    keep(position, codes.THEIRS)
    if position.outcome == codes.GOES_ON:
        send_out(position, codes.THEIRS, next_member(position, codes.THEIRS), tables)
        position.ai_turns = 0
    return int(position.outcome)


@compiled
def after_faints(position: Position, tables: Tables) -> int:
    """Clear what ends with a Pokemon, share experience, and return the outcome."""
    ours, theirs = position.sides[codes.OURS], position.sides[codes.THEIRS]
    if ours.hp == 0:
        position.gainers &= ~(1 << ours.out)
        theirs.volatile &= ~codes.HITTING_AGAIN
        theirs.bide_damage = ours.status = 0
    keep(position, codes.OURS)
    lost = ours.hp == 0 and next_member(position, codes.OURS) == codes.NO_ONE
    won = theirs.hp == 0 and (
        position.kind == codes.WILD or next_member(position, codes.THEIRS) == codes.NO_ONE
    )
    if theirs.hp == 0:
        ours.volatile &= ~codes.HITTING_AGAIN
        ours.bide_damage &= 0xFF  # the game clears one byte of two
        theirs.volatile = theirs.disabled = theirs.disabled_turns = theirs.disabled_move = 0
        ours.used = theirs.used = 0
        if not lost and position.kind != codes.LINK:
            share_experience(position, tables)
    if lost:
        return codes.DRAWN if won and position.kind == codes.LINK else codes.LOST
    if won:
        return codes.WON
    if ours.hp == 0:
        return codes.BOTH_SEND if theirs.hp == 0 and position.kind == codes.LINK else codes.WE_SEND
    return codes.THEY_SEND if position.kind == codes.LINK else codes.GOES_ON


@compiled
def send(position: Position, side: int, place: int, tables: Tables) -> int:
    """Replace a Pokemon that fainted; return what is still to be sent, or GOES_ON."""
    both = position.outcome == codes.BOTH_SEND
    position.must_send = 0
    send_out(position, side, place, tables)
    position.outcome = codes.GOES_ON
    if both:
        position.outcome = codes.THEY_SEND if side == codes.OURS else codes.WE_SEND
    elif side == codes.OURS and position.sides[codes.THEIRS].hp == 0:
        send_out(position, codes.THEIRS, next_member(position, codes.THEIRS), tables)
        position.ai_turns = 0
    return int(position.outcome)


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
def play_on(position: Position, ours: int, theirs: int, turns: int, tables: Tables) -> int:
    """Play a battle to its end by two policies, at most so many turns; return the outcome, GOES_ON without an end."""
    until = int(position.turns) + turns
    while True:
        outcome = int(position.outcome)
        if outcome == codes.GOES_ON:
            if position.turns >= until:
                return codes.GOES_ON
            own = choose(position, codes.OURS, ours, tables)
            play_turn(position, own, choose(position, codes.THEIRS, theirs, tables), tables)
        elif outcome in (codes.WE_SEND, codes.BOTH_SEND):
            send(position, codes.OURS, choose_member(position, codes.OURS, ours), tables)
        elif outcome == codes.THEY_SEND:
            send(position, codes.THEIRS, choose_member(position, codes.THEIRS, theirs), tables)
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
