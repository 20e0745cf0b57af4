"""Balls: which random bytes catch, how many shakes a failed throw has, where the caught go; and evolution."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from emulator import MenuKind, Phase
from tests.contract import battles, levels
from tests.contract.battles import BAG, DEX, FREEZE, HITTER, NAME, PARALYSIS, PARTY_MON, POISON, Mon
from tests.contract.game import Game
from tests.contract.random_bytes import watch_chance
from tests.contract.story_moments import to_the_map

MASTER, ULTRA, GREAT, POKE = 1, 2, 3, 4
BALLS: Final = [(ball, 9) for ball in (MASTER, ULTRA, GREAT, POKE)]
CHANCE: Final = {ULTRA: 150, GREAT: 200, POKE: 255}  # the greatest first byte that counts
SLEEPS = 3
MISSED, CAUGHT = 0x20, 0x43  # wPokeBallAnimData; 0x61 to 0x63 are shakes
NIBBIT, TOASTNUT = 33, 3
NIBB: Final = bytes([0x8D, 0x88, 0x81, 0x81])  # as a name begins
BOX_MON = 33
THROWS, MOST_THROWS = 30, 240
OUTCOMES = {CAUGHT, MISSED, 0x61, 0x62, 0x63}


def begin(game: Game, team: int = 1, boxed: int = 0) -> Game:
    """Begin a wild battle with nine of each ball in the bag."""
    battles.set_team(game, *[Mon(3, hp=9999, max_hp=9999, moves=(1,))] * team)
    game.poke("wBoxCount", bytes([boxed, *[3] * boxed, 0xFF]))
    game.bag = BALLS
    return battles.meet(game, NIBBIT, 5)


def throw(game: Game, ball: int) -> list[str]:
    """Throw a ball and read on; return the texts."""
    battles.choose(game, BAG).wait(lambda: game.cursor is not None and game.cursor[0] == 5, 60)
    for _ in range(8):
        at = game.byte("wListScrollOffset") + game.byte("wCurrentMenuItem") + 1
        if at == ball:
            break
        game.press("down" if at < ball else "up", hold=2, settle=4)
    return battles.read_on(game.press("a", hold=2, settle=2))


class Thrown(NamedTuple):
    """A ball and its target."""

    ball: int
    hp: int
    most: int
    status: int
    rate: int


def expected(thrown: Thrown, chances: Iterator[int]) -> int:
    """Return the result of the formulas for these bytes: CAUGHT, MISSED, or 0x60 plus the shakes."""
    ball, hp, most, status, rate = thrown
    weak = most * 255 // (8 if ball == GREAT else 12) // max(1, hp // 4 % 256)
    first = next(byte for byte in chances if byte <= CHANCE[ball])
    first -= 25 if status & (7 | FREEZE) else 12 if status else 0
    if first < 0:
        return CAUGHT
    if first <= rate and (weak > 255 or next(chances) <= weak):
        return CAUGHT
    wobble = rate * 100 // CHANCE[ball]
    if wobble > 255:
        return 0x63
    wobble = wobble * min(255, weak) // 255
    wobble += 10 if status & (7 | FREEZE) else 5 if status else 0
    shakes = sum(wobble >= least for least in (10, 30, 70))
    return 0x60 + shakes if shakes else MISSED


def test_chance_decides_as_the_formula_says(bedroom: Game) -> None:
    game = begin(bedroom)
    beginning, dice, outcomes = game.save(), random.Random(5), set[int]()
    with watch_chance(game) as chances:
        for number in range(MOST_THROWS):
            if number >= THROWS and outcomes >= OUTCOMES:
                break
            ball, most = dice.choice((ULTRA, GREAT, POKE)), dice.choice((20, 300, 999))
            status = dice.choice((0, 0, POISON, PARALYSIS, FREEZE, SLEEPS))
            rate = dice.choice((3, 45, 120, 255))
            thrown = Thrown(ball, dice.randint(1, most), most, status, rate)
            game.enemy.hp, game.enemy.max_hp, game.enemy.status = thrown.hp, most, status
            game.poke("wEnemyMonActualCatchRate", rate)
            game.own.hp, game.bag = 9999, BALLS
            chances.clear()
            throw(game, ball)
            outcome = game.byte("wPokeBallAnimData")
            assert outcome == expected(thrown, iter([chance.byte for chance in chances]))
            outcomes.add(outcome)
            if outcome == CAUGHT or not game.byte("wIsInBattle"):
                game.load(beginning)
    assert outcomes >= OUTCOMES


def test_the_best_ball_never_fails(bedroom: Game) -> None:
    game = begin(bedroom).poke("wEnemyMonActualCatchRate", 0)
    game.enemy.hp = 999
    assert "NIBBIT was caught!" in throw(game, MASTER)[-1]
    assert game.menu_kind() is MenuKind.YES_NO
    assert game.byte("wBattleResult") == battles.LEFT
    assert game.byte("wCapturedMonSpecies") == NIBBIT
    to_the_map(game)  # the ball is used up after the last text
    assert game.bag[0] == (MASTER, 8)


def test_a_caught_pokemon_keeps_its_battle_data(bedroom: Game) -> None:
    game = begin(bedroom)
    game.enemy.hp, game.enemy.status = 3, PARALYSIS
    met = game.enemy.data
    throw(game, MASTER)
    to_the_map(game.press("b"))
    assert game.byte("wIsInBattle") == battles.NOTHING
    assert game.block("wPartySpecies", 3) == bytes([3, NIBBIT, 0xFF])
    mon = battles.party_mon(game, 1)
    assert (mon[0], mon[1:3], mon[4]) == (NIBBIT, met[1:3], PARALYSIS)
    assert mon[7] == DEX.species(NIBBIT).catch_rate
    assert (mon[8:12], mon[29:33]) == (met[8:12], met[25:29])
    assert mon[12:14] == game.block("wPlayerID", 2)
    assert int.from_bytes(mon[14:17]) > 0
    assert (mon[17:27], mon[27:29]) == (bytes(10), met[12:14])
    assert (mon[33], mon[34:36]) == (5, met[15:17])
    assert game.block("wPartyMonOT", 22)[NAME:].startswith(game.block("wPlayerName", 5))
    assert game.flag("wPokedexOwned", DEX.species(NIBBIT).dex - 1)
    assert game.step("down") or game.step("left")


@pytest.mark.parametrize("letters", [0, 10])
def test_a_nickname_can_have_ten_letters_or_none(bedroom: Game, letters: int) -> None:
    game = begin(bedroom)
    throw(game, MASTER)
    game.press("a").to_cursor((1, 5), 60)
    assert game.byte("wNamingScreenType") == 2
    assert "NIBBIT" in game.text
    assert game.menu_kind() is MenuKind.KEYBOARD
    game.press(*["a"] * letters, hold=3, settle=4)
    assert letters == 0 or game.cursor == (17, 13)  # the key that ends a name
    to_the_map(game.press("a" if letters else "start", hold=3, settle=4))
    nick = game.block("wPartyMonNicks", 22)[NAME:]
    assert nick.startswith(bytes([0x80] * 10 + [0x50]) if letters else NIBB)


def test_with_a_full_party_a_caught_pokemon_goes_first_into_the_box(bedroom: Game) -> None:
    game = begin(bedroom, team=6, boxed=2)
    mons = bytes([3]) * BOX_MON + bytes([7]) * BOX_MON
    nicks = bytes([0x99]) * NAME + bytes([0x98]) * NAME
    throw(game.poke("wBoxMons", mons).poke("wBoxMonNicks", nicks), MASTER)
    assert "NIBBIT goes to the box" in battles.read_on(game.press("b", settle=30))[-1]
    to_the_map(game)
    assert (game.byte("wPartyCount"), game.byte("wBoxCount")) == (6, 3)
    assert game.block("wBoxSpecies", 4) == bytes([NIBBIT, 3, 7, 0xFF])
    boxed = game.block("wBoxMons", 3 * BOX_MON)
    assert (boxed[0], boxed[3], boxed[BOX_MON:]) == (NIBBIT, 5, mons)
    assert game.block("wBoxMonNicks", 3 * NAME)[NAME:] == nicks
    assert game.block("wBoxMonOT", 5) == game.block("wPlayerName", 5)


def test_no_ball_is_spent_without_room(bedroom: Game) -> None:
    game = begin(bedroom, team=6, boxed=20)
    assert "Team and box" in throw(game, POKE)[0]
    assert game.bag[3] == (POKE, 9)
    assert game.byte("wEnemySelectedMove") == 0  # the turn was not spent


def test_a_trainers_pokemon_cannot_be_caught(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=100, max_hp=100))
    bedroom.bag = [(MASTER, 1)]
    throw(battles.challenge(bedroom, 1, 1), MASTER)
    assert battles.is_at_menu(bedroom)
    assert (bedroom.bag, bedroom.byte("wPartyCount")) == ([(MASTER, 1)], 1)


def test_a_failed_throw_costs_the_ball_and_the_turn(bedroom: Game) -> None:
    game = begin(bedroom).poke("wEnemyMonActualCatchRate", 0)
    game.enemy.hp = game.enemy.max_hp = 999
    throw(game, POKE)
    assert game.bag[3] == (POKE, 8)
    assert game.byte("wEnemySelectedMove")
    assert game.byte("wCapturedMonSpecies") == 0
    assert battles.is_at_menu(game)


def evolution_of(species: int) -> tuple[int, int]:
    """Return the level at which a species evolves, and the new species."""
    (evolution,) = DEX.species(species).evolutions
    return evolution.level, evolution.species


def grow(game: Game, species: int, *, named: bool = True) -> Game:
    """Win the level at which the Pokemon evolves, and read to the evolution."""
    level = evolution_of(species)[0]
    levels.win_to_level(game, level, (HITTER, 1, 2, 4), species, named=named)
    return read_to_evolution(game)


def read_to_evolution(game: Game) -> Game:
    """Read every text, answering yes and forgetting the first move."""
    for _ in range(200):
        if game.phase() is Phase.EVOLVING:
            return game
        if game.cursor:
            game.press("a", hold=2, settle=30)
        elif game.has_arrow or battles.has_stats_box(game):
            game.press("b", hold=2, settle=2)
        game.tick(4)
    pytest.fail(f"no evolution:\n{game.text}")


def watch(game: Game) -> int:
    """Wait until the pictures are gone, and return the number of frames."""
    return game.frames_until(lambda: game.phase() is not Phase.EVOLVING, 900)


def test_a_pokemon_evolves_at_its_level_whatever_is_pressed_but_b(bedroom: Game) -> None:
    game, (level, into) = grow(bedroom, NIBBIT), evolution_of(NIBBIT)
    before = battles.party_mon(game, 0)
    assert (game.byte("wEvoOldSpecies"), game.byte("wEvoNewSpecies")) == (NIBBIT, into)
    assert (game.byte("wIsInBattle"), before[0]) == (battles.WILD, NIBBIT)
    assert "What? AAAA is changing!" in game.said
    game.poke("wPartyMons", bytes([HITTER, 0, 0, 0]), 8)
    game.press("b", hold=4, settle=4).hold("a")  # B is the last press of those that read the text
    assert 350 <= watch(game) + 8 <= 650
    assert game.release("a").byte("wEvoCancelled") == 0
    battles.read_on(game)
    after, grown = battles.party_mon(game, 0), game.state.party[0]
    assert after[0] == game.byte("wPartySpecies") == into
    assert after[5:7] == bytes(DEX.species(into).types)
    assert after[7] == before[7], "the catch rate stays what it was"
    (learned,) = [move for when, move in DEX.species(into).level_up_moves if when == level]
    assert tuple(after[8:12]) == (HITTER, learned, 0, 0)
    assert grown.stats == levels.stats(grown)
    gained = grown.stats.hp - int.from_bytes(before[34:36])
    assert grown.hp == int.from_bytes(before[1:3]) + gained
    assert game.flag("wPokedexOwned", DEX.species(into).dex - 1)
    assert game.flag("wPokedexSeen", DEX.species(into).dex - 1)


@pytest.mark.parametrize("named", [True, False])
def test_a_nickname_is_kept_after_evolution_and_the_map_restored(
    bedroom: Game, *, named: bool
) -> None:
    tiles, graphics = bedroom.block("wTileMap"), bytes(bedroom.pyboy.memory[0x9000:0x9800])
    game = grow(bedroom, TOASTNUT, named=named)
    watch(game)
    battles.read_on(game)
    nick = game.until_free().block("wPartyMonNicks", 11).split(b"\x50")[0]
    into = levels.name(game, evolution_of(TOASTNUT)[1]).split(b"\x50")[0]
    assert nick == (bytes([0x80] * 4) if named else into)
    game.wait(lambda: game.block("wTileMap") == tiles, 300)
    assert bytes(game.pyboy.memory[0x9000:0x9800]) == graphics


def test_holding_b_stops_an_evolution(bedroom: Game) -> None:
    game = grow(bedroom, NIBBIT)
    before = battles.party_mon(game, 0)
    game.hold_until("b", lambda: bool(game.byte("wEvoCancelled")), 300)
    assert "Huh? AAAA stopped changing." in " / ".join(battles.read_on(game))
    game.until_free()
    assert battles.party_mon(game, 0) == before
    assert game.byte("wPartySpecies") == NIBBIT
    assert not game.flag("wPokedexOwned", DEX.species(evolution_of(NIBBIT)[1]).dex - 1)


def test_several_pokemon_evolve_one_after_the_other(bedroom: Game) -> None:
    level, into = evolution_of(NIBBIT)
    levels.win_to_level(bedroom, level, (HITTER,), NIBBIT)
    bedroom.poke("wPartyMons", bedroom.block("wPartyMons", PARTY_MON), PARTY_MON)
    bedroom.poke("wPartyMonNicks", levels.name(bedroom, NIBBIT), NAME)
    bedroom.poke("wPartySpecies", bytes([NIBBIT, NIBBIT, 0xFF]))
    bedroom.poke("wPartyCount", 2).poke("wCanEvolveFlags", 3)
    for _ in range(2):
        watch(read_to_evolution(bedroom))
    battles.read_on(bedroom)
    bedroom.until_free()
    assert bedroom.block("wPartySpecies", 3) == bytes([into, into, 0xFF])
    assert bedroom.block("wPartyMons", 2 * PARTY_MON)[::PARTY_MON] == bytes([into] * 2)


def test_only_pokemon_that_gained_a_level_evolve(bedroom: Game) -> None:
    experience = levels.experience(NIBBIT, 20)
    strong = Mon(NIBBIT, 20, 60, 60, (500,) * 4, (HITTER,), experience=experience)
    battles.fight(battles.meet(battles.set_team(bedroom, strong, strong), 66, 2))
    assert bedroom.byte("wEvolutionOccurred") == 0
    assert bedroom.block("wPartyMons", 2 * PARTY_MON)[::PARTY_MON] == bytes([NIBBIT] * 2)
