"""The maps of the cartridge: tiles, warps, people, texts, and the changes that RAM shows."""
