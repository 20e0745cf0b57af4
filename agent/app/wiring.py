"""Everything the agent can do on one cartridge, put together in one place."""

import random

from agent.capabilities import (
    Capability,
    Ledger,
    Story,
    battling,
    dialogue,
    healing,
    opening,
    story_telling,
    travelling,
)
from agent.skills import Terrain
from emulator import Dex


def capabilities_for(
    story: Story, terrain: Terrain, dex: Dex, ledger: Ledger, seed: int
) -> tuple[Capability, ...]:
    """Return every capability; where several are as good, `seed` decides."""
    chance = random.Random(seed)
    return (
        opening(seed, chance),
        dialogue(),
        battling(dex),
        travelling(story.places, terrain),
        healing(story, terrain),
        story_telling(story, terrain, ledger, chance),
    )
