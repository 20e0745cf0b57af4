"""The cartridge's data on species, moves, items, trainers and wild Pokemon."""
