"""The world as the cartridge in the slot describes it: maps, tilesets, warps, decoded from ROM."""
