"""Unattended play: child processes that are watched and restarted until a night has a verdict."""
