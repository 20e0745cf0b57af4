"""What the choices of a turn are worth: each is played out by the turn engine, and poor ones are dropped early.

A playout makes one choice, and goes on by a simple policy against a foe that acts as the game lets it act.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from emulator.rules.engine import effects
from emulator.rules.engine.choices import add_moves
from emulator.rules.engine.compiled import compiled
from emulator.rules.engine.hit import critical_threshold, scaled_accuracy
from emulator.rules.engine.items import place_of
from emulator.rules.engine.playout import expected_damage
from emulator.rules.engine.position import (
    ASLEEP,
    BOTH_SEND,
    CAUGHT,
    DECIDES,
    FOCUSED,
    FOE_LEFT,
    GOES_ON,
    ITEM,
    LOST,
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
    WON,
    Position,
)
from emulator.rules.engine.sending import keep, next_member, start_battle
from emulator.rules.engine.tables import Tables
from emulator.rules.engine.turn import play_turn, send

# How to go on: with the best attack; the same with an item of the bag on one that is low, CAREFUL less its place in the
# bag; or another number, a choice that is made again and again.
ATTACKS: Final = -1
CAREFUL: Final = -2
LOW: Final = 3  # below this part of its HP
OUTCOMES: Final = FOE_LEFT + 1
# What the end of a playout is worth: one weight for each outcome, and these.
HP_LEFT, FAINTED, EACH_TURN, HURT, EACH_ITEM = range(OUTCOMES, OUTCOMES + 5)
WEIGHTS: Final = OUTCOMES + 5
BATCH: Final = 8  # playouts of each choice between two looks
LONGEST: Final = 120  # turns of a playout
CERTAINTY: Final = 2.5  # standard errors by which a choice must be behind to be dropped
UNSEEN: Final = (
    0.02  # variance assumed beside the one that was seen: eight equal playouts prove little
)


@compiled
def best_attack(position: Position, side: int, tables: Tables) -> int:
    """Return the choice of the move that is worth most; GO_ON or STRUGGLES where no move can be chosen."""
    found = np.zeros(SLOTS * SLOTS + 1, np.int64)
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
        worth = move_value(position, side, choice, tables) if choice < MIMIC_ONE else 0
        if worth > most:
            best, most = choice, worth
    loaded.number, loaded.effect, loaded.power = number, effect, power
    loaded.type, loaded.accuracy = kind, accuracy
    return best


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
def play_out(position: Position, choice: int, then: int, tables: Tables) -> int:
    """Make a choice of ours, go on by a policy, and return the outcome; GOES_ON when there is no end."""
    if position.outcome in (WE_SEND, BOTH_SEND):
        send(position, OURS, choice - SWITCH, tables)
    else:
        play_turn(position, choice, DECIDES, tables)
    return play_on(position, then, tables)


@compiled
def play_on(position: Position, policy: int, tables: Tables) -> int:
    """Play a battle by a policy of ours, and return the outcome; GOES_ON when there is no end."""
    until = int(position.turns) + LONGEST
    while True:
        outcome = int(position.outcome)
        if outcome == GOES_ON:
            if position.turns >= until:
                return GOES_ON
            play_turn(position, follow(position, policy, tables), DECIDES, tables)
        elif outcome in (WE_SEND, BOTH_SEND):
            send(position, OURS, next_member(position, OURS), tables)
        elif outcome == THEY_SEND:
            send(position, THEIRS, next_member(position, THEIRS), tables)
        else:
            return outcome


@compiled
def follow(position: Position, policy: int, tables: Tables) -> int:
    """Return the choice of a policy."""
    if policy >= ITEM and place_of(position, (policy - ITEM) // PER_ITEM) == NO_ONE:
        return best_attack(position, OURS, tables)
    if policy >= 0:
        return policy
    ours, at = position.sides[OURS], CAREFUL - policy
    if at >= 0 and position.bag_counts[at] and ours.hp * LOW < ours.max_hp:
        return ITEM + int(position.bag_items[at]) * PER_ITEM + int(ours.out) * SLOTS
    return best_attack(position, OURS, tables)


@compiled
def hp_shares(position: Position, side: int) -> float:
    """Return the sum of the shares of HP that the members of a team have."""
    shares = 0.0
    team = position.sides[side]
    for place in range(team.count):
        shares += team.team[place].hp / team.team[place].max_hp
    return shares


@compiled
def fainted(position: Position, side: int) -> int:
    """Return how many members of a team have no HP."""
    count = 0
    team = position.sides[side]
    for place in range(team.count):
        count += int(team.team[place].hp == 0)
    return count


@compiled
def value_of(start: Position, end: Position, outcome: int, weights: NDArray[np.float64]) -> float:
    """Return what the end of a playout is worth."""
    keep(end, OURS)
    keep(end, THEIRS)
    value = weights[outcome]
    if outcome in (LOST, GOES_ON):
        value += weights[HURT] * (hp_shares(start, THEIRS) - hp_shares(end, THEIRS)) / TEAM
    value += weights[HP_LEFT] * hp_shares(end, OURS)
    value -= weights[FAINTED] * (fainted(end, OURS) - fainted(start, OURS))
    value -= weights[EACH_ITEM] * (start.bag_counts.sum() - end.bag_counts.sum())
    return float(value - weights[EACH_TURN] * (end.turns - start.turns))


@compiled
def race(
    positions: NDArray[np.void],
    options: NDArray[np.int64],
    costs: NDArray[np.float64],
    weights: NDArray[np.float64],
    budget: int,
    tables: Tables,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Play the choices out in turn until one is clearly the best, or `budget` turns are played.

    `positions` holds the position and room for a copy; `options` has a row for each choice, with the policy to go on by.
    Each choice meets the same chances. Returns the mean value of each, the share with the best outcome, a victory or a
    catch, and the number of playouts.
    """
    start, end = positions[0], positions[1]
    count = len(options)
    sums, squares, won = np.zeros(count), np.zeros(count), np.zeros(count)
    played = np.zeros(count, np.int64)
    is_in = np.ones(count, np.bool_)
    seed, turns = int(start.seed), 0
    aim = CAUGHT if weights[CAUGHT] > weights[WON] else WON
    while True:
        first = int(played.max())
        for at in range(count):
            if not is_in[at]:
                continue
            for each in range(BATCH):
                positions[1] = start
                end.seed, end.draws = seed + first + each, 0
                outcome = play_out(end, int(options[at, 0]), int(options[at, 1]), tables)
                value = value_of(start, end, outcome, weights) - costs[at]
                sums[at] += value
                squares[at] += value * value
                won[at] += int(outcome == aim)
                turns += int(end.turns - start.turns)
            played[at] += BATCH
        drop(is_in, sums, squares, played)
        if is_in.sum() == 1 or turns >= budget:
            return sums / played, won / played, played


