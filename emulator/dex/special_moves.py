"""Moves that the mons of leaders and of the Elite Four know instead of their third."""

from __future__ import annotations

from typing import Final, NamedTuple

from emulator.dex.items import LAST_MOVE
from emulator.dex.trainers import COUNT, TEAM_SIZE
from emulator.profile import table
from emulator.world.rom import Rom

LONE_MOVES: Final = table("LoneMoves")  # place in the team, move
GYMS: Final = 8
TEAM_MOVES: Final = table("TeamMoves")  # trainer class, move
ELITE: Final = 4
ELITE_PLACE: Final = 4  # always of the fifth mon


class SpecialMove(NamedTuple):
    """The third move of the mon at a `place`, from 0 on, in a team."""

    place: int
    move: int


def read_lone_moves(rom: Rom) -> dict[int, SpecialMove]:
    """Return the special moves of leaders by the number of their gym, 1 to 8 (wLoneAttackNo)."""
    data = rom.span(*LONE_MOVES, 2 * GYMS)
    pairs = zip(data[::2], data[1::2], strict=True)
    return {
        gym: SpecialMove(place, move)
        for gym, (place, move) in enumerate(pairs, start=1)
        if place < TEAM_SIZE and 0 < move <= LAST_MOVE
    }


def read_team_moves(rom: Rom) -> dict[int, SpecialMove]:
    """Return the special moves of the Elite Four by trainer class."""
    data = rom.span(*TEAM_MOVES, 2 * ELITE)
    pairs = zip(data[::2], data[1::2], strict=True)
    return {
        number: SpecialMove(ELITE_PLACE, move)
        for number, move in pairs
        if 0 < number <= COUNT and 0 < move <= LAST_MOVE
    }
