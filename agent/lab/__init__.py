"""Measurements of play: many games, speed, battles, memory and the model. No other package imports it."""
