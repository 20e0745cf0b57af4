"""Creatures, moves, types, trainers and things of the cartridge in the slot, decoded from ROM."""
