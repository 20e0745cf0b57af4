"""The maps of the cartridge: tiles, warps, people, texts, and what RAM shows to have changed."""
