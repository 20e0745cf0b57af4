"""What the choices of a turn are worth: each is played out by the turn engine, and poor ones are dropped early.

A playout makes one choice, and goes on by a simple policy against a foe that acts as the game lets it act.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agent.skills import Order
from emulator.compiled import compiled
from emulator.engine import (
    AS_THE_GAME,
    ATTACKS,
    CAREFUL,
    CERTAIN,
    best_attack_value,
    best_move,
    choose,
    hp_restored,
    keep,
    legal_choices,
    play_on,
    play_turn,
    send,
    start_battle,
)
from emulator.rules import Position, Tables, codes

OUTCOMES: Final = codes.FOE_LEFT + 1
# What the end of a playout is worth: one weight for each outcome, and these.
HP_LEFT, FAINTED, EACH_TURN, HURT, EACH_ITEM = range(OUTCOMES, OUTCOMES + 5)
WEIGHTS: Final = OUTCOMES + 5
HP_VALUE: Final = 0.1  # of a member's full HP, where a won battle counts 1
FAINT_COST: Final = 0.12  # of a fainted member, even if the battle is won
TURN_COST: Final = 0.004  # of equal choices the quicker one is better
HURT_VALUE: Final = 0.3  # of all HP of the foes, in a battle that is lost
LOST_CATCH: Final = 0.2  # of a wanted Pokemon that faints or gets away
ITEM_COST: Final = 0.08
# What the move is worth that playouts go on with: put off again and again, as by chance, it would never be used.
USUAL: Final = 0.02
WILD_ITEM_COST: Final = 0.25
# Turns played out for one decision: a choice that is clear takes few of them, as does a first look.
WILD_TURNS: Final = 2_000
TRAINER_TURNS: Final = 6_000
OPENING_TURNS: Final = 3_000  # of a battle to come
FIRST_LOOK: Final = 8  # of these turns one in so many
TIRED: Final = 0.5  # share of its HP below which a member is healed between battles
BATCH: Final = 8  # playouts of each choice between two looks
LONGEST: Final = 120  # turns of a playout
PLAYOUTS: Final = 200  # of a battle to come: a standard error of 0.02 where nine of ten are won
CERTAINTY: Final = 2.5  # standard errors by which a choice must be behind to be dropped
UNSEEN: Final = (
    0.02  # variance assumed beside the one that was seen: eight equal playouts prove little
)


@compiled
def make(position: Position, choice: int, then: int, foe: int, tables: Tables) -> int:
    """Make a choice of ours, go on by a policy against that of the foe, and return the outcome; GOES_ON without an end."""
    if position.outcome in (codes.WE_SEND, codes.BOTH_SEND):
        send(position, codes.OURS, choice - codes.SWITCH, tables)
    else:
        play_turn(position, choice, choose(position, codes.THEIRS, foe, tables), tables)
    return play_on(position, then, foe, LONGEST, tables)


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
    keep(end, codes.OURS)
    keep(end, codes.THEIRS)
    value = weights[outcome]
    if outcome in (codes.LOST, codes.GOES_ON):
        value += (
            weights[HURT]
            * (hp_shares(start, codes.THEIRS) - hp_shares(end, codes.THEIRS))
            / codes.TEAM
        )
    value += weights[HP_LEFT] * hp_shares(end, codes.OURS)
    value -= weights[FAINTED] * (fainted(end, codes.OURS) - fainted(start, codes.OURS))
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

    `positions` holds the position and room for a copy; `options` has a row for each choice, with the policies by which we
    and the foe go on. Each choice meets the same chances. Returns the mean value of each, the share with the best
    outcome, a victory or a catch, and the number of playouts.
    """
    start, end = positions[0], positions[1]
    count = len(options)
    sums, squares, won = np.zeros(count), np.zeros(count), np.zeros(count)
    played = np.zeros(count, np.int64)
    is_in = np.ones(count, np.bool_)
    seed, turns = int(start.seed), 0
    aim = codes.CAUGHT if weights[codes.CAUGHT] > weights[codes.WON] else codes.WON
    while True:
        first = int(played.max())
        for at in range(count):
            if not is_in[at]:
                continue
            for each in range(BATCH):
                positions[1] = start
                end.seed, end.draws = seed + first + each, 0
                option = options[at]
                outcome = make(end, int(option[0]), int(option[1]), int(option[2]), tables)
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
def play_battles(  # noqa: PLR0913  # numbers for a compiled function
    positions: NDArray[np.void],
    first: int,
    played: int,
    won: int,
    wanted: int,
    least: int,
    tables: Tables,
) -> tuple[int, int]:
    """Play our team against the teams of all positions but the first, in their order; return playouts played and won.

    The first is room for a copy. Our team begins with the choice `first`, unless it is NO_ONE, goes on as the last battle
    left it, and is healed by potions of the bag. After those already `played` and `won`, of `PLAYOUTS` in all, it plays
    until `is_clear`.
    """
    battle = positions[0]
    while not is_clear(played, won, wanted, least):
        seed = played
        played += 1
        outcome = codes.WON
        for at in range(1, len(positions)):
            team, bag = battle.sides[codes.OURS].team.copy(), int(battle.bag_counts[0])
            positions[0] = positions[at]
            battle.seed, battle.draws = seed + at * PLAYOUTS, 0
            if at > 1:
                for place in range(codes.TEAM):
                    battle.sides[codes.OURS].team[place] = team[place]
                battle.bag_counts[0] = bag
            start_battle(battle, tables)
            if at == 1 and first != codes.NO_ONE:
                play_turn(battle, first, codes.DECIDES, tables)
            outcome = play_on(battle, CAREFUL, AS_THE_GAME, LONGEST, tables)
            if outcome != codes.WON:
                break
            keep(battle, codes.OURS)
            heal_between(battle)
        won += int(outcome == codes.WON)
    return played, won


