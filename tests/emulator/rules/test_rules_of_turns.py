"""What ails who fights, and what a move costs its user: examples computed by hand."""

from dataclasses import replace

import pytest

from emulator import BattleMon, Status, Volatile
from emulator.ram import Dvs, Stages, Stats
from emulator.rules import (
    Attacker,
    Defender,
    MoveData,
    MoveTurns,
    RuleBook,
    StageRatio,
    TypeChart,
    hit_chance,
    move_turns,
    residual_loss,
    self_hit,
    use_spread,
)

WELL = Status(0, poisoned=False, burned=False, frozen=False, paralyzed=False)
STATS = Stats(160, 40, 40, 40, 40)
BOOK = RuleBook(TypeChart.of([]), (StageRatio(1, 1),) * 13)
MOVE = MoveData(number=1, effect=0, power=40, type=0, accuracy=255, high_critical=False)
MON = BattleMon(
    species=1,
    nickname="A",
    position=0,
    level=20,
    hp=160,
    status=WELL,
    types=(0, 0),
    catch_rate=0,
    moves=(),
    dvs=Dvs(8, 8, 8, 8),
    stats=STATS,
    unmodified=STATS,
    stages=Stages(),
    volatile=Volatile.NONE,
    attacks_left=0,
    confused_turns=0,
    toxic_turns=0,
    disabled=None,
    substitute_hp=0,
)
HOLDING = replace(MON, volatile=Volatile.TRAPPING)


def with_effect(effect: int, number: int = 1) -> MoveData:
    return replace(MOVE, effect=effect, number=number)


def test_what_a_turn_costs_who_is_ill() -> None:
    poisoned = replace(MON, status=WELL._replace(poisoned=True))
    seeded = replace(poisoned, volatile=Volatile.SEEDED)
    assert residual_loss(MON) == 0
    assert residual_loss(poisoned) == residual_loss(poisoned, 5) == 10
    assert residual_loss(seeded) == 20
    assert residual_loss(replace(poisoned, stats=STATS._replace(hp=9), hp=9)) == 1


def test_bad_poison_grows_and_seeds_with_it() -> None:
    bad = Volatile.BADLY_POISONED
    ill = replace(MON, status=WELL._replace(poisoned=True), volatile=bad, toxic_turns=1)
    assert [residual_loss(ill, turn) for turn in range(3)] == [20, 30, 40]
    both = replace(ill, volatile=bad | Volatile.SEEDED)
    assert [residual_loss(both, turn) for turn in range(2)] == [20 + 30, 40 + 50]


def test_a_confused_mon_hits_itself_by_the_formula() -> None:
    assert self_hit(MON) == 10 * 40 * 40 // 40 // 50 + 2
    assert self_hit(replace(MON, stats=STATS._replace(attack=400))) == 10 * 40 * 100 // 10 // 50 + 2


def test_moves_that_take_more_than_a_turn() -> None:
    assert move_turns(MOVE) == MoveTurns()
    assert move_turns(with_effect(39)) == move_turns(with_effect(43)) == MoveTurns(before=1)
    assert move_turns(with_effect(80)) == MoveTurns(after=1)
    held = move_turns(with_effect(42))
    assert held.holds
    assert sum(turns * chance for turns, chance in held.strikes.items()) == 3
    assert dict(move_turns(with_effect(27)).strikes) == {3: 0.5, 4: 0.5}


def test_nothing_is_drawn_from_a_substitute() -> None:
    straw = Defender.of(replace(MON, volatile=Volatile.SUBSTITUTE))
    own = Attacker.of(MON, 40)
    assert hit_chance(own, straw, with_effect(3), BOOK) == 0
    assert hit_chance(own, straw, MOVE, BOOK) > 0


def test_fixed_damage_needs_no_power() -> None:
    glance = replace(with_effect(41, 101), power=0)
    spread = use_spread(Attacker.of(MON, 40), Defender.of(MON), glance, BOOK)
    assert spread == {20: pytest.approx(255 / 256), 0: pytest.approx(1 / 256)}
