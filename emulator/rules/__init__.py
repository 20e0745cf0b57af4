"""The exact arithmetic of battles and growth, from records alone. Knows no cartridge and no RAM addresses."""
