"""Who plays: names, money, badges and the clock of the game."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from emulator.profile import symbol
from emulator.ram.numbers import bcd, bits
from emulator.ram.view import Ram
from emulator.text import decode_name

PLAYER_NAME: Final = symbol("wPlayerName")
RIVAL_NAME: Final = symbol("wRivalName")
NAME_SIZE: Final = 11
MONEY: Final = symbol("wPlayerMoney")  # three BCD bytes
OPTIONS: Final = symbol("wOptions")
BADGES: Final = symbol("wObtainedBadges")
PLAYER_ID: Final = symbol("wPlayerID")
COINS: Final = symbol("wPlayerCoins")  # two BCD bytes
PLAY_TIME: Final = symbol("wPlayTimeHours")  # hours, maxed flag, minutes, seconds, frames


class PlayTime(NamedTuple):
    """How long the game says it has been played."""

    hours: int
    minutes: int
    seconds: int
    frames: int


@dataclass(frozen=True, slots=True)
class Player:
    """Who plays, and what they own that is not in the bag; `badges` are bit numbers."""

    name: str
    rival_name: str
    money: int
    coins: int
    badges: tuple[int, ...]
    options: int
    player_id: int
    play_time: PlayTime

    @property
    def badge_count(self) -> int:
        """How many badges there are."""
        return len(self.badges)


def read_player(ram: Ram) -> Player:
    """Return who plays."""
    name = decode_name(ram.span(PLAYER_NAME, NAME_SIZE))
    money = _decode_purse(ram.span(MONEY, PLAYER_ID + 2 - MONEY), ram.span(COINS, 2))
    hours, _, minutes, seconds, frames = ram.span(PLAY_TIME, 5)
    return Player(name, *money, PlayTime(hours, minutes, seconds, frames))


@lru_cache(maxsize=16)
def _decode_purse(purse: bytes, coins: bytes) -> tuple[str, int, int, tuple[int, ...], int, int]:
    return (
        decode_name(purse[RIVAL_NAME - MONEY :][:NAME_SIZE]),
        bcd(purse[:3]),
        bcd(coins),
        bits(purse[BADGES - MONEY]),
        purse[OPTIONS - MONEY],
        int.from_bytes(purse[PLAYER_ID - MONEY :][:2], "big"),
    )
