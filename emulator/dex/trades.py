"""Trades that people in the game offer."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.dex.species import COUNT as LAST_SPECIES
from emulator.profile import table
from emulator.text import decode_name
from emulator.world.rom import Rom

TRADES: Final = table("TradeMons")  # wanted, given, a set of texts, nickname
SIZE: Final = 14
NICKNAME: Final = 3
COUNT: Final = 10


class Trade(NamedTuple):
    """A mon of species `wants` for one of `gives`, which comes with a nickname."""

    wants: int
    gives: int
    nickname: str


def read_trades(rom: Rom) -> dict[int, Trade]:
    """Return the trades by their bits in wCompletedInGameTradeFlags."""
    data = rom.span(*TRADES, COUNT * SIZE)
    trades = {}
    for bit in range(COUNT):
        row = data[bit * SIZE : (bit + 1) * SIZE]
        if 0 < row[0] <= LAST_SPECIES and 0 < row[1] <= LAST_SPECIES:
            trades[bit] = Trade(row[0], row[1], decode_name(row[NICKNAME:]))
    return trades
