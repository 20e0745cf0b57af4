"""What is going on: cartridge state and screen, with every disagreement between the two."""

from agent.perception.eyes import Due, Eyes, percept_of
from agent.perception.percept import Percept
from agent.perception.sight import Sight

__all__ = ["Due", "Eyes", "Percept", "Sight", "percept_of"]
