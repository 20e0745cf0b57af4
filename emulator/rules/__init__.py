"""Exact arithmetic of battles and growth, on records only; independent of cartridge and RAM addresses."""
