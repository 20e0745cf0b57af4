"""Names for the engine's scenes: maps, people, toggles and the texts of maps."""

from collections.abc import Iterable, Iterator

from world.map_tables import toggled
from world.mapdata import Drawn
from world.maps import Map


def macros(maps: Iterable[Map]) -> dict[str, str]:
    """Return the macros of all maps."""
    ordered = sorted(maps, key=lambda each: each.id)
    found = {name: str(number) for each in ordered for name, number in _of(each)}
    for index, (source, _, person) in enumerate(toggled(ordered)):
        if person.name:
            found[f"TOGGLE_{source.name}_{person.name}".upper()] = str(index)
    return found


def changes(maps: Iterable[Drawn]) -> dict[str, str]:
    """Return the macros of the blocks that scenes put into maps, and of their places."""
    found = {}
    for each in maps:
        for change, block in zip(each.source.changes, each.changes, strict=True):
            name = f"BLOCK_{each.source.name}_{change.name}".upper()
            found |= {name: str(block), f"{name}_X": str(change.x), f"{name}_Y": str(change.y)}
    return found


def _of(source: Map) -> Iterator[tuple[str, int]]:
    name = source.name.upper()
    yield f"MAP_{name}", source.id
    for slot, person in enumerate(source.people, start=1):
        if person.name:
            yield f"SLOT_{name}_{person.name.upper()}", slot
    for text in source.texts:
        yield f"MAP_TEXT_{name}_{text.upper()}", source.text_id(text)
