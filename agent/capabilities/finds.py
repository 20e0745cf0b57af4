"""What lies about and is not worth a detour, as earlier runs never missed it."""

from agent.capabilities.experience import Use
from agent.capabilities.kit import Kit
from emulator import State


def leaves_lying(kit: Kit, state: State, item: int) -> bool:
    """Say whether memory knows that an item that lies here is never missed."""
    why = kit.experience.spare(item)
    if why:
        name = kit.dex.item_name(item)
        kit.experience.sways(Use.THINGS, f"{name} in {kit.story.place_of(state)}", why)
    return bool(why)
