"""Benchmarks: the cost of play beside the emulator, battle strength, and the cost and gain of memory and a model."""
