"""A game as RAM holds it, written instead of read: what a model of the game changes instead of a cartridge."""

from emulator.model.battle import end_battle, position_of, put_position, wild_mon, with_member
from emulator.model.ground import MapInRam, slot_of, wild_table, with_open
from emulator.model.moment import moment_of, put_moment
from emulator.model.ram import GameRam, without
