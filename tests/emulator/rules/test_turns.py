"""Uses of moves with rules of their own, and the stage changes of effects."""

from dataclasses import replace

import pytest

from emulator import BattleMon, Status, Volatile
from emulator.ram.battle_mon import Stages
from emulator.ram.party import Dvs, Stats
from emulator.rules.damage import hit_chance, use_spread
from emulator.rules.moves import Attacker, Defender, MoveData
from emulator.rules.rule_book import RuleBook, StageRatio, TypeChart
from emulator.rules.stats import StageChange, stage_change

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


def with_effect(effect: int, number: int = 1) -> MoveData:
    return replace(MOVE, effect=effect, number=number)


def test_draining_moves_hit_a_substitute_by_a_bug_of_the_game() -> None:
    straw = Defender.of(replace(MON, volatile=Volatile.SUBSTITUTE))
    own = Attacker.of(MON, 40)
    assert hit_chance(own, straw, with_effect(3), BOOK) == hit_chance(own, straw, MOVE, BOOK) > 0


def test_fixed_damage_needs_no_power() -> None:
    glance = replace(with_effect(41, 101), power=0)
    spread = use_spread(Attacker.of(MON, 40), Defender.of(MON), glance, BOOK)
    assert spread == {20: pytest.approx(255 / 256), 0: pytest.approx(1 / 256)}


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
