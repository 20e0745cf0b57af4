"""Benchmarks: the cost of play beside the emulator, the strength in battle, and the gain of memory."""
