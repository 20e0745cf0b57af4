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
from emulator import Dex, World


def capabilities_for(
    story: Story, world: World, dex: Dex, ledger: Ledger, seed: int
) -> tuple[Capability, ...]:
    """Return every capability; where several are as good, `seed` decides."""
    chance = random.Random(seed)
    return (
        opening(seed, chance),
        dialogue(),
        battling(dex),
        travelling(story.places, world),
        healing(story, world),
        story_telling(story, world, ledger, chance),
    )
