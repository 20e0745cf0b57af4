"""What the file of a run must hold by all that its lives said they had committed. Pure; knows no SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from memory import CheckpointMark
from memory.store import Why
from memory.store.checkpoints import kept


class Row(NamedTuple):
    """One row of a table that only grows: its content, and whether it is of the live lineage."""

    content: str
    live: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """One checkpoint, and how much of everything there was at that moment."""

    id: int
    tick: int
    why: Why
    content: str
    parts: Mapping[str, str]
    steps: int
    events: int
    lessons: int
    observations: int
    accepted: Mapping[str, int]
    entries: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Image:
    """One run; `entries` are the live ones by seq, and the saved sessions by name.

    `accepted` has the seqs of all that the live lineage wrote for each subscription to carry, `covered` is how
    many lessons a checkpoint ever covered, on whatever branch, and `last_id` the number of the newest checkpoint.
    """

    steps: tuple[Row, ...] = ()
    events: tuple[Row, ...] = ()
    lessons: tuple[Row, ...] = ()
    observations: tuple[Row, ...] = ()
    accepted: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    entries: Mapping[str, str] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    covered: int = 0
    last_id: int = 0

    def committed(self, said: Mapping[str, Any]) -> "Image":
        """Return the image after the commit that was announced as `said`."""
        entries = dict(self.entries)
        for seq in said["drops"]:
            entries.pop(seq, None)
        entries |= said["puts"]
        accepted = dict(self.accepted)
        for name, seqs in said["accepted"].items():
            accepted[name] = (*accepted.get(name, ()), *seqs)
        grown = replace(
            self,
            steps=(*self.steps, *map(Row, said["steps"])),
            events=(*self.events, *map(Row, said["events"])),
            lessons=(*self.lessons, *map(Row, said["lessons"])),
            observations=(*self.observations, *map(Row, said["observations"])),
            accepted=accepted,
            entries=entries,
        )
        checkpoint = said["checkpoint"]
        return grown if checkpoint is None else _marked(grown, checkpoint)

    def rewound(self, number: int) -> "Image":
        """Return the image after going back to checkpoint `number`; raises LookupError when there is none."""
        for mark in self.marks:
            if mark.id == number:
                break
        else:
            message = f"checkpoint {number} is none of {[each.id for each in self.marks]}"
            raise LookupError(message)
        return replace(
            self,
            steps=_dead_after(self.steps, mark.steps),
            events=_dead_after(self.events, mark.events),
            lessons=_dead_after(self.lessons, mark.lessons),
            observations=_dead_after(self.observations, mark.observations),
            accepted={name: self.accepted[name][:count] for name, count in mark.accepted.items()},
            entries=mark.entries,
            marks=tuple(each for each in self.marks if each.id <= number),
        )


def _marked(image: Image, checkpoint: Mapping[str, Any]) -> Image:
    mark = Mark(
        id=image.last_id + 1,
        tick=checkpoint["tick"],
        why=checkpoint["why"],
        content=checkpoint["content"],
        parts=checkpoint["parts"],
        steps=len(image.steps),
        events=len(image.events),
        lessons=len(image.lessons),
        observations=len(image.observations),
        accepted={name: len(seqs) for name, seqs in image.accepted.items()},
        entries=image.entries,
    )
    marks = (*image.marks, mark)
    stay = kept([CheckpointMark(each.id, each.tick, 0, each.why, 0) for each in marks])
    return replace(
        image,
        marks=tuple(each for each in marks if each.id in stay),
        covered=max(image.covered, mark.lessons),
        last_id=mark.id,
    )


def _dead_after(rows: Sequence[Row], count: int) -> tuple[Row, ...]:
    return (*rows[:count], *(Row(row.content, live=False) for row in rows[count:]))
