"""How battles of the demo end, and how the participants gain experience and learn moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import pytest

from emulator import Phase
from tests.contract import battles, growing
from tests.contract.battles import DEX, FIGHT, TEAM, Mon
from tests.contract.game import Game, Start

HITTER: Final = 24  # never misses
RAMBLER = 1
STYLE_SHIFT = 0


def strong(species: int = 3) -> Mon:
    return Mon(species, 60, 200, 200, (500, 500, 500, 500), (HITTER,), experience=200_000)


def weak(species: int = 7) -> Mon:
    return Mon(species, 2, 1, 1, (5, 5, 1, 5), (HITTER,), experience=8)


def begin(start: Start, *team: Mon, options: int | None = None) -> Game:
    game = start("bedroom")
    battles.hurry(game) if options is None else battles.hurry(game, battles.FAST | options)
    battles.set_team(game, *team)
    return game


def to_faint(game: Game) -> list[str]:
    """Fight until the player's Pokemon faints, keeping the enemy from fainting or missing its turns."""
    lines: list[str] = []
    for _ in range(20):
        battles.set_moves(game, "enemy", [HITTER])
        battles.set_field(game, "enemy", "attack", 900)
        lines = battles.fight(game)
        if not battles.is_at_menu(game):
            return lines
    raise AssertionError(game.text)


def test_a_battle_is_lost_when_the_last_pokemon_faints(start: Start) -> None:
    game = battles.meet(begin(start, weak()), 33, 30)
    battles.set_moves(game, "enemy", [HITTER])
    battles.choose(game, FIGHT)
    game.press("a", hold=2, settle=2)
    seen, read = set(), set()
    for _ in range(900):
        seen.add((game.byte("wIsInBattle"), game.byte("wBattleResult")))
        if game.byte("wIsInBattle") == battles.LOST:
            break
        game.tick(2)
        if game.has_arrow:
            read.add(game.said)
            game.press("b", hold=2, settle=2)
    assert "AAAA fainted!" in read
    assert any("able to fight" in words for words in read)
    assert (battles.LOST, battles.BEATEN) in seen
    assert game.byte("wCurOpponent") == 0


def test_the_next_pokemon_must_be_chosen_after_a_faint(start: Start) -> None:
    game = battles.meet(begin(start, weak(), strong()), 33, 30)
    lines = to_faint(game)
    assert battles.shows(lines, "AAAA fainted!")
    assert game.cursor == (14, 10)
    assert growing.phase(game) is Phase.NEXT_MON
    assert game.said == "Send out another?"
    game.press("a", settle=30)
    game.wait(lambda: game.cursor == (0, 1), 60)
    assert game.byte("wMenuWatchedKeys") == 1
    game.press("b", settle=20)
    assert game.cursor == (0, 1)
    game.press("a", settle=20)
    game.wait(lambda: game.has_arrow, 60)
    assert "no strength" in game.said
    game.press("b", settle=20)
    game.press("down")
    game.press("a", settle=20)
    battles.read_on(game)
    assert battles.is_at_menu(game)
    assert game.byte("wPlayerMonNumber") == 1
    assert game.byte("wPartyGainExpFlags") == 0b10


def test_answering_no_after_a_faint_runs(start: Start) -> None:
    game = battles.meet(begin(start, weak(), strong()), 33, 30)
    to_faint(game)
    battles.set_field(game, "own", "speed", 999)
    game.press("b", settle=30)
    battles.read_on(game)
    game.wait(lambda: game.is_free, 300)
    assert game.byte("wBattleResult") == battles.LEFT
    assert game.byte("wIsInBattle") == battles.NOTHING


def test_a_failed_escape_after_a_faint_forces_the_next_pokemon(start: Start) -> None:
    game = battles.meet(begin(start, weak(), strong()), 33, 30)
    to_faint(game)
    battles.set_field(game, "own", "speed", 1)
    battles.set_field(game, "enemy", "speed", 999)
    game.press("b", settle=30)
    assert battles.shows(battles.read_on(game), "There is no way past it!")
    assert game.cursor == (0, 1)
    assert game.byte("wMenuWatchedKeys") == 1


def test_a_trainer_battle_offers_no_escape_after_a_faint(start: Start) -> None:
    game = battles.challenge(begin(start, weak(), strong()), RAMBLER, 1)
    to_faint(game)
    assert game.cursor == (0, 1)


