"""Which situations are common: moments become spans, and spans are counted."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from memory.blackboard.kinds import Kind
from memory.codec import as_json, from_json
from memory.flow.subscription import Derived

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memory.blackboard.entry import Entry
    from memory.codec import Json

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
    return [
        _derived(SPAN, list(group))
        for _, group in groupby(moments, key=lambda entry: _where(_seen(entry)))
    ]


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


def _derived(kind: str, moments: Sequence[Entry]) -> Derived:
    seen = _seen(moments[0])
    # The moments themselves are gone in seconds: the ticks are the evidence that lasts.
    ticks = (f"tick:{moments[0].tick}", f"tick:{moments[-1].tick}")
    return Derived(kind, {**seen, "ticks": len(moments)}, ticks, importance=1)


def _seen(moment: Entry) -> Mapping[str, Json]:
    data: Mapping[str, Any] = moment.data
    seen = Situation(
        location=data["location"],
        screen_type=data["screen_type"],
        is_battle=data["is_battle"],
        is_weak=data["party_hp_percent"] < LOW_HP,
        ticks=1,
    )
    return as_json(seen)


def _where(data: Mapping[str, Json]) -> tuple[Json, ...]:
    return tuple(data[name] for name in ("location", "screen_type", "is_battle", "is_weak"))


def _ticks(data: Mapping[str, Json]) -> int:
    value = data["ticks"]
    assert isinstance(value, int)
    return value
