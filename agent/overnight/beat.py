"""One beat of the pulse: the line by which a playing child tells that it lives."""

import json
from typing import Final, NamedTuple, Self

LONGEST: Final = 200  # characters of a text; a line must fit into a pipe at once


class Beat(NamedTuple):
    """Where play is: `gains` counts what it has to show, `checkpoint` is the tick of the last one."""

    tick: int
    frame: int
    place: str
    doing: str
    milestones: tuple[str, ...]
    gains: int
    checkpoint: int

    def line(self) -> bytes:
        """Return it as one line of JSON."""
        table = {**self._asdict(), "place": self.place[:LONGEST], "doing": self.doing[:LONGEST]}
        return json.dumps(table).encode() + b"\n"

    @classmethod
    def of(cls, line: bytes) -> Self | None:
        """Return the beat that a line tells; None where it is cut or says something else."""
        try:
            table = json.loads(line)
            numbers = {name: int(table[name]) for name in ("tick", "frame", "gains", "checkpoint")}
            return cls(
                place=str(table["place"]),
                doing=str(table["doing"]),
                milestones=tuple(map(str, table["milestones"])),
                **numbers,
            )
        except (ValueError, LookupError, TypeError):
            return None
