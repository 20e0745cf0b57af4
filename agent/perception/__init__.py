"""A moment as the agent sees it: RAM and the rendered screen, and where the two disagree."""
