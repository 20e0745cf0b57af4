"""What play did, by deed: how often, how it went, and the game time it took."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.report.gather.times import Times, When
from memory import ACTION, EventRow, RunReader

MOST: Final = 40  # deeds with a row of their own
LATEST: Final = 60  # told one by one


@dataclass(frozen=True, slots=True)
class Deed:
    """All times that one thing was done."""

    name: str
    times: int
    ends: Mapping[str, int]
    game_s: float


@dataclass(frozen=True, slots=True)
class Done:
    """One deed that ended."""

    when: When
    name: str
    why: str
    ended: str
    place: str


@dataclass(frozen=True, slots=True)
class Deeds:
    """Those that took most of the time, how many sorts are left out, and the last ones in full."""

    sorts: Sequence[Deed]
    left_out: int
    times: int
    latest: Sequence[Done]


def deeds(run: RunReader, times: Times) -> Deeds:
    """Return what was done on the live lineage."""
    events = list(run.events(ACTION))
    groups: dict[str, list[EventRow]] = {}
    for each in events:
        groups.setdefault(str(each.payload.get("action_value", "?")), []).append(each)
    sorts = sorted((_deed(*each) for each in groups.items()), key=lambda each: -each.game_s)
    return Deeds(
        sorts=sorts[:MOST],
        left_out=len(sorts[MOST:]),
        times=len(events),
        latest=[_done(each, times) for each in events[-LATEST:]],
    )


def _deed(name: str, events: Sequence[EventRow]) -> Deed:
    return Deed(
        name=name,
        times=len(events),
        ends=Counter(str(each.payload.get("outcome_summary", "?")) for each in events),
        game_s=sum(float(each.payload.get("duration_ms", 0.0)) for each in events) / 1_000,
    )


def _done(event: EventRow, times: Times) -> Done:
    told = event.payload
    return Done(
        when=times.when(event.tick),
        name=str(told.get("action_value", "?")),
        why=str(told.get("reasoning", "")),
        ended=str(told.get("outcome_summary", "?")),
        place=str(told.get("location", "")),
    )
