"""Measurements of play: many games, speed, battles, memory, the model, and a memory exam. No other package imports it."""