@compiled
def is_clear(played: int, won: int, wanted: int, least: int) -> bool:
    """Return whether `wanted` playouts are won, all are played, or `least` are won and `wanted` can no longer be."""
    left = PLAYOUTS - played
    return won >= wanted or left == 0 or (won >= least and won + left < wanted)


@compiled
def heal_between(battle: Position) -> None:
    """Heal members that are low after a battle by potions of the bag, which takes no turn there."""
    ours = battle.sides[codes.OURS]
    for place in range(ours.count):
        member = ours.team[place]
        if 0 < member.hp < TIRED * member.max_hp and battle.bag_counts[0]:
            member.hp = member.max_hp
            battle.bag_counts[0] -= 1


@compiled
def damage_share(position: Position, tables: Tables) -> float:
    """Return the share of the foe's HP that our best attack takes in a turn, on average."""
    start_battle(position, tables)
    most = best_attack_value(position, codes.OURS, tables)
    return float(most / (CERTAIN * position.sides[codes.THEIRS].hp))


def best_opening(position: Position, tables: Tables) -> int:
    """Return the move or switch with which most playouts of a battle to come are won; NO_ONE if it is the usual one."""
    positions = np.empty(2, position.dtype)
    positions[0] = position
    start_battle(positions[0], tables)
    choices = [each for each in legal_choices(positions[0], codes.OURS) if each < codes.ITEM]
    options = np.array([(each, CAREFUL, AS_THE_GAME) for each in choices])
    weights = np.zeros(WEIGHTS)
    weights[codes.WON] = 1
    means, _, _ = race(positions, options, np.zeros(len(options)), weights, OPENING_TURNS, tables)
    best = int(choices[int(np.argmax(means))])
    return codes.NO_ONE if best == best_move(positions[0], codes.OURS, CAREFUL, tables) else best


class TurnOption(NamedTuple):
    """One option of a turn: the order, the engine's choice for it, how playouts go on, what it costs, how the foe chooses."""

    order: Order
    choice: int
    then: int = ATTACKS
    cost: float = 0.0
    foe: int = AS_THE_GAME


class RatedOption(NamedTuple):
    """An option with its value, and the share of its playouts that were won or ended in a catch."""

    option: TurnOption
    value: float
    won: float


def goes_on(position: Position) -> int:
    """Return how playouts go on: against a trainer with the strongest potion, whenever a member is low."""
    if position.kind == codes.WILD:
        return ATTACKS
    bag = zip(position.bag_items.tolist(), position.bag_counts.tolist(), strict=True)
    restored = [hp_restored(item) if count else 0 for item, count in bag]
    if not any(restored):
        return ATTACKS
    return CAREFUL - restored.index(max(restored))


def weights_of(position: Position, away: float, *, catching: bool = False) -> NDArray[np.float64]:
    """Return what each end of a battle is worth; `away` is what running is."""
    weights = np.zeros(WEIGHTS)
    weights[codes.WON] = LOST_CATCH if catching else 1.0
    weights[codes.CAUGHT] = 1.0 if catching else 0.0
    weights[codes.RAN] = weights[codes.FOE_LEFT] = LOST_CATCH if catching else away
    weights[HP_LEFT], weights[FAINTED] = HP_VALUE, FAINT_COST
    weights[EACH_TURN], weights[HURT] = TURN_COST, HURT_VALUE
    item_cost = WILD_ITEM_COST if position.kind == codes.WILD else ITEM_COST
    weights[EACH_ITEM] = 0.0 if catching else item_cost
    return weights


def usual_choice(position: Position, then: int, tables: Tables) -> int:
    """Return the choice with which a policy of playouts goes on, NO_ONE where a member is to be sent."""
    if position.outcome in (codes.WE_SEND, codes.BOTH_SEND):
        return codes.NO_ONE
    return int(choose(position, codes.OURS, then, tables))


def rate(
    position: Position,
    options: Sequence[TurnOption],
    weights: NDArray[np.float64],
    tables: Tables,
    *,
    first: bool = False,
) -> list[RatedOption]:
    """Return the options with their values, by a `first` look or a longer one; there is at least one."""
    budget = WILD_TURNS if position.kind == codes.WILD else TRAINER_TURNS
    positions = np.empty(2, position.dtype)
    positions[0] = position
    usual = {then: usual_choice(position, then, tables) for then in {each.then for each in options}}
    means, won, _ = race(
        positions,
        np.array([(each.choice, each.then, each.foe) for each in options]),
        np.array([each.cost - USUAL * (each.choice == usual[each.then]) for each in options]),
        weights,
        budget // FIRST_LOOK if first else budget,
        tables,
    )
    found = zip(options, means, won, strict=True)
    return [RatedOption(each, float(mean), float(share)) for each, mean, share in found]
