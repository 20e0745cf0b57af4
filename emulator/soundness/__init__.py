"""Invariants that every sound cartridge keeps, and the survey of one by all of them."""
