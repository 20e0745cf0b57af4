"""The times that play got nowhere: why, where, what was tried, and what helped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from agent.report.gather.times import Times, When
from memory import EventRow, RunReader


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode by its number from 1 on; on a branch that died where `died`."""

    number: int
    reason: str
    place: str
    goal: str
    began: When
    since: int
    lasted: int
    tried: Sequence[str]
    rungs: Sequence[str]
    solved_by: str
    over: bool
    died: bool

    @property
    def ticks(self) -> int:
        """How many ticks it took."""
        return self.lasted - self.since


def episodes(run: RunReader, times: Times) -> Iterator[Episode]:
    """Yield what a run tells of, in the order in which it is numbered."""
    for number, event in enumerate(run.events("stuck"), start=1):
        yield _episode(number, event, times)


def _episode(number: int, event: EventRow, times: Times) -> Episode:
    told: dict[str, Any] = {
        "reason": "", "place": "", "goal": None, "since": event.tick, "lasted": event.tick,
        "tried": (), "rungs": (), "solved_by": None, "over": False, "last_step": None,
    } | dict(event.payload)  # fmt: skip
    return Episode(
        number=number,
        reason=str(told["reason"]),
        place=str(told["place"]),
        goal=str(told["goal"] or ""),
        began=times.when(told["since"]),
        since=told["since"],
        lasted=told["lasted"],
        tried=[str(each) for each in told["tried"]],
        rungs=[str(each) for each in told["rungs"]],
        solved_by=str(told["solved_by"] or ""),
        over=bool(told["over"]),
        died=told["last_step"] is not None,
    )
