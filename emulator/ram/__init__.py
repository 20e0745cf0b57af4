"""RAM as frozen records: pure functions from bytes to what they mean, a topic a file."""

from emulator.ram.battle import BattleType
from emulator.ram.battle_mon import Stages
from emulator.ram.control import Doubt
from emulator.ram.dialogue import Dialogue, Waiting
from emulator.ram.map import Travel
from emulator.ram.menu import read_offer
from emulator.ram.party import Box, BoxedMon, Dvs, MoveSlot, Stats
from emulator.ram.player import Bag, Stack
from emulator.ram.tile_map import is_in_sight
from emulator.ram.view import HIGH_RAM, WORK_RAM

__all__ = [
    "HIGH_RAM",
    "WORK_RAM",
    "Bag",
    "BattleType",
    "Box",
    "BoxedMon",
    "Dialogue",
    "Doubt",
    "Dvs",
    "MoveSlot",
    "Stack",
    "Stages",
    "Stats",
    "Travel",
    "Waiting",
    "is_in_sight",
    "read_offer",
]
