"""What exists on a cartridge, by name: from it the exam takes what never was."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from agent.capabilities import Story
from emulator import Dex

NAMELESS: Final = {"-", ""}


@dataclass(frozen=True, slots=True)
class There:
    """Names of all that one might meet, enter, carry or reach."""

    species: tuple[str, ...]
    trainers: tuple[str, ...]
    places: tuple[str, ...]
    items: tuple[str, ...]
    milestones: tuple[str, ...]

    @staticmethod
    def of(story: Story, dex: Dex) -> "There":
        """Return the names of a cartridge and of its story, each once."""
        classes = (each for each in dex.all_trainers.values() if each.name not in NAMELESS)
        trainers = (
            dex.opponent(each.number, number)
            for each in classes
            for number in range(1, len(each.teams) + 1)
        )
        return There(
            species=_once(each.name for each in dex.all_species.values()),
            trainers=_once(trainers),
            places=_once(place.called for place in story.places),
            items=_once(each.name for each in dex.all_items.values()),
            milestones=tuple(each.id for each in story.milestones),
        )


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in dict.fromkeys(names) if name not in NAMELESS)
