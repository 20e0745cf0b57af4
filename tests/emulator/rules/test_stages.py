"""Moves that change stats: which they are, and what a mon is like after one."""

import pytest

from emulator import BattleMon, Dex, Status, Volatile, demo_cartridge_path, load_cartridge
from emulator.ram import Dvs, Stages, Stats
from emulator.rules import StageChange, after_change, stage_change

BOOK = Dex.of(load_cartridge(demo_cartridge_path())).rules
MON = BattleMon(
    species=3,
    nickname="TOASTNUT",
    position=0,
    level=10,
    hp=30,
    status=Status(0, False, False, False, False),
    types=(20, 20),
    catch_rate=45,
    moves=(),
    dvs=Dvs(9, 8, 8, 8),
    stats=Stats(30, 20, 20, 20, 20),
    unmodified=Stats(30, 20, 20, 20, 20),
    stages=Stages(),
    volatile=Volatile.NONE,
    attacks_left=0,
    confused_turns=0,
    toxic_turns=0,
    disabled=None,
    substitute_hp=0,
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
def test_effects_that_change_stats_are_known(effect: int, change: StageChange | None) -> None:
    assert stage_change(effect) == change


def test_a_raised_stat_counts_from_the_unmodified_one() -> None:
    once = after_change(MON, StageChange("attack", 1, own=True), BOOK)
    twice = after_change(once, StageChange("attack", 1, own=True), BOOK)
    assert (once.stats.attack, twice.stats.attack) == (30, 40)
    assert twice.stages.attack == 2
    assert twice.unmodified == MON.unmodified


def test_a_lowered_stat_stops_at_the_last_stage() -> None:
    mon = MON
    for _ in range(9):
        mon = after_change(mon, StageChange("speed", -1, own=False), BOOK)
    assert mon.stages.speed == -6
    assert mon.stats.speed == 5


def test_accuracy_has_a_stage_and_no_number() -> None:
    mon = after_change(MON, StageChange("accuracy", -1, own=False), BOOK)
    assert (mon.stages.accuracy, mon.stats) == (-1, MON.stats)


def test_badges_count_again_with_every_change() -> None:
    raised = StageChange("attack", 1, own=True)
    once = after_change(MON, raised, BOOK, badges=(0, 4))
    assert (once.stats.attack, once.stats.speed) == (33, 22)
    twice = after_change(once, raised, BOOK, badges=(0, 4))
    assert (twice.stats.attack, twice.stats.speed) == (45, 24)
    blurred = after_change(MON, StageChange("accuracy", -1, own=False), BOOK, badges=(6,))
    assert blurred.stats == MON.stats._replace(special=22)
