"""What the cartridge says about species, moves, items, trainers and wild mons."""

from emulator.dex.items import Item
from emulator.dex.species import Evolution, EvolvesBy, LevelUpMove
from emulator.dex.trainers import Member, Team, TrainerClass
from emulator.dex.wild import Wild, WildSlot, WildTable

__all__ = [
    "Evolution",
    "EvolvesBy",
    "Item",
    "LevelUpMove",
    "Member",
    "Team",
    "TrainerClass",
    "Wild",
    "WildSlot",
    "WildTable",
]
