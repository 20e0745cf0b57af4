"""Evolution after a battle: who, when, what it changes, and how B forbids it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from emulator import Phase
from tests.contract import battles, growing
from tests.contract.battles import PARTY_MON

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.contract.conftest import Game

NIBBIT, TOASTNUT, SLOW = 33, 3, 300


class Evolution(NamedTuple):
    """By level, from the cartridge's table."""

    level: int
    into: int


def evolution_of(game: Game, species: int) -> Evolution:
    pointer = battles.table(game, "EvosMovesPointerTable", 2 * (species - 1), 2)
    kind, level, into = game.rom(14, int.from_bytes(pointer, "little"), 3)
    assert kind == 1
    return Evolution(level, into)


def begin(start: Callable[[str], Game], species: int, *, named: bool = True) -> Game:
    """Win the level at which somebody evolves, and read to where it does."""
    game = start("bedroom")
    battles.hurry(game)
    level = evolution_of(game, species).level
    growing.win_to_level(game, level, (battles.HITTER, 1, 2, 4), species, named=named)
    read_to_evolution(game)
    return game


def read_to_evolution(game: Game) -> None:
    """Read all there is to read, answering yes and forgetting the first move."""
    for _ in range(200):
        if growing.phase(game) is Phase.EVOLVING:
            return
        if game.cursor:
            game.press("a", hold=2, settle=30)
        elif game.has_arrow or battles.has_stats_box(game):
            game.press("b", hold=2, settle=2)
        game.tick(4)
    pytest.fail(f"nobody evolves:\n{game.text}")


def watch(game: Game) -> int:
    """Wait until the pictures are gone, and return the frames that took."""
    return game.wait(lambda: growing.phase(game) is not Phase.EVOLVING, 900)


def has(game: Game, label: str, species: int) -> bool:
    dex = battles.table(game, "PokedexOrder", species - 1, 1)[0] - 1
    return bool(game.byte(label, dex // 8) >> dex % 8 & 1)


def test_a_level_makes_it_evolve(start: Callable[[str], Game]) -> None:
    game = begin(start, NIBBIT)
    into = evolution_of(game, NIBBIT).into
    before = battles.party_mon(game, 0)
    assert (game.byte("wEvoOldSpecies"), game.byte("wEvoNewSpecies")) == (NIBBIT, into)
    assert game.byte("wIsInBattle") == battles.WILD
    assert "What? AAAA is changing!" in battles.words(game.text)
    assert before[0] == NIBBIT
    assert 350 <= watch(game) <= 650
    battles.read_on(game)
    after = battles.party_mon(game, 0)
    base = battles.base_data(game, into)
    assert after[0] == game.byte("wPartySpecies") == into
    assert after[5:7] == base[6:8]
    assert after[7] == before[7], "the catch rate stays what it was"
    assert after[34:44] == growing.stats(base, after[27:29], after[33], after[17:27])
    gained = int.from_bytes(after[34:36]) - int.from_bytes(before[34:36])
    assert int.from_bytes(after[1:3]) == int.from_bytes(before[1:3]) + gained
    assert has(game, "wPokedexOwned", into)
    assert has(game, "wPokedexSeen", into)
    assert game.byte("wEvoCancelled") == 0


@pytest.mark.parametrize("named", [True, False])
def test_a_name_of_its_own_is_kept(start: Callable[[str], Game], *, named: bool) -> None:
    game = begin(start, TOASTNUT, named=named)
    watch(game)
    battles.read_on(game)
    game.wait(lambda: game.is_free, SLOW)
    nick = game.block("wPartyMonNicks", 11)
    into = evolution_of(game, TOASTNUT).into
    if named:
        assert nick.startswith(bytes([0x80] * 4))
    else:
        assert nick.split(b"\x50")[0] == growing.name(game, into).split(b"\x50")[0]


def test_b_held_forbids_it(start: Callable[[str], Game]) -> None:
    game = begin(start, NIBBIT)
    before = battles.party_mon(game, 0)
    game.hold("b")
    game.wait(lambda: bool(game.byte("wEvoCancelled")), SLOW)
    game.release("b")
    said = " / ".join(battles.words(screen) for screen in battles.read_on(game))
    assert "Huh? AAAA stopped changing." in said
    game.wait(lambda: game.is_free, SLOW)
    assert battles.party_mon(game, 0) == before
    assert game.byte("wPartySpecies") == NIBBIT
    assert not has(game, "wPokedexOwned", evolution_of(game, NIBBIT).into)


def test_a_and_earlier_presses_do_not_forbid_it(start: Callable[[str], Game]) -> None:
    game = begin(start, NIBBIT)
    game.press("b", hold=4, settle=4)  # the last of those that read the text before
    game.hold("a")
    watch(game)
    game.release("a")
    assert game.byte("wEvoCancelled") == 0


def test_it_learns_what_its_new_kind_learns_at_that_level(start: Callable[[str], Game]) -> None:
    game = begin(start, NIBBIT)
    level, into = evolution_of(game, NIBBIT)
    battles.poke(game, "wPartyMons", bytes([battles.HITTER, 0, 0, 0]), 8)
    watch(game)
    battles.read_on(game)
    (move,) = [move for when, move in growing.learnset(game, into) if when == level]
    assert tuple(battles.party_mon(game, 0)[8:12]) == (battles.HITTER, move, 0, 0)


def test_one_evolves_after_the_other(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    battles.hurry(game)
    due = evolution_of(game, NIBBIT)
    growing.win_to_level(game, due.level, (battles.HITTER,), NIBBIT)
    battles.poke(game, "wPartyMons", game.block("wPartyMons", PARTY_MON), PARTY_MON)
    battles.poke(game, "wPartyMonNicks", growing.name(game, NIBBIT), battles.NAME)
    battles.poke(game, "wPartySpecies", bytes([NIBBIT, NIBBIT, 0xFF]))
    battles.poke(game, "wPartyCount", b"\2")
    battles.poke(game, "wCanEvolveFlags", b"\3")
    for _ in range(2):
        read_to_evolution(game)
        watch(game)
    battles.read_on(game)
    game.wait(lambda: game.is_free, SLOW)
    assert game.block("wPartySpecies", 3) == bytes([due.into, due.into, 0xFF])
    assert game.block("wPartyMons", 2 * PARTY_MON)[::PARTY_MON] == bytes([due.into] * 2)


def test_only_who_rose_a_level_evolves(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    battles.hurry(game)
    strong = battles.Mon(
        NIBBIT, 20, 60, 60, (500,) * 4, (battles.HITTER,), experience=growing.experience(0, 20)
    )
    battles.set_team(game, strong, strong)
    battles.meet(game, 66, 2)
    battles.fight(game)
    assert game.byte("wEvolutionOccurred") == 0
    assert game.block("wPartyMons", 2 * PARTY_MON)[::PARTY_MON] == bytes([NIBBIT] * 2)


def test_the_map_is_itself_again(start: Callable[[str], Game]) -> None:
    game = start("bedroom")
    tiles, graphics = game.block("wTileMap"), bytes(game.pyboy.memory[0x9000:0x9800])
    begin(start, TOASTNUT)
    watch(game)
    battles.read_on(game)
    game.wait(lambda: game.is_free and game.block("wTileMap") == tiles, SLOW)
    assert bytes(game.pyboy.memory[0x9000:0x9800]) == graphics
