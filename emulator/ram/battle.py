"""Whether there is a battle, and of which kind."""

from __future__ import annotations

from enum import Enum
from typing import Final

from emulator.ram.view import Ram

IS_IN_BATTLE: Final = 0xD057  # wIsInBattle


class BattleKind(Enum):
    """What wIsInBattle says; `LOST` is a blackout under way."""

    NONE = 0
    WILD = 1
    TRAINER = 2
    LOST = 0xFF


def read_battle(ram: Ram) -> BattleKind:
    """Return whether there is a battle, and of which kind."""
    byte = ram.byte(IS_IN_BATTLE)
    return _KINDS.get(byte, BattleKind.NONE)


_KINDS: Final = {kind.value: kind for kind in BattleKind}
