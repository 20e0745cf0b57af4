"""Perception: RAM state and the rendered screen of one tick, and where the two disagree."""
