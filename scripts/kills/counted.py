"""Whether what happened is carried once along memory's edges, and counted once in what came of it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from kills.found import FoundRun
from kills.image import Image
from kills.watch import TOTALS
from memory import Entry
from memory.tiers.approaches import APPROACH, MAX_APPROACHES, MAX_SITUATIONS, SITUATION, SPAN

FLOWS: Final = "flows"
MOMENTS: Final = "moments"
ACTIONS: Final = "actions"
CONCEPTS: Final = "concepts"
# Their sources are written once and never again, so that nothing takes the place of what is pending.
EXACT: Final = frozenset({MOMENTS, ACTIONS})


def miscounted(image: Image, found: FoundRun) -> Iterator[str]:
    """Yield what the newest checkpoint counts otherwise than once."""
    if not found.marks or FLOWS not in found.marks[-1].parts:
        return
    mark, flows = found.marks[-1], found.marks[-1].parts[FLOWS]
    for name, progress in flows.items():
        written = _written(image, name, progress["cursor"])
        carried = progress["carried"]
        if carried > written or (name in EXACT and carried < written):
            yield f"edge {name}: {written} entries are before the cursor, {carried} were carried"
    yield from _derived(found, flows)
    decided = _written(image, TOTALS, flows[CONCEPTS]["cursor"])
    if (told := _total(found, image.marks[-1].lessons, "battles")) != decided:
        yield f"battles: {decided} are before the cursor at tick {mark.tick}, {told} are counted"


def unfinished(image: Image, found: FoundRun) -> Iterator[str]:
    """Yield what a run that came to its end has not told."""
    mark, flows = image.marks[-1], found.marks[-1].parts[FLOWS]
    if (sessions := _total(found, mark.lessons, "sessions")) != 1:
        yield f"end: the session is counted {sessions} times"
    for name in (ACTIONS, TOTALS):
        written = mark.accepted.get(name, 0)
        told = flows[name]["carried"] if name in flows else _total(found, mark.lessons, "battles")
        if told != written:
            yield f"end: {written} {name} happened, {told} are counted"


def _derived(found: FoundRun, flows: Mapping[str, Any]) -> Iterator[str]:
    """Yield where what was derived does not add up to what was carried."""
    approaches = [each for each in found.held if each.kind == APPROACH]
    single = [each for each in approaches if not each.data["reasoning"]]
    if len(approaches) < MAX_APPROACHES:
        counted = _sum(single, "successes") + _sum(single, "failures")
        if counted != (carried := flows[ACTIONS]["carried"]):
            yield f"approaches: {carried} actions were carried, {counted} are counted"
    situations = [each for each in found.held if each.kind == SITUATION]
    waiting = [
        each
        for each in found.held
        if each.kind == SPAN and each.seq > flows["situations"]["cursor"]
    ]
    if len(situations) < MAX_SITUATIONS:
        counted = _sum(situations, "ticks") + _sum(waiting, "ticks")
        if counted != (carried := flows[MOMENTS]["carried"]):
            yield f"situations: {carried} moments were carried, {counted} are counted"


def _written(image: Image, name: str, through: int) -> int:
    """Return how many of the entries for `name` that the newest checkpoint knows are up to the seq `through`."""
    known = image.accepted.get(name, ())[: image.marks[-1].accepted.get(name, 0)]
    return sum(seq <= through for seq in known)


def _sum(entries: Iterable[Entry], name: str) -> int:
    return sum(int(str(each.data[name])) for each in entries)


def _total(found: FoundRun, count: int, name: str) -> int:
    """Return the sum of one of the totals over the first `count` lessons, those of the live lineage."""
    return sum(
        int(lesson.payload[name])
        for lesson, row in zip(found.outbox[:count], found.lessons[:count], strict=True)
        if row.live and lesson.kind == TOTALS
    )
