"""The maps of a cartridge: their headers, blocks, objects and connections."""

from emulator.world.game_map import LAST_MAP, Warp, WarpTrigger
from emulator.world.header import FIRST_INDOOR_MAP, Connection
from emulator.world.map_objects import MapObject, MapObjectKind, Opponent, OverworldMon, SightLine
from emulator.world.world import Floor, Lift
