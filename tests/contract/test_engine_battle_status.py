"""Major and volatile status in battles of the demo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from tests.contract import battles
from tests.contract.arena import (
    HARMLESS,
    Dice,
    begin,
    counters,
    go_on,
    hit,
    hp,
    lost,
    read_until,
    set_counter,
    set_status,
    status,
    use,
    use_effect,
)
from tests.contract.battles import BURN, FIGHT, FREEZE, PARALYSIS, POISON, Mon, shows, with_effect
from tests.contract.game import Game
from tests.contract.test_engine_battle_damage import Chance, watch_chance

HP = 320
UP_1, DOWN_1, UP_2, DOWN_2 = 10, 18, 50, 58
SLEEP, POISON_MOVE, PARALYZE, DRAIN, RECOIL = 32, 66, 67, 3, 48
SIDE_EFFECTS = {2: POISON, 4: BURN, 5: FREEZE, 6: PARALYSIS}
RECHARGING: Final = 0x20
NAMES = ("attack", "defense", "speed", "special")
RATIOS = {
    1: (25, 100),
    2: (28, 100),
    5: (50, 100),
    6: (66, 100),
    7: (1, 1),
    8: (15, 10),
    9: (2, 1),
    13: (4, 1),
}


def until(game: Game, done: Callable[[], bool], *effects: int) -> list[str]:
    """Use a move until its effect happens."""
    for _ in range(120):
        said = use_effect(game, *effects)
        if done():
            return said
        battles.set_field(game, "enemy", "hp", HP)
    raise AssertionError(game.text)


def test_a_sleeping_pokemon_loses_its_turns_including_the_waking_turn(arena: Game) -> None:
    lengths = set()
    for _ in range(12):
        until(arena, lambda: battles.field(arena, "enemy", "status") != 0, SLEEP)
        turns = 1 + battles.field(arena, "enemy", "status")  # one sleeping turn has already passed
        lengths.add(turns)
        assert 1 <= turns <= 7
        battles.set_field(arena, "enemy", "status", 2)
        assert battles.shows(use_effect(arena, UP_1 + 1), "asleep")
        assert battles.field(arena, "enemy", "status") == 1
        assert battles.shows(use_effect(arena, UP_1 + 1), "woke")
        assert battles.field(arena, "enemy", "status") == 0
        for label in ("wPlayerMonStatMods", "wEnemyMonStatMods"):
            arena.poke(label, b"\7" * 6)
    assert len(lengths) > 2


def test_one_that_must_recharge_falls_asleep_whatever_its_status(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 2, RECHARGING)
    battles.set_field(arena, "enemy", "status", PARALYSIS)
    dice.roll([], usual=255)
    use_effect(arena, SLEEP)
    assert status(arena, "enemy", 2) == 0
    assert battles.field(arena, "enemy", "status") == 6  # of 7 turns, one has passed


def test_a_sleeping_player_pokemon_gets_no_move_list(arena: Game) -> None:
    battles.set_field(arena, "own", "status", 3)
    battles.choose(arena, FIGHT)
    said = battles.read_on(arena)
    assert battles.shows(said, "asleep"), said
    assert battles.is_at_menu(arena)
    assert battles.field(arena, "own", "status") == 2


@pytest.mark.parametrize("status", [POISON, BURN])
def test_poison_and_burn_take_a_sixteenth(arena: Game, status: int) -> None:
    battles.set_field(arena, "own", "status", status)
    battles.set_field(arena, "enemy", "status", status)
    use_effect(arena, UP_1 + 1)
    assert battles.field(arena, "own", "hp") == battles.field(arena, "enemy", "hp") == HP - HP // 16
    battles.set_field(arena, "own", "max_hp", 15)
    battles.set_field(arena, "own", "hp", 15)
    use_effect(arena, UP_1 + 1)
    assert battles.field(arena, "own", "hp") == 14


def test_poison_can_make_a_pokemon_faint(arena: Game) -> None:
    battles.set_field(arena, "own", "status", POISON)
    battles.set_field(arena, "own", "hp", 5)
    said = use_effect(arena, UP_1 + 1)
    assert battles.shows(said, "able to fight")
    assert arena.byte("wBattleResult") == battles.BEATEN


def test_a_frozen_pokemon_never_acts(arena: Game) -> None:
    battles.set_field(arena, "enemy", "status", FREEZE)
    for _ in range(8):
        assert battles.shows(use_effect(arena, UP_1 + 1), "frozen")
    assert arena.block("wEnemyMonStatMods", 6) == b"\7" * 6
    assert battles.field(arena, "enemy", "status") == FREEZE


def test_a_paralyzed_pokemon_fails_a_quarter_of_its_turns(arena: Game) -> None:
    chances: list[Chance] = []
    hook = watch_chance(arena, chances)
    outcomes = set()
    for _ in range(30):
        battles.set_field(arena, "enemy", "status", PARALYSIS)
        arena.poke("wEnemyMonStatMods", b"\7" * 6)
        chances.clear()
        said = use_effect(arena, UP_1 + 1)
        arena.poke("wPlayerMonStatMods", b"\7" * 6)
        (byte,) = (each.byte for each in chances if each.whose == 1)
        fails = any("cannot move" in words for words in said)
        assert fails == (byte < 63)
        outcomes.add(fails)
    arena.pyboy.hook_deregister(0, hook)
    assert outcomes == {False, True}


def test_paralysis_quarters_speed_and_a_burn_halves_attack(arena: Game) -> None:
    until(arena, lambda: battles.field(arena, "enemy", "status") == PARALYSIS, PARALYZE)
    assert battles.field(arena, "enemy", "speed") == 50 // 4
    battles.set_field(arena, "enemy", "status", 0)
    until(arena, lambda: battles.field(arena, "enemy", "status") == BURN, 4)
    assert battles.field(arena, "enemy", "attack") == 40 // 2


@pytest.mark.parametrize("effect", SIDE_EFFECTS)
def test_side_effects_of_attacks_happen_by_their_chance(arena: Game, effect: int) -> None:
    until(arena, lambda: battles.field(arena, "enemy", "status") == SIDE_EFFECTS[effect], effect)
    battles.set_field(arena, "enemy", "status", PARALYSIS)
    for _ in range(3):
        use_effect(arena, effect)
        assert battles.field(arena, "enemy", "status") == PARALYSIS


def test_a_poisonous_type_is_not_poisoned(arena: Game) -> None:
    until(arena, lambda: battles.field(arena, "enemy", "status") == POISON, POISON_MOVE)
    battles.set_field(arena, "enemy", "status", 0)
    battles.set_field(arena, "enemy", "type1", 3)
    for _ in range(4):
        assert battles.shows(use_effect(arena, POISON_MOVE), "nothing comes")
    assert battles.field(arena, "enemy", "status") == 0


@pytest.mark.parametrize(
    ("side", "effects", "by"),
    [
        ("own", range(UP_1, UP_1 + 6), 1),
        ("own", range(UP_2, UP_2 + 6), 2),
        ("enemy", range(DOWN_1, DOWN_1 + 6), -1),
        ("enemy", range(DOWN_2, DOWN_2 + 6), -2),
    ],
)
def test_stages_go_up_and_down(arena: Game, side: str, effects: range, by: int) -> None:
    label = "wPlayerMonStatMods" if side == "own" else "wEnemyMonStatMods"
    known = {each.effect for each in battles.moves()}
    for stat, effect in enumerate(effects):
        if effect not in known:
            continue
        arena.poke(label, b"\7" * 6)
        before = battles.field(arena, side, NAMES[stat]) if stat < 4 else 0
        said = [""]
        while arena.byte(label, stat) == 7:
            arena.poke("wEnemyMonStatMods", b"\7" * 6)
            said = use_effect(arena, effect)
        assert arena.byte(label, stat) == 7 + by
        if stat < 4:
            numerator, denominator = RATIOS[7 + by]
            assert battles.field(arena, side, NAMES[stat]) == before * numerator // denominator
            battles.set_field(arena, side, NAMES[stat], before)
        assert any(word in said[0] for word in ("rose", "soared", "fell", "sank"))


def test_stages_end_at_thirteen_and_one(arena: Game) -> None:
    arena.poke("wPlayerMonStatMods", 13)
    arena.poke("wEnemyMonStatMods", 1)
    assert "nothing comes" in use_effect(arena, UP_1)[0]
    until(arena, lambda: True, DOWN_1)
    assert (arena.byte("wPlayerMonStatMods"), arena.byte("wEnemyMonStatMods")) == (13, 1)


def test_draining_heals_half_of_the_damage(arena: Game) -> None:
    battles.set_field(arena, "own", "hp", 100)
    while battles.field(arena, "enemy", "hp") == HP:
        use_effect(arena, DRAIN)
    lost = HP - battles.field(arena, "enemy", "hp")
    assert battles.field(arena, "own", "hp") == 100 + max(1, lost // 2)


def test_recoil_is_a_quarter_and_half_for_struggle(arena: Game) -> None:
    while battles.field(arena, "enemy", "hp") == HP:
        use_effect(arena, RECOIL)
    lost = HP - battles.field(arena, "enemy", "hp")
    assert battles.field(arena, "own", "hp") == HP - max(1, lost // 4)
    for name in ("hp", "max_hp"):
        battles.set_field(arena, "own", name, HP)
        battles.set_field(arena, "enemy", name, HP)
    battles.set_moves(arena, "own", [1], pp=0)
    while battles.field(arena, "enemy", "hp") == HP:
        battles.choose(arena, FIGHT)
        battles.read_on(arena)
    lost = HP - battles.field(arena, "enemy", "hp")
    assert battles.field(arena, "own", "hp") == HP - max(1, lost // 2)


def test_quick_attack_goes_first(arena: Game) -> None:
    battles.set_field(arena, "own", "speed", 5)
    battles.set_moves(arena, "own", [98])
    chances: list[Chance] = []
    hook = watch_chance(arena, chances)
    battles.fight(arena)
    arena.pyboy.hook_deregister(0, hook)
    order = [each.whose for each in chances[1:]]
    assert order == sorted(order)
    chances.clear()


def test_poison_damage_applies_in_a_turn_spent_on_running(arena: Game) -> None:
    battles.set_field(arena, "own", "status", POISON)
    for own, enemy in ((1, 999), (2, 999)):
        battles.set_field(arena, "own", "hp", HP)
        battles.set_field(arena, "own", "speed", own)
        battles.set_field(arena, "enemy", "speed", enemy)
        battles.choose(arena, battles.RUN)
        battles.read_on(arena)
        assert battles.field(arena, "own", "hp") == HP - HP // 16


def test_poison_damage_applies_to_a_switched_in_pokemon(bedroom: Game) -> None:
    sick = Mon(3, hp=HP, max_hp=HP, status=BURN, experience=9000)
    battles.set_team(bedroom, Mon(7, hp=HP, max_hp=HP, experience=9000), sick)
    battles.meet(bedroom, 33, 5)
    battles.set_moves(bedroom, "enemy", [battles.with_effect(HARMLESS).number])
    battles.choose(bedroom, battles.TEAM)
    bedroom.tick(30)
    bedroom.press("down")
    bedroom.press("a", settle=20)
    bedroom.press("a", settle=20)
    battles.read_on(bedroom)
    assert battles.field(bedroom, "own", "status") == BURN
    assert battles.field(bedroom, "own", "hp") == HP - HP // 16


def test_a_pokemon_thawed_before_its_turn_repeats_its_last_move(arena: Game) -> None:
    battles.set_moves(arena, "enemy", [battles.with_effect(4).number])
    battles.set_field(arena, "enemy", "speed", 999)
    own = battles.with_effect(UP_1)
    battles.set_moves(arena, "own", [own.number], pp=1)
    names = arena.block("wEnemyMonNick", 11), arena.block("wBattleMonNick", 11)
    for stage in (7, 9, 10):  # the first time there is nothing to repeat
        battles.set_field(arena, "own", "hp", HP)
        while True:
            battles.set_field(arena, "own", "status", FREEZE)
            battles.choose(arena, FIGHT)
            battles.read_on(arena)
            if battles.field(arena, "own", "status") != FREEZE:
                break
        assert battles.is_at_menu(arena)
        assert arena.byte("wPlayerMonStatMods") == stage
        battles.set_field(arena, "own", "status", 0)
        if stage == 7:
            battles.fight(arena)
        assert battles.party_mon(arena, 0)[29] & 0xC0 == 0
    assert (arena.block("wEnemyMonNick", 11), arena.block("wBattleMonNick", 11)) == names


CONFUSE, MAY_CONFUSE, MAY_FLINCH, OFTEN_FLINCHES, SEED, DISABLE = 49, 76, 31, 37, 84, 86
FLINCHED, CONFUSED, SEEDED = 0x08, 0x80, 0x80
BADLY_POISONED: Final = 1
SHARE: Final = HP // 16
RAISE, LOWER = 11, 18
BAD_POISON, LAST_RESORT = 92, 165
MOSS: Final = 22


@pytest.mark.parametrize("byte", [0, 1, 2, 3, 255])
def test_confusion_lasts_two_to_five_turns(arena: Game, dice: Dice, byte: int) -> None:
    dice.roll([0, 0, byte], usual=0)
    begin(arena, with_effect(CONFUSE).number)
    read_until(arena, "became confused")
    assert status(arena, "enemy") == CONFUSED
    assert counters(arena, "enemy")[1] == 2 + byte % 4


def test_a_confused_pokemon_acts_or_hits_itself(arena: Game, dice: Dice) -> None:
    rest = with_effect(RAISE).number
    for byte, hurts in ((0x7F, False), (0x80, True)):
        arena.poke("wEnemyMonStatMods", b"\7" * 6)
        set_status(arena, "enemy", 1, CONFUSED)
        set_counter(arena, "enemy", 1, 5)
        dice.roll([0, byte])
        lines = use(arena, rest)
        assert shows(lines, "is confused")
        assert shows(lines, "hits itself") == hurts
        assert (arena.byte("wEnemyMonStatMods", 3) == 7) == hurts
        assert counters(arena, "enemy")[1] == 4
    assert lost(arena, "enemy") == hit(40, byte=None)


def test_confusion_ends_with_its_last_turn_without_a_self_hit(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 1, CONFUSED)
    set_counter(arena, "enemy", 1, 1)
    lines = use_effect(arena, RAISE)
    assert shows(lines, "thinks clearly")
    assert status(arena, "enemy") == 0
    assert arena.byte("wEnemyMonStatMods", 3) == 8
    assert len(dice.drawn) == 1


def test_a_confused_pokemon_is_not_confused_again(arena: Game, dice: Dice) -> None:
    set_status(arena, "enemy", 1, CONFUSED)
    set_counter(arena, "enemy", 1, 4)
    dice.roll([0, 0], usual=0)
    assert shows(use_effect(arena, CONFUSE), "nothing comes")
    assert counters(arena, "enemy")[1] == 3


@pytest.mark.parametrize(("byte", "confused"), [(24, True), (25, False)])
def test_an_attack_may_confuse(arena: Game, dice: Dice, byte: int, confused: bool) -> None:  # noqa: FBT001
    dice.roll([0, 200, 200, 0, byte, 3, 0])
    use_effect(arena, MAY_CONFUSE)
    assert bool(status(arena, "enemy") & CONFUSED) == confused


@pytest.mark.parametrize(("kind", "odds"), [(MAY_FLINCH, 26), (OFTEN_FLINCHES, 77)])
def test_an_attack_may_cause_flinching(arena: Game, dice: Dice, kind: int, odds: int) -> None:
    for byte in (odds - 1, odds):
        arena.poke("wEnemyMonStatMods", b"\7" * 6)
        dice.roll([0, 200, 200, 0, byte])
        lines = use_effect(arena, kind)
        assert shows(lines, "flinched") == (byte < odds)
        assert (arena.byte("wEnemyMonStatMods", 3) == 7) == (byte < odds)
        assert status(arena, "enemy") & FLINCHED == 0


def test_a_pokemon_that_has_acted_does_not_flinch_in_the_next_turn(arena: Game, dice: Dice) -> None:
    battles.set_field(arena, "own", "speed", 5)
    for _ in range(2):
        dice.roll([0, 200, 200, 0, 0])
        assert not shows(use_effect(arena, MAY_FLINCH), "flinched")
        assert status(arena, "enemy") & FLINCHED == 0


def test_bad_poison_takes_another_sixteenth_every_turn(arena: Game, dice: Dice) -> None:
    dice.roll([0], usual=0)
    use(arena, BAD_POISON)
    assert battles.field(arena, "enemy", "status") == POISON
    assert status(arena, "enemy", 3) == BADLY_POISONED
    taken = SHARE
    for turn in (2, 3):
        assert counters(arena, "enemy")[2] == turn - 1
        assert lost(arena, "enemy") == taken
        use_effect(arena, RAISE)
        taken += turn * SHARE
    assert lost(arena, "enemy") == taken


def test_leech_seed_heals_the_other_side(arena: Game, dice: Dice) -> None:
    battles.set_field(arena, "own", "hp", 100)
    dice.roll([0], usual=0)
    use_effect(arena, SEED)
    assert status(arena, "enemy", 2) == SEEDED
    assert (lost(arena, "enemy"), hp(arena, "own")) == (SHARE, 100 + SHARE)
    assert shows(use_effect(arena, SEED), "nothing comes")
    battles.set_field(arena, "own", "hp", HP - 1)
    use_effect(arena, RAISE)
    assert hp(arena, "own") == HP


def test_leech_seed_grows_with_bad_poison(arena: Game) -> None:
    set_status(arena, "enemy", 2, SEEDED)
    set_status(arena, "enemy", 3, BADLY_POISONED)
    battles.set_field(arena, "enemy", "status", POISON)
    use_effect(arena, RAISE)
    assert lost(arena, "enemy") == SHARE + 2 * SHARE
    assert counters(arena, "enemy")[2] == 2


def test_grass_types_cannot_be_seeded(arena: Game, dice: Dice) -> None:
    battles.set_field(arena, "enemy", "type2", MOSS)
    dice.roll([0], usual=0)
    assert shows(use_effect(arena, SEED), "nothing comes")
    assert status(arena, "enemy", 2) == 0


def test_an_enemy_move_is_disabled_for_some_turns(arena: Game, dice: Dice) -> None:
    harmless = arena.byte("wEnemyMonMoves")
    battles.set_moves(arena, "enemy", [harmless, with_effect(RAISE).number])
    dice.roll([255, 0, 0, 2], usual=0)  # it chooses the second move, and forgets the first for 3
    lines = use_effect(arena, DISABLE)
    assert shows(lines, "forgot how")
    assert counters(arena, "enemy")[3] == 0x12
    assert arena.byte("wEnemyDisabledMoveNumber") == harmless
    for left in (0x11, 0):
        arena.poke("wEnemyMonStatMods", b"\7" * 6)
        dice.roll([0])
        lines = use_effect(arena, RAISE)
        assert arena.block("wEnemyMonStatMods", 4)[3] == 7
        assert counters(arena, "enemy")[3] == left
    assert shows(lines, "remembers")
    assert arena.byte("wEnemyDisabledMoveNumber") == 0


def test_disabling_the_selected_move_costs_the_turn(arena: Game, dice: Dice) -> None:
    dice.roll([0, 0, 0, 7], usual=0)
    lines = use_effect(arena, DISABLE)
    assert shows(lines, "cannot remember")
    assert arena.byte("wEnemyMonStatMods", 3) == 7
    assert shows(use_effect(arena, DISABLE), "nothing comes")
    assert arena.byte("wEnemySelectedMove") == LAST_RESORT


def test_the_player_cannot_choose_a_disabled_move(arena: Game) -> None:
    first, second = with_effect(RAISE).number, with_effect(RAISE + 2).number
    set_counter(arena, "own", 3, 0x14)
    arena.poke("wPlayerDisabledMoveNumber", first)
    battles.set_moves(arena, "own", [first, second])
    lines = battles.fight(arena)
    assert shows(lines, "been forgotten")
    assert battles.is_at_menu(arena)
    assert arena.block("wPlayerMonStatMods", 4) == b"\7" * 4
    battles.fight(arena, 1)
    assert arena.byte("wPlayerMonStatMods", 3) == 8
    assert counters(arena, "own")[3] == 0x13


def test_with_only_a_disabled_move_struggle_is_used(arena: Game) -> None:
    number = with_effect(RAISE).number
    set_counter(arena, "own", 3, 0x14)
    arena.poke("wPlayerDisabledMoveNumber", number)
    battles.set_moves(arena, "own", [number, with_effect(LOWER).number])
    arena.poke("wBattleMonPP", bytes([20, 0]))
    assert shows(go_on(arena), "out of moves")
    assert arena.byte("wPlayerUsedMove") == LAST_RESORT


def test_switching_resets_all_volatile_status(arena: Game) -> None:
    for byte in (1, 2, 3):
        set_status(arena, "enemy", byte, 0xFF)
    battles.set_team(arena, battles.Mon(3), battles.Mon(7))
    for index in range(4):
        set_counter(arena, "own", index, 0x11)
    set_status(arena, "own", 1, CONFUSED)
    set_status(arena, "own", 2, SEEDED)
    set_status(arena, "enemy", 1, 0x20)  # a trapping move
    set_status(arena, "enemy", 2, 0)
    set_status(arena, "enemy", 3, 0)
    battles.choose(arena, battles.TEAM)
    arena.tick(30)
    arena.press("down")
    arena.press("a", settle=20)
    arena.press("a", settle=20)
    battles.read_on(arena)
    assert [status(arena, "own", byte) for byte in (1, 2, 3)] == [0, 0, 0]
    assert counters(arena, "own") == (0, 0, 0, 0)
    assert status(arena, "enemy") == 0
    assert arena.cursor == FIGHT
