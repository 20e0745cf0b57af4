"""What play writes to memory, taken from a real game, to be written again as often as one likes."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final

from agent.app.passing import Nobody
from agent.app.session import Limits
from agent.bench.game import GOAL, session_of
from agent.capabilities import Story
from emulator import Cartridge
from memory import Blackboard, Entry, Json

TICKS: Final = 1_000  # from one consolidation to the next
SKIPPED: Final = 400  # ticks: power-on, the opening and the first steps
DATES: Final = frozenset(
    {
        "tick",
        "start_tick",
        "end_tick",
        "first_visit_tick",
        "last_visit_tick",
        "created_tick",
        "completed_tick",
    }
)
OWN: Final = frozenset(
    {"consolidation", "session", "session_begun", "session_ended"}
)  # kinds that memory writes by itself


@dataclass(frozen=True, slots=True)
class Written:
    """One entry as a producer wrote it, `tick` and `game_s` counted from the beginning of the stretch."""

    scope: str
    kind: str
    data: Mapping[str, Json]
    tick: int
    game_s: float
    importance: int

    def onto(self, blackboard: Blackboard, tick: int, game_s: float) -> Entry:
        """Write it again, in a stretch that begins at `tick` and `game_s`."""
        return blackboard.write(
            self.scope,
            self.kind,
            dated(self.data, tick),
            tick=tick + self.tick,
            game_s=game_s + self.game_s,
            importance=self.importance,
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """So many ticks of play, and how many game seconds they are."""

    written: Sequence[Written]
    seconds: float


def stretch_of_play(cartridge: Cartridge, seed: int, ticks: int = TICKS) -> Stretch:
    """Return what the producers wrote in so many ticks of a game's story."""
    story = Story.of(cartridge.kind)
    with _listening() as entries, session_of(cartridge, story, seed) as (session, _):
        session.play(Limits(GOAL, SKIPPED + ticks), Nobody())
    inside = [entry for entry in entries if SKIPPED < entry.tick <= SKIPPED + ticks]
    start = inside[0].game_s
    written = [
        Written(
            scope=each.scope,
            kind=each.kind,
            data=dated(each.data, -SKIPPED),
            tick=each.tick - SKIPPED,
            game_s=each.game_s - start,
            importance=each.importance,
        )
        for each in inside
    ]
    return Stretch(written, inside[-1].game_s - start)


def dated(data: Mapping[str, Json], ticks: int) -> dict[str, Json]:
    """Return `data` as if it had happened so many ticks later."""
    return {
        name: value + ticks if name in DATES and isinstance(value, int) else value
        for name, value in data.items()
    }


@contextmanager
def _listening() -> Iterator[list[Entry]]:
    """Lend a list that every entry written meanwhile goes to, but for what memory derives by itself."""
    heard: list[Entry] = []
    write = Blackboard.write

    @wraps(write)
    def heard_write(self: Blackboard, *args: Any, **kwargs: Any) -> Entry:  # noqa: ANN401
        entry = write(self, *args, **kwargs)
        if entry.status == "verified" and ":ltm:" not in entry.scope and entry.kind not in OWN:
            # As it was handed in: what it became one with is no producer's.
            heard.append(entry._replace(data=dict(args[2])))
        return entry

    setattr(Blackboard, "write", heard_write)  # noqa: B010  # a method cannot be assigned otherwise
    try:
        yield heard
    finally:
        setattr(Blackboard, "write", write)  # noqa: B010
