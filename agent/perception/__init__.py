"""A moment as the agent sees it: RAM and the rendered screen, and where the two disagree."""

from agent.perception.percept import Due, Perceiver, Percept, ScreenReading, percept_of

__all__ = ["Due", "Perceiver", "Percept", "ScreenReading", "percept_of"]
