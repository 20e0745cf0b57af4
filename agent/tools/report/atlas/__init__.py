"""The maps that a run visited, drawn from the cartridge's own tiles, with the path walked on them."""
