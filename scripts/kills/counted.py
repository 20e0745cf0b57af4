"""Whether what happened is counted once in what was consolidated: the oracle of the consolidator's own state."""

from collections.abc import Iterator, Mapping
from typing import Any

from kills.found import FoundMark, FoundRun
from kills.image import Image
from memory.tiers.approaches import MAX_APPROACHES

CONSOLIDATOR = "MemoryConsolidator"
DECIDED = frozenset({"victory", "defeat"})


def miscounted(image: Image, found: FoundRun) -> Iterator[str]:
    """Yield what the newest checkpoint counts otherwise than once."""
    if not found.marks or CONSOLIDATOR not in found.marks[-1].parts:
        return
    mark, kept = found.marks[-1], found.marks[-1].parts[CONSOLIDATOR]
    yield from _battles(found, mark, kept)
    yield from _actions(image, kept)


def unfinished(image: Image, found: FoundRun) -> Iterator[str]:
    """Yield what a run that came to its end has not told."""
    mark = image.marks[-1]
    if (sessions := _total(found, mark.lessons, "sessions")) != 1:
        yield f"end: the session is counted {sessions} times"
    decided = sum(is_decided(kind, payload) for _, kind, payload in found.live_events)
    if (battles := _total(found, mark.lessons, "battles")) != decided:
        yield f"end: {decided} battles were decided, {battles} are counted"
    kept = found.marks[-1].parts.get(CONSOLIDATOR, {})
    counted = _attempts(kept)
    if len(kept["attempts"]) < MAX_APPROACHES and counted != len(image.actions):
        yield f"end: {len(image.actions)} actions were done, {counted} are counted"


def is_decided(kind: str, payload: Mapping[str, Any]) -> bool:
    """Return whether an event is a battle that was won or lost."""
    return kind == "battle" and payload["outcome"] in DECIDED


def _battles(found: FoundRun, mark: FoundMark, kept: Mapping[str, Any]) -> Iterator[str]:
    last = kept["last_consolidation_tick"]
    before = [
        payload["battle_id"]
        for tick, kind, payload in found.live_events
        if tick < last and is_decided(kind, payload)
    ]
    told = _total(found, len(found.lessons), "battles", through=mark.tick)
    if told != len(before):
        yield f"battles: {len(before)} were decided before tick {last}, {told} are counted"


def _actions(image: Image, kept: Mapping[str, Any]) -> Iterator[str]:
    done = image.actions[: image.marks[-1].actions]
    passed = sum(seq <= kept["cursor"] for seq in done)
    counted = _attempts(kept)
    if len(kept["attempts"]) < MAX_APPROACHES and counted != passed:
        yield f"actions: {passed} are before the cursor, {counted} are counted"


def _attempts(kept: Mapping[str, Any]) -> int:
    return sum(each["successes"] + each["failures"] for each in kept["attempts"])


def _total(found: FoundRun, count: int, name: str, *, through: float = float("inf")) -> int:
    """Return the sum of one of the totals over the live lessons."""
    return sum(
        int(lesson.payload[name])
        for lesson, row in zip(found.outbox[:count], found.lessons[:count], strict=True)
        if row.live and lesson.kind == "totals" and lesson.tick <= through
    )
