"""Unattended play: child processes, watched and restarted until there is a verdict."""
