"""Recorded runs driven again: whole, to the first tick that differs, or for pictures of a moment."""
