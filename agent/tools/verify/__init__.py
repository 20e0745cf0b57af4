"""Check of an owner's cartridge: whether the game behaves as the written facts state."""
