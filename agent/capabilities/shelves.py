"""What each clerk is believed to have for sale: what was there when one looked, else what the cartridge tells."""

from typing import Final

from agent.capabilities import supplies
from agent.capabilities.kit import Kit
from agent.capabilities.story import Clerk
from emulator import State

WANTED: Final = {supplies.POTION: 5, supplies.POKE_BALL: 5, supplies.ANTIDOTE: 2}


class Shelves:
    """The wares of every clerk of the story, as numbers of items."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        maps = {place.name: place.map_id for place in kit.story.places}
        self._where = {each: (maps[each.place], each.person) for each in kit.story.clerks}
        sold = {each: _sold(kit, *where) for each, where in self._where.items()}
        self._untold = frozenset(each for each in sold if sold[each] is None)
        self._told = {
            each: frozenset(WANTED if items is None else items) for each, items in sold.items()
        }

    def told(self, clerk: Clerk) -> frozenset[int]:
        """Return what the cartridge says that a clerk sells; where it does not tell, whatever one may want."""
        return self._told[clerk]

    def believed(self, clerk: Clerk) -> frozenset[int]:
        """Return what a clerk sells, by what was seen there last."""
        seen = self._kit.experience.shelf(*self._where[clerk])
        return self._told[clerk] if seen is None else frozenset(seen.wares)

    def missing(self, clerk: Clerk) -> dict[int, str]:
        """Return what of what one may want was not there though it should be, and that in words."""
        lacking = sorted(set(self._told[clerk]) & WANTED.keys() - set(self.believed(clerk)))
        return {
            item: f"{self._called(clerk)} had no {self._kit.dex.item_name(item)}"
            for item in lacking
        }

    def added(self, clerk: Clerk) -> str:
        """Return in words what was there of what one may want though the cartridge does not say so."""
        more = sorted(set(self.believed(clerk)) & WANTED.keys() - set(self._told[clerk]))
        names = ", ".join(self._kit.dex.item_name(item) for item in more)
        return f"{self._called(clerk)} had {names}" if names else ""

    def look(self, clerk: Clerk, state: State, wares: tuple[int, ...]) -> None:
        """Tell what is for sale; that nothing is, only where nobody knows better."""
        if wares or clerk in self._untold:
            self._kit.encounters.looked(state, clerk.person, wares)

    def _called(self, clerk: Clerk) -> str:
        return self._kit.story.called(self._where[clerk][0])


def _sold(kit: Kit, map_id: int, person: int) -> frozenset[int] | None:
    shops = [each for each in kit.terrain.plain.map(map_id).shops if each.slot == person]
    return frozenset(item for shop in shops for item in shop.items) if shops else None
