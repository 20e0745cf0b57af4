"""Names of places, people and things in a game, and its time; every record uses them."""

from typing import Final, NamedTuple

from agent.story.story import Story
from emulator import FRAMES_PER_SECOND, Dex, State, World

AGENT: Final = "play"


class GameNames(NamedTuple):
    """What has a name in a game: its places, people and things."""

    story: Story
    world: World
    dex: Dex

    def person(self, map_id: int, slot: int) -> str:
        """Return who stands in a slot of a map: a trainer by name, others by what they do or where they stand."""
        for called, serving in (("clerk", self.story.clerks), ("healer", self.story.healers)):
            for each in serving:
                if (self.story.place(each.place).map_id, each.person) == (map_id, slot):
                    return f"the {called}"
        known = (each for each in self.world.map(map_id).people if each.slot == slot)
        person = next(known, None)
        if person is None:
            return f"number {slot}"
        if person.opponent is not None:
            return self.dex.opponent(*person.opponent)
        return f"the person at ({person.x},{person.y})"


def game_seconds(state: State) -> float:
    """Return game time: frames since power-on, in seconds."""
    return state.frame / FRAMES_PER_SECOND
