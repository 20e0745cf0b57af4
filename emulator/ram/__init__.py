"""What RAM shows: one reader for each part of the state, all of them pure."""

from emulator.ram.battle import BattleType
from emulator.ram.battle_mon import ENEMY, OWN, read_battle_mon
from emulator.ram.control import NoControl
from emulator.ram.flags import EVENTS, SCRIPTS, Flags
from emulator.ram.map import MapPosition, Travel, is_in_sight
from emulator.ram.menu import CURSOR, MoveOffer, read_menu, read_offer
from emulator.ram.party import Dvs, MoveSlot, Stats, read_party
from emulator.ram.player import BAG_CAPACITY, Bag, Stack
from emulator.ram.tile_map import COLUMNS, TILE_MAP, Dialogue, Waiting, read_dialogue, read_tiles
from emulator.ram.view import HIGH_RAM, WORK_RAM

__all__ = [
    "BAG_CAPACITY",
    "COLUMNS",
    "CURSOR",
    "ENEMY",
    "EVENTS",
    "HIGH_RAM",
    "OWN",
    "SCRIPTS",
    "TILE_MAP",
    "WORK_RAM",
    "Bag",
    "BattleType",
    "Dialogue",
    "Dvs",
    "Flags",
    "MapPosition",
    "MoveOffer",
    "MoveSlot",
    "NoControl",
    "Stack",
    "Stats",
    "Travel",
    "Waiting",
    "is_in_sight",
    "read_battle_mon",
    "read_dialogue",
    "read_menu",
    "read_offer",
    "read_party",
    "read_tiles",
]
