"""Invariants that every valid cartridge meets, and the survey that checks a cartridge against them."""