@compiled
def drop(
    is_in: NDArray[np.bool_],
    sums: NDArray[np.float64],
    squares: NDArray[np.float64],
    played: NDArray[np.int64],
) -> None:
    """Drop the choices that are clearly behind the best."""
    best = -1
    for at in range(len(sums)):
        if is_in[at] and (best < 0 or sums[at] / played[at] > sums[best] / played[best]):
            best = at
    lead = sums[best] / played[best]
    spread = (squares[best] / played[best] - lead * lead + UNSEEN) / played[best]
    for at in range(len(sums)):
        if not is_in[at] or at == best:
            continue
        mean = sums[at] / played[at]
        error = (squares[at] / played[at] - mean * mean + UNSEEN) / played[at]
        if lead - mean > CERTAINTY * np.sqrt(spread + error):
            is_in[at] = False


@compiled
def share_won(positions: NDArray[np.void], playouts: int, tables: Tables) -> float:
    """Return the share of playouts in which our team beats the teams of all positions but the first, in their order.

    The first is room for a copy. Our team goes on as the last battle left it, and is healed by potions of the bag.
    """
    battle = positions[0]
    won = 0
    for seed in range(playouts):
        outcome = WON
        for at in range(1, len(positions)):
            team, bag = battle.sides[OURS].team.copy(), int(battle.bag_counts[0])
            positions[0] = positions[at]
            battle.seed, battle.draws = seed + at * playouts, 0
            if at > 1:
                battle.sides[OURS].team[:] = team
                battle.bag_counts[0] = bag
            start_battle(battle, tables)
            outcome = play_on(battle, CAREFUL, tables)
            if outcome != WON:
                break
            keep(battle, OURS)
        won += int(outcome == WON)
    return won / playouts


@compiled
def damage_share(position: Position, tables: Tables) -> float:
    """Return the share of the foe's HP that our best attack takes in a turn, on average."""
    start_battle(position, tables)
    most = 0
    for slot in range(SLOTS):
        if position.sides[OURS].moves[slot] and position.sides[OURS].pp[slot]:
            most = max(most, attack_value(position, OURS, slot, tables))
    return float(most / (256 * position.sides[THEIRS].hp))
