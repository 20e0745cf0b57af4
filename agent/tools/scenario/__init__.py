"""Scenarios: a moment derived from power-on or saved by a user, what is done there, and what must be true then.

Play itself is `agent.app`'s, and the machine the emulator's.
"""
