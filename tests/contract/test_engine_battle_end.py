"""How battles of the demo end, and how the participants gain experience and learn moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from emulator import Phase
from tests.contract import battles, levels, menus
from tests.contract.battles import DEX, FIRST_OF_TEAM, HITTER, TEAM, Mon, shows
from tests.contract.game import Game, Start

RAMBLER = 1
STYLE_SHIFT = 0
STRONG: Final = Mon(3, 60, 200, 200, (500,) * 4, (HITTER,), experience=200_000)
OTHER: Final = replace(STRONG, species=7)
WEAK: Final = Mon(7, 2, 1, 1, (5, 5, 1, 5), (HITTER,), experience=8)


def begin(game: Game, *team: Mon) -> Game:
    """Begin a wild battle that a weak Pokemon loses."""
    return battles.meet(battles.set_team(game, *team), 33, 30)


def to_faint(game: Game) -> list[str]:
    """Fight until the player's Pokemon faints, keeping the enemy from fainting or missing its turns."""
    for _ in range(20):
        game.enemy.knows(HITTER)
        game.enemy.attack = 900
        lines = battles.fight(game)
        if not battles.is_at_menu(game):
            return lines
    raise AssertionError(game.text)


def test_a_battle_is_lost_when_the_last_pokemon_faints(bedroom: Game) -> None:
    game = begin(bedroom, WEAK)
    game.enemy.knows(HITTER)
    battles.begin_move(game)
    seen, read = set(), list[str]()
    for _ in range(900):
        seen.add((game.byte("wIsInBattle"), game.byte("wBattleResult")))
        if game.byte("wIsInBattle") == battles.LOST:
            break
        if game.tick(2).has_arrow:
            read.append(game.said)
            game.press("b", hold=2, settle=2)
    assert "AAAA fainted!" in read
    assert shows(read, "able to fight")
    assert (battles.LOST, battles.BEATEN) in seen
    assert game.byte("wCurOpponent") == 0


def test_the_next_pokemon_must_be_chosen_after_a_faint(bedroom: Game) -> None:
    game = begin(bedroom, WEAK, STRONG)
    assert shows(to_faint(game), "AAAA fainted!")
    assert (game.cursor, game.phase(), game.said) == ((14, 10), Phase.NEXT_MON, "Send out another?")
    game.press("a", settle=30).to_cursor(FIRST_OF_TEAM)
    assert game.byte("wMenuWatchedKeys") == 1
    assert game.press("b", settle=20).cursor == FIRST_OF_TEAM
    assert "no strength" in menus.said(game.press("a", settle=20))
    battles.read_on(game.press("b", "down", "a", settle=20))
    assert battles.is_at_menu(game)
    assert (game.byte("wPlayerMonNumber"), game.byte("wPartyGainExpFlags")) == (1, 0b10)


def test_answering_no_after_a_faint_runs(bedroom: Game) -> None:
    game = begin(bedroom, WEAK, STRONG)
    to_faint(game)
    game.own.speed = 999
    battles.read_on(game.press("b", settle=30))
    game.until_free()
    assert (game.byte("wBattleResult"), game.byte("wIsInBattle")) == (battles.LEFT, battles.NOTHING)


def test_a_failed_escape_after_a_faint_forces_the_next_pokemon(bedroom: Game) -> None:
    game = begin(bedroom, WEAK, STRONG)
    to_faint(game)
    game.own.speed, game.enemy.speed = 1, 999
    assert shows(battles.read_on(game.press("b", settle=30)), "There is no way past it!")
    assert (game.cursor, game.byte("wMenuWatchedKeys")) == (FIRST_OF_TEAM, 1)


def test_a_trainer_battle_offers_no_escape_after_a_faint(bedroom: Game) -> None:
    game = battles.challenge(battles.set_team(bedroom, WEAK, STRONG), RAMBLER, 1)
    to_faint(game)
    assert game.cursor == FIRST_OF_TEAM


