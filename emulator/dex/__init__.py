"""The tables of a cartridge by number: species, moves, items, trainers, wild Pokemon."""

from emulator.dex.dex import engine_tables
from emulator.dex.items import TMS
from emulator.dex.trainers import TeamMember
from emulator.dex.wild import WildTable