def test_a_trainer_sends_the_next_pokemon_and_pays(start: Start) -> None:
    game = battles.challenge(begin(start, strong()), RAMBLER, 1)
    party = game.block("wEnemyPartySpecies", 7)
    assert game.byte("wEnemyPartyCount") == party.index(0xFF) == 2
    assert battles.field(game, "enemy", "species") == party[0]
    battles.fight(game)
    assert battles.is_at_menu(game)
    assert battles.field(game, "enemy", "species") == party[1]
    assert battles.field(game, "enemy", "position") == 1
    assert game.block("wEnemyMons", 44)[1:3] == bytes(2)
    level = game.block("wEnemyMons", 88)[44 + 33]
    record = battles.table(game, "TrainerPicAndMoneyPointers", 5 * (RAMBLER - 1), 5)
    prize = int(record[2:4].hex()) * level
    battles.fight(game)
    game.wait(lambda: game.is_free, 300)
    assert int(game.block("wPlayerMoney", 3).hex()) == 3000 + prize
    assert int(game.block("wAmountMoneyWon", 3).hex()) == prize
    assert (game.byte("wBattleResult"), game.byte("wIsInBattle")) == (battles.WON, battles.NOTHING)


@pytest.mark.parametrize(("answer", "number"), [("b", 0), ("a", 1)])
def test_the_shift_style_offers_a_switch(start: Start, answer: str, number: int) -> None:
    game = begin(start, strong(), strong(7), options=STYLE_SHIFT)
    battles.challenge(game, RAMBLER, 1)
    battles.fight(game)
    assert game.cursor == (1, 8)
    assert growing.phase(game) is Phase.CHANGE_MON
    assert game.said.endswith("change creatures?")
    game.press(answer, settle=30)
    if answer == "a":
        game.wait(lambda: game.cursor == (0, 1), 60)
        game.press("down")
        game.press("a", settle=20)
    battles.read_on(game)
    assert battles.is_at_menu(game)
    assert game.byte("wPlayerMonNumber") == number
    assert game.byte("wPartyGainExpFlags") == 1 << number
    assert battles.field(game, "enemy", "position") == 1


@pytest.mark.parametrize("opponent", [33, 200 + RAMBLER])
def test_a_battle_with_a_fainted_team_is_lost_at_once(start: Start, opponent: int) -> None:
    fallen = replace(strong(), hp=0)
    game = begin(start, fallen, replace(fallen, species=7))
    game.poke("wTrainerNo", 1)
    game.poke("wCurEnemyLevel", 5)
    game.poke("wCurOpponent", opponent)
    game.wait(lambda: game.byte("wIsInBattle") != battles.NOTHING, 120)
    lines = []
    for _ in range(100):
        game.press("b", settle=12)
        lines.append(game.said)
        if game.byte("wIsInBattle") == battles.NOTHING and game.is_free:
            break
    assert battles.shows(lines, "able to fight")
    assert game.byte("wBattleResult") == battles.BEATEN
    assert game.place.map == game.byte("wLastBlackoutMap")
    assert [battles.party_mon(game, place)[1:3] for place in (0, 1)] == [b"\0\xc8"] * 2
    assert game.byte("wPartyCount") == 2


def test_cursor_rows_of_a_battle_are_reset_after_it(start: Start) -> None:
    game = battles.meet(begin(start, strong(), strong(7)), 33, 3)
    battles.choose(game, battles.TEAM)
    game.tick(20)
    game.press("down")
    game.press("b", settle=30)
    battles.set_field(game, "own", "speed", 999)
    battles.choose(game, battles.RUN)
    battles.read_on(game)
    game.wait(lambda: game.is_free, 300)
    for row in ("PartyAndBillsPC", "Bag", "BattleAndStart"):
        assert game.byte(f"w{row}SavedMenuItem") == 0
    assert game.byte("wListScrollOffset") == game.byte("wNumRunAttempts") == 0


OTHER_TRAINER = 0x1234


def growth_strong(species: int, level: int, **more: object) -> Mon:
    """Return a Pokemon that wins at once, one point of experience short of its level."""
    return Mon(
        species,
        level=level,
        hp=200,
        max_hp=200,
        stats=(500, 500, 500, 500),
        moves=(battles.HITTER,),
        experience=growing.experience(species, level),
        **more,  # type: ignore[arg-type]
    )


def growth_begin(start: Start, *levels: int, trainer: int | None = None) -> Game:
    game = start("bedroom")
    battles.hurry(game)
    team = (
        growth_strong(species, level, trainer=trainer)
        for species, level in zip((3, 7, 11), levels, strict=False)
    )
    battles.set_team(game, *team)
    return game