def test_a_trainer_sends_the_next_pokemon_and_pays(bedroom: Game) -> None:
    game = battles.challenge(battles.set_team(bedroom, STRONG), RAMBLER, 1)
    party = game.block("wEnemyPartySpecies", 7)
    assert game.byte("wEnemyPartyCount") == party.index(0xFF) == 2
    assert game.enemy.species == party[0]
    battles.fight(game)
    assert battles.is_at_menu(game)
    assert (game.enemy.species, game.enemy.position) == (party[1], 1)
    assert game.block("wEnemyMons", 44)[1:3] == bytes(2)
    level = game.block("wEnemyMons", 88)[44 + 33]
    record = battles.table(game, "TrainerPicAndMoneyPointers", 5 * (RAMBLER - 1), 5)
    prize = int(record[2:4].hex()) * level
    battles.fight(game)
    game.until_free()
    assert (game.money, int(game.block("wAmountMoneyWon", 3).hex())) == (3000 + prize, prize)
    assert (game.byte("wBattleResult"), game.byte("wIsInBattle")) == (battles.WON, battles.NOTHING)


@pytest.mark.parametrize(("answer", "number"), [("b", 0), ("a", 1)])
def test_the_shift_style_offers_a_switch(start: Start, answer: str, number: int) -> None:
    game = battles.hurry(start("bedroom"), battles.FAST | STYLE_SHIFT)
    battles.challenge(battles.set_team(game, STRONG, OTHER), RAMBLER, 1)
    battles.fight(game)
    assert (game.cursor, game.phase()) == ((1, 8), Phase.CHANGE_MON)
    assert game.said.endswith("change creatures?")
    game.press(answer, settle=30)
    if answer == "a":
        game.to_cursor(FIRST_OF_TEAM).press("down").press("a", settle=20)
    battles.read_on(game)
    assert battles.is_at_menu(game)
    assert (game.byte("wPlayerMonNumber"), game.enemy.position) == (number, 1)
    assert game.byte("wPartyGainExpFlags") == 1 << number


@pytest.mark.parametrize("opponent", [33, 200 + RAMBLER])
def test_a_battle_with_a_fainted_team_is_lost_at_once(bedroom: Game, opponent: int) -> None:
    game = battles.set_team(bedroom, replace(STRONG, hp=0), replace(OTHER, hp=0))
    game.poke("wTrainerNo", 1).poke("wCurEnemyLevel", 5).poke("wCurOpponent", opponent)
    game.wait(lambda: game.byte("wIsInBattle") != battles.NOTHING, 120)
    lines = []
    for _ in range(100):
        lines.append(game.press("b", settle=12).said)
        if game.byte("wIsInBattle") == battles.NOTHING and game.is_free:
            break
    assert shows(lines, "able to fight")
    assert game.byte("wBattleResult") == battles.BEATEN
    assert game.place.map == game.byte("wLastBlackoutMap")
    assert [battles.party_hp(game, place) for place in (0, 1)] == [200, 200]
    assert game.byte("wPartyCount") == 2


def test_cursor_rows_of_a_battle_are_reset_after_it(bedroom: Game) -> None:
    game = battles.meet(battles.set_team(bedroom, STRONG, OTHER), 33, 3)
    battles.choose(game, TEAM).tick(20).press("down").press("b", settle=30)
    game.own.speed = 999
    battles.run(game)
    game.until_free()
    for row in ("PartyAndBillsPC", "Bag", "BattleAndStart"):
        assert game.byte(f"w{row}SavedMenuItem") == 0
    assert game.byte("wListScrollOffset") == game.byte("wNumRunAttempts") == 0


OTHER_TRAINER = 0x1234


def of_levels(game: Game, *levels_: int, trainer: int | None = None) -> Game:
    """Set a team that wins at once, of these levels."""
    team = [
        replace(
            STRONG,
            species=species,
            level=level,
            experience=levels.experience(species, level),
            trainer=trainer,
        )
        for species, level in zip((3, 7, 11), levels_, strict=False)
    ]
    return battles.set_team(game, *team)


