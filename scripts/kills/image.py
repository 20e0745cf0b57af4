"""What the file of a run must hold by all that its lives said they had committed. Pure; knows no SQL."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from memory.store.run_store import CHECKPOINTS_KEPT


class Row(NamedTuple):
    """One row of a table that only grows: its content, and whether it is of the live lineage."""

    content: str
    live: bool = True


@dataclass(frozen=True, slots=True)
class Mark:
    """One checkpoint, and how much of everything there was at that moment."""

    id: int
    tick: int
    content: str
    parts: Mapping[str, str]
    steps: int
    events: int
    lessons: int
    actions: int
    entries: Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Image:
    """One run; `entries` are the live ones by seq, `actions` the seqs of all that were done on the live lineage.

    `covered` is how many lessons a checkpoint ever covered, on whatever branch, and `last_id` the number of
    the checkpoint made last.
    """

    steps: tuple[Row, ...] = ()
    events: tuple[Row, ...] = ()
    lessons: tuple[Row, ...] = ()
    actions: tuple[int, ...] = ()
    entries: Mapping[int, str] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    covered: int = 0
    last_id: int = 0

    def committed(self, said: Mapping[str, Any]) -> "Image":
        """Return the image after the commit that was announced as `said`."""
        entries = dict(self.entries)
        for seq in said["drops"]:
            entries.pop(seq, None)
        entries.update((int(seq), content) for seq, content in said["puts"].items())
        grown = replace(
            self,
            steps=(*self.steps, *map(Row, said["steps"])),
            events=(*self.events, *map(Row, said["events"])),
            lessons=(*self.lessons, *map(Row, said["lessons"])),
            actions=(*self.actions, *said["actions"]),
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
            actions=self.actions[: mark.actions],
            entries=mark.entries,
            marks=tuple(each for each in self.marks if each.id <= number),
        )


def _marked(image: Image, checkpoint: Mapping[str, Any]) -> Image:
    mark = Mark(
        id=image.last_id + 1,
        tick=checkpoint["tick"],
        content=checkpoint["content"],
        parts=checkpoint["parts"],
        steps=len(image.steps),
        events=len(image.events),
        lessons=len(image.lessons),
        actions=len(image.actions),
        entries=image.entries,
    )
    return replace(
        image,
        marks=(*image.marks, mark)[-CHECKPOINTS_KEPT:],
        covered=max(image.covered, mark.lessons),
        last_id=mark.id,
    )


def _dead_after(rows: Sequence[Row], count: int) -> tuple[Row, ...]:
    return (*rows[:count], *(Row(row.content, live=False) for row in rows[count:]))
