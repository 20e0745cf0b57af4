"""Replay of recorded runs: complete, up to the first tick that differs, or to take pictures."""
