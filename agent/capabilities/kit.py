"""What a capability is made from: one cartridge, its story, and the luck of one run."""

import random
from dataclasses import dataclass, field

from agent.capabilities.choices import Choices
from agent.capabilities.encounters import Encounters
from agent.capabilities.experience import Experience
from agent.capabilities.ledger import Ledger
from agent.capabilities.story import Story
from agent.skills import Terrain
from emulator import Dex
from memory import MemoryActions


@dataclass(frozen=True, slots=True)
class Kit:
    """The parts that capabilities share; every topic draws chance of its own, whoever else does.

    Without `memory` nothing is done on purpose with what is remembered.
    """

    story: Story
    terrain: Terrain
    dex: Dex
    ledger: Ledger
    seed: int
    memory: MemoryActions | None = None
    experience: Experience = field(default_factory=Experience)
    choices: Choices = field(default_factory=Choices)
    encounters: Encounters = field(default_factory=Encounters)

    def chance(self, topic: str) -> random.Random:
        """Return what decides where several ways are as good; the same for the same seed and topic."""
        return random.Random(f"{self.seed}:{topic}")