def gained(game: Game, place: int, level: int) -> int:
    mon = battles.party_mon(game, place)
    return int.from_bytes(mon[14:17]) - levels.experience(mon[0], level)


@pytest.mark.parametrize(("trainer", "enemy_level"), [(None, 7), (OTHER_TRAINER, 9), (None, 3)])
def test_enemy_experience_depends_on_level(
    bedroom: Game, trainer: int | None, enemy_level: int
) -> None:
    game = battles.meet(of_levels(bedroom, 40, trainer=trainer), 33, enemy_level)
    species = DEX.species(33)
    said = " ".join(battles.fight(game))
    amount = species.base_experience * enemy_level // 7
    amount += amount // 2 if trainer else 0
    assert gained(game, 0, 40) == amount
    assert f"AAAA gained {amount} EXP. points!" in said
    trained = battles.party_mon(game, 0)[17:27]
    assert [int.from_bytes(trained[i : i + 2]) for i in range(0, 10, 2)] == list(species.base)
    assert (game.byte("wIsInBattle"), game.byte("wBattleResult")) == (battles.NOTHING, battles.WON)


def test_participants_share_the_experience(bedroom: Game) -> None:
    game = battles.meet(of_levels(bedroom, 40, 50, 60), 33, 9)
    battles.send_second(game)
    assert game.byte("wPartyGainExpFlags") == 0b11
    battles.fight(game)
    species = DEX.species(33)
    each = species.base_experience // 2 * 9 // 7
    assert [gained(game, 0, 40), gained(game, 1, 50), gained(game, 2, 60)] == [each, each, 0]
    assert battles.party_mon(game, 1)[17:19] == (species.base.hp // 2).to_bytes(2)


def test_a_wild_pokemon_knows_the_moves_of_its_level(start: Start) -> None:
    seen = set()
    for species, level in ((33, 3), (66, 4), (58, 12)):
        game = of_levels(battles.hurry(start("bedroom")), 60)
        battles.meet(game.tick(species), species, level)  # the clock decides about chance
        enemy = game.enemy.data
        seen.add(enemy[12:14])
        assert enemy[8:12] == bytes(DEX.species(species).moves_at(level)).ljust(4, b"\0")
        assert game.enemy.lost == 0
    assert len(seen) > 1


def test_a_new_level_brings_stats_and_a_move(bedroom: Game) -> None:
    level, number = DEX.species(3).level_up_moves[0]
    levels.win_to_level(bedroom, level, (HITTER, 2))
    shown = menus.rows(bedroom, 16, 19, (4, 6, 8, 10))
    lines = battles.read_on(bedroom)
    mon, grown = battles.party_mon(bedroom, 0), bedroom.state.party[0]
    assert (grown.level, grown.stats) == (level, levels.stats(grown))
    assert grown.hp == 20 + grown.stats.hp - 30
    assert shown == [str(stat) for stat in grown.stats[1:]]
    assert (mon[8:12], mon[31]) == (bytes([HITTER, 2, number, 0]), DEX.move(number).pp)
    assert shows(lines, "learned")


def test_fainted_pokemon_gain_no_experience_and_level_100_is_the_maximum(bedroom: Game) -> None:
    game = of_levels(bedroom, 100, 50)
    before = battles.party_mon(game, 0)[14:17]
    battles.meet(game, 33, 60)
    game.poke("wPartyGainExpFlags", b"\3").poke("wPartyMons", bytes(2), battles.PARTY_MON + 1)
    battles.fight(game)
    first = battles.party_mon(game, 0)
    assert (first[14:17], first[33]) == (before, 100)
    assert gained(game, 1, 50) == 0


TOASTNUT: Final = 3
KNOWN: Final = (HITTER, 1, 2, 4)
HM_MOVE: Final = 15  # an HM move, which cannot be forgotten
YES_NO, FORGET = (15, 8), (5, 8)


def reach_offer(game: Game, known: tuple[int, ...] = KNOWN) -> int:
    """Win the level of a new move and read to the question; return the move."""
    level, number = DEX.species(TOASTNUT).level_up_moves[0]
    levels.win_to_level(game, level, known)
    assert shows(battles.read_on(game), "knows four moves")
    is_at_question(game)
    return number


def is_at_question(game: Game) -> None:
    assert game.cursor == YES_NO, game.text
    assert "Forget one of them" in game.said
    assert game.byte("hUILayoutFlags") & 2 == 0


def answer(game: Game, button: str) -> str:
    """Answer with YES (A) or NO (B), and read to the next question, or to the map; return the texts."""
    return " / ".join(battles.read_on(game.press(button, hold=2, settle=30)))


def moves_of(game: Game) -> tuple[int, ...]:
    return tuple(battles.party_mon(game, 0)[8:12])


def test_a_new_move_replaces_an_old_one(bedroom: Game) -> None:
    game, number = bedroom, reach_offer(bedroom)
    assert (game.byte("wMoveNum"), game.phase()) == (number, Phase.YES_NO)
    answer(game, "a")
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == game.cursor == FORGET
    assert (game.byte("wMaxMenuItem"), game.byte("hUILayoutFlags") & 2) == (3, 2)
    assert game.phase() is Phase.FORGET_MOVE
    for row in (9, 10):
        assert game.press("down", hold=2, settle=4).cursor == (5, row)
    said = answer(game, "a")
    assert "AAAA forgot" in said
    assert "AAAA learned" in said
    assert moves_of(game) == (*KNOWN[:2], number, KNOWN[3]) == tuple(game.own.data[8:12])
    assert battles.party_mon(game, 0)[31] == DEX.move(number).pp
    assert game.until_free().byte("hUILayoutFlags") & 2 == 0


def test_a_new_move_can_be_refused(bedroom: Game) -> None:
    reach_offer(bedroom)
    answer(bedroom, "b")
    assert bedroom.cursor == YES_NO
    assert "Give up" in bedroom.said
    assert "AAAA did not learn" in answer(bedroom, "a")
    assert moves_of(bedroom) == KNOWN
    bedroom.until_free()


@pytest.mark.parametrize("buttons", ["bbbb", "ab"])
def test_refusing_to_give_up_or_leaving_the_list_repeats_the_question(
    bedroom: Game, buttons: str
) -> None:
    reach_offer(bedroom)
    for at, button in enumerate(buttons):
        answer(bedroom, button)
        if at % 2:
            is_at_question(bedroom)
    assert moves_of(bedroom) == KNOWN


def test_hm_moves_cannot_be_forgotten(bedroom: Game) -> None:
    number = reach_offer(bedroom, (HM_MOVE, *KNOWN[:3]))
    answer(bedroom, "a")
    assert "Nobody can forget that move." in answer(bedroom, "a")
    assert bedroom.cursor == FORGET
    answer(bedroom.press("down", hold=2, settle=4), "a")
    assert moves_of(bedroom) == (HM_MOVE, number, *KNOWN[1:3])


def test_a_known_move_is_not_learned_again(bedroom: Game) -> None:
    level, number = DEX.species(TOASTNUT).level_up_moves[0]
    levels.win_to_level(bedroom, level, (*KNOWN[:3], number))
    battles.read_on(bedroom)
    assert bedroom.byte("wIsInBattle") == battles.NOTHING
    assert moves_of(bedroom) == (*KNOWN[:3], number)


def test_moves_of_skipped_levels_are_not_learned(bedroom: Game) -> None:
    level_up_moves = DEX.species(TOASTNUT).level_up_moves
    level = level_up_moves[0][0]
    levels.win_to_level(bedroom, level, (HITTER,), enemy_level=60)
    battles.read_on(bedroom)
    reached = battles.party_mon(bedroom, 0)[33]
    assert reached > level
    learned = [move for when, move in level_up_moves if when == reached]
    assert [move for move in moves_of(bedroom) if move] == [HITTER, *learned]
