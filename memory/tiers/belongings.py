"""What one has owned: what each look at the bag tells of every thing in it, one entry for each in every run.

How many there are now is told by the last look alone: what is gone is in none that follow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.kinds import Kind, growing
from memory.codec import as_json, from_json
from memory.flow.subscription import Derived

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.blackboard.entry import Entry

BELONGING: Final = "belonging"
MAX_BELONGINGS: Final = 400  # all things, and as many that earlier runs had
IMPORTANCE: Final = 4


@dataclass(frozen=True, slots=True)
class Belonging:
    """One thing: where and when it was first seen in the bag, when last, and how many there were at most.

    `run` is whose ticks these are.
    """

    run: str
    subject: str
    place: str
    first_tick: int
    last_tick: int
    most: int


def belonging_kind() -> Kind:
    """Return the policies of belongings; what was not seen for longest is forgotten first."""
    return Kind(
        BELONGING,
        check=lambda data: from_json(Belonging, data),
        key=lambda data: f"{data['run']}/{data['subject']}",
        merge=growing(Belonging, _seen_again),
        limit=MAX_BELONGINGS,
        lasting=True,
    )


def belongings(looks: Sequence[Entry], *, run: str) -> list[Derived]:
    """Return what `looks` of `run` at the bag add to what is known of each thing in it."""
    known: dict[str, Belonging] = {}
    for entry in looks:
        data: Mapping[str, Any] = entry.data
        for name, count in data["items"].items():
            seen = Belonging(run, name, data.get("location", ""), data["tick"], data["tick"], count)
            known[name] = _seen_again(known[name], seen) if name in known else seen
    return [
        Derived(
            BELONGING,
            as_json(each),
            (f"tick:{each.first_tick}", f"tick:{each.last_tick}"),
            importance=IMPORTANCE,
            status="verified",
        )
        for each in known.values()
    ]


def _seen_again(known: Belonging, new: Belonging) -> Belonging:
    first, last = sorted((known, new), key=lambda each: each.first_tick)
    return Belonging(
        run=new.run,
        subject=new.subject,
        place=first.place,
        first_tick=first.first_tick,
        last_tick=max(first.last_tick, last.last_tick),
        most=max(known.most, new.most),
    )
