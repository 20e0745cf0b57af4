"""Turns: residual damage, multi-turn moves, and stat stage changes."""

from dataclasses import replace

import pytest

from emulator import BattleMon, Dex, Status, Volatile, demo_cartridge_path, load_cartridge
from emulator.ram.battle_mon import Stages
from emulator.ram.party import Dvs, Stats
from emulator.rules.chances import hit_chance, residual_loss
from emulator.rules.damage import self_hit, use_spread
from emulator.rules.moves import Attacker, Defender, MoveData, MoveTurns, move_turns
from emulator.rules.rule_book import RuleBook, StageRatio, TypeChart
from emulator.rules.stats import StageChange, after_change, stage_change

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


def test_residual_damage_of_poison_burn_and_seeds() -> None:
    poisoned = replace(MON, status=WELL._replace(poisoned=True))
    seeded = replace(poisoned, volatile=Volatile.SEEDED)
    assert residual_loss(MON) == 0
    assert residual_loss(poisoned) == residual_loss(poisoned, 5) == 10
    assert residual_loss(seeded) == 20
    assert residual_loss(replace(poisoned, stats=STATS._replace(hp=9), hp=9)) == 1


def test_bad_poison_grows_and_increases_leech_seed() -> None:
    bad = Volatile.BADLY_POISONED
    ill = replace(MON, status=WELL._replace(poisoned=True), volatile=bad, toxic_turns=1)
    assert [residual_loss(ill, turn) for turn in range(3)] == [20, 30, 40]
    both = replace(ill, volatile=bad | Volatile.SEEDED)
    assert [residual_loss(both, turn) for turn in range(2)] == [20 + 30, 40 + 50]


def test_confusion_damage_follows_the_formula() -> None:
    assert self_hit(MON) == 10 * 40 * 40 // 40 // 50 + 2
    assert self_hit(replace(MON, stats=STATS._replace(attack=400))) == 10 * 40 * 100 // 10 // 50 + 2


def test_moves_that_take_several_turns() -> None:
    assert move_turns(MOVE) == MoveTurns()
    assert move_turns(with_effect(39)) == move_turns(with_effect(43)) == MoveTurns(before=1)
    assert move_turns(with_effect(80)) == MoveTurns(after=1)
    held = move_turns(with_effect(42))
    assert held.holds
    assert sum(turns * chance for turns, chance in held.strikes.items()) == 3
    assert dict(move_turns(with_effect(27)).strikes) == {3: 0.5, 4: 0.5}


def test_draining_moves_hit_a_substitute_by_a_bug_of_the_game() -> None:
    straw = Defender.of(replace(MON, volatile=Volatile.SUBSTITUTE))
    own = Attacker.of(MON, 40)
    assert hit_chance(own, straw, with_effect(3), BOOK) == hit_chance(own, straw, MOVE, BOOK) > 0


def test_fixed_damage_needs_no_power() -> None:
    glance = replace(with_effect(41, 101), power=0)
    spread = use_spread(Attacker.of(MON, 40), Defender.of(MON), glance, BOOK)
    assert spread == {20: pytest.approx(255 / 256), 0: pytest.approx(1 / 256)}


STAGES_BOOK = Dex.of(load_cartridge(demo_cartridge_path())).rules
STAGES_STATS = Stats(30, 20, 20, 20, 20)
STAGES_MON = replace(
    MON,
    species=3,
    nickname="TOASTNUT",
    level=10,
    hp=30,
    types=(20, 20),
    catch_rate=45,
    dvs=Dvs(9, 8, 8, 8),
    stats=STAGES_STATS,
    unmodified=STAGES_STATS,
)


@pytest.mark.parametrize(
    ("effect", "change"),
    [
        (10, StageChange("attack", 1, own=True)),
        (15, StageChange("evasion", 1, own=True)),
        (18, StageChange("attack", -1, own=False)),
        (22, StageChange("accuracy", -1, own=False)),
        (51, StageChange("defense", 2, own=True)),
        (60, StageChange("speed", -2, own=False)),
        (0, None),
        (17, None),
        (68, None),  # a side effect of an attack
    ],
)
def test_effects_map_to_stat_stage_changes(effect: int, change: StageChange | None) -> None:
    assert stage_change(effect) == change


def test_a_raised_stat_is_computed_from_the_unmodified_stat() -> None:
    once = after_change(STAGES_MON, StageChange("attack", 1, own=True), STAGES_BOOK)
    twice = after_change(once, StageChange("attack", 1, own=True), STAGES_BOOK)
    assert (once.stats.attack, twice.stats.attack) == (30, 40)
    assert twice.stages.attack == 2
    assert twice.unmodified == STAGES_MON.unmodified


def test_a_lowered_stat_stops_at_the_last_stage() -> None:
    mon = STAGES_MON
    for _ in range(9):
        mon = after_change(mon, StageChange("speed", -1, own=False), STAGES_BOOK)
    assert mon.stages.speed == -6
    assert mon.stats.speed == 5


def test_accuracy_has_a_stage_but_no_stat_value() -> None:
    mon = after_change(STAGES_MON, StageChange("accuracy", -1, own=False), STAGES_BOOK)
    assert (mon.stages.accuracy, mon.stats) == (-1, STAGES_MON.stats)


def test_badge_boosts_apply_again_with_every_stage_change() -> None:
    raised = StageChange("attack", 1, own=True)
    once = after_change(STAGES_MON, raised, STAGES_BOOK, badges=(0, 4))
    assert (once.stats.attack, once.stats.speed) == (33, 22)
    twice = after_change(once, raised, STAGES_BOOK, badges=(0, 4))
    assert (twice.stats.attack, twice.stats.speed) == (45, 24)
    blurred = after_change(
        STAGES_MON, StageChange("accuracy", -1, own=False), STAGES_BOOK, badges=(6,)
    )
    assert blurred.stats == STAGES_MON.stats._replace(special=22)
