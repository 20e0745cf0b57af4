"""What to do each turn: of all there is to do, what is worth most by the exact odds of both sides."""

from typing import Final, NamedTuple

from agent.capabilities.tactics.catching import catching
from agent.capabilities.tactics.options import (
    Option,
    Table,
    attack_options,
    change_options,
    item_options,
    prepared_options,
    running,
    sent,
)
from agent.capabilities.tactics.sacrifice import sacrifices
from agent.capabilities.tactics.wishes import Wishes
from agent.skills import (
    SAFARI_BALL,
    Attack,
    Flee,
    Order,
    Throw,
    Tried,
    any_attack,
    first_able,
    is_lawful,
)
from emulator import Battle, BattleType, Dex, State

AS_GOOD: Final = (
    0.02  # what is worth so nearly the same is the same; then the quicker move is chosen
)
AS_QUICK: Final = 0.5  # turns by which a move that won before may take longer
HOPEFUL: Final = 0.95  # worth from which on nobody thinks of items and changes
WILD_THRIFT: Final = 0.06  # what the last PP of a move is worth when something wild is fought
THRIFT: Final = 0.02
CHANGE_GAIN: Final = 0.05  # what another mon has to promise more before the trainer's next
LOST: Final = 0.25  # a wild fight worth less is left when a mon has fallen
UNTRIED: Final = Tried()


class Choice(NamedTuple):
    """An order, and whether it is another one than it would be without the sequence that won before."""

    order: Order
    swayed: bool = False


def command(dex: Dex, state: State, wishes: Wishes, tried: Tried = UNTRIED) -> Order:
    """Return the order for this turn; always one that the game would carry out."""
    return choice(dex, state, wishes, tried).order


def choice(dex: Dex, state: State, wishes: Wishes, tried: Tried = UNTRIED) -> Choice:
    """Return the order for this turn, and what moved it."""
    if state.battle is not None and state.battle.type is BattleType.SAFARI:
        return Choice(_in_the_safari(state.battle, state, wishes))
    table = Table.of(dex, state, wishes)
    if table is None:
        return Choice(any_attack(state.battle) if state.battle is not None else Attack(0))
    order = catching(table, tried)
    if order is not None and is_lawful(order, state):
        return Choice(order)
    found = [each for each in _options(table) if each.order not in tried.refused]
    lawful = [each for each in found if is_lawful(each.order, state)]
    return _best(table, lawful, tried) if lawful else Choice(any_attack(table.battle))


def _in_the_safari(battle: Battle, state: State, wishes: Wishes) -> Order:
    """Throw a ball at whom one wants, and run from everybody else."""
    wanted = battle.enemy is not None and battle.enemy.species in wishes.catch
    ball = Throw(SAFARI_BALL)
    return ball if wanted and is_lawful(ball, state) else Flee()


def next_mon(dex: Dex, state: State, wishes: Wishes) -> int:
    """Return the place of the mon that has the best odds against who is out there."""
    return max(_values(dex, state, wishes), default=(0.0, 0))[1]


def fights_on(dex: Dex, state: State, wishes: Wishes) -> bool:
    """Return whether sending another mon against something wild is better than a try to run."""
    return max(_values(dex, state, wishes), default=(1.0, 0))[0] >= LOST


def change(dex: Dex, state: State, wishes: Wishes) -> int | None:
    """Return the place of a mon with much better odds against the trainer's next, or None."""
    battle = state.battle
    if battle is None or battle.own is None or not battle.own.hp:
        return None
    values = _values(dex, state, wishes)
    staying = next((value for value, at in values if at == battle.own.position), 1.0)
    best, at = max(values, default=(0.0, 0))
    return at if best >= staying + CHANGE_GAIN else None


def _options(table: Table) -> list[Option]:
    found = [*attack_options(table), *prepared_options(table), *sacrifices(table)]
    away = running(table)
    if away is not None:
        found.append(away)
    if max((each.worth for each in found), default=0.0) < HOPEFUL:
        found += [*change_options(table), *item_options(table)]
    return found


def _best(table: Table, found: list[Option], tried: Tried) -> Choice:
    thrift = WILD_THRIFT if table.battle.is_wild else THRIFT
    prices = [(each.worth - thrift / each.pp, each) for each in found]
    highest = max(price for price, _ in prices)
    good = [each for price, each in prices if price >= highest - AS_GOOD]
    best = min(good, key=lambda each: each.turns)
    won = _next_that_won(table, tried)
    as_quick = [each.order for each in good if each.turns <= best.turns + AS_QUICK]
    if won is None or won == best.order or won not in as_quick:
        return Choice(best.order)
    return Choice(won, swayed=True)


def _next_that_won(table: Table, tried: Tried) -> Order | None:
    """Return the order of the first move of the sequence that was not used yet in this battle."""
    move = next((each for each in table.wishes.sequence if each not in tried.used), None)
    slots = enumerate(table.own.moves)
    return next((Attack(slot) for slot, known in slots if known.move == move), None)


def _values(dex: Dex, state: State, wishes: Wishes) -> list[tuple[float, int]]:
    """What sending each mon that can stand is worth, with its place, against who comes or is there."""
    table = Table.facing(dex, state, wishes)
    if table is None:
        return [(0.0, first_able(state))]
    return [(sent(table, mon), mon.position) for mon in table.bench]
