"""What play met with on its way and may meet again: people, shelves, and squares where it got no further.

Each is told as it was seen; what was seen later of the same is the truth from then on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.kinds import Kind
from memory.codec import from_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memory.codec import Json

HEARD: Final = "heard"
SHELF: Final = "shelf"
BARRED: Final = "barred"
ENCOUNTERS: Final = frozenset({HEARD, SHELF, BARRED})
MAX_ENCOUNTERS: Final = 200  # of each kind


@dataclass(frozen=True, slots=True)
class PersonHeard:
    """Somebody who was talked to: how they began, and what came of it, which is nothing where they only talk."""

    place: str
    map_id: int
    slot: int
    words: str
    came: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShelfSeen:
    """What somebody had for sale when one looked, as numbers of items."""

    place: str
    map_id: int
    slot: int
    wares: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class WayBarred:
    """A square that a walk could not step on: from where to where it led, and whether somebody has passed since."""

    place: str
    towards: str
    map_id: int
    x: int
    y: int
    passed: bool


def encounter_kinds() -> tuple[Kind, ...]:
    """Return the policies of encounters; those longest unseen are forgotten first."""
    return (
        _kind(HEARD, PersonHeard, _person, _heard_again),
        _kind(SHELF, ShelfSeen, _person, None),
        _kind(BARRED, WayBarred, _square, None),
    )


def contradiction(kind: str, known: Mapping[str, Any], seen: Mapping[str, Any]) -> str:
    """Return what was `seen` that is not as it was `known`, in words; nothing where both agree."""
    if kind == SHELF:
        back = sorted(set(seen["wares"]) - set(known["wares"]))
        gone = sorted(set(known["wares"]) - set(seen["wares"]))
        words = [f"item {each} is there" for each in back]
        return ", ".join([*words, *(f"item {each} is gone" for each in gone)])
    if kind == BARRED:
        return "one got through" if seen["passed"] and not known["passed"] else ""
    return "" if known["came"] else ", ".join(seen["came"])


def _kind(name: str, record: type[Any], key: Any, merge: Any) -> Kind:  # noqa: ANN401  # policies
    return Kind(
        name,
        check=lambda data: from_json(record, data),
        key=key,
        merge=merge,
        limit=MAX_ENCOUNTERS,
        lasting=True,
    )


def _person(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['slot']}"


def _square(data: Mapping[str, Json]) -> str:
    return f"{data['map_id']}:{data['x']},{data['y']}"


def _heard_again(known: Mapping[str, Any], seen: Mapping[str, Any]) -> Mapping[str, Json]:
    # Who gave something away has only words left afterwards, until the next game.
    return {**known, "came": known["came"] or seen["came"]}
