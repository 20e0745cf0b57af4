"""Hostile texts for tests of everything that reads text; the data states the aim of each text."""
