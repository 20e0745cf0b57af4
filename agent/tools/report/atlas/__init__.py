"""The maps that a run visited, drawn from the tiles of the cartridge, with the path walked."""