def gained(game: Game, place: int, level: int) -> int:
    mon = battles.party_mon(game, place)
    return int.from_bytes(mon[14:17]) - growing.experience(mon[0], level)


@pytest.mark.parametrize(("trainer", "enemy_level"), [(None, 7), (OTHER_TRAINER, 9), (None, 3)])
def test_enemy_experience_depends_on_level(
    start: Start, trainer: int | None, enemy_level: int
) -> None:
    game = battles.meet(growth_begin(start, 40, trainer=trainer), 33, enemy_level)
    species = DEX.species(33)
    said = " ".join(battles.fight(game))
    amount = species.base_experience * enemy_level // 7
    amount += amount // 2 if trainer else 0
    assert gained(game, 0, 40) == amount
    assert f"AAAA gained {amount} EXP. points!" in said
    trained = battles.party_mon(game, 0)[17:27]
    assert [int.from_bytes(trained[i : i + 2]) for i in range(0, 10, 2)] == list(species.base)
    assert (game.byte("wIsInBattle"), game.byte("wBattleResult")) == (battles.NOTHING, battles.WON)


def test_participants_share_the_experience(start: Start) -> None:
    game = battles.meet(growth_begin(start, 40, 50, 60), 33, 9)
    battles.choose(game, TEAM)
    game.wait(lambda: game.cursor == (0, 1), 60)
    game.press("down")
    game.press("a", settle=20)
    game.press("a", settle=20)
    battles.read_on(game)
    assert game.byte("wPartyGainExpFlags") == 0b11
    battles.fight(game)
    species = DEX.species(33)
    each = species.base_experience // 2 * 9 // 7
    assert [gained(game, 0, 40), gained(game, 1, 50), gained(game, 2, 60)] == [each, each, 0]
    assert battles.party_mon(game, 1)[17:19] == (species.base.hp // 2).to_bytes(2)


def test_a_wild_pokemon_knows_the_moves_of_its_level(start: Start) -> None:
    seen = set()
    for species, level in ((33, 3), (66, 4), (58, 12)):
        game = growth_begin(start, 60)
        game.tick(species)  # the clock decides about chance
        battles.meet(game, species, level)
        enemy = game.block("wEnemyMon", 29)
        seen.add(enemy[12:14])
        assert enemy[8:12] == bytes(DEX.species(species).moves_at(level)).ljust(4, b"\0")
        assert enemy[1:3] == enemy[15:17]
    assert len(seen) > 1


def test_a_new_level_brings_stats_and_a_move(start: Start) -> None:
    game = growth_begin(start)
    level, number = DEX.species(3).level_up_moves[0]
    box = growing.win_to_level(game, level, (battles.HITTER, 2))
    lines = battles.read_on(game)
    mon = battles.party_mon(game, 0)
    assert mon[33] == level
    assert (grown := growing.state(game).party[0]).stats == growing.stats(grown)
    assert int.from_bytes(mon[1:3]) == 20 + int.from_bytes(mon[34:36]) - 30
    rows = box.splitlines()
    shown = [rows[row][16:19].strip() for row in (4, 6, 8, 10)]
    assert shown == [str(int.from_bytes(mon[i : i + 2])) for i in range(36, 44, 2)]
    assert mon[8:12] == bytes([battles.HITTER, 2, number, 0])
    assert mon[31] == DEX.move(number).pp
    assert battles.shows(lines, "learned")


def test_fainted_pokemon_gain_no_experience_and_level_100_is_the_maximum(start: Start) -> None:
    game = growth_begin(start, 100, 50)
    before = battles.party_mon(game, 0)[14:17]
    battles.meet(game, 33, 60)
    game.poke("wPartyGainExpFlags", b"\3")
    game.poke("wPartyMons", bytes(2), battles.PARTY_MON + 1)
    battles.fight(game)
    assert battles.party_mon(game, 0)[14:17] == before
    assert battles.party_mon(game, 0)[33] == 100
    assert gained(game, 1, 50) == 0


TOASTNUT: Final = 3
KNOWN: Final = (battles.HITTER, 1, 2, 4)
HM_MOVE: Final = 15  # an HM move, which cannot be forgotten
YES_NO, FORGET = (15, 8), (5, 8)


def reach_offer(start: Start, known: tuple[int, ...] = KNOWN) -> tuple[Game, int]:
    """Win the level of a new move and read to the question; return the game and the move."""
    game = start("bedroom")
    battles.hurry(game)
    level, number = DEX.species(TOASTNUT).level_up_moves[0]
    growing.win_to_level(game, level, known)
    lines = battles.read_on(game)
    assert game.cursor == YES_NO, game.text
    assert battles.shows(lines, "knows four moves")
    assert "Forget one of them" in game.said
    return game, number


def answer(game: Game, button: str) -> Game:
    """Answer with YES (A) or NO (B), and read to the next question, or to the map."""
    game.press(button, hold=2, settle=30)
    battles.read_on(game)
    return game


def moves_of(game: Game) -> tuple[int, ...]:
    return tuple(battles.party_mon(game, 0)[8:12])


def test_a_new_move_replaces_an_old_one(start: Start) -> None:
    game, number = reach_offer(start)
    assert game.byte("wMoveNum") == number
    assert growing.phase(game) is Phase.YES_NO
    answer(game, "a")
    assert game.cursor == FORGET
    assert (game.byte("wTopMenuItemX"), game.byte("wTopMenuItemY")) == FORGET
    assert (game.byte("wMaxMenuItem"), game.byte("hUILayoutFlags") & 2) == (3, 2)
    assert growing.phase(game) is Phase.FORGET_MOVE
    for row in (9, 10):
        game.press("down", hold=2, settle=4)
        assert game.cursor == (5, row)
    game.press("a", hold=2, settle=4)
    said = " / ".join(battles.read_on(game))
    assert "AAAA forgot" in said
    assert "AAAA learned" in said
    assert moves_of(game) == (*KNOWN[:2], number, KNOWN[3])
    assert battles.party_mon(game, 0)[31] == DEX.move(number).pp
    assert tuple(game.block("wBattleMon", 12)[8:12]) == moves_of(game)
    game.wait(lambda: game.is_free, 300)
    assert game.byte("hUILayoutFlags") & 2 == 0


def test_a_new_move_can_be_refused(start: Start) -> None:
    game, _ = reach_offer(start)
    answer(game, "b")
    assert game.cursor == YES_NO
    assert "Give up" in game.said
    game.press("a", hold=2, settle=30)
    said = " / ".join(battles.read_on(game))
    assert "AAAA did not learn" in said
    assert moves_of(game) == KNOWN
    game.wait(lambda: game.is_free, 300)


def test_answering_no_twice_repeats_the_question(start: Start) -> None:
    game, _ = reach_offer(start)
    for _ in range(2):
        answer(answer(game, "b"), "b")
        assert game.cursor == YES_NO
        assert "Forget one of them" in game.said
    assert moves_of(game) == KNOWN


def test_b_returns_from_the_move_list_to_the_question(start: Start) -> None:
    game, _ = reach_offer(start)
    answer(game, "a")
    answer(game, "b")
    assert game.cursor == YES_NO
    assert "Forget one of them" in game.said
    assert game.byte("hUILayoutFlags") & 2 == 0
    assert moves_of(game) == KNOWN


def test_hm_moves_cannot_be_forgotten(start: Start) -> None:
    game, number = reach_offer(start, (HM_MOVE, *KNOWN[:3]))
    answer(game, "a")
    game.press("a", hold=2, settle=4)
    lines = battles.read_on(game)
    assert "Nobody can forget that move." in lines
    assert game.cursor == FORGET
    game.press("down", hold=2, settle=4)
    answer(game, "a")
    assert moves_of(game) == (HM_MOVE, number, *KNOWN[1:3])


def test_a_known_move_is_not_learned_again(bedroom: Game) -> None:
    level, number = DEX.species(TOASTNUT).level_up_moves[0]
    growing.win_to_level(bedroom, level, (*KNOWN[:3], number))
    battles.read_on(bedroom)
    assert bedroom.byte("wIsInBattle") == battles.NOTHING
    assert moves_of(bedroom) == (*KNOWN[:3], number)


def test_moves_of_skipped_levels_are_not_learned(bedroom: Game) -> None:
    level_up_moves = DEX.species(TOASTNUT).level_up_moves
    level = level_up_moves[0][0]
    growing.win_to_level(bedroom, level, (battles.HITTER,), enemy_level=60)
    battles.read_on(bedroom)
    reached = battles.party_mon(bedroom, 0)[33]
    assert reached > level
    learned = [move for when, move in level_up_moves if when == reached]
    assert [move for move in moves_of(bedroom) if move] == [battles.HITTER, *learned]
