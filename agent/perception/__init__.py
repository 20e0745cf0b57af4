"""What is going on: cartridge state and screen, with every disagreement between the two."""

from agent.perception.eyes import Eyes, Sight
from agent.perception.percept import Percept

__all__ = ["Eyes", "Percept", "Sight"]
