"""Which situations are common: moments become spans, and spans are counted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from memory.blackboard.kinds import Kind
from memory.codec import as_json, from_json
from memory.flow.subscription import Derived

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.blackboard.entry import Entry
    from memory.codec import Json

    Where: TypeAlias = tuple[str, str, bool, bool]

SPAN: Final = "span"
SITUATION: Final = "situation"
MAX_SITUATIONS: Final = 200
LOW_HP: Final = 35.0  # percent of the party's


@dataclass(frozen=True, slots=True)
class Situation:
    """Being somewhere, in front of some kind of screen, well or not, and for how many ticks in all."""

    location: str
    screen_type: str
    is_battle: bool
    is_weak: bool
    ticks: int


def situation_kind() -> Kind:
    """Return the policies of situations; those that took least of the time are forgotten first."""
    return Kind(
        SITUATION,
        check=lambda data: from_json(Situation, data),
        key=lambda data: "/".join(str(value) for value in _where(data)),
        merge=lambda known, new: {**known, "ticks": _ticks(known) + _ticks(new)},
        limit=MAX_SITUATIONS,
        rank=lambda entry: (_ticks(entry.data), entry.seq),
        lasting=True,
    )


def spans(moments: Sequence[Entry]) -> list[Derived]:
    """Return the situations that `moments` pass through, one after the other."""
    return [_span(where, list(group)) for where, group in groupby(moments, key=_seen)]


def common(found: Sequence[Entry]) -> list[Derived]:
    """Return each situation in the spans `found`, counted."""
    book: dict[tuple[Any, ...], list[Entry]] = {}
    for entry in found:
        book.setdefault(_where(entry.data), []).append(entry)
    return [
        Derived(
            SITUATION,
            {**group[-1].data, "ticks": sum(_ticks(each.data) for each in group)},
            tuple(each.key for each in group[-8:]),
            importance=2,
        )
        for group in book.values()
    ]


def _span(where: Where, moments: Sequence[Entry]) -> Derived:
    # The moments themselves are gone in seconds: the ticks are the evidence that lasts.
    ticks = (f"tick:{moments[0].tick}", f"tick:{moments[-1].tick}")
    return Derived(SPAN, as_json(Situation(*where, len(moments))), ticks, importance=1)


def _seen(moment: Entry) -> Where:
    # No record is made of it, because this is asked of every moment there is.
    data: Mapping[str, Any] = moment.data
    is_weak = data["party_hp_percent"] < LOW_HP
    return data["location"], data["screen_type"], data["is_battle"], is_weak


def _where(data: Mapping[str, Json]) -> tuple[Json, ...]:
    return tuple(data[name] for name in ("location", "screen_type", "is_battle", "is_weak"))


def _ticks(data: Mapping[str, Json]) -> int:
    value = data["ticks"]
    assert isinstance(value, int)
    return value
