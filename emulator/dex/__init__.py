"""What the cartridge says about species, moves, items, trainers and wild mons."""
