"""Events of a run as types: what its record keeps of milestones and of getting stuck.

Knows how a store spells them, and nothing of play. A field that a file lacks, or has of another type, has its default.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeVar

from memory import RunReader, as_json
from memory.codec import from_json


@dataclass(frozen=True, slots=True)
class MilestoneEvent:
    """A milestone that was reached, with the words of its witnesses; `picture` is a PNG in base64, or ''."""

    id: str = "?"
    tick: int = 0
    witnesses: Mapping[str, str] = field(default_factory=dict)
    picture: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class StuckEvent:
    """A time that play got stuck, as far as it was told at `tick`; all of it once it is `over`.

    `checkpoint_tick` is that of the last checkpoint before it. `last_step` is the number of its last step where its
    ticks are on a branch that died.
    """

    tick: int = 0
    number: int = 0
    reason: str = ""
    map_id: int = 0
    x: int = 0
    y: int = 0
    place: str = ""
    goal: str | None = None
    since: int = 0
    lasted: int = 0
    tried: tuple[str, ...] = ()
    rungs: tuple[str, ...] = ()
    solved_by: str | None = None
    over: bool = False
    checkpoint_tick: int | None = None
    last_step: int | None = None


KINDS: Final[Mapping[type, str]] = {MilestoneEvent: "milestone", StuckEvent: "stuck"}
Event = TypeVar("Event", MilestoneEvent, StuckEvent)


def events(
    run: RunReader, kind: type[Event], *, live: bool = True, strict: bool = False
) -> Iterator[Event]:
    """Yield the events of a kind on the live lineage, or on branches that died, in their order.

    Raises:
        KeyError: when it is `strict` and an event lacks a field.
    """
    blank = as_json(kind())
    for row in run.events(KINDS[kind], live=live):
        for missing in blank.keys() - row.payload.keys() if strict else ():
            raise KeyError(missing)
        at = dict.fromkeys({"tick", "since", "lasted"} & blank.keys(), row.tick)
        told = {
            name: value
            for name, value in row.payload.items()
            if isinstance(value, type(blank.get(name))) or blank.get(name) is None
        }
        yield from_json(kind, {**blank, **at, **told})
