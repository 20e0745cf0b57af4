"""The maps of the cartridge: tiles, warps, people, texts, and what RAM shows to have changed."""

from emulator.world.game_map import LAST_MAP, Warp, WarpTrigger
from emulator.world.header import FIRST_INDOOR_MAP, Connection
from emulator.world.residents import Lookout, Opponent, Resident, ResidentKind
from emulator.world.world import Floor, Lift

__all__ = [
    "FIRST_INDOOR_MAP",
    "LAST_MAP",
    "Connection",
    "Floor",
    "Lift",
    "Lookout",
    "Opponent",
    "Resident",
    "ResidentKind",
    "Warp",
    "WarpTrigger",
]
