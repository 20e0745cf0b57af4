"""Measurements of play: many games, speed, battles, memory, the model, and a memory exam. Nothing below knows it."""
