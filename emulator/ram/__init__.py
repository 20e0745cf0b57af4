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
