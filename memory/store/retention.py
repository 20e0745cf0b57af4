"""Which checkpoints of a run stay: those of late, those worth coming back to for ever, and no more than fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from memory.store.run_rows import CheckpointMark, Why

RING: Final = 8  # the newest, whatever they were made for
BUDGET: Final = 64 << 20  # bytes of game and mind
FEWEST: Final = 2  # stay however large they are
LASTING: Final[frozenset[Why]] = frozenset({"start", "milestone"})


def kept(marks: Sequence[CheckpointMark], *, budget: int = BUDGET) -> frozenset[int]:
    """Return the numbers of the checkpoints that stay; `marks` are all of a run, the newest last.

    Of two at the same tick only the newer is one to come back to, unless the older is lasting.
    """
    last = {mark.tick: mark.id for mark in marks}
    distinct = [mark for mark in marks if mark.why in LASTING or last[mark.tick] == mark.id]
    recent = distinct[-RING:]
    stay = {mark.id: mark for mark in distinct if mark.why in LASTING} | {
        mark.id: mark for mark in recent
    }
    total = sum(mark.size for mark in stay.values())
    for victim in _dispensable(list(stay.values()), recent):
        if total <= budget:
            break
        total -= stay.pop(victim.id).size
    return frozenset(stay)


def _dispensable(
    stay: Sequence[CheckpointMark], recent: Sequence[CheckpointMark]
) -> Iterator[CheckpointMark]:
    """Yield what goes first where there is no room: old milestones, then the ring from behind, then the start."""
    newest = {mark.id for mark in recent}
    by_age = sorted(stay, key=lambda mark: mark.id)
    old = [each for each in by_age if each.id not in newest]
    yield from (each for each in old if each.why != "start")
    yield from [each for each in by_age if each.id in newest][:-FEWEST]
    yield from (each for each in old if each.why == "start")
