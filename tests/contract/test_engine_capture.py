"""Balls: which random bytes catch, how many shakes a failed throw has, and where the caught Pokemon goes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from emulator import MenuKind, Phase
from tests.contract import battles, growing, pcs
from tests.contract.battles import BAG, DEX, FREEZE, PARALYSIS, PARTY_MON, POISON, Mon
from tests.contract.game import Game, Start
from tests.contract.stations import to_the_map
from tests.contract.test_engine_battle_damage import Chance, watch_chance

MASTER, ULTRA, GREAT, POKE = 1, 2, 3, 4
CHANCE: Final = {ULTRA: 150, GREAT: 200, POKE: 255}  # the greatest first byte that counts
SLEEPS = 3
MISSED, CAUGHT = 0x20, 0x43  # wPokeBallAnimData; 0x61 to 0x63 are shakes
NIBBIT = 33
BOX_MON, NAME = 33, 11
THROWS, MOST_THROWS = 60, 240
OUTCOMES = {CAUGHT, MISSED, 0x61, 0x62, 0x63}


def arena(start: Start, team: int = 1, boxed: int = 0) -> Game:
    """A wild battle at its first menu, with one of each ball in the bag."""
    game = start("bedroom")
    battles.hurry(game)
    battles.set_team(game, *[Mon(3, hp=9999, max_hp=9999, moves=(1,))] * team)
    game.poke("wBoxCount", bytes([boxed, *[3] * boxed, 0xFF]))
    pcs.set_list(game, "wNumBagItems", *[(ball, 9) for ball in (MASTER, ULTRA, GREAT, POKE)])
    return battles.meet(game, NIBBIT, 5)


def throw(game: Game, ball: int) -> list[str]:
    """Throw a ball and read on; return the texts."""
    battles.choose(game, BAG)
    game.wait(lambda: game.cursor is not None and game.cursor[0] == 5, 60)
    for _ in range(8):
        at = game.byte("wListScrollOffset") + game.byte("wCurrentMenuItem") + 1
        if at == ball:
            break
        game.press("down" if at < ball else "up", hold=2, settle=4)
    game.press("a", hold=2, settle=2)
    return battles.read_on(game)


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


def test_chance_decides_as_the_formula_says(start: Start) -> None:
    game = arena(start)
    beginning = game.save()
    chances: list[Chance] = []
    hook = watch_chance(game, chances)
    dice = random.Random(5)
    outcomes = set[int]()
    for number in range(MOST_THROWS):
        if number >= THROWS and outcomes >= OUTCOMES:
            break
        ball = dice.choice((ULTRA, GREAT, POKE))
        most = dice.choice((20, 300, 999))
        hp, status = dice.randint(1, most), dice.choice((0, 0, POISON, PARALYSIS, FREEZE, SLEEPS))
        thrown = Thrown(ball, hp, most, status, rate=dice.choice((3, 45, 120, 255)))
        battles.set_field(game, "enemy", "max_hp", most)
        battles.set_field(game, "enemy", "hp", hp)
        battles.set_field(game, "enemy", "status", status)
        game.poke("wEnemyMonActualCatchRate", thrown.rate)
        battles.set_field(game, "own", "hp", 9999)
        pcs.set_list(game, "wNumBagItems", *[(kind, 9) for kind in (MASTER, ULTRA, GREAT, POKE)])
        chances.clear()
        throw(game, ball)
        outcome = game.byte("wPokeBallAnimData")
        drawn = iter([chance.byte for chance in chances])
        assert outcome == expected(thrown, drawn)
        outcomes.add(outcome)
        if outcome == CAUGHT or not game.byte("wIsInBattle"):
            game.load(beginning)
    game.pyboy.hook_deregister(0, hook)
    assert outcomes >= OUTCOMES


def test_the_best_ball_never_fails(start: Start) -> None:
    game = arena(start)
    game.poke("wEnemyMonActualCatchRate", 0)
    battles.set_field(game, "enemy", "hp", 999)
    seen = throw(game, MASTER)
    assert "NIBBIT was caught!" in seen[-1]
    assert pcs.kind(game) is MenuKind.YES_NO
    assert game.byte("wBattleResult") == battles.LEFT
    assert game.byte("wCapturedMonSpecies") == NIBBIT
    to_the_map(game)  # the ball is used up after the last text
    assert pcs.read_list(game, "wNumBagItems")[0] == (MASTER, 8)


def test_a_caught_pokemon_keeps_its_battle_data(start: Start) -> None:
    game = arena(start)
    battles.set_field(game, "enemy", "hp", 3)
    battles.set_field(game, "enemy", "status", PARALYSIS)
    met = game.block("wEnemyMon", 29)
    throw(game, MASTER)
    game.press("b")
    to_the_map(game)
    assert game.byte("wIsInBattle") == battles.NOTHING
    assert game.block("wPartySpecies", 3) == bytes([3, NIBBIT, 0xFF])
    mon = battles.party_mon(game, 1)
    assert (mon[0], mon[1:3], mon[4]) == (NIBBIT, met[1:3], PARALYSIS)
    assert mon[7] == DEX.species(NIBBIT).catch_rate
    assert (mon[8:12], mon[29:33]) == (met[8:12], met[25:29])
    assert mon[12:14] == game.block("wPlayerID", 2)
    assert int.from_bytes(mon[14:17]) > 0
    assert mon[17:27] == bytes(10)
    assert mon[27:29] == met[12:14]
    assert (mon[33], mon[34:36]) == (5, met[15:17])
    assert game.block("wPartyMonOT", 22)[NAME:].startswith(game.block("wPlayerName", 5))
    assert game.block("wPartyMonNicks", 22)[NAME:].startswith(bytes([0x8D, 0x88, 0x81, 0x81]))
    assert game.flag("wPokedexOwned", DEX.species(NIBBIT).dex - 1)
    assert game.step("down") or game.step("left")


def test_a_nickname_can_have_ten_letters(start: Start) -> None:
    game = arena(start)
    throw(game, MASTER)
    game.press("a")
    game.wait(lambda: game.cursor == (1, 5), 60)
    assert game.byte("wNamingScreenType") == 2
    assert "NIBBIT" in game.text
    assert pcs.kind(game) is MenuKind.KEYBOARD
    for _ in range(12):
        game.press("a", hold=3, settle=4)
        if game.cursor == (17, 13):
            break
    game.press("a", hold=3, settle=4)
    to_the_map(game)
    assert game.block("wPartyMonNicks", 22)[NAME:] == bytes([0x80] * 10 + [0x50])


def test_without_a_nickname_the_name_is_the_species_name(start: Start) -> None:
    game = arena(start)
    throw(game, MASTER)
    game.press("a")
    game.wait(lambda: game.cursor == (1, 5), 60)
    game.press("start")
    to_the_map(game)
    assert game.block("wPartyMonNicks", 22)[NAME:].startswith(bytes([0x8D, 0x88, 0x81, 0x81]))


def test_with_a_full_party_a_caught_pokemon_goes_first_into_the_box(start: Start) -> None:
    game = arena(start, team=6, boxed=2)
    game.poke("wBoxMons", bytes([3]) * BOX_MON + bytes([7]) * BOX_MON)
    game.poke("wBoxMonNicks", bytes([0x99]) * NAME + bytes([0x98]) * NAME)
    throw(game, MASTER)
    game.press("b", settle=30)
    assert "NIBBIT goes to the box" in battles.read_on(game)[-1]
    to_the_map(game)
    assert game.byte("wPartyCount") == 6
    assert game.byte("wBoxCount") == 3
    assert game.block("wBoxSpecies", 4) == bytes([NIBBIT, 3, 7, 0xFF])
    boxed = game.block("wBoxMons", 3 * BOX_MON)
    assert (boxed[0], boxed[3]) == (NIBBIT, 5)
    assert boxed[BOX_MON:] == bytes([3]) * BOX_MON + bytes([7]) * BOX_MON
    nicks = game.block("wBoxMonNicks", 3 * NAME)
    assert nicks[NAME:] == bytes([0x99]) * NAME + bytes([0x98]) * NAME
    assert game.block("wBoxMonOT", 5) == game.block("wPlayerName", 5)


def test_no_ball_is_spent_without_room(start: Start) -> None:
    game = arena(start, team=6, boxed=20)
    seen = throw(game, POKE)
    assert "Team and box" in seen[0]
    assert pcs.read_list(game, "wNumBagItems")[3] == (POKE, 9)
    assert game.byte("wEnemySelectedMove") == 0  # the turn was not spent


def test_a_trainers_pokemon_cannot_be_caught(bedroom: Game) -> None:
    battles.set_team(bedroom, Mon(3, hp=100, max_hp=100))
    pcs.set_list(bedroom, "wNumBagItems", (MASTER, 1))
    battles.challenge(bedroom, 1, 1)
    throw(bedroom, MASTER)
    assert battles.is_at_menu(bedroom)
    assert pcs.read_list(bedroom, "wNumBagItems") == [(MASTER, 1)]
    assert bedroom.byte("wPartyCount") == 1


def test_a_failed_throw_costs_the_ball_and_the_turn(start: Start) -> None:
    game = arena(start)
    game.poke("wEnemyMonActualCatchRate", 0)
    battles.set_field(game, "enemy", "max_hp", 999)
    battles.set_field(game, "enemy", "hp", 999)
    throw(game, POKE)
    assert pcs.read_list(game, "wNumBagItems")[3] == (POKE, 8)
    assert game.byte("wEnemySelectedMove")
    assert game.byte("wCapturedMonSpecies") == 0
    assert battles.is_at_menu(game)


TOASTNUT, SLOW = 3, 300


def evolution_of(species: int) -> tuple[int, int]:
    """Return the level at which a species evolves, and the new species."""
    (evolution,) = DEX.species(species).evolutions
    return evolution.level, evolution.species


def begin(start: Start, species: int, *, named: bool = True) -> Game:
    """Win the level at which the Pokemon evolves, and read to the evolution."""
    game = start("bedroom")
    battles.hurry(game)
    level = evolution_of(species)[0]
    growing.win_to_level(game, level, (battles.HITTER, 1, 2, 4), species, named=named)
    read_to_evolution(game)
    return game


def read_to_evolution(game: Game) -> None:
    """Read every text, answering yes and forgetting the first move."""
    for _ in range(200):
        if growing.phase(game) is Phase.EVOLVING:
            return
        if game.cursor:
            game.press("a", hold=2, settle=30)
        elif game.has_arrow or battles.has_stats_box(game):
            game.press("b", hold=2, settle=2)
        game.tick(4)
    pytest.fail(f"no evolution:\n{game.text}")


def watch(game: Game) -> int:
    """Wait until the pictures are gone, and return the number of frames."""
    return game.wait(lambda: growing.phase(game) is not Phase.EVOLVING, 900)


def test_a_pokemon_evolves_at_its_level(start: Start) -> None:
    game = begin(start, NIBBIT)
    into = evolution_of(NIBBIT)[1]
    before = battles.party_mon(game, 0)
    assert (game.byte("wEvoOldSpecies"), game.byte("wEvoNewSpecies")) == (NIBBIT, into)
    assert game.byte("wIsInBattle") == battles.WILD
    assert "What? AAAA is changing!" in game.said
    assert before[0] == NIBBIT
    assert 350 <= watch(game) <= 650
    battles.read_on(game)
    after = battles.party_mon(game, 0)
    assert after[0] == game.byte("wPartySpecies") == into
    assert after[5:7] == bytes(DEX.species(into).types)
    assert after[7] == before[7], "the catch rate stays what it was"
    assert (grown := growing.state(game).party[0]).stats == growing.stats(grown)
    gained = int.from_bytes(after[34:36]) - int.from_bytes(before[34:36])
    assert int.from_bytes(after[1:3]) == int.from_bytes(before[1:3]) + gained
    assert game.flag("wPokedexOwned", DEX.species(into).dex - 1)
    assert game.flag("wPokedexSeen", DEX.species(into).dex - 1)
    assert game.byte("wEvoCancelled") == 0


@pytest.mark.parametrize("named", [True, False])
def test_a_nickname_is_kept_after_evolution(start: Start, *, named: bool) -> None:
    game = begin(start, TOASTNUT, named=named)
    watch(game)
    battles.read_on(game)
    game.wait(lambda: game.is_free, SLOW)
    nick = game.block("wPartyMonNicks", 11)
    into = evolution_of(TOASTNUT)[1]
    if named:
        assert nick.startswith(bytes([0x80] * 4))
    else:
        assert nick.split(b"\x50")[0] == growing.name(game, into).split(b"\x50")[0]


def test_holding_b_stops_an_evolution(start: Start) -> None:
    game = begin(start, NIBBIT)
    before = battles.party_mon(game, 0)
    game.hold("b")
    game.wait(lambda: bool(game.byte("wEvoCancelled")), SLOW)
    game.release("b")
    said = " / ".join(battles.read_on(game))
    assert "Huh? AAAA stopped changing." in said
    game.wait(lambda: game.is_free, SLOW)
    assert battles.party_mon(game, 0) == before
    assert game.byte("wPartySpecies") == NIBBIT
    assert not game.flag("wPokedexOwned", DEX.species(evolution_of(NIBBIT)[1]).dex - 1)


def test_a_and_earlier_presses_do_not_stop_an_evolution(start: Start) -> None:
    game = begin(start, NIBBIT)
    game.press("b", hold=4, settle=4)  # the last of those that read the text before
    game.hold("a")
    watch(game)
    game.release("a")
    assert game.byte("wEvoCancelled") == 0


def test_an_evolved_pokemon_learns_its_new_species_move_of_that_level(start: Start) -> None:
    game = begin(start, NIBBIT)
    level, into = evolution_of(NIBBIT)
    game.poke("wPartyMons", bytes([battles.HITTER, 0, 0, 0]), 8)
    watch(game)
    battles.read_on(game)
    (move,) = [move for when, move in DEX.species(into).level_up_moves if when == level]
    assert tuple(battles.party_mon(game, 0)[8:12]) == (battles.HITTER, move, 0, 0)


def test_several_pokemon_evolve_one_after_the_other(bedroom: Game) -> None:
    level, into = evolution_of(NIBBIT)
    growing.win_to_level(bedroom, level, (battles.HITTER,), NIBBIT)
    bedroom.poke("wPartyMons", bedroom.block("wPartyMons", PARTY_MON), PARTY_MON)
    bedroom.poke("wPartyMonNicks", growing.name(bedroom, NIBBIT), battles.NAME)
    bedroom.poke("wPartySpecies", bytes([NIBBIT, NIBBIT, 0xFF]))
    bedroom.poke("wPartyCount", b"\2")
    bedroom.poke("wCanEvolveFlags", b"\3")
    for _ in range(2):
        read_to_evolution(bedroom)
        watch(bedroom)
    battles.read_on(bedroom)
    bedroom.wait(lambda: bedroom.is_free, SLOW)
    assert bedroom.block("wPartySpecies", 3) == bytes([into, into, 0xFF])
    assert bedroom.block("wPartyMons", 2 * PARTY_MON)[::PARTY_MON] == bytes([into] * 2)


def test_only_pokemon_that_gained_a_level_evolve(bedroom: Game) -> None:
    strong = battles.Mon(
        NIBBIT, 20, 60, 60, (500,) * 4, (battles.HITTER,), experience=growing.experience(NIBBIT, 20)
    )
    battles.set_team(bedroom, strong, strong)
    battles.meet(bedroom, 66, 2)
    battles.fight(bedroom)
    assert bedroom.byte("wEvolutionOccurred") == 0
    assert bedroom.block("wPartyMons", 2 * PARTY_MON)[::PARTY_MON] == bytes([NIBBIT] * 2)


def test_the_map_is_restored_after_an_evolution(start: Start) -> None:
    game = start("bedroom")
    tiles, graphics = game.block("wTileMap"), bytes(game.pyboy.memory[0x9000:0x9800])
    begin(start, TOASTNUT)
    watch(game)
    battles.read_on(game)
    game.wait(lambda: game.is_free and game.block("wTileMap") == tiles, SLOW)
    assert bytes(game.pyboy.memory[0x9000:0x9800]) == graphics
