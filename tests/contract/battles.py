"""Starting and playing battles, with only the joypad and the contract's addresses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import pytest

from emulator import Dex, demo_cartridge_path, load_cartridge, profile
from emulator.dex.moves import Move
from tests.contract.game import Game

PARTY_MON, NAME = 44, 11
NO_DELAY: Final = 0x40  # of wStatusFlags5: letters come at once
FAST, STYLE_SET = 1, 0x40  # of wOptions
NOTHING, WILD, TRAINER, LOST = 0, 1, 2, 0xFF  # wIsInBattle
PAGE_EDGE = 0x6F  # of a dex page
WON, BEATEN, LEFT = 0, 1, 2  # wBattleResult
FIGHT, TEAM = (9, 14), (15, 14)
BAG, RUN = (9, 16), (15, 16)
FIRST_MOVE = (5, 13)
FIRST_OF_TEAM = (0, 1)
HITTER: Final = 24  # a move that never misses
POISON, BURN, FREEZE, PARALYSIS = 8, 16, 32, 64
DEX: Final = Dex.of(load_cartridge(demo_cartridge_path()))


@dataclass(frozen=True)
class Mon:
    """A Pokemon of the team, as a test defines it."""

    species: int
    level: int = 10
    hp: int = 40
    max_hp: int = 40
    stats: tuple[int, int, int, int] = (30, 30, 30, 30)
    moves: tuple[int, ...] = (1,)
    pp: int = 20
    status: int = 0
    experience: int = 0
    trainer: int | None = None  # the player, unless another is given

    def data(self, game: Game) -> bytes:
        data = bytearray(PARTY_MON)
        data[0], data[4], data[33] = self.species, self.status, self.level
        data[5:7] = bytes(DEX.species(self.species).types)
        data[1:3], data[34:36] = self.hp.to_bytes(2), self.max_hp.to_bytes(2)
        data[8 : 8 + len(self.moves)] = bytes(self.moves)
        data[29 : 29 + len(self.moves)] = bytes([self.pp] * len(self.moves))
        own = int.from_bytes(game.block("wPlayerID", 2))
        data[12:14] = (own if self.trainer is None else self.trainer).to_bytes(2)
        data[14:17] = self.experience.to_bytes(3)
        data[36:44] = b"".join(stat.to_bytes(2) for stat in self.stats)
        return bytes(data)


def table(game: Game, label: str, offset: int, size: int) -> bytes:
    bank, address = profile.table(label)
    return game.rom(bank, address + offset, size)


def moves() -> Iterable[Move]:
    """Return every move of the cartridge."""
    return DEX.all_moves.values()


def with_effect(*effects: int) -> Move:
    """Return a move with one of these effects."""
    return next(each for each in moves() if each.effect in effects)


def set_team(game: Game, *team: Mon) -> Game:
    game.poke("wPartyCount", len(team))
    game.poke("wPartySpecies", bytes([*(mon.species for mon in team), 0xFF]))
    for place, mon in enumerate(team):
        game.poke("wPartyMons", mon.data(game), PARTY_MON * place)
        name = bytes([0x80 + place] * 4).ljust(NAME, b"\x50")  # AAAA, BBBB, ...
        game.poke("wPartyMonNicks", name, NAME * place)
    return game


def party_mon(game: Game, place: int) -> bytes:
    return game.block("wPartyMons", 264)[PARTY_MON * place : PARTY_MON * (place + 1)]


def party_hp(game: Game, place: int = 0) -> int:
    return int.from_bytes(party_mon(game, place)[1:3])


def hurry(game: Game, options: int = FAST | STYLE_SET) -> Game:
    """Print text without delay: its speed does not matter in battles."""
    game.poke("wOptions", options)
    return game.poke("wStatusFlags5", game.byte("wStatusFlags5") | NO_DELAY)


def meet(game: Game, species: int, level: int) -> Game:
    """Start a wild encounter from the overworld, and continue to the first menu."""
    return to_menu(game.poke("wCurEnemyLevel", level).poke("wCurOpponent", species))


def challenge(game: Game, trainer_class: int, number: int) -> Game:
    """Start a trainer battle from the overworld, and continue to the first menu."""
    return to_menu(game.poke("wTrainerNo", number).poke("wCurOpponent", 200 + trainer_class))


def is_at_menu(game: Game) -> bool:
    return game.cursor in {FIGHT, BAG, TEAM, RUN}


def read_on(game: Game) -> list[str]:
    """Read to the next menu or to the map; return each text that waited."""
    seen: list[str] = []
    for _ in range(900):
        game.tick(4)
        is_page = game.tile(1, 17) == PAGE_EDGE
        if game.has_arrow and not is_page and game.said not in seen[-1:]:
            seen.append(game.said)
        if game.cursor or not game.byte("wIsInBattle"):
            return seen
        if game.has_arrow or has_stats_box(game) or is_page:
            game.press("b", hold=2, settle=2)
    pytest.fail(f"neither menu nor map:\n{game.text}")


def has_stats_box(game: Game) -> bool:
    corners = ((9, 2), (19, 2), (9, 11), (19, 11))
    return [game.tile(x, y) for x, y in corners] == [0x79, 0x7B, 0x7D, 0x7E]


def to_menu(game: Game) -> Game:
    read_on(game.wait(lambda: game.byte("wIsInBattle") != NOTHING, 120))
    assert is_at_menu(game), game.text
    return game.tick(4)


def point(game: Game, place: tuple[int, int]) -> Game:
    """Move the cursor of the battle menu to one of its four entries."""
    across, down = (
        "right" if place[0] == TEAM[0] else "left",
        "down" if place[1] == RUN[1] else "up",
    )
    game.press(across, down, hold=2, settle=4)
    assert game.cursor == place, game.text
    return game


def choose(game: Game, place: tuple[int, int]) -> Game:
    return point(game, place).press("a", hold=2, settle=14)


def run(game: Game) -> list[str]:
    """Choose RUN and read to the next menu, or to the map; return the texts."""
    return read_on(choose(game, RUN))


def fight(game: Game, slot: int = 0) -> list[str]:
    """Use a move and read to the next menu; return the texts."""
    return read_on(begin_move(game, slot))


def begin_move(game: Game, slot: int = 0) -> Game:
    """Use a move without reading any text."""
    choose(game, FIGHT)
    game.wait(lambda: game.cursor is not None and game.cursor[0] == FIRST_MOVE[0], 60)
    for _ in range(4):
        if game.byte("wCurrentMenuItem") == slot + 1:
            break
        game.press("down", hold=2, settle=4)
    return game.press("a", hold=2, settle=2)


def send_second(game: Game) -> list[str]:
    """Switch to the second Pokemon of the team, and read to the next menu; return the texts."""
    choose(game, TEAM).to_cursor(FIRST_OF_TEAM)
    return read_on(game.press("down").press("a", "a", settle=20))


def shows(lines: Iterable[str], words: str) -> bool:
    return any(words in line for line in lines)
