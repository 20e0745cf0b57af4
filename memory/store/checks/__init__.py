"""Checks of the rows of a memory file, and the repair of each finding."""
